import type { OutputOf } from '../../../../server/contract/call.ts'
import { importDeduction } from '../../../../server/contract/wage/deductions.ts'
import { deductionWords } from '../../../../server/contract/wage/kinds.ts'
import { useCall } from '../../../api.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { FileChoice, FileError, useLookedAt } from '../file-choice.tsx'
import styles from '../tax.module.css'

const words = { new: '新增', changed: '更新', same: '没有变化', fault: '不能导入' } as const

/** The official lists: what they would change is shown before it is written. */
export function DeductionImport({ onClose }: { onClose: () => void }) {
  const look = useCall(importDeduction, { handles: () => true })
  const write = useCall(importDeduction)
  const { file, error, take } = useLookedAt((chosen) => {
    // A file goes beside what the contract names.
    const asked: { file: File; apply?: '1' } = { file: chosen }
    return look.mutateAsync(asked)
  })
  const apply = () => {
    const input = { file, apply: '1' as const }
    write.mutate(input, {
      onSuccess: ({ people }) => {
        toast.done(`已导入 ${people} 人的扣除信息`)
        onClose()
      },
    })
  }
  const plan = file ? look.data : undefined
  const nothing = plan !== undefined && plan.people === 0
  return (
    <Dialog
      open
      width={760}
      title="导入专项附加扣除"
      {...(plan ? { action: `导入 ${plan.people} 人` } : {})}
      verdict={nothing ? '没有要导入的内容' : true}
      busy={write.isPending}
      onConfirm={apply}
      onClose={onClose}
    >
      <div className={styles.form}>
        <p className="ui-label">
          自然人电子税务局（扣缴端）导出或填报用的专项附加扣除信息表，一个文件里有几张表都可以。先给您看会改什么，确认后才写入；同一份再导入一次不会重复。
        </p>
        <div className="ui-row">
          <FileChoice file={file} word="选择文件" label="专项附加扣除信息表" busy={look.isPending} onFile={take} />
        </div>
        <FileError error={error} />
        {look.isPending && <Skeleton rows={4} />}
        {plan && <Plan plan={plan} />}
      </div>
    </Dialog>
  )
}

/** What it would change, what cannot be taken before all. */
function Plan({ plan }: { plan: OutputOf<typeof importDeduction> }) {
  return (
    <>
      <Numbers
        items={(['new', 'changed', 'same', 'fault'] as const).map((key) => ({
          key,
          label: words[key],
          value: plan.counts[key],
          tone: key === 'fault' && plan.counts.fault > 0 ? 'danger' : 'ink',
        }))}
      />
      {plan.other_sheets.length > 0 && (
        <p className="ui-hint">没有读取的工作表：{plan.other_sheets.join('、')}（不是专项附加扣除的表）</p>
      )}
      <ul className={styles.importRows} aria-label="会改什么">
        {plan.rows.map((row) => (
          <li key={`${row.sheet} ${row.row}`}>
            <span className={row.what === 'fault' ? styles.wrong : 'ui-label'}>{words[row.what]}</span>
            <strong>{row.name}</strong>
            <span className="ui-hint">
              {row.sheet} {row.cell ?? `第 ${row.row} 行`}
            </span>
            <span>{row.why || (row.kind ? deductionWords[row.kind] : '')}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
