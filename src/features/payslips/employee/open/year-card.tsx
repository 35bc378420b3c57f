import { useQuery } from '@tanstack/react-query'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import { getYearSummary } from '../../../../../server/contract/payslips/employee.ts'
import { callQuery } from '../../../../api.ts'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { Money } from '../../../../components/value/money.tsx'
import { EmployeeTaxAmounts } from '../own/tax-amounts.tsx'
import { noCacheOptions } from '../queries.ts'
import styles from './year.module.css'

type YearSummary = CallOutput<typeof getYearSummary>
type MonthSummary = YearSummary['months'][number]

/**
 * The summary of a year above its payslips: total, a bar per month, and a table by month on request. A single month
 * needs no summary. `expected`: the list has several months, so space is reserved.
 */
export function YearSummaryCard({ year, hidden, expected }: { year: number | undefined; hidden: boolean; expected: boolean }) {
  const { data, isLoading } = useQuery({
    ...callQuery(getYearSummary, { year: year ?? 0 }),
    ...noCacheOptions,
    enabled: year !== undefined,
    meta: { quiet: true },
  })
  if (isLoading && expected)
    return (
      <section className={`${styles.root} ${styles.waiting}`} data-bars={!hidden || undefined} aria-label={`${year} 年合计`}>
        <Skeleton rows={3} />
      </section>
    )
  if (!data || data.year !== year || data.months.length < 2) return null
  const { months, total, tax } = data
  // All payslips have closed or need an identity check: there is nothing to sum up.
  if (total.net_fen === null) return null
  return (
    <section className={styles.root} aria-label={`${year} 年合计`}>
      <h2 className={styles.title}>
        {year} 年合计<small>{months.length} 个月</small>
      </h2>
      <dl>
        <YearAmount word="实发" fen={total.net_fen} hidden={hidden} strong />
        {total.gross_fen !== null && <YearAmount word="应发" fen={total.gross_fen} hidden={hidden} />}
        {total.tax_fen !== null && <YearAmount word="个税" fen={total.tax_fen} hidden={hidden} />}
      </dl>
      {!hidden && <MonthBars months={months} />}
      <details>
        <summary>按月查看</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">月份</th>
              <th scope="col">实发</th>
              {total.tax_fen !== null && <th scope="col">个税</th>}
            </tr>
          </thead>
          <tbody>
            {months.map((item) => (
              <tr key={item.month}>
                <th scope="row">{formatMonthLabel(item)}</th>
                <td>
                  <Money fen={item.net_fen} hidden={hidden} />
                </td>
                {total.tax_fen !== null && (
                  <td>
                    <Money fen={item.tax_fen} hidden={hidden} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      {tax && (
        <details>
          <summary>个税累计（截至 {Number(tax.month.slice(5))} 月）</summary>
          <EmployeeTaxAmounts tax={tax} hidden={hidden} />
        </details>
      )}
      {total.kept_back > 0 && <p>另有 {total.kept_back} 张没有计入：需要验证、还没打开或已经关闭。</p>}
    </section>
  )
}

const formatMonthLabel = ({ month, slips }: MonthSummary) => `${Number(month.slice(5))} 月${slips > 1 ? `（${slips} 张）` : ''}`

const YearAmount = (props: { word: string; fen: number | null; hidden: boolean; strong?: boolean }) => (
  <div data-strong={props.strong}>
    <dt>{props.word}</dt>
    <dd>
      <Money fen={props.fen} hidden={props.hidden} strong={props.strong ?? false} />
    </dd>
  </div>
)

const maxBarHeight = 36
/** The chart always has twelve months, so that every year has the same shape; the values are in the table. */
function MonthBars({ months }: { months: readonly MonthSummary[] }) {
  const maxNet = Math.max(1, ...months.map(({ net_fen }) => net_fen ?? 0))
  const getNet = (of_year: number) => months.find(({ month }) => Number(month.slice(5)) === of_year)?.net_fen ?? 0
  return (
    <div className={styles.bars} aria-hidden="true">
      {Array.from({ length: 12 }, (_, index) => index + 1).map((monthNumber) => (
        <span key={monthNumber}>
          <i style={{ height: Math.round((Math.max(0, getNet(monthNumber)) / maxNet) * maxBarHeight) }} />
          {monthNumber}
        </span>
      ))}
    </div>
  )
}
