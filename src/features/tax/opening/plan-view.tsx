import type { OpeningPlan, OpeningRow } from '../../../../server/contract/tax/opening.ts'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { Money } from '../../../components/value/money.tsx'
import styles from '../tax.module.css'

const changeLabels = { new: '新增', changed: '更新', same: '没有变化', rejected: '不能引入' } as const

/** The opening balances that an import would save, those that cannot be imported first. */
export function OpeningPlanView({ plan }: { plan: OpeningPlan }) {
  const rejected = plan.rows.filter(({ change }) => change === 'rejected')
  const accepted = plan.rows.filter(({ change }) => change !== 'rejected')
  return (
    <>
      <StatisticCards
        items={(['new', 'changed', 'same', 'rejected'] as const).map((key) => ({
          key,
          label: changeLabels[key],
          value: plan.counts[key],
          color: key === 'rejected' && plan.counts.rejected > 0 ? 'danger' : 'ink',
        }))}
      />
      {plan.other_sheets.length > 0 && <p className="ui-hint">没有读取的工作表：{plan.other_sheets.join('、')}</p>}
      {rejected.length > 0 && (
        <ul className={styles.importRows} aria-label="不能引入的人">
          {rejected.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never move, and two of them can be equal.
            <li key={at}>
              <span className={styles.wrong}>不能引入</span>
              <strong>{row.name}</strong>
              {row.row !== null && <span className="ui-hint">第 {row.row} 行</span>}
              <span>{row.reason}</span>
            </li>
          ))}
        </ul>
      )}
      {accepted.length > 0 && <OpeningAmounts rows={accepted} />}
    </>
  )
}

const OpeningAmounts = ({ rows }: { rows: readonly OpeningRow[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable with the keyboard.
  <section className={styles.importRows} aria-label="将引入的累计数" tabIndex={0}>
    <table className={styles.amounts}>
      <thead>
        <tr>
          <th scope="col">姓名</th>
          <th scope="col">累计收入</th>
          <th scope="col">累计专项扣除</th>
          <th scope="col">累计已扣个税</th>
          <th scope="col">变化</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows never move, and two of them can be equal.
          <tr key={at}>
            <th scope="row">{row.name}</th>
            <td>
              <Money fen={row.income_fen} />
            </td>
            <td>
              <Money fen={row.special_fen} />
            </td>
            <td>
              <Money fen={row.withheld_fen} />
            </td>
            <td className="ui-label">{changeLabels[row.change]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
