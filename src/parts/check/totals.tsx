import type { OutputOf } from '../../../server/contract/call.ts'
import type { checkWageData } from '../../../server/contract/sheet/sheet.ts'
import { type Figure, Numbers } from '../../ui/page/numbers.tsx'
import { monthName } from '../../ui/value/dates.ts'
import { Difference, Money } from '../../ui/value/money.tsx'
import styles from './check.module.css'

type Checked = OutputOf<typeof checkWageData>

/** People, gross, tax and net, each beside last month's. */
export function Totals({ counts }: { counts: Checked['counts'] }) {
  const { totals, last } = counts
  const amount = (key: string, label: string, fen: number | null, before: number | null | undefined): Figure[] =>
    fen === null
      ? []
      : [
          {
            key,
            label,
            value: <Money fen={fen} />,
            note: before === null || before === undefined ? null : <Than month={last?.month} value={fen - before} />,
          },
        ]
  return (
    <Numbers
      items={[
        {
          key: 'people',
          label: counts.skipped ? `人数（另跳过 ${counts.skipped} 人）` : '人数',
          value: totals.people.toLocaleString('zh-CN'),
          note: last ? (
            <Than month={last.month} value={totals.people - last.people} unit="人" />
          ) : (
            '您之前没有发过这一类工资，没有可比的月份'
          ),
        },
        ...amount('gross', '应发', totals.gross_fen, last?.gross_fen),
        ...amount('tax', '个税', totals.tax_fen, last?.tax_fen),
        ...amount('net', '实发', totals.net_fen, last?.net_fen),
      ]}
    />
  )
}

const Than = ({ month, value, unit }: { month: string | undefined; value: number; unit?: string }) => (
  <>
    比{monthName(month)} <Difference value={value} {...(unit ? { unit } : {})} />
  </>
)

/** Who is new and who is missing since last month: one line each, the rest folded. */
export function Changes({ joined, missing, last }: Pick<Checked, 'joined' | 'missing'> & { last: Checked['counts']['last'] }) {
  if (!last || (joined.length === 0 && missing.length === 0)) return null
  return (
    <section className={`ui-card ui-stack ${styles.sendChanges}`} aria-label="人员变化">
      <People
        word={`少了 ${countOf(missing)} 人（${monthName(last.month)}有，这次没有）`}
        names={missing.map(({ name }) => name)}
      />
      <People word={`新增 ${countOf(joined)} 人`} names={joined.map(({ name }) => name)} />
    </section>
  )
}

/** The server names the first 500. */
const countOf = (people: readonly unknown[]) => (people.length >= 500 ? '500 多' : people.length)
const shown = 12
function People({ word, names }: { word: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <div>
      <strong>{word}：</strong>
      {names.slice(0, shown).join('、')}
      {names.length > shown && (
        <details>
          <summary>还有 {names.length - shown} 人</summary>
          {names.slice(shown).join('、')}
        </details>
      )}
    </div>
  )
}
