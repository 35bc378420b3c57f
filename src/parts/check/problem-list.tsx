import { Button } from 'antd'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Column, PlacedProblem } from '../../../server/contract/sheet/sheet.ts'
import { isLost } from '../../ui/form/hand.ts'
import { type Deal, type Opened, openedBy, ProblemFix } from './card/problem-fix.tsx'
import { ProblemLine } from './card/problem-line.tsx'
import type { NewPhone } from './card/take-phone.tsx'
import styles from './check.module.css'

const page = 50
const steps: Partial<Record<string, 1 | -1>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }
const typing = 'input, textarea, select, [role="combobox"]'

/** What was last dealt with and where it stood; the empty id is all of a kind. */
export type Solved = { id: string; at: number }

type ListProps = {
  batch_id: string
  problems: readonly PlacedProblem[]
  columns: readonly Column[]
  rowOf: (row: number) => string
  labelOf: (column: string | null) => string
  /** The sentences of all problems of this kind, also where only some are found. */
  others: readonly string[]
  busy: boolean
  /** Why what was typed was refused. */
  wrong: string | null
  solved: Solved | null
  onDeal: (deal: Deal, at: number) => void
  onPhone: ((phone: NewPhone) => void) | null
}

/** Which rows are on view, which is opened, and where the focus goes from key to key. */
function useWalk(problems: readonly PlacedProblem[], solved: Solved | null) {
  const [shown, setShown] = useState(page)
  const [opened, setOpened] = useState<{ id: string; on: Opened } | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const handed = useRef<Solved | null>(null)
  const itemOf = (id: string) => list.current?.querySelector<HTMLElement>(`[data-problem="${CSS.escape(id)}"]`)
  const close = (id: string) => {
    setOpened(null)
    itemOf(id)?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const { target } = event
    if (!(target instanceof HTMLElement)) return
    const item = target.closest<HTMLElement>('[data-problem]')
    if (event.key === 'Escape' && opened !== null) {
      // An open list of people closes first.
      if (target.getAttribute('aria-expanded') === 'true' && target.matches(typing)) return
      close(opened.id)
      return
    }
    if (event.key === 'Enter' && item && target === item) {
      event.preventDefault()
      const problem = problems.find(({ id }) => id === item.dataset.problem)
      if (problem) setOpened(opened?.id === problem.id ? null : { id: problem.id, on: openedBy(problem) })
      return
    }
    const step = steps[event.key]
    // In an input they belong to the input; with other keys to the browser.
    if (!step || event.altKey || event.ctrlKey || event.metaKey || target.matches(typing)) return
    const next = item ? (step > 0 ? item.nextElementSibling : item.previousElementSibling) : list.current?.firstElementChild
    event.preventDefault()
    if (next instanceof HTMLElement) next.focus()
    else if (step > 0 && problems.length > shown) setShown(shown + page)
  }
  // A solved problem leaves the list and takes the focus with it: hand it to the one that took its place.
  useEffect(() => {
    if (!solved || handed.current === solved || problems.some(({ id }) => id === solved.id)) return
    const next = list.current?.children.item(Math.min(solved.at, problems.length - 1))
    if (isLost() && next instanceof HTMLElement) next.focus()
    handed.current = solved
  }, [problems, solved, handed, list])
  return { list, shown, more: () => setShown(shown + page), opened, setOpened, close, itemOf, onKey }
}

/**
 * The rows of one kind of problem. Up and down (or j and k) walk through them, Enter opens one, Esc closes it; when one is solved,
 * the focus goes to the one that took its place, so that a whole list can be worked through without the mouse.
 */
export function ProblemList(props: ListProps) {
  const { batch_id, problems, columns, busy, solved } = props
  const { list, shown, more, opened, setOpened, close, itemOf, onKey } = useWalk(problems, solved)
  return (
    <div className={styles.list}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys only move the focus between items and open them */}
      <ol ref={list} onKeyDown={onKey} aria-label="有问题的行，上下键切换，回车展开">
        {problems.slice(0, shown).map((problem, index) => {
          const open = opened?.id === problem.id ? opened.on : null
          const deal = (one: Deal) => {
            // The button that was pressed goes away; its item holds the focus until the answer is there.
            itemOf(problem.id)?.focus()
            props.onDeal(one, index)
          }
          return (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- reached by the arrows
            <li key={problem.id} data-problem={problem.id} data-open={open ?? undefined} tabIndex={index === 0 ? 0 : -1}>
              <ProblemLine
                batch_id={batch_id}
                problem={problem}
                row={props.rowOf(problem.row)}
                label={props.labelOf(problem.column)}
                others={props.others}
                opened={open}
                busy={busy}
                onOpen={(on) => setOpened(open === on ? null : { id: problem.id, on })}
                onFix={(fix, more) => deal({ problem_id: problem.id, fix, ...more })}
                onPhone={props.onPhone}
              />
              {open && (
                <ProblemFix
                  batch_id={batch_id}
                  problem={problem}
                  columns={columns}
                  on={open}
                  busy={busy}
                  wrong={props.wrong}
                  onDeal={deal}
                  onClose={() => close(problem.id)}
                />
              )}
            </li>
          )
        })}
      </ol>
      {problems.length > shown && (
        <Button block onClick={more}>
          再显示 {Math.min(page, problems.length - shown)} 条
        </Button>
      )}
    </div>
  )
}
