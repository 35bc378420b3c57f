import { formatFen } from '../../../server/contract/shared/money.ts'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { formatMonth } from '../../components/value/dates.ts'
import styles from '../company/home/home.module.css'

type TrendMonth = { month: string; people: number; gross_fen: number | null; net_fen: number | null }

const chartHeight = 150
const tenThousandYuanFen = 10_000_00
/** Formats an amount in units of ten thousand yuan for the short labels above the bars; the exact amount is in the table. */
const formatTenThousands = (fen: number) => (fen / tenThousandYuanFen).toFixed(fen >= 1000 * tenThousandYuanFen ? 0 : 1)

/**
 * Shows six months as bars, gross behind, net in front. Without amounts (no access to payslips), the bars show
 * headcount.
 */
export function PayTrend({ months }: { months: readonly TrendMonth[] }) {
  if (months.length === 0) return <EmptyState illustration="sheet" text="发送第一批工资条后，这里会画出每个月的应发和实发。" />
  const withPay = months.some((month) => month.net_fen !== null)
  const isShort = months.some(({ net_fen }) => (net_fen ?? 0) >= tenThousandYuanFen)
  const maxValue = Math.max(
    1,
    ...months.map((month) => (withPay ? Math.max(month.gross_fen ?? 0, month.net_fen ?? 0) : month.people)),
  )
  const getBarHeight = (value: number) => `${Math.max(value > 0 ? 2 : 0, (value / maxValue) * chartHeight)}px`
  return (
    <>
      <div className={`${styles.legend} ui-bar-words`}>
        {withPay ? (
          <>
            <span data-kind="gross">应发</span>
            <span data-kind="net">实发{isShort && '（万元）'}</span>
          </>
        ) : (
          <span data-kind="net">人数</span>
        )}
      </div>
      <table className={styles.trend}>
        <caption className="sr-only">近六个月的人数、应发与实发</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">月份</th>
            <th scope="col">{withPay ? '应发与实发' : '人数'}</th>
            <th scope="col">人数</th>
          </tr>
        </thead>
        <tbody>
          {months.map(({ month, people, gross_fen, net_fen }) => (
            <tr key={month}>
              <td>
                {withPay && net_fen !== null ? (
                  <>
                    <span className="sr-only">
                      应发 {gross_fen === null ? '未知' : formatFen(gross_fen)}，实发 {formatFen(net_fen)}
                    </span>
                    <span
                      className={styles.bars}
                      title={`应发 ${gross_fen === null ? '—' : formatFen(gross_fen)}\n实发 ${formatFen(net_fen)}`}
                    >
                      <i data-kind="gross" style={{ height: getBarHeight(gross_fen ?? 0) }} />
                      <i data-kind="net" style={{ height: getBarHeight(net_fen) }}>
                        <span className={styles.value} aria-hidden="true">
                          {isShort ? formatTenThousands(net_fen) : formatFen(net_fen)}
                        </span>
                      </i>
                    </span>
                  </>
                ) : (
                  <span className={styles.bars}>
                    <i data-kind="net" style={{ height: getBarHeight(withPay ? 0 : people) }} />
                  </span>
                )}
              </td>
              <th scope="row">{formatMonth(month).slice(5)}</th>
              <td className={`ui-hint ${styles.heads}`} title={`${people.toLocaleString('zh-CN')} 人`}>
                {people >= 10_000 ? `${Number((people / 10_000).toFixed(1))} 万人` : `${people} 人`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
