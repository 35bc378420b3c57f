import { Button } from 'antd'
import type { Column, SheetInfo } from '../../../server/contract/sheet/sheet.ts'
import { isWages } from '../../../server/contract/words/states.ts'
import type { ColumnRole } from '../../../server/contract/words/words.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './send.module.css'
import { columnName, understood } from './words.ts'

const shown = 3
/** What is to be known before the figures are trusted; more than three are folded. */
export function SheetNotes({ info: { warnings } }: { info: SheetInfo }) {
  if (warnings.length === 0) return null
  return (
    <ul className={styles.notes} aria-label="要留意的">
      {warnings.slice(0, shown).map((text) => (
        <li key={text}>
          <Icon name="warn" size={16} />
          {text}
        </li>
      ))}
      {warnings.length > shown && (
        <li>
          <details>
            <summary>还有 {warnings.length - shown} 处要留意</summary>
            <ul className={styles.list}>
              {warnings.slice(shown).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </details>
        </li>
      )}
    </ul>
  )
}

/** What is missing, said above the drawing where it is put right. A sum of items is offered as the net pay: many a sheet has no other. */
export function Missing(props: {
  info: SheetInfo
  words: readonly string[]
  busy: boolean
  onRole: (column: Column, role: ColumnRole) => void
}) {
  const { info, words, busy, onRole } = props
  if (words.length === 0) return null
  const sum = info.columns.find(({ role, key }) => role === 'gross' || key === info.formula?.net)
  return (
    <div className={styles.wrong} role="alert">
      <Icon name="warn" />
      <p className="ui-grow">还不知道哪一列是{words.map((word) => `「${word}」`).join('、')}。请在下面对应的列上方选择用途。</p>
      {sum && words.includes('实发') && (
        <Button disabled={busy} onClick={() => onRole(sum, 'net')}>
          「{columnName(sum)}」就是实发
        </Button>
      )}
    </div>
  )
}

/** Somebody has said that it is no wage sheet: it stays where it is, and the ways on are named. */
export function NoWages({ info, onAgain }: { info: SheetInfo; onAgain: () => void }) {
  const why = isWages(info)
  if (why === true) return null
  return (
    <div className={styles.wrong} role="alert">
      <Icon name="warn" />
      <p className="ui-grow">{why}</p>
      <Button onClick={onAgain}>重新上传</Button>
    </div>
  )
}

/** Names alone find some of the people: another column would, or the next step does it one by one. */
export function Strangers({ count, onGoOn }: { count: number; onGoOn: (() => void) | null }) {
  return (
    <div className={styles.wrong} data-tone="warn" role="alert">
      <Icon name="warn" />
      <div className="ui-grow">
        <strong>{count} 人只凭姓名对不上花名册</strong>
        <p>表里如果有手机号、工号或身份证号，请在那一列上方选好用途；没有的话，可以在下一步逐个对应。</p>
      </div>
      {onGoOn && <Button onClick={onGoOn}>没有这样的列，下一步对应</Button>}
    </div>
  )
}

/** The one line beside the primary action: who was found, and why it cannot be pressed yet; otherwise whether the figures agree. */
export function UnderstoodLine({ info, verdict }: { info: SheetInfo; verdict: true | string }) {
  const { text, agrees } = understood(info)
  const { totals_row } = info
  const total =
    totals_row?.agrees === null
      ? ''
      : totals_row
        ? ` · 与第 ${totals_row.row} 行合计${totals_row.agrees ? '一致' : '不一致'}`
        : ''
  const isRight = verdict === true && agrees === true && totals_row?.agrees !== false
  return (
    <p className={`${styles.understood} ui-grow`} data-agrees={isRight || undefined}>
      <Icon name={isRight ? 'check' : 'warn'} />
      <span>
        {text}
        {verdict === true ? total : ` · ${verdict}`}
      </span>
    </p>
  )
}
