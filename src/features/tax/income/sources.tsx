import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getWageList } from '../../../../server/contract/payslips/send.ts'
import { batchStatusLabels } from '../../../../server/contract/shared/statuses.ts'
import { saveIncome } from '../../../../server/contract/tax/periods.ts'
import { canTaxPeriod } from '../../../../server/contract/tax/statuses.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatDateTime, formatMonth } from '../../../components/value/dates.ts'
import { type PeriodDetail, sourceKindLabels } from '../period/labels.ts'
import styles from '../period/period.module.css'

type SourceBatch = CallOutput<typeof getWageList>['list'][number]
type SourceKind = keyof typeof sourceKindLabels

/** Returns the batches that can supply incomes, the month's first; drafts are not checked yet, withdrawn ones are no pay. */
const getUsableBatches = (batches: readonly SourceBatch[], month: string): SourceBatch[] =>
  batches
    .filter(({ status }) => status !== 'draft' && status !== 'withdrawn')
    .toSorted((a, b) => Number(b.month === month) - Number(a.month === month))

export function IncomeSources({ period }: { period: PeriodDetail }) {
  const { period_id, sources, month, status } = period
  const batches = useQuery(callQuery(getWageList, { page: 1, pagesize: 50 }))
  const [batch_id, setBatch] = useState<string | null>(null)
  const [sourceKind, setSourceKind] = useState<SourceKind>('wages')
  const save = useCallMutation(saveIncome, {
    onSuccess: ({ saved, people }) => {
      toast.success(saved > 0 ? `已引入，本期共 ${people} 人` : '没有变化')
      setBatch(null)
    },
  })
  const allowed = canTaxPeriod.edit(status)
  const options = getUsableBatches(batches.data?.list ?? [], month).map((batch) => ({
    value: batch.batch_id,
    label: `${batch.title || batch.file_name} · ${formatMonth(batch.month)} · ${batchStatusLabels[batch.status].label}`,
  }))
  return (
    <section className="ui-card" aria-labelledby="period-sources">
      <h2 id="period-sources">工资批次</h2>
      {sources.length > 0 && (
        <ul className={styles.sources} aria-label="已引入的工资批次">
          {sources.map((source) => (
            <li key={source.batch_id ?? source.taken_at}>
              <strong>{source.title ?? '另一位薪酬管理员的批次'}</strong>
              <span>{sourceKindLabels[source.way]}</span>
              <span>{`${source.people} 人`}</span>
              <span className="ui-hint">{`${formatDateTime(source.taken_at)} 引入`}</span>
              {source.batch_id && (
                <ActionButton
                  size="small"
                  allowed={allowed}
                  onClick={() => save.mutate({ period_id, remove_batch: { batch_id: source.batch_id ?? '' } })}
                >
                  移除<span className="sr-only">：{source.title}</span>
                </ActionButton>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.take}>
        <Select
          aria-label="工资批次"
          placeholder="选择已发送或已核对的工资批次"
          value={batch_id}
          options={options}
          loading={batches.isLoading}
          showSearch={{ optionFilterProp: 'label' }}
          notFoundContent="没有可以引入的工资批次；请先上传并核对工资表"
          onChange={setBatch}
        />
        <Select<SourceKind>
          aria-label="计税方式"
          value={sourceKind}
          style={{ width: 160 }}
          options={[
            { value: 'wages', label: sourceKindLabels.wages },
            { value: 'bonus', label: sourceKindLabels.bonus },
          ]}
          onChange={setSourceKind}
        />
        <ActionButton
          type={sources.length === 0 ? 'primary' : 'default'}
          loading={save.isPending}
          allowed={allowed === true && batch_id === null ? '请先选择工资批次' : allowed}
          onClick={() => batch_id && save.mutate({ period_id, from: { batch_id, income_kind: sourceKind } })}
        >
          引入
        </ActionButton>
      </div>
      <p className="ui-hint">税款所属期是发工资的月份。同一批再引入一次，就按现在的工资条更新，不会重复。</p>
    </section>
  )
}
