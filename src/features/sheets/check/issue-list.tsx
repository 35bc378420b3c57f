import { Button } from 'antd'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Column, IssueWithRow } from '../../../../server/contract/sheets/sheet.ts'
import { isFocusLost } from '../../../components/form/focus.ts'
import { type FixRequest, getOpenMode, IssueFixPanel, type OpenMode } from './card/issue-fix.tsx'
import { IssueRow } from './card/issue-row.tsx'
import type { PhoneUpdate } from './card/update-phone.tsx'
import styles from './check.module.css'

const pageSize = 50
const stepByKey: Partial<Record<string, 1 | -1>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }
const editableSelector = 'input, textarea, select, [role="combobox"]'

/** The last solved issue and its index; an empty id means all issues of a kind. */
export type SolvedIssue = { id: string; index: number }

type IssueListProps = {
  batch_id: string
  issues: readonly IssueWithRow[]
  columns: readonly Column[]
  formatRow: (row: number) => string
  getColumnLabel: (column: string | null) => string
  /** The messages of all issues of this kind, even if a search shows only some of them. */
  allMessages: readonly string[]
  busy: boolean
  /** The error message for the typed value. */
  error: string | null
  solved: SolvedIssue | null
  onFix: (deal: FixRequest, at: number) => void
  onUpdatePhone: ((phone: PhoneUpdate) => void) | null
}

/** The visible rows, the opened row, and the focus during keyboard navigation. */
function useIssueNavigation(issues: readonly IssueWithRow[], solved: SolvedIssue | null) {
  const [visibleCount, setVisibleCount] = useState(pageSize)
  const [openIssue, setOpenIssue] = useState<{ id: string; mode: OpenMode } | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const focusedAfter = useRef<SolvedIssue | null>(null)
  const findItem = (id: string) => list.current?.querySelector<HTMLElement>(`[data-problem="${CSS.escape(id)}"]`)
  const close = (id: string) => {
    setOpenIssue(null)
    findItem(id)?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const { target } = event
    if (!(target instanceof HTMLElement)) return
    const item = target.closest<HTMLElement>('[data-problem]')
    if (event.key === 'Escape' && openIssue !== null) {
      // An open dropdown closes first.
      if (target.getAttribute('aria-expanded') === 'true' && target.matches(editableSelector)) return
      close(openIssue.id)
      return
    }
    if (event.key === 'Enter' && item && target === item) {
      event.preventDefault()
      const issue = issues.find(({ id }) => id === item.dataset.problem)
      if (issue) setOpenIssue(openIssue?.id === issue.id ? null : { id: issue.id, mode: getOpenMode(issue) })
      return
    }
    const step = stepByKey[event.key]
    // In an input the keys belong to the input; with modifier keys they belong to the browser.
    if (!step || event.altKey || event.ctrlKey || event.metaKey || target.matches(editableSelector)) return
    const next = item ? (step > 0 ? item.nextElementSibling : item.previousElementSibling) : list.current?.firstElementChild
    event.preventDefault()
    if (next instanceof HTMLElement) next.focus()
    else if (step > 0 && issues.length > visibleCount) setVisibleCount(visibleCount + pageSize)
  }
  // A solved issue leaves the list and takes the focus with it: the focus moves to the issue that took its position.
  useEffect(() => {
    if (!solved || focusedAfter.current === solved || issues.some(({ id }) => id === solved.id)) return
    const next = list.current?.children.item(Math.min(solved.index, issues.length - 1))
    if (isFocusLost() && next instanceof HTMLElement) next.focus()
    focusedAfter.current = solved
  }, [issues, solved, focusedAfter, list])
  return {
    list,
    visible: visibleCount,
    more: () => setVisibleCount(visibleCount + pageSize),
    opened: openIssue,
    setOpened: setOpenIssue,
    close,
    getItem: findItem,
    onKey,
  }
}

/**
 * The issues of one kind. Arrow keys (or j and k) move through them, Enter opens one, Esc closes it; when one is
 * solved, the focus moves to the issue that took its position, so that a whole list can be processed without the mouse.
 */
export function IssueList(props: IssueListProps) {
  const { batch_id, issues, columns, busy, solved } = props
  const {
    list,
    visible: visibleCount,
    more: showMore,
    opened: openIssue,
    setOpened: setOpenIssue,
    close,
    getItem: findItem,
    onKey,
  } = useIssueNavigation(issues, solved)
  return (
    <div className={styles.list}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys only move the focus between items and open them */}
      <ol ref={list} onKeyDown={onKey} aria-label="有问题的行，上下键切换，回车展开">
        {issues.slice(0, visibleCount).map((issue, index) => {
          const openMode = openIssue?.id === issue.id ? openIssue.mode : null
          const applyFix = (request: FixRequest) => {
            // The pressed button disappears; its item holds the focus until the response arrives.
            findItem(issue.id)?.focus()
            props.onFix(request, index)
          }
          return (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- reached by the arrows
            <li key={issue.id} data-problem={issue.id} data-open={openMode ?? undefined} tabIndex={index === 0 ? 0 : -1}>
              <IssueRow
                batch_id={batch_id}
                issue={issue}
                row={props.formatRow(issue.row)}
                label={props.getColumnLabel(issue.column)}
                allMessages={props.allMessages}
                openMode={openMode}
                busy={busy}
                onOpen={(mode) => setOpenIssue(openMode === mode ? null : { id: issue.id, mode })}
                onFix={(fix, showMore) => applyFix({ problem_id: issue.id, fix, ...showMore })}
                onUpdatePhone={props.onUpdatePhone}
              />
              {openMode && (
                <IssueFixPanel
                  batch_id={batch_id}
                  problem={issue}
                  columns={columns}
                  on={openMode}
                  busy={busy}
                  wrong={props.error}
                  onDeal={applyFix}
                  onClose={() => close(issue.id)}
                />
              )}
            </li>
          )
        })}
      </ol>
      {issues.length > visibleCount && (
        <Button block onClick={showMore}>
          再显示 {Math.min(pageSize, issues.length - visibleCount)} 条
        </Button>
      )}
    </div>
  )
}
