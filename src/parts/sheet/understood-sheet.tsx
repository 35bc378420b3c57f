import { Alert, Button, Select } from 'antd'
import type { Column, SheetInfo } from '../../../server/contract/sheet.ts'
import type { ColumnRole } from '../../../server/contract/words.ts'
import { monthName } from '../../ui/dates.ts'
import { Icon } from '../../ui/icon.tsx'
import { SheetGrid } from './sheet-grid.tsx'
import { understood } from './words.ts'

/** File, sheet, what was understood of it, and the drawing. */
export function UnderstoodSheet(props: {
  info: SheetInfo
  /** Being read anew: another sheet, another role. */
  busy: boolean
  missing: readonly string[]
  onSheet: (name: string) => void
  onAgain: () => void
  onRole: (column: Column, role: ColumnRole) => void
  children: React.ReactNode
}) {
  const { info, missing } = props
  const chosen = info.sheets.find((sheet) => sheet.chosen)
  const line = understood(info)
  return (
    <>
      <section className="ui-card ui-stack" aria-label="文件">
        <div className="ui-row">
          <Icon name="sheet" />
          <strong className="send-file">{info.file_name}</strong>
          {info.sheets.length > 1 && (
            <Select
              aria-label="选择工作表"
              value={chosen?.name ?? null}
              loading={props.busy}
              style={{ minWidth: 160 }}
              popupMatchSelectWidth={false}
              options={info.sheets.map((sheet) => ({
                value: sheet.name,
                label: `${sheet.name}（${sheet.rows} 行${sheet.hidden ? '，隐藏' : ''}）`,
              }))}
              onChange={props.onSheet}
            />
          )}
          <Button onClick={props.onAgain}>重新上传</Button>
        </div>
        {props.children}
      </section>
      {info.remembered && (
        <Alert
          type="info"
          showIcon
          title={`和「${info.remembered.title}」（${monthName(info.remembered.month)}）是同样的表头，已沿用上次的列用途和排版`}
        />
      )}
      {info.warnings.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={`这份表有 ${info.warnings.length} 处要留意`}
          description={
            <ul className="send-list">
              {info.warnings.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          }
        />
      )}
      {missing.length > 0 && (
        <div className="send-wrong" role="alert">
          <Icon name="warn" />
          <p>还不知道哪一列是{missing.map((word) => `「${word}」`).join('、')}。请在下面对应的列上方选择用途。</p>
        </div>
      )}
      <SheetGrid info={info} busy={props.busy} onRole={props.onRole} />
      <p className="send-understood" data-agrees={line.agrees ?? undefined}>
        <Icon name={line.agrees ? 'check' : 'warn'} />
        {line.text}
        {info.totals_row?.agrees === true && ` · 与第 ${info.totals_row.row} 行合计一致`}
        {info.totals_row?.agrees === false && ` · 与第 ${info.totals_row.row} 行合计不一致`}
      </p>
    </>
  )
}
