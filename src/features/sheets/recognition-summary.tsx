import { Button } from 'antd'
import { useEffect, useRef } from 'react'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import { checkIsWageSheet } from '../../../server/contract/shared/statuses.ts'
import { isGross } from '../../../server/contract/sheets/column-roles.ts'
import type { Column, WageSheetInfo } from '../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../components/icon.tsx'
import { formatCount } from '../../components/value/counts.ts'
import { getColumnName, summarizeRecognition } from './labels.ts'
import styles from './send.module.css'

const maxVisible = 3
/** Warnings to read before the amounts are trusted; more than three are collapsed. */
export function SheetWarnings({ info: { warnings } }: { info: WageSheetInfo }) {
  if (warnings.length === 0) return null
  return (
    <ul className={styles.notes} aria-label="要留意的">
      {warnings.slice(0, maxVisible).map((text) => (
        <li key={text}>
          <Icon name="warn" size={16} />
          {text}
        </li>
      ))}
      {warnings.length > maxVisible && (
        <li>
          <details>
            <summary>还有 {warnings.length - maxVisible} 处要留意</summary>
            <ul className={styles.list}>
              {warnings.slice(maxVisible).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </details>
        </li>
      )}
    </ul>
  )
}

/**
 * Missing columns, listed above the grid where they can be assigned. Offers the sum of the items as net pay, because
 * many wage sheets have no net pay column.
 */
export function MissingColumns(props: {
  info: WageSheetInfo
  labels: readonly string[]
  busy: boolean
  onRole: (column: Column, role: ColumnRole) => void
}) {
  const { info, labels, busy, onRole } = props
  if (labels.length === 0) return null
  const sum = info.columns.find(({ role, key }) => isGross(role) || key === info.formula?.net)
  return (
    <div className={styles.wrong} role="alert">
      <Icon name="warn" />
      <p className="ui-grow">
        还不知道哪一列是{labels.map((label) => `「${label}」`).join('、')}。请在下面对应的列上方选择用途。
      </p>
      {sum && labels.includes('实发') && (
        <Button disabled={busy} onClick={() => onRole(sum, 'net')}>
          「{getColumnName(sum)}」就是实发
        </Button>
      )}
    </div>
  )
}

/** A user has stated that this is not a wage sheet: it stays stored, and the next steps are offered. */
export function NotWageSheetNote({ info, onAgain: onReset }: { info: WageSheetInfo; onAgain: () => void }) {
  const reason = checkIsWageSheet(info)
  if (reason === true) return null
  return (
    <div className={styles.wrong} role="alert">
      <Icon name="warn" />
      <p className="ui-grow">{reason}</p>
      <Button onClick={onReset}>重新上传</Button>
    </div>
  )
}

/** Only some employees can be matched by name: assign another column, or match the rest one by one in the next step. */
export function UnmatchedMembers({ count, onGoOn: onContinue }: { count: number; onGoOn: (() => void) | null }) {
  const section = useRef<HTMLDivElement>(null)
  // The press on the primary action has led to this question instead of to the next step.
  useEffect(() => section.current?.focus(), [])
  return (
    <div ref={section} className={styles.wrong} data-tone="warn" role="alert" tabIndex={-1}>
      <Icon name="warn" />
      <div className="ui-grow">
        <strong>{formatCount(count)} 人无法仅凭姓名匹配花名册</strong>
        <p>表里如果有手机号、工号或身份证号，请在那一列上方选好用途；没有的话，可以在下一步逐个对应。</p>
      </div>
      {onContinue && <Button onClick={onContinue}>没有，下一步手动匹配</Button>}
    </div>
  )
}

/**
 * The line next to the primary action: the headcount, and the reason why the action is disabled; otherwise whether the
 * amounts add up.
 */
export function RecognitionSummary({ info, result: canContinue }: { info: WageSheetInfo; result: true | string }) {
  const { text, agrees } = summarizeRecognition(info)
  const { totals_row } = info
  const total =
    totals_row?.agrees === null
      ? ''
      : totals_row
        ? ` · 与第 ${totals_row.row} 行合计${totals_row.agrees ? '一致' : '不一致'}`
        : ''
  const isConfirmed = canContinue === true && agrees === true && totals_row?.agrees !== false
  return (
    <p className={`${styles.understood} ui-grow`} data-agrees={isConfirmed || undefined}>
      <Icon name={isConfirmed ? 'check' : 'warn'} />
      <span>
        {text}
        {canContinue === true ? total : ` · ${canContinue}`}
      </span>
    </p>
  )
}
