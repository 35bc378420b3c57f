import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import type { PlacedProblem, Problem } from '../../../../server/contract/sheet/sheet.ts'
import type { Fix } from '../../../../server/contract/words/words.ts'
import { Money } from '../../../ui/value/money.tsx'
import styles from './card.module.css'
import { actsOf, isFigure, loudness, mayTakePhone, type RowFacts, saysMore } from './problem-card.ts'
import type { Opened } from './problem-fix.tsx'
import type { NewPhone } from './take-phone.tsx'

type LineProps = {
  batch_id: string
  problem: PlacedProblem
  /** The row, as the sheet numbers it. */
  row: string
  /** What the column in question is called. */
  label: string
  /** The sentences of the list it stands in. */
  others: readonly string[]
  opened: Opened | null
  busy: boolean
  onOpen: (on: Opened) => void
  onFix: (fix: Fix, more?: { member_id?: string; value?: string }) => void
  /** Null where somebody may not change the roster. */
  onPhone: ((phone: NewPhone) => void) | null
}

/** One problem: where it is (a link to its cell), whose, what he gets, what stands there, and the fixes that need no more words. */
export function ProblemLine(props: LineProps) {
  const { problem, label, others, opened, busy, onOpen, onFix } = props
  const { value, of: facts } = problem
  // The name, phone, department and pay stand there already.
  const isSaid =
    facts !== null && value ? [problem.name, facts.mobile, facts.department].includes(value) || isFigure(value, facts) : false
  const more = saysMore(problem, label, others)
  const only = loudness(problem, others.length === 1)
  const acts = actsOf(problem)
  const who = problem.fix.includes('match') ? problem.candidates : []
  return (
    <>
      <div className={styles.checkLine}>
        <Where batch_id={props.batch_id} problem={problem} row={props.row} />
        {problem.name && <strong>{problem.name}</strong>}
        {facts?.mobile && <span className={styles.checkMobile}>{facts.mobile}</span>}
        {facts?.department && <span className={styles.checkDepartment}>{facts.department}</span>}
        {value !== null && !isSaid && (
          <span className={styles.checkCell}>
            <small>{label}</small>
            <b>{value || '空'}</b>
          </span>
        )}
        {facts && <Pay facts={facts} />}
        {more && <p>{more}</p>}
      </div>
      <Candidates {...props} who={who} loud={only} />
      <div className={`ui-row ${styles.checkActs}`}>
        {acts.map(({ fix, text, value: write }, at) => {
          const opens = write === undefined && (fix === 'edit' || fix === 'match') ? fix : null
          return (
            <Button
              key={text}
              size="small"
              type={at > 0 || who.length > 0 ? 'text' : only}
              {...(opens
                ? { 'aria-expanded': opened === opens, onClick: () => onOpen(opens) }
                : { disabled: busy, onClick: () => onFix(fix, write === undefined ? {} : { value: write }) })}
            >
              {text}
            </Button>
          )
        })}
        <Elsewhere problem={problem} batch_id={props.batch_id} />
        {problem.row > 0 && (
          <Button size="small" type="text" aria-expanded={opened === 'look'} onClick={() => onOpen('look')}>
            看整行
          </Button>
        )}
      </div>
    </>
  )
}

/** Whom it could be, each with what makes the row his. */
function Candidates(props: LineProps & { who: Problem['candidates']; loud: 'primary' | 'default' }) {
  const { problem, who, busy, onPhone } = props
  const facts = problem.of
  if (who.length === 0) return null
  return (
    <ul className={styles.checkWho} aria-label="可能是这些人">
      {who.map((person) => (
        <li key={person.member_id}>
          <span>
            {person.name} {person.mobile_masked} <small>{person.departments}</small>
          </span>
          <Button
            size="small"
            type={who.length === 1 ? props.loud : 'default'}
            disabled={busy}
            aria-label={`就是此人：${person.name} ${person.mobile_masked}`}
            onClick={() => props.onFix('match', { member_id: person.member_id })}
          >
            就是此人
          </Button>
          {onPhone && facts && mayTakePhone(problem, person, facts.mobile) && (
            <Button
              size="small"
              type="text"
              disabled={busy}
              aria-label={`花名册改用此号码：${person.name} ${facts.mobile}`}
              onClick={() => onPhone({ person, mobile: facts.mobile })}
            >
              花名册改用此号码
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What the row pays, so that nobody decides about a person without seeing the amounts. */
const Pay = ({ facts: { gross_fen, net_fen } }: { facts: RowFacts }): ReactNode =>
  (gross_fen !== null || net_fen !== null) && (
    <span className={styles.checkPay}>
      {gross_fen !== null && (
        <span>
          <small>应发</small> <Money fen={gross_fen} />
        </span>
      )}
      {net_fen !== null && (
        <span>
          <small>实发</small> <Money fen={net_fen} strong />
        </span>
      )}
    </span>
  )

/** What is put right on another page: the way there. */
function Elsewhere({ problem: { kind }, batch_id }: { problem: Problem; batch_id: string }) {
  if (kind === 'other_month')
    return (
      <Link className={styles.checkWay} to="/wageSend1" search={{ batch_id, from: 'check' }}>
        回第 1 步改月份
      </Link>
    )
  return null
}

/** Where it is: a way to the cell in the sheet as drawn, where there is one. */
function Where({ batch_id, problem, row }: { batch_id: string; problem: Problem; row: string }) {
  if (problem.row < 1 && problem.column === null) return <span className={styles.checkRow}>{row}</span>
  return (
    <Link
      className={styles.checkRow}
      to="/wageSend1"
      search={{
        batch_id,
        ...(problem.row > 0 ? { row: problem.row } : {}),
        ...(problem.column === null ? {} : { col: problem.column }),
        from: 'check',
      }}
      title="在表里看这一格"
    >
      {row}
    </Link>
  )
}
