import { Button, Checkbox, Popover } from 'antd'
import { useState } from 'react'
import type { BatchDetail } from '../labels.ts'

export const builtInColumns = {
  departments: '部门',
  channel: '渠道',
  arrived: '送达',
  sent_at: '发送时间',
  viewed_at: '查看时间',
  confirmed_at: '确认时间',
  net: '实发',
} as const
export type BuiltInColumn = keyof typeof builtInColumns

const storageKey = 'wageDetail.columns'
const defaultColumns: readonly string[] = ['departments', 'channel', 'arrived', 'sent_at', 'viewed_at', 'confirmed_at', 'net']
/** A column of the sheet, by its name: the next month's sheet has the same names and other keys. */
export const toSheetColumnName = (label: string) => `=${label}`

/** Which columns this person likes to see. Only names are kept, never a value. */
export function useSelectedColumns() {
  const [selected, setSelected] = useState<readonly string[]>(() => {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? 'null')
      return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : defaultColumns
    } catch {
      return defaultColumns
    }
  })
  const select = (next: readonly string[]) => {
    setSelected(next)
    try {
      localStorage.setItem(storageKey, JSON.stringify(next))
    } catch {
      // Then they hold for this page.
    }
  }
  return { selected: selected, choose: select, reset: () => select(defaultColumns) }
}

const alwaysVisibleRoles = new Set(['name', 'net', 'department', 'ignore'])
/** What the sheet says beyond what the table shows by itself. */
export const getSheetColumns = (columns: BatchDetail['columns']) =>
  columns.filter(({ role, kind }) => !alwaysVisibleRoles.has(role) && kind !== 'empty')

export function ColumnsPicker(props: {
  columns: BatchDetail['columns']
  selected: readonly string[]
  onChoose: (chosen: readonly string[]) => void
  onReset: () => void
}) {
  const { columns, selected, onChoose: onSelect, onReset } = props
  const options = [
    ...Object.entries(builtInColumns).map(([value, label]) => ({ value, label })),
    ...getSheetColumns(columns).map(({ label }) => ({ value: toSheetColumnName(label), label })),
  ]
  // What another sheet was shown with stays remembered though this one has no such column.
  const others = selected.filter((name) => !options.some(({ value }) => value === name))
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      arrow={false}
      classNames={{ root: 'columns-popover' }}
      content={
        <div className="columns-picker">
          <Checkbox.Group
            options={options}
            value={selected.filter((name) => !others.includes(name))}
            onChange={(next) => onSelect([...next, ...others])}
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
