import type { CallOutput } from '../../../../server/contract/call.ts'
import type { checkWageData } from '../../../../server/contract/sheets/sheet.ts'
import { type Statistic, StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { AmountChange, Money } from '../../../components/value/money.tsx'
import styles from './check.module.css'

type CheckResult = CallOutput<typeof checkWageData>

/** Headcount, gross, tax and net, each compared with last month. */
export function CheckTotals({ counts }: { counts: CheckResult['counts'] }) {
  const { totals, previous: last } = counts
  const amount = (key: string, label: string, fen: number | null, previous: number | null | undefined): Statistic[] =>
    fen === null
      ? []
      : [
          {
            key,
            label,
            value: <Money fen={fen} />,
            note:
              previous === null || previous === undefined ? null : <ComparedToMonth month={last?.month} value={fen - previous} />,
          },
        ]
  return (
    <StatisticCards
      items={[
        {
          key: 'people',
          label: counts.skipped ? `人数（另跳过 ${counts.skipped} 人）` : '人数',
          value: totals.people.toLocaleString('zh-CN'),
          note: last ? (
            <ComparedToMonth month={last.month} value={totals.people - last.people} unit="人" />
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

const ComparedToMonth = ({ month, value, unit }: { month: string | undefined; value: number; unit?: string }) => (
  <>
    比{formatMonth(month)} <AmountChange value={value} {...(unit ? { unit } : {})} />
  </>
)

/** New and missing members since last month: one line each, the rest collapsed. */
export function MemberChanges({
  new_members,
  missing_members,
  last,
}: Pick<CheckResult, 'new_members' | 'missing_members'> & { last: CheckResult['counts']['previous'] }) {
  if (!last || (new_members.length === 0 && missing_members.length === 0)) return null
  return (
    <section className={`ui-card ui-stack ${styles.sendChanges}`} aria-label="人员变化">
      <NameList
        word={`少了 ${formatCount(missing_members)} 人（${formatMonth(last.month)}有，这次没有）`}
        names={missing_members.map(({ name }) => name)}
      />
      <NameList word={`新增 ${formatCount(new_members)} 人`} names={new_members.map(({ name }) => name)} />
    </section>
  )
}

/** The server lists at most 500. */
const formatCount = (people: readonly unknown[]) => (people.length >= 500 ? '500 多' : people.length)
const maxNames = 12
function NameList({ word: heading, names }: { word: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <div>
      <strong>{heading}：</strong>
      {names.slice(0, maxNames).join('、')}
      {names.length > maxNames && (
        <details>
          <summary>还有 {names.length - maxNames} 人</summary>
          {names.slice(maxNames).join('、')}
        </details>
      )}
    </div>
  )
}
