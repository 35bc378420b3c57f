import { Button, Checkbox, Popover } from 'antd'
import { useState } from 'react'
import type { Detail } from '../words.ts'

export const ownColumns = {
  departments: '部门',
  channel: '渠道',
  arrived: '送达',
  sent_at: '发送时间',
  viewed_at: '查看时间',
  confirmed_at: '确认时间',
  net: '实发',
} as const
export type OwnColumn = keyof typeof ownColumns

const key = 'wageDetail.columns'
const usual: readonly string[] = ['departments', 'channel', 'arrived', 'sent_at', 'viewed_at', 'confirmed_at', 'net']
/** A column of the sheet, by its name: the next month's sheet has the same names and other keys. */
export const sheetColumn = (label: string) => `=${label}`

/** Which columns this person likes to see. Only names are kept, never a value. */
export function useChosenColumns() {
  const [chosen, setChosen] = useState<readonly string[]>(() => {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
      return Array.isArray(kept) ? kept.filter((name) => typeof name === 'string') : usual
    } catch {
      return usual
    }
  })
  const choose = (next: readonly string[]) => {
    setChosen(next)
    try {
      localStorage.setItem(key, JSON.stringify(next))
    } catch {
      // Then they hold for this page.
    }
  }
  return { chosen, choose, reset: () => choose(usual) }
}

const shownAnyway = new Set(['name', 'net', 'department', 'ignore'])
/** What the sheet says beyond what the table shows by itself. */
export const sheetColumnsOf = (columns: Detail['columns']) =>
  columns.filter(({ role, kind }) => !shownAnyway.has(role) && kind !== 'empty')

export function ColumnsPicker(props: {
  columns: Detail['columns']
  chosen: readonly string[]
  onChoose: (chosen: readonly string[]) => void
  onReset: () => void
}) {
  const { columns, chosen, onChoose, onReset } = props
  const known = [
    ...Object.entries(ownColumns).map(([value, label]) => ({ value, label })),
    ...sheetColumnsOf(columns).map(({ label }) => ({ value: sheetColumn(label), label })),
  ]
  // What another sheet was shown with stays remembered though this one has no such column.
  const others = chosen.filter((name) => !known.some(({ value }) => value === name))
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      arrow={false}
      classNames={{ root: 'columns-popover' }}
      content={
        <div className="columns-picker">
          <Checkbox.Group
            options={known}
            value={chosen.filter((name) => !others.includes(name))}
            onChange={(next) => onChoose([...next, ...others])}
          />
          <Button type="link" onClick={onReset}>
            恢复默认
          </Button>
        </div>
      }
    >
      <Button>选择列</Button>
    </Popover>
  )
}
