import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import type { MouseEvent, ReactNode } from 'react'
import type { IssueFix } from '../../../../../server/contract/shared/schemas.ts'
import type { Issue, IssueWithRow } from '../../../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../../../components/icon.tsx'
import { Money } from '../../../../components/value/money.tsx'
import styles from './card.module.css'
import { canUpdatePhone, getButtonType, getCardActions, getExtraMessage, isVisibleAmount, type RowDetails } from './issue-card.ts'
import type { OpenMode } from './issue-fix.tsx'
import type { PhoneUpdate } from './update-phone.tsx'

type IssueRowProps = {
  batch_id: string
  issue: IssueWithRow
  /** The row number as the wage sheet shows it. */
  row: string
  /** The name of the column in question. */
  label: string
  /** All messages of the list that contains the issue. */
  allMessages: readonly string[]
  openMode: OpenMode | null
  busy: boolean
  onOpen: (on: OpenMode) => void
  onFix: (fix: IssueFix, more?: { member_id?: string; value?: string }) => void
  /** The value is null if the user may not change the roster. */
  onUpdatePhone: ((phone: PhoneUpdate) => void) | null
}

/** One issue: a link to its cell, the employee, their pay, the cell value, and the fixes that need no further input. */
export function IssueRow(props: IssueRowProps) {
  const { issue, label, allMessages, openMode, busy, onOpen, onFix } = props
  const { value, row_summary: details } = issue
  // Name, phone, department and pay are already visible on the card.
  const isValueVisible =
    details !== null && value
      ? [issue.name, details.mobile, details.department].includes(value) || isVisibleAmount(value, details)
      : false
  const extraMessage = getExtraMessage(issue, label, allMessages)
  const buttonType = getButtonType(issue, allMessages.length === 1)
  const actions = getCardActions(issue)
  const candidates = issue.fix.includes('match') ? issue.candidates : []
  const toggleRow = (event: MouseEvent) => {
    // A link keeps its own meaning, and text that was just selected stays selected.
    if (event.target instanceof Element && event.target.closest('a, button')) return
    if (window.getSelection()?.isCollapsed !== false) onOpen('look')
  }
  return (
    <>
      <div className={styles.checkItem}>
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- Enter on the item and the button at its end do the same */}
        <div className={styles.checkLine} data-opens={issue.row > 0 || undefined} onClick={issue.row > 0 ? toggleRow : undefined}>
          <CellLink batch_id={props.batch_id} problem={issue} row={props.row} />
          {issue.name && <strong>{issue.name}</strong>}
          {details?.mobile && <span className={styles.checkMobile}>{details.mobile}</span>}
          {details?.department && <span className={styles.checkDepartment}>{details.department}</span>}
          {value !== null && !isValueVisible && (
            <span className={styles.checkCell}>
              <small>{label}</small>
              <b>{value || '空'}</b>
            </span>
          )}
          {details && <RowPay details={details} />}
        </div>
        <div className={styles.checkActs}>
          {actions.map(({ fix, text, value: newValue }, index) => {
            const opens = newValue === undefined && (fix === 'edit' || fix === 'match') ? fix : null
            return (
              <Button
                key={text}
                size="small"
                type={index > 0 || candidates.length > 0 ? 'text' : buttonType}
                {...(opens
                  ? { 'aria-expanded': openMode === opens, onClick: () => onOpen(opens) }
                  : { disabled: busy, onClick: () => onFix(fix, newValue === undefined ? {} : { value: newValue }) })}
              >
                {text}
              </Button>
            )
          })}
          <FixElsewhereLink problem={issue} batch_id={props.batch_id} />
          {issue.row > 0 && (
            <Button
              size="small"
              type="text"
              className={styles.checkOpenRow ?? ''}
              aria-label="展开整行"
              title="展开整行"
              aria-expanded={openMode === 'look'}
              icon={<Icon name="down" size={16} />}
              onClick={() => onOpen('look')}
            />
          )}
        </div>
      </div>
      {extraMessage && <p className={styles.checkMessage}>{extraMessage}</p>}
      <CandidateList {...props} who={candidates} loud={buttonType} />
    </>
  )
}

/** The candidates, each with a button that assigns the row to them. */
function CandidateList(props: IssueRowProps & { who: Issue['candidates']; loud: 'primary' | 'default' }) {
  const { issue, who: candidates, busy, onUpdatePhone } = props
  const details = issue.row_summary
  if (candidates.length === 0) return null
  return (
    <ul className={styles.checkWho} aria-label="可能是这些人">
      {candidates.map((candidate) => (
        <li key={candidate.member_id}>
          <span>
            {candidate.name} {candidate.mobile_masked} <small>{candidate.departments}</small>
          </span>
          <Button
            size="small"
            type={candidates.length === 1 ? props.loud : 'default'}
            disabled={busy}
            aria-label={`匹配此人：${candidate.name} ${candidate.mobile_masked}`}
            onClick={() => props.onFix('match', { member_id: candidate.member_id })}
          >
            匹配此人
          </Button>
          {onUpdatePhone && details && canUpdatePhone(issue, candidate, details) && (
            <Button
              size="small"
              type="text"
              disabled={busy}
              aria-label={`花名册改用此号码：${candidate.name} ${details.mobile}`}
              onClick={() => onUpdatePhone({ candidate, mobile: details.mobile })}
            >
              花名册改用此号码
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The pay of the row, so that nobody decides about an employee without seeing the amounts. */
const RowPay = ({ details: { gross_fen, net_fen } }: { details: RowDetails }): ReactNode =>
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

function FixElsewhereLink({ problem: { kind }, batch_id }: { problem: Issue; batch_id: string }) {
  if (kind === 'other_month')
    return (
      <Link className={styles.checkWay} to="/wageSend1" search={{ batch_id, from: 'check' }}>
        回第 1 步改月份
      </Link>
    )
  return null
}

/** The location of the issue, linked to the cell in the grid if there is one. */
function CellLink({ batch_id, problem: issue, row }: { batch_id: string; problem: Issue; row: string }) {
  if (issue.row < 1 && issue.column === null) return <span className={styles.checkRow}>{row}</span>
  return (
    <Link
      className={styles.checkRow}
      to="/wageSend1"
      search={{
        batch_id,
        ...(issue.row > 0 ? { row: issue.row } : {}),
        ...(issue.column === null ? {} : { col: issue.column }),
        from: 'check',
      }}
      title="在表里看这一格"
    >
      {row}
    </Link>
  )
}
