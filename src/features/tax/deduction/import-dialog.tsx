import type { CallOutput } from '../../../../server/contract/call.ts'
import { importDeduction } from '../../../../server/contract/tax/deductions.ts'
import { deductionLabels } from '../../../../server/contract/tax/kinds.ts'
import { useCallMutation } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { FileError, FilePicker, useFilePreview } from '../import/file-picker.tsx'
import styles from '../tax.module.css'

const changeLabels = { new: '新增', changed: '更新', same: '没有变化', fault: '不能导入' } as const

/** Imports the official lists: changes are shown before they are saved. */
export function ImportDeductionsDialog({ onClose }: { onClose: () => void }) {
  const previewImport = useCallMutation(importDeduction, { handles: () => true })
  const applyImport = useCallMutation(importDeduction)
  const {
    file,
    error,
    take: selectFile,
  } = useFilePreview((selectedFile) => {
    // The file is sent in addition to the fields of the contract.
    const request: { file: File; apply?: '1' } = { file: selectedFile }
    return previewImport.mutateAsync(request)
  })
  const apply = () => {
    const input = { file, apply: '1' as const }
    applyImport.mutate(input, {
      onSuccess: ({ people }) => {
        toast.success(`已导入 ${people} 人的扣除信息`)
        onClose()
      },
    })
  }
  const plan = file ? previewImport.data : undefined
  const hasNoChanges = plan !== undefined && plan.people === 0
  return (
    <Dialog
      open
      width={760}
      title="导入专项附加扣除"
      {...(plan ? { action: `导入 ${plan.people} 人` } : {})}
      allowed={hasNoChanges ? '没有要导入的内容' : true}
      busy={applyImport.isPending}
      onConfirm={apply}
      onClose={onClose}
    >
      <div className={styles.form}>
        <p className="ui-label">
          自然人电子税务局（扣缴端）导出或填报用的专项附加扣除信息表，一个文件里有几张表都可以。先给您看会改什么，确认后才写入；同一份再导入一次不会重复。
        </p>
        <div className="ui-row">
          <FilePicker
            file={file}
            buttonLabel="选择文件"
            label="专项附加扣除信息表"
            busy={previewImport.isPending}
            onFile={selectFile}
          />
        </div>
        <FileError error={error} />
        {previewImport.isPending && <Skeleton rows={4} />}
        {plan && <ImportPlanView plan={plan} />}
      </div>
    </Dialog>
  )
}

/** The changes of the import, with rejected rows first. */
function ImportPlanView({ plan }: { plan: CallOutput<typeof importDeduction> }) {
  return (
    <>
      <StatisticCards
        items={(['new', 'changed', 'same', 'fault'] as const).map((key) => ({
          key,
          label: changeLabels[key],
          value: plan.counts[key],
          color: key === 'fault' && plan.counts.fault > 0 ? 'danger' : 'ink',
        }))}
      />
      {plan.other_sheets.length > 0 && (
        <p className="ui-hint">没有读取的工作表：{plan.other_sheets.join('、')}（不是专项附加扣除的表）</p>
      )}
      <ul className={styles.importRows} aria-label="会改什么">
        {plan.rows.map((row) => (
          <li key={`${row.sheet} ${row.row}`}>
            <span className={row.what === 'fault' ? styles.wrong : 'ui-label'}>{changeLabels[row.what]}</span>
            <strong>{row.name}</strong>
            <span className="ui-hint">
              {row.sheet} {row.cell ?? `第 ${row.row} 行`}
            </span>
            <span>{row.reason || (row.kind ? deductionLabels[row.kind] : '')}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
