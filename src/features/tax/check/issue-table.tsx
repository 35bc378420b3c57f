import type { ComponentProps } from 'react'
import type { TaxIssueKind } from '../../../../server/contract/tax/statuses.ts'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { type CheckedPeriod, type PeriodDetail, type TaxIssueListItem, taxIssueLabels } from '../period/labels.ts'
import styles from '../period/period.module.css'

type TaxIssueTableProps = Pick<ComponentProps<typeof DataTable<TaxIssueRow>>, never> & {
  issues: { data: CheckedPeriod | undefined; error: unknown; isFetching: boolean; refetch: () => unknown }
  kinds: CheckedPeriod['kinds']
  kind: TaxIssueKind | null
  period: PeriodDetail
  onKind: (kind: TaxIssueKind | null) => void
}
type TaxIssueRow = TaxIssueListItem & { key: string }

/** The issues found, with their kinds as filters. */
export function TaxIssueTable({ issues, kinds, kind, onKind }: TaxIssueTableProps) {
  const { data } = issues
  const list = data?.list.map((item) => ({ ...item, key: `${item.kind} ${item.member_id}` }))
  return (
    <section className="ui-card" aria-labelledby="period-problems">
      <h2 id="period-problems">核对结果</h2>
      {kinds.length > 0 && (
        <div className={styles.kinds} role="group" aria-label="按问题筛选">
          {kinds.map((item) => (
            <button
              key={item.kind}
              type="button"
              data-level={item.level}
              aria-pressed={item.kind === kind}
              onClick={() => onKind(item.kind === kind ? null : item.kind)}
            >
              {taxIssueLabels[item.kind]} <b>{item.count}</b>
            </button>
          ))}
        </div>
      )}
      <DataTable
        requested={{ ...issues, data: data && list ? { list, page: data.page } : undefined }}
        columns={issueColumns}
        rowKey="key"
        unit="处"
        label="核对结果"
        empty={{ illustration: 'search', text: '没有发现问题：与上月、工资条和工资表的个税都相符。' }}
      />
    </section>
  )
}

const issueColumns: Columns<TaxIssueRow> = [
  { title: '姓名', dataIndex: 'name', fixed: 'start', className: 'ui-nowrap' },
  {
    title: '问题',
    key: 'kind',
    card: 'side',
    className: 'ui-nowrap',
    render: (_, { kind, level }) => <StatusDot label={taxIssueLabels[kind]} color={level === 'error' ? 'danger' : 'warn'} />,
  },
  { title: '说明', dataIndex: 'message', className: styles.why, card: 'wide' },
  {
    title: '本期',
    dataIndex: 'computed_fen',
    align: 'right',
    card: 'named',
    render: (fen: number | null) => <Money fen={fen} />,
  },
  {
    title: '对照',
    dataIndex: 'declared_fen',
    align: 'right',
    card: 'named',
    render: (fen: number | null) => <Money fen={fen} />,
  },
]
