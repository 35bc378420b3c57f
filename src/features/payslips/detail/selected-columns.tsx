import { Button, Checkbox, Popover } from 'antd'
import { useState } from 'react'
import type { BatchDetail } from '../labels.ts'

export const builtInColumns = {
  departments: '部门',
  channel: '渠道',
  sent_at: '发送时间',
  viewed_at: '查看时间',
  confirmed_at: '确认时间',
  net: '实发',
} as const
export type BuiltInColumn = keyof typeof builtInColumns

const storageKey = 'wageDetail.columns'
const defaultColumns: readonly string[] = ['departments', 'channel', 'sent_at', 'viewed_at', 'confirmed_at', 'net']
/** Identifies a wage sheet column by its name: next month's sheet has the same names but other keys. */
export const toSheetColumnName = (label: string) => `=${label}`

/** The columns selected by the current user. Only names are stored, never values. */
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
      // Without storage the selection lasts for this page.
    }
  }
  return { selected, choose: select, reset: () => select(defaultColumns) }
}

const alwaysVisibleRoles = new Set(['name', 'net', 'department', 'ignore'])
/** Returns the wage sheet columns that the table does not show by default. */
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
  // Columns selected for other wage sheets stay stored even if this one does not have them.
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
