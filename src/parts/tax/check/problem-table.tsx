import type { ComponentProps } from 'react'
import type { TaxProblemKind } from '../../../../server/contract/wage/tax/tax-states.ts'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { Money } from '../../../ui/value/money.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import styles from '../period/period.module.css'
import { type CheckedPeriod, type PeriodHead, problemWords, type TaxProblemLine } from '../period/words.ts'

type Props = Pick<ComponentProps<typeof DataTable<Row>>, never> & {
  asked: { data: CheckedPeriod | undefined; error: unknown; isFetching: boolean; refetch: () => unknown }
  kinds: CheckedPeriod['kinds']
  kind: TaxProblemKind | null
  period: PeriodHead
  onKind: (kind: TaxProblemKind | null) => void
}
type Row = TaxProblemLine & { key: string }

/** What was found, by kinds that are filters. */
export function ProblemTable({ asked, kinds, kind, onKind }: Props) {
  const { data } = asked
  const list = data?.list.map((one) => ({ ...one, key: `${one.kind} ${one.member_id}` }))
  return (
    <section className="ui-card" aria-labelledby="period-problems">
      <h2 id="period-problems">核对结果</h2>
      {kinds.length > 0 && (
        <div className={styles.kinds} role="group" aria-label="按问题筛选">
          {kinds.map((one) => (
            <button
              key={one.kind}
              type="button"
              data-level={one.level}
              aria-pressed={one.kind === kind}
              onClick={() => onKind(one.kind === kind ? null : one.kind)}
            >
              {problemWords[one.kind]} <b>{one.count}</b>
            </button>
          ))}
        </div>
      )}
      <DataTable
        asked={{ ...asked, data: data && list ? { list, page: data.page } : undefined }}
        columns={columns}
        rowKey="key"
        unit="处"
        label="核对结果"
        empty={{ drawing: 'search', text: '没有发现问题：与上月、工资条和工资表的个税都相符。' }}
      />
    </section>
  )
}

const columns: Columns<Row> = [
  { title: '姓名', dataIndex: 'name', fixed: 'start', className: 'ui-nowrap' },
  {
    title: '问题',
    key: 'kind',
    card: 'side',
    className: 'ui-nowrap',
    render: (_, { kind, level }) => <StatusDot word={problemWords[kind]} tone={level === 'error' ? 'danger' : 'warn'} />,
  },
  { title: '说明', dataIndex: 'message', className: styles.why, card: 'wide' },
  { title: '本期', dataIndex: 'ours_fen', align: 'right', card: 'named', render: (fen: number | null) => <Money fen={fen} /> },
  { title: '对照', dataIndex: 'theirs_fen', align: 'right', card: 'named', render: (fen: number | null) => <Money fen={fen} /> },
]
