import type { ReactNode } from 'react'
import type { ImportChange } from '../../../../server/contract/tax/import.ts'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import styles from '../tax.module.css'

type ImportRow = { row: number | null; sheet: string; name: string; change: ImportChange; reason: string }
type ImportPlan<Row> = {
  rows: readonly Row[]
  counts: Readonly<Record<ImportChange, number>>
  other_sheets: readonly string[]
  unread_columns?: readonly string[]
}
export type AmountColumn<Row> = { title: string; render: (row: Row) => ReactNode }

const changeLabels = { new: '新增', changed: '更新', same: '没有变化' } as const

/** What an import would save, by member, those that cannot be imported first. `verb`: 引入 or 导入. */
export function ImportPlanView<Row extends ImportRow>({
  plan,
  verb,
  label,
  columns,
}: {
  plan: ImportPlan<Row>
  verb: '引入' | '导入'
  /** What the amounts are. */
  label: string
  columns: readonly AmountColumn<Row>[]
}) {
  const { rows, counts, other_sheets, unread_columns = [] } = plan
  const rejected = rows.filter(({ change }) => change === 'rejected')
  const accepted = rows.filter(({ change }) => change !== 'rejected')
  const labels = { ...changeLabels, rejected: `不能${verb}` }
  return (
    <>
      <StatisticCards
        items={(['new', 'changed', 'same', 'rejected'] as const).map((key) => ({
          key,
          label: labels[key],
          value: counts[key],
          color: key === 'rejected' && counts.rejected > 0 ? 'danger' : 'ink',
        }))}
      />
      {other_sheets.length > 0 && <p className="ui-hint">没有读取的工作表：{other_sheets.join('、')}</p>}
      {unread_columns.length > 0 && <p className="ui-hint">没有读取的列：{unread_columns.join('、')}</p>}
      {rejected.length > 0 && (
        <ul className={styles.importRows} aria-label={`不能${verb}的人`}>
          {rejected.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never move, and two of them can be equal.
            <li key={at}>
              <span className={styles.wrong}>不能{verb}</span>
              <strong>{row.name || '（没有姓名）'}</strong>
              {row.row !== null && <span className="ui-hint">第 {row.row} 行</span>}
              <span>{row.reason}</span>
            </li>
          ))}
        </ul>
      )}
      {accepted.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable with the keyboard.
        <section className={styles.importRows} aria-label={`将${verb}的${label}`} tabIndex={0}>
          <table className={styles.amounts}>
            <thead>
              <tr>
                <th scope="col">姓名</th>
                {columns.map(({ title }) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
                <th scope="col">变化</th>
              </tr>
            </thead>
            <tbody>
              {accepted.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows never move, and two of them can be equal.
                <tr key={at}>
                  <th scope="row">{row.name}</th>
                  {columns.map(({ title, render }) => (
                    <td key={title}>{render(row)}</td>
                  ))}
                  <td className="ui-label">{labels[row.change]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  )
}
