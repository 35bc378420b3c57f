import { useQuery } from '@tanstack/react-query'
import { Checkbox, Radio } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getWageList } from '../../../../server/contract/payslips/send.ts'
import { importSentMonths } from '../../../../server/contract/tax/opening.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import type { PeriodDetail } from '../period/labels.ts'
import styles from '../tax.module.css'
import { OpeningPlanView } from './plan-view.tsx'
import { reportOpeningImport } from './report.ts'

type Batch = CallOutput<typeof getWageList>['list'][number]
type Delay = 0 | 1

const addMonths = (month: string, count: number): string => {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`
}
const isSent = ({ status, sent }: Batch) => sent > 0 && status !== 'withdrawn'

/** The delay that the period's own batch shows; null where it has none. */
function findDelay(batches: readonly Batch[], { sources, month }: PeriodDetail): Delay | null {
  const months = batches.flatMap((batch) =>
    sources.some(({ batch_id }) => batch_id === batch.batch_id) ? (batch.month ?? []) : [],
  )
  if (months.includes(month)) return 0
  return months.includes(addMonths(month, -1)) ? 1 : null
}

/** Adds up the payslips sent earlier in the year: which batches, when they were paid, a preview, one confirmation. */
export function SentMonthsDialog({ period, onClose }: { period: PeriodDetail; onClose: () => void }) {
  const batches = useQuery(callQuery(getWageList, { page: 1, pagesize: 100 }))
  if (batches.data) return <SentMonthsForm period={period} batches={batches.data.list.filter(isSent)} onClose={onClose} />
  return (
    <Dialog open title="引入已发月份" onClose={onClose}>
      {batches.error ? <ErrorState error={batches.error} retry={() => void batches.refetch()} /> : <Skeleton rows={6} />}
    </Dialog>
  )
}

type SentMonthsFormProps = { period: PeriodDetail; batches: readonly Batch[]; onClose: () => void }
function SentMonthsForm({ period, batches, onClose }: SentMonthsFormProps) {
  const { period_id, month } = period
  const [delay, setDelay] = useState(() => findDelay(batches, period))
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set())
  const preview = useCallMutation(importSentMonths)
  const applyImport = useCallMutation(importSentMonths)
  const isPaidBefore = (batch: Batch): boolean => {
    const paid = delay !== null && batch.month ? addMonths(batch.month, delay) : null
    return paid !== null && paid.slice(0, 4) === month.slice(0, 4) && paid < month
  }
  const offered = batches.filter(isPaidBefore).toSorted((a, b) => ((a.month ?? '') < (b.month ?? '') ? -1 : 1))
  const batch_ids = offered.flatMap(({ batch_id }) => (excluded.has(batch_id) ? [] : batch_id))
  const request = { period_id, batch_ids, paid_after_months: delay ?? 0 }
  const plan = preview.data
  const confirm = () => {
    if (!plan) preview.mutate(request)
    else applyImport.mutate({ ...request, apply: true }, { onSuccess: (result) => reportOpeningImport(result, onClose) })
  }
  const toggle = (batch_id: string) => {
    const next = new Set(excluded)
    if (!next.delete(batch_id)) next.add(batch_id)
    setExcluded(next)
    preview.reset()
  }
  return (
    <Dialog
      open
      width={760}
      title="引入已发月份"
      action={plan ? `引入 ${plan.people} 人` : `核对 ${batch_ids.length} 批`}
      allowed={
        delay === null
          ? '请选择工资在哪个月发'
          : batch_ids.length === 0
            ? '请至少选择一批工资条'
            : plan?.people === 0
              ? '没有要引入的内容'
              : true
      }
      busy={preview.isPending || applyImport.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className={styles.form}>
        <p className="ui-label">把本年已发送的工资条加总为期初累计；专项附加扣除按登记的计算。单独计税的年终奖请不要选择。</p>
        <Radio.Group
          aria-label="工资在哪个月发"
          optionType="button"
          value={delay}
          options={[
            { value: 0, label: '当月工资当月发' },
            { value: 1, label: '当月工资次月发' },
          ]}
          onChange={({ target }) => {
            setDelay(target.value as Delay)
            preview.reset()
          }}
        />
        {delay !== null && offered.length === 0 && <p>本年 {month} 以前没有已发送的工资条，请从扣缴端文件引入。</p>}
        <div className={styles.batches} role="group" aria-label="已发送的工资批次">
          {offered.map((batch) => (
            <Checkbox key={batch.batch_id} checked={!excluded.has(batch.batch_id)} onChange={() => toggle(batch.batch_id)}>
              {batch.title || batch.file_name} · {formatMonth(batch.month)} · {batch.people} 人
            </Checkbox>
          ))}
        </div>
        {plan && <OpeningPlanView plan={plan} />}
      </div>
    </Dialog>
  )
}
