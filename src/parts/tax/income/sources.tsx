import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getWageList } from '../../../../server/contract/slip/slip.ts'
import { saveIncome } from '../../../../server/contract/wage/periods.ts'
import { canTax } from '../../../../server/contract/wage/tax/tax-states.ts'
import { batchWords } from '../../../../server/contract/words/states.ts'
import { query, useCall } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { dayAndTime, monthName } from '../../../ui/value/dates.ts'
import styles from '../period/period.module.css'
import { type PeriodHead, wayWords } from '../period/words.ts'

type Batch = OutputOf<typeof getWageList>['list'][number]
type Way = keyof typeof wayWords

/** Pay runs of the month and those before it come first; a draft is not checked yet, and what was withdrawn is nobody's pay. */
const takable = (batches: readonly Batch[], month: string): Batch[] =>
  batches
    .filter(({ status }) => status !== 'draft' && status !== 'withdrawn')
    .toSorted((a, b) => Number(b.month === month) - Number(a.month === month))

/** Where the incomes of a month come from. */
export function Sources({ period }: { period: PeriodHead }) {
  const { period_id, sources, month, status } = period
  const batches = useQuery(query(getWageList, { page: 1, pagesize: 50 }))
  const [batch_id, setBatch] = useState<string | null>(null)
  const [way, setWay] = useState<Way>('wages')
  const save = useCall(saveIncome, {
    onSuccess: ({ saved, people }) => {
      toast.done(saved > 0 ? `已取入，本期共 ${people} 人` : '没有变化')
      setBatch(null)
    },
  })
  const may = canTax.edit(status)
  const options = takable(batches.data?.list ?? [], month).map((one) => ({
    value: one.batch_id,
    label: `${one.title || one.file_name} · ${monthName(one.month)} · ${batchWords[one.status].word}`,
  }))
  return (
    <section className="ui-card" aria-labelledby="period-sources">
      <h2 id="period-sources">工资批次</h2>
      {sources.length > 0 && (
        <ul className={styles.sources} aria-label="已取入的工资批次">
          {sources.map((source) => (
            <li key={source.batch_id ?? source.taken_at}>
              <strong>{source.title ?? '另一位薪酬管理员的批次'}</strong>
              <span>{wayWords[source.way]}</span>
              <span>{`${source.people} 人`}</span>
              <span className="ui-hint">{`${dayAndTime(source.taken_at)} 取入`}</span>
              {source.batch_id && (
                <Act
                  size="small"
                  verdict={may}
                  onClick={() => save.mutate({ period_id, without: { batch_id: source.batch_id ?? '' } })}
                >
                  取出<span className="sr-only">：{source.title}</span>
                </Act>
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
          notFoundContent="没有可以取入的工资批次；请先上传并核对工资表"
          onChange={setBatch}
        />
        <Select<Way>
          aria-label="计税方式"
          value={way}
          style={{ width: 160 }}
          options={[
            { value: 'wages', label: wayWords.wages },
            { value: 'bonus', label: wayWords.bonus },
          ]}
          onChange={setWay}
        />
        <Act
          type={sources.length === 0 ? 'primary' : 'default'}
          loading={save.isPending}
          verdict={may === true && batch_id === null ? '请先选择工资批次' : may}
          onClick={() => batch_id && save.mutate({ period_id, from: { batch_id, way } })}
        >
          取入
        </Act>
      </div>
      <p className="ui-hint">税款所属期是发工资的月份。同一批再取入一次，就按现在的工资条更新，不会重复。</p>
    </section>
  )
}
