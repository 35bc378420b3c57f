import { Button } from 'antd'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Problem } from '../../../server/contract/sheet.ts'
import type { Cell } from '../../../server/contract/words.ts'
import { type Deal, ProblemFix } from './problem-fix.tsx'

export type Cells = ReadonlyMap<number, Readonly<Record<string, Cell>>>
const page = 50

/**
 * The rows of one kind of problem. Up and down walk through them; when one is solved, the focus goes to the one that took its
 * place, so that a whole list can be worked through without the mouse.
 */
export function ProblemList(props: {
  problems: readonly Problem[]
  /** All there are; the server lists only the first 500. */
  total: number
  cells: Cells
  label: (key: string) => string
  busy: boolean
  onDeal: (deal: Deal) => void
}) {
  const { problems, total, cells, label, busy } = props
  const [shown, setShown] = useState(page)
  const list = useRef<HTMLOListElement>(null)
  const at = useRef(-1)
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const target = event.target as HTMLElement
    // In an input the arrows belong to the input.
    if (step === 0 || target.matches('input, textarea, select, [role="combobox"]')) return
    const item = target.closest<HTMLElement>('[data-problem]')
    const next = item ? (step > 0 ? item.nextElementSibling : item.previousElementSibling) : list.current?.firstElementChild
    if (!(next instanceof HTMLElement)) return
    event.preventDefault()
    next.focus()
    next.scrollIntoView({ block: 'nearest' })
  }
  // A solved problem leaves the list and takes the focus with it: hand it to the next one.
  useEffect(() => {
    if (at.current >= 0 && document.activeElement === document.body) {
      const next = list.current?.children.item(Math.min(at.current, problems.length - 1))
      if (next instanceof HTMLElement) next.focus()
    }
    at.current = -1
  }, [problems])
  return (
    <div className="check-list">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrows only move the focus between items */}
      <ol ref={list} onKeyDown={move} aria-label="有问题的行，上下键切换">
        {problems.slice(0, shown).map((problem, index) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- reached by the arrows
          <li key={problem.id} data-problem="" tabIndex={index === 0 ? 0 : -1}>
            <Line problem={problem} cells={cells.get(problem.row)} label={label} />
            <ProblemFix
              problem={problem}
              value={problem.column ? (cells.get(problem.row)?.[problem.column]?.value ?? '') : ''}
              busy={busy}
              onDeal={(deal) => {
                at.current = index
                props.onDeal(deal)
              }}
            />
          </li>
        ))}
      </ol>
      {problems.length > shown && (
        <Button block onClick={() => setShown(shown + page)}>
          再显示 {Math.min(page, problems.length - shown)} 条（共 {total} 条）
        </Button>
      )}
      {problems.length < total && problems.length <= shown && (
        <p className="ui-hint">
          先列出 {problems.length} 条，共 {total} 条；处理后会继续列出
        </p>
      )}
    </div>
  )
}

/** What stands in the cell; an empty one is not kept. The total row is nobody's, so it comes without its cells. */
function Line(props: { problem: Problem; cells: Readonly<Record<string, Cell>> | undefined; label: (key: string) => string }) {
  const { problem, cells, label } = props
  const value = problem.column ? cells?.[problem.column]?.value : undefined
  return (
    <div className="check-line">
      <span className="check-row">{problem.row > 0 ? `第 ${problem.row} 行` : '整张表'}</span>
      {problem.name && <strong>{problem.name}</strong>}
      {cells && problem.column && (!value || value !== problem.name) && (
        <span className="check-cell">
          <small>{label(problem.column)}</small>
          <b>{value || '空'}</b>
        </span>
      )}
      <p>{problem.message}</p>
    </div>
  )
}
