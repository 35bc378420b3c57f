import { Button, Select } from 'antd'
import type { Column, SheetInfo } from '../../../server/contract/sheet.ts'
import type { ColumnRole } from '../../../server/contract/words.ts'
import { monthName } from '../../ui/dates.ts'
import { Icon } from '../../ui/icon.tsx'
import { SheetGrid } from './sheet-grid.tsx'
import { understood } from './words.ts'

/** Which sheet of the file, and another file. Stands beside the page's title. */
export function SheetPicker(props: { info: SheetInfo; busy: boolean; onSheet: (name: string) => void; onAgain: () => void }) {
  const { sheets } = props.info
  const chosen = sheets.find((sheet) => sheet.chosen)
  return (
    <>
      {sheets.length > 1 && (
        <Select
          aria-label="选择工作表"
          value={chosen?.name ?? null}
          loading={props.busy}
          style={{ minWidth: 160, maxWidth: 280 }}
          popupMatchSelectWidth={false}
          options={sheets.map((sheet) => ({
            value: sheet.name,
            label: `${sheet.name}（${sheet.rows} 行${sheet.hidden ? '，隐藏' : ''}）`,
          }))}
          onChange={props.onSheet}
        />
      )}
      <Button onClick={props.onAgain}>重新上传</Button>
    </>
  )
}

const shown = 3
/** What is to be known before the figures are trusted; more than three are folded. */
export function SheetNotes({ info }: { info: SheetInfo }) {
  const { remembered, warnings } = info
  if (!remembered && warnings.length === 0) return null
  return (
    <ul className="send-notes" aria-label="要留意的">
      {remembered && (
        <li data-tone="info">
          <Icon name="check" size={16} />
          和「{remembered.title}」（{monthName(remembered.month)}）是同样的表头，已沿用上次的列用途和排版
        </li>
      )}
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
            <ul className="send-list">
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

/** What is missing, said above the drawing where it is put right. */
export function UnderstoodSheet(props: {
  info: SheetInfo
  /** Being read anew: another sheet, another role. */
  busy: boolean
  missing: readonly string[]
  onRole: (column: Column, role: ColumnRole) => void
}) {
  const { info, missing } = props
  return (
    <>
      {missing.length > 0 && (
        <div className="send-wrong" role="alert">
          <Icon name="warn" />
          <p>还不知道哪一列是{missing.map((word) => `「${word}」`).join('、')}。请在下面对应的列上方选择用途。</p>
        </div>
      )}
      <SheetGrid info={info} busy={props.busy} onRole={props.onRole} />
    </>
  )
}

/** Names alone find some of the people: another column would, or the next step does it one by one. */
export function Strangers({ count, onGoOn }: { count: number; onGoOn: (() => void) | null }) {
  return (
    <div className="send-wrong" data-tone="warn" role="alert">
      <Icon name="warn" />
      <div className="ui-grow">
        <strong>{count} 人只凭姓名对不上花名册</strong>
        <p>表里如果有手机号、工号或身份证号，请在那一列上方选好用途；没有的话，可以在下一步逐个对应。</p>
      </div>
      {onGoOn && <Button onClick={onGoOn}>没有这样的列，下一步对应</Button>}
    </div>
  )
}

/** The one line beside the primary action: who was found, whether the figures agree. */
export function UnderstoodLine({ info }: { info: SheetInfo }) {
  const { text, agrees } = understood(info)
  const { totals_row } = info
  const total =
    totals_row?.agrees === null
      ? ''
      : totals_row
        ? ` · 与第 ${totals_row.row} 行合计${totals_row.agrees ? '一致' : '不一致'}`
        : ''
  return (
    <p className="send-understood ui-grow" data-agrees={(agrees && totals_row?.agrees !== false) || undefined}>
      <Icon name={agrees ? 'check' : 'warn'} />
      <span>
        {text}
        {total}
      </span>
    </p>
  )
}
