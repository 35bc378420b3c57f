import { type Key, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { type Chosen, type Columns, type ListColumn, shown, ticked, tickWords } from './row-cards.tsx'
import styles from './rows.module.css'

type Side = 'start' | 'end' | undefined
const sideOf = ({ fixed }: { fixed?: 'left' | 'right' | 'start' | 'end' }): Side =>
  fixed === 'left' || fixed === 'start' ? 'start' : fixed && 'end'

/**
 * The rows of a list at a desk. A table as the browser has it: a cell is a cell, and a row is drawn anew only where what it shows is another, so
 * that a hundred of them cost no frame when one is ticked, hovered or scrolled. Columns with a `fixed` side stay there while the others pass.
 */
export function Rows<T extends object>(props: {
  list: readonly T[]
  columns: Columns<T>
  rowKey: keyof T & string
  label?: string | undefined
  chosen?: Chosen<T> | undefined
  onOpen?: ((row: T) => void) | undefined
}) {
  const { list, columns, rowKey, label, chosen, onOpen } = props
  const scroller = useEdges()
  const keyOf = (row: T): Key => {
    const key = row[rowKey]
    return typeof key === 'number' ? key : String(key)
  }
  const keys = new Set(chosen?.keys)
  const { onTick, onTickAll } = useTicks(list, chosen, keyOf)
  const free = list.filter((row) => !chosen?.disabled?.(row))
  const here = free.filter((row) => keys.has(keyOf(row))).length
  // The ticks stand at the side of what says whose row it is.
  const side = columns[0] && sideOf(columns[0])
  return (
    <div className={styles.scroll} ref={scroller}>
      <table className={styles.table} aria-label={label}>
        <colgroup>
          {chosen && <col className={styles.ticks} />}
          {columns.map((column, at) => (
            <col key={nameOf(column, at)} data-from={column.from} {...(column.width ? { style: { width: column.width } } : {})} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {chosen && (
              <th scope="col" data-side={side} data-tick="">
                <Tick
                  label={tickWords.all}
                  on={free.length > 0 && here === free.length}
                  some={here > 0 && here < free.length}
                  off={free.length === 0}
                  onTick={onTickAll}
                />
              </th>
            )}
            {columns.map((column, at) => (
              <th key={nameOf(column, at)} scope="col" {...looksOf(column)} data-behind-ticks={(chosen && at === 0) || undefined}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.map((row, at) => (
            <Row<T>
              key={keyOf(row)}
              {...{ row, at, columns, onOpen, side }}
              of={keyOf(row)}
              {...(chosen && {
                tick: keys.has(keyOf(row)) ? 'on' : 'off',
                cannot: chosen.disabled?.(row) ?? false,
                name: chosen.nameOf?.(row) ?? tickWords.row,
                onTick,
              })}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const nameOf = <T,>({ key, dataIndex }: ListColumn<T>, at: number): Key => key ?? dataIndex ?? at
const looksOf = <T,>(column: ListColumn<T>) => ({
  className: column.className,
  'data-side': sideOf(column),
  'data-from': column.from,
  ...(column.align ? { style: { textAlign: column.align } } : {}),
})

type RowProps<T> = {
  row: T
  at: number
  of: Key
  columns: Columns<T>
  side: Side
  onOpen: ((row: T) => void) | undefined
  /** Where rows can be chosen. */
  tick?: 'on' | 'off'
  cannot?: boolean
  name?: string
  onTick?: (of: Key, on: boolean, shift: boolean) => void
}
function Row<T extends object>({ row, at, of, columns, side, onOpen, tick, cannot = false, name = '', onTick }: RowProps<T>) {
  return useMemo(
    () => (
      <tr
        data-row={of}
        data-chosen={tick === 'on' || undefined}
        {...(onOpen && {
          onClick: ({ target }) => target instanceof Element && !target.closest('[data-tick]') && onOpen(row),
          style: { cursor: 'pointer' },
        })}
      >
        {tick && (
          <td data-side={side} data-tick="">
            <Tick label={name} on={tick === 'on'} off={cannot} onTick={(on, shift) => onTick?.(of, on, shift)} />
          </td>
        )}
        {columns.map((column, place) => (
          <td key={nameOf(column, place)} {...looksOf(column)} data-behind-ticks={(tick && place === 0) || undefined}>
            {shown(column, row, at)}
          </td>
        ))}
      </tr>
    ),
    [row, at, of, columns, side, onOpen, tick, cannot, name, onTick],
  )
}

/** The whole cell takes the press. */
function Tick(props: {
  label: string
  on: boolean
  some?: boolean
  off: boolean
  onTick: (on: boolean, shift: boolean) => void
}): ReactNode {
  const { label, on, some = false, off, onTick } = props
  const box = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = some
  }, [some])
  return (
    <label className={styles.tick}>
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={on}
        disabled={off}
        onChange={({ target, nativeEvent }) => onTick(target.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
      />
    </label>
  )
}

/** What ticks do; the same functions as long as the list stands, so that a row that is not ticked is not drawn anew. */
function useTicks<T extends object>(list: readonly T[], chosen: Chosen<T> | undefined, keyOf: (row: T) => Key) {
  const last = useRef<Key | null>(null)
  const now = useRef({ list, chosen, keyOf })
  useLayoutEffect(() => {
    Object.assign(now.current, { list, chosen, keyOf })
  })
  const set = useCallback((these: readonly Key[], on: boolean) => {
    const { list, chosen, keyOf } = now.current
    const keys = ticked(chosen?.keys ?? [], these, on)
    chosen?.onChange(
      keys,
      list.filter((row) => keys.includes(keyOf(row))),
    )
  }, [])
  const onTick = useCallback(
    (of: Key, on: boolean, shift: boolean) => {
      const { list, chosen, keyOf } = now.current
      const free = list.filter((row) => !chosen?.disabled?.(row)).map(keyOf)
      const [from, to] = [free.indexOf(last.current ?? ''), free.indexOf(of)].toSorted((a, b) => a - b)
      last.current = of
      set(shift && from !== undefined && from >= 0 && to !== undefined ? free.slice(from, to + 1) : [of], on)
    },
    [set],
  )
  const onTickAll = useCallback(
    (on: boolean) => {
      const { list, chosen, keyOf } = now.current
      set(list.filter((row) => !chosen?.disabled?.(row)).map(keyOf), on)
    },
    [set],
  )
  return { onTick, onTickAll }
}

/** Tells what scrolls sideways at which of its edges something has gone out of sight: there a fixed column throws a shadow. */
function useEdges() {
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const at = scroller.current
    if (!at) return
    const tell = () => {
      at.toggleAttribute('data-before', at.scrollLeft > 0)
      at.toggleAttribute('data-behind', at.scrollLeft + at.clientWidth < at.scrollWidth - 1)
      // Where nothing in it can have the focus it has it itself: otherwise no key would reach what is out of sight.
      if (at.scrollWidth > at.clientWidth + 1 && !at.querySelector('a[href], button, input')) at.tabIndex = 0
      else at.removeAttribute('tabindex')
    }
    const sizes = new ResizeObserver(tell)
    sizes.observe(at)
    if (at.firstElementChild) sizes.observe(at.firstElementChild)
    at.addEventListener('scroll', tell, { passive: true })
    return () => {
      sizes.disconnect()
      at.removeEventListener('scroll', tell)
    }
  }, [])
  return scroller
}
