import { Select } from 'antd'
import { useState } from 'react'
import { importOpening } from '../../../../server/contract/tax/opening.ts'
import { useCallMutation } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { FileError, FilePicker, useFilePreview } from '../import/file-picker.tsx'
import type { PeriodDetail } from '../period/labels.ts'
import styles from '../tax.module.css'
import { OpeningPlanView } from './plan-view.tsx'
import { reportOpeningImport } from './report.ts'

/** Imports the year's sums of everybody from the tax client's file: a preview, then one confirmation. */
export function ImportOpeningDialog({ period, onClose }: { period: PeriodDetail; onClose: () => void }) {
  const { period_id, month } = period
  const preview = useCallMutation(importOpening, { handles: () => true })
  const applyImport = useCallMutation(importOpening)
  const [lastMonth, setLastMonth] = useState<number | null>(null)
  // The file is sent in addition to the fields of the contract.
  const toRequest = (file: File, through: number | null) => ({
    file,
    period_id,
    ...(through === null ? {} : { through_month: through }),
  })
  const {
    file,
    error,
    take: selectFile,
  } = useFilePreview((selected) => {
    setLastMonth(null)
    return preview.mutateAsync(toRequest(selected, null))
  })
  const plan = file ? preview.data : undefined
  const asksMonth = plan !== undefined && (plan.through_month === null || lastMonth !== null)
  const selectMonth = (through: number) => {
    setLastMonth(through)
    if (file) preview.mutate(toRequest(file, through))
  }
  const apply = () => {
    if (!file) return
    const request = { ...toRequest(file, lastMonth), apply: '1' as const }
    applyImport.mutate(request, { onSuccess: (result) => reportOpeningImport(result, onClose) })
  }
  return (
    <Dialog
      open
      width={760}
      title="从扣缴端文件引入期初累计"
      {...(plan ? { action: `引入 ${plan.people} 人` } : {})}
      allowed={plan?.through_month === null ? '请选择累计截至几月' : plan?.people === 0 ? '没有要引入的内容' : true}
      busy={applyImport.isPending}
      onConfirm={apply}
      onClose={onClose}
    >
      <div className={styles.form}>
        <p className="ui-label">
          在扣缴端「税款计算」里导出 {Number(month.slice(5)) - 1}{' '}
          月的明细，里面有每个人本年的累计收入、扣除和已扣个税。先核对，确认后才写入。
        </p>
        <div className="ui-row">
          <FilePicker
            file={file}
            buttonLabel="选择扣缴端文件"
            label="扣缴端上月的税款计算结果"
            busy={preview.isPending}
            onFile={selectFile}
          />
        </div>
        <FileError error={error ?? preview.error?.message ?? null} />
        {asksMonth && (
          <div className="ui-row">
            <span>文件里没有税款所属期，累计截至</span>
            <Select<number>
              aria-label="累计截至几月"
              placeholder="选择月份"
              style={{ width: 120 }}
              value={lastMonth}
              options={Array.from({ length: Number(month.slice(5)) - 1 }, (_, at) => ({ value: at + 1, label: `${at + 1} 月` }))}
              onChange={selectMonth}
            />
          </div>
        )}
        {preview.isPending && <Skeleton rows={4} />}
        {plan && !preview.isPending && <OpeningPlanView plan={plan} />}
      </div>
    </Dialog>
  )
}
