import { Link } from '@tanstack/react-router'
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { checkWageData } from '../../../../server/contract/sheets/sheet.ts'
import { type Statistic, StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { formatCount } from '../../../components/value/counts.ts'
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
          label: counts.skipped ? `人数（另跳过 ${formatCount(counts.skipped)} 人）` : '人数',
          value: formatCount(totals.people),
          note: last ? (
            <ComparedToMonth month={last.month} value={totals.people - last.people} unit="人" />
          ) : (
            '没有发过这一类工资，无可比月份'
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

/** The employees whose net pay changed most since last month, each linked to their row. */
export function LargestChanges(props: {
  batch_id: string
  changes: CheckResult['largest_changes']
  last: CheckResult['counts']['previous']
}) {
  const { batch_id, changes, last } = props
  if (!last || changes.length === 0) return null
  return (
    <section className={`ui-card ${styles.changes}`} aria-label="变动最大的人">
      <h2>
        实发变动最大的 {changes.length} 人<small>与{formatMonth(last.month)}相比</small>
      </h2>
      <ol>
        {changes.map(({ row, name, net_fen, previous_net_fen }) => (
          <li key={row}>
            <Link to="/wageSend1" search={{ batch_id, row, from: 'check' }} title="在表里看这一行">
              {name}
            </Link>
            <span className="ui-hint">
              <Money fen={previous_net_fen} /> → <Money fen={net_fen} />
            </span>
            <AmountChange value={net_fen - previous_net_fen} />
          </li>
        ))}
      </ol>
    </section>
  )
}

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
        word={`少了 ${formatMemberCount(missing_members)} 人（${formatMonth(last.month)}有，这次没有）`}
        names={missing_members.map(({ name }) => name)}
      />
      <NameList word={`新增 ${formatMemberCount(new_members)} 人`} names={new_members.map(({ name }) => name)} />
    </section>
  )
}

/** The server lists at most 500. */
const formatMemberCount = (people: readonly unknown[]) => (people.length >= 500 ? '500 多' : people.length)
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
