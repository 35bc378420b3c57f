import { Link } from '@tanstack/react-router'
import { Button, type ButtonProps } from 'antd'
import type { Problem } from '../../../server/contract/sheet.ts'
import type { Fix } from '../../../server/contract/words.ts'
import type { Opened } from './problem-fix.tsx'
import { fixWords } from './problem-words.ts'

const looks: Partial<Record<Fix, ButtonProps>> = { create: { type: 'primary', ghost: true }, skip: { type: 'text' } }

/** One problem: where it is (a link to its cell), whose, what stands there, what is wrong, and the fixes that need no more words. */
export function ProblemLine(props: {
  batch_id: string
  problem: Problem
  /** The row, as the sheet numbers it. */
  row: string
  /** What stands in the cell, where it is known; an empty one is not kept. */
  cell: { label: string; value: string } | null
  opened: Opened | null
  busy: boolean
  onOpen: (on: Opened) => void
  onFix: (fix: Fix, member_id?: string) => void
}) {
  const { problem, cell, opened, busy, onOpen, onFix } = props
  return (
    <>
      <div className="check-line">
        <Where batch_id={props.batch_id} problem={problem} row={props.row} />
        {problem.name && <strong>{problem.name}</strong>}
        {cell && (!cell.value || cell.value !== problem.name) && (
          <span className="check-cell">
            <small>{cell.label}</small>
            <b>{cell.value || '空'}</b>
          </span>
        )}
        <p>{problem.message}</p>
      </div>
      {problem.fix.includes('match') && problem.candidates.length > 0 && (
        <ul className="check-who" aria-label="可能是这些人">
          {problem.candidates.map((person) => (
            <li key={person.member_id}>
              <span>
                {person.name} {person.mobile_masked} <small>{person.departments}</small>
              </span>
              <Button
                size="small"
                disabled={busy}
                aria-label={`就是此人：${person.name} ${person.mobile_masked}`}
                onClick={() => onFix('match', person.member_id)}
              >
                就是此人
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="ui-row check-acts">
        {fixWords(problem).map(([fix, text]) => {
          const opens = fix === 'edit' || fix === 'match' ? fix : null
          return (
            <Button
              key={fix}
              size="small"
              {...looks[fix]}
              {...(opens
                ? { 'aria-expanded': opened === opens, onClick: () => onOpen(opens) }
                : { disabled: busy, onClick: () => onFix(fix) })}
            >
              {text}
            </Button>
          )
        })}
      </div>
    </>
  )
}

/** Where it is: a way to the cell in the sheet as drawn, where there is one. */
function Where({ batch_id, problem, row }: { batch_id: string; problem: Problem; row: string }) {
  if (problem.row < 1 && problem.column === null) return <span className="check-row">{row}</span>
  return (
    <Link
      className="check-row"
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
