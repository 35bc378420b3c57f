import { type Key, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import {
  type Columns,
  type ListColumn,
  type RowSelection,
  renderCell,
  selectionLabels,
  toggleKeys,
  toReasonProps,
} from './card-list.tsx'
import styles from './table-rows.module.css'

type Side = 'start' | 'end' | undefined
const getFixedSide = ({ fixed }: { fixed?: 'left' | 'right' | 'start' | 'end' }): Side =>
  fixed === 'left' || fixed === 'start' ? 'start' : fixed && 'end'

/**
 * The rows of a list on desktop. A plain HTML table: rows render again only if their content changes, so that a hundred
 * of them drop no frame when one is selected, hovered or scrolled. Columns with a `fixed` side stay while the others
 * scroll.
 */
export function TableRows<T extends object>(props: {
  list: readonly T[]
  columns: Columns<T>
  rowKey: keyof T & string
  label?: string | undefined
  selection?: RowSelection<T> | undefined
  onOpen?: ((row: T) => void) | undefined
}) {
  const { list, columns, rowKey, label, selection, onOpen } = props
  const scroller = useScrollEdges()
  const getKey = (row: T): Key => {
    const key = row[rowKey]
    return typeof key === 'number' ? key : String(key)
  }
  const keys = new Set(selection?.keys)
  const { onTick, onTickAll } = useRowSelection(list, selection, getKey)
  const selectable = list.filter((row) => !selection?.disabled?.(row))
  const selectedCount = selectable.filter((row) => keys.has(getKey(row))).length
  // The checkboxes are on the side of the column that identifies the row.
  const side = columns[0] && getFixedSide(columns[0])
  return (
    <div className={styles.scroll} ref={scroller}>
      <table className={styles.table} aria-label={label}>
        <colgroup>
          {selection && <col className={styles.ticks} />}
          {columns.map((column, at) => (
            <col
              key={getColumnKey(column, at)}
              data-from={column.from}
              {...(column.width ? { style: { width: column.width } } : {})}
            />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col" data-side={side} data-tick="">
                <SelectionCheckbox
                  label={selectionLabels.all}
                  on={selectable.length > 0 && selectedCount === selectable.length}
                  some={selectedCount > 0 && selectedCount < selectable.length}
                  off={selectable.length === 0}
                  onTick={onTickAll}
                />
              </th>
            )}
            {columns.map((column, at) => (
              <th
                key={getColumnKey(column, at)}
                scope="col"
                {...getCellProps(column)}
                data-behind-ticks={(selection && at === 0) || undefined}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.map((row, at) => (
            <Row<T>
              key={getKey(row)}
              {...{ row, at, columns, onOpen, side }}
              rowKey={getKey(row)}
              {...(selection && {
                selectionState: keys.has(getKey(row)) ? 'on' : 'off',
                isDisabled: selection.disabled?.(row) ?? false,
                name: selection.getLabel?.(row) ?? selectionLabels.row,
                onTick,
              })}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const getColumnKey = <T,>({ key, dataIndex }: ListColumn<T>, at: number): Key => key ?? dataIndex ?? at
const getCellProps = <T,>(column: ListColumn<T>) => ({
  className: column.className,
  'data-side': getFixedSide(column),
  'data-from': column.from,
  ...(column.align ? { style: { textAlign: column.align } } : {}),
})

type RowProps<T> = {
  row: T
  at: number
  rowKey: Key
  columns: Columns<T>
  side: Side
  onOpen: ((row: T) => void) | undefined
  /** The selection, if rows can be selected. */
  selectionState?: 'on' | 'off'
  isDisabled?: boolean | string
  name?: string
  onTick?: (of: Key, on: boolean, shift: boolean) => void
}
function Row<T extends object>({
  row,
  at,
  rowKey,
  columns,
  side,
  onOpen,
  selectionState,
  isDisabled = false,
  name = '',
  onTick,
}: RowProps<T>) {
  return useMemo(
    () => (
      <tr
        data-row={rowKey}
        data-chosen={selectionState === 'on' || undefined}
        {...(onOpen && {
          onClick: ({ target }) => target instanceof Element && !target.closest('[data-tick]') && onOpen(row),
          style: { cursor: 'pointer' },
        })}
      >
        {selectionState && (
          <td data-side={side} data-tick="">
            <SelectionCheckbox
              label={name}
              on={selectionState === 'on'}
              off={isDisabled}
              onTick={(on, shift) => onTick?.(rowKey, on, shift)}
            />
          </td>
        )}
        {columns.map((column, columnIndex) => (
          <td
            key={getColumnKey(column, columnIndex)}
            {...getCellProps(column)}
            data-behind-ticks={(selectionState && columnIndex === 0) || undefined}
          >
            {renderCell(column, row, at)}
          </td>
        ))}
      </tr>
    ),
    [row, at, rowKey, columns, side, onOpen, selectionState, isDisabled, name, onTick],
  )
}

/** The whole cell handles the press. */
function SelectionCheckbox(props: {
  label: string
  on: boolean
  some?: boolean
  off: boolean | string
  onTick: (on: boolean, shift: boolean) => void
}): ReactNode {
  const { label, on: checked, some: indeterminate = false, off: disabled, onTick } = props
  const box = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = indeterminate
  }, [indeterminate])
  return (
    <label className={styles.tick} {...(typeof disabled === 'string' && { title: disabled })}>
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={checked}
        disabled={Boolean(disabled)}
        {...toReasonProps(disabled)}
        onChange={({ target, nativeEvent }) => onTick(target.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
      />
    </label>
  )
}

/** The selection handlers, stable while the list stays the same, so that rows with an unchanged selection do not render. */
function useRowSelection<T extends object>(list: readonly T[], selection: RowSelection<T> | undefined, getKey: (row: T) => Key) {
  const last = useRef<Key | null>(null)
  const latest = useRef({ list, selected: selection, getKey })
  useLayoutEffect(() => {
    Object.assign(latest.current, { list, selected: selection, getKey })
  })
  const updateSelection = useCallback((changedKeys: readonly Key[], isSelected: boolean) => {
    const { list, selected: selection, getKey } = latest.current
    const keys = toggleKeys(selection?.keys ?? [], changedKeys, isSelected)
    selection?.onChange(
      keys,
      list.filter((row) => keys.includes(getKey(row))),
    )
  }, [])
  const onTick = useCallback(
    (of: Key, isSelected: boolean, shift: boolean) => {
      const { list, selected: selection, getKey } = latest.current
      const selectableKeys = list.filter((row) => !selection?.disabled?.(row)).map(getKey)
      const [from, to] = [selectableKeys.indexOf(last.current ?? ''), selectableKeys.indexOf(of)].toSorted((a, b) => a - b)
      last.current = of
      updateSelection(
        shift && from !== undefined && from >= 0 && to !== undefined ? selectableKeys.slice(from, to + 1) : [of],
        isSelected,
      )
    },
    [updateSelection],
  )
  const onTickAll = useCallback(
    (isSelected: boolean) => {
      const { list, selected: selection, getKey } = latest.current
      updateSelection(list.filter((row) => !selection?.disabled?.(row)).map(getKey), isSelected)
    },
    [updateSelection],
  )
  return { onTick, onTickAll }
}

/** Marks the edges at which a horizontally scrolling element hides content: there a fixed column casts a shadow. */
function useScrollEdges() {
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const updateEdges = () => {
      element.toggleAttribute('data-before', element.scrollLeft > 0)
      element.toggleAttribute('data-behind', element.scrollLeft + element.clientWidth < element.scrollWidth - 1)
      // If nothing inside can take the focus, the element itself does: otherwise the hidden part could not be reached
      // by keyboard.
      if (element.scrollWidth > element.clientWidth + 1 && !element.querySelector('a[href], button, input')) element.tabIndex = 0
      else element.removeAttribute('tabindex')
    }
    const sizes = new ResizeObserver(updateEdges)
    sizes.observe(element)
    if (element.firstElementChild) sizes.observe(element.firstElementChild)
    element.addEventListener('scroll', updateEdges, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', updateEdges)
    }
  }, [])
  return scroller
}
