import type { TaxIssueKind } from '../../../../server/contract/tax/statuses.ts'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { OpeningActions } from '../opening/opening-card.tsx'
import { type CheckedPeriod, type PeriodDetail, type TaxIssueListItem, taxIssueTexts } from '../period/labels.ts'
import styles from '../period/period.module.css'

type TaxIssueListProps = {
  issues: { data: CheckedPeriod | undefined; error: unknown; isFetching: boolean; refetch: () => unknown }
  kinds: CheckedPeriod['kinds']
  /** The kind that is expanded. */
  kind: TaxIssueKind | null
  period: PeriodDetail
  onKind: (kind: TaxIssueKind | null) => void
}
type TaxIssueRow = TaxIssueListItem & { key: string }

/** The issues found: one line for each kind with its number, which expands to the people concerned. */
export function TaxIssueTable({ issues, kinds, kind, period, onKind }: TaxIssueListProps) {
  const { data } = issues
  const list = data?.list.filter((item) => item.kind === kind).map((item) => ({ ...item, key: `${item.kind} ${item.member_id}` }))
  return (
    <section className="ui-card" aria-labelledby="period-problems">
      <h2 id="period-problems">核对结果</h2>
      {kinds.length === 0 && <EmptyState illustration="search" text="没有发现问题：与上月、工资条和工资表的个税都相符。" />}
      <ul className={styles.issues}>
        {kinds.map((item) => (
          <li key={item.kind}>
            <div className={styles.issue}>
              <button
                type="button"
                aria-expanded={item.kind === kind}
                onClick={() => onKind(item.kind === kind ? null : item.kind)}
              >
                <StatusDot label={taxIssueTexts[item.kind].label} color={item.level === 'error' ? 'danger' : 'warn'} />
                <b>{item.count} 人</b>
              </button>
              <span className="ui-label">{taxIssueTexts[item.kind].advice}</span>
              {item.kind === 'months_gap' && period.status !== 'locked' && (
                <div className="ui-row">
                  <OpeningActions period={period} />
                </div>
              )}
            </div>
            {item.kind === kind && (
              <DataTable
                requested={{ ...issues, data: data && list ? { list, page: data.page } : undefined }}
                columns={issueColumns}
                rowKey="key"
                unit="处"
                label={taxIssueTexts[kind].label}
                empty={{ illustration: 'search', text: '已经处理。' }}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

const issueColumns: Columns<TaxIssueRow> = [
  { title: '姓名', dataIndex: 'name', fixed: 'start', className: 'ui-nowrap' },
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
