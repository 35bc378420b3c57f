import { Checkbox } from 'antd'
import type { Key, ReactNode } from 'react'
import styles from './card-list.module.css'

/** A column as the table takes it. `render` is a method, so that a page may declare the type of its value. */
export type ListColumn<T> = {
  title?: ReactNode
  dataIndex?: keyof T & string
  key?: string
  /** Pixels, or a percentage. */
  width?: number | string
  align?: 'left' | 'center' | 'right'
  /** Sticks to this side while the others scroll. */
  fixed?: 'left' | 'right' | 'start' | 'end'
  className?: string
  /**
   * The column is shown only in windows of at least this width: `sm` 576, `md` 768, `lg` 992, `xl` 1200
   * pixels. A card always shows it.
   */
  from?: 'sm' | 'md' | 'lg' | 'xl'
  /** The slot in a card, which may differ by row. By default it is a pair of heading and value on a separate line. */
  card?: CardSlot | ((row: T) => CardSlot)
  render?(value: unknown, row: T, at: number): ReactNode
}
export type Columns<T> = ListColumn<T>[]
/**
 * `side`: at the right of the name · `line`: on the small line below it, if the value explains itself; `named`: there,
 * with its heading · `end`: at the right of that line · `wide`: across the card · `pair`: heading and value on a line ·
 * `none`: the card shows it elsewhere.
 */
export type CardSlot = 'side' | 'line' | 'named' | 'end' | 'wide' | 'pair' | 'none'

export type RowSelection<T> = {
  keys: Key[]
  onChange: (keys: Key[], rows: T[]) => void
  /** Whether the row cannot be selected; a text says why. */
  disabled?: (row: T) => boolean | string
  /** The checkbox label, 「选择 张三」. */
  getLabel?: (row: T) => string
}
/** Shows why a checkbox is disabled when the pointer rests on it, and tells it to screen readers. */
export const toReasonProps = (disabled: boolean | string | undefined) =>
  typeof disabled === 'string' ? { title: disabled, 'aria-description': disabled } : {}
/** The labels of the checkboxes, because the library's labels are English. */
export const selectionLabels = { row: '选择这一行', all: '选择本页全部' }

const isActionColumn = <T,>({ key }: ListColumn<T>): boolean => key === 'acts' || key === 'act'
export const renderCell = <T extends object>({ dataIndex, render }: ListColumn<T>, row: T, at: number): ReactNode => {
  const value: unknown = dataIndex && row[dataIndex]
  if (render) return render(value, row, at)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** Returns the selected keys after a change: keys selected on other pages stay selected. */
export const toggleKeys = (keys: readonly Key[], changedKeys: readonly Key[], isSelected: boolean): Key[] =>
  isSelected ? [...new Set([...keys, ...changedKeys])] : keys.filter((key) => !changedKeys.includes(key))

type CardCell = { key: Key; title: ReactNode; value: ReactNode; hasHeading: boolean }
type CardLayout = Record<Exclude<CardSlot, 'named' | 'none'>, CardCell[]>
/** Builds the content of a card slot by slot, in the order of the columns. A column without a value is omitted. */
function buildCardLayout<T extends object>(columns: Columns<T>, row: T, at: number): CardLayout {
  const layout: CardLayout = { side: [], line: [], end: [], wide: [], pair: [] }
  for (const [index, column] of columns.entries()) {
    const slot = (typeof column.card === 'function' ? column.card(row) : column.card) ?? 'pair'
    const value = slot === 'none' ? null : renderCell(column, row, at)
    if (slot === 'none' || value === null || value === undefined || value === '' || value === '—') continue
    const named = slot === 'named'
    layout[named ? 'line' : slot].push({
      key: column.key ?? column.dataIndex ?? index,
      title: column.title,
      value,
      hasHeading: named,
    })
  }
  return layout
}

/**
 * A list on a phone, without horizontal scrolling: each row is a card; the table's fixed column is its heading, with
 * the actions next to it; every other column has its slot (`CardSlot`).
 */
export function CardList<T extends object>(props: {
  list: readonly T[]
  columns: Columns<T>
  rowKey: keyof T & string
  label: string
  selection?: RowSelection<T> | undefined
}) {
  const { list, rowKey, label, selection } = props
  const columns = props.columns.filter((column) => !isActionColumn(column))
  const actionColumns = props.columns.filter(isActionColumn)
  // The fixed column identifies the row.
  const heading = columns.find(({ fixed }) => fixed === 'left' || fixed === 'start') ?? columns[0]
  const others = columns.filter((column) => column !== heading)
  const getKey = (row: T): Key => {
    const key = row[rowKey]
    return typeof key === 'number' ? key : String(key)
  }
  const select = (rows: readonly T[], on: boolean) => {
    const keys = toggleKeys(selection?.keys ?? [], rows.map(getKey), on)
    selection?.onChange(
      keys,
      list.filter((row) => keys.includes(getKey(row))),
    )
  }
  const selectable = list.filter((row) => !selection?.disabled?.(row))
  const selected = selectable.filter((row) => selection?.keys.includes(getKey(row)))
  return (
    <>
      {selection && (
        <Checkbox
          className={styles.all}
          disabled={selectable.length === 0}
          checked={selectable.length > 0 && selected.length === selectable.length}
          indeterminate={selected.length > 0 && selected.length < selectable.length}
          onChange={({ target }) => select(selectable, target.checked)}
        >
          {selectionLabels.all}
        </Checkbox>
      )}
      <ul className={styles.list} aria-label={label}>
        {list.map((row, at) => (
          <Card
            key={getKey(row)}
            heading={heading && renderCell(heading, row, at)}
            acts={actionColumns.map((column) => renderCell(column, row, at))}
            places={buildCardLayout(others, row, at)}
            tick={
              selection && (
                <Checkbox
                  aria-label={selection.getLabel?.(row) ?? selectionLabels.row}
                  disabled={Boolean(selection.disabled?.(row))}
                  {...toReasonProps(selection.disabled?.(row))}
                  checked={selection.keys.includes(getKey(row))}
                  onChange={({ target }) => select([row], target.checked)}
                />
              )
            }
          />
        ))}
      </ul>
    </>
  )
}

function Card(props: { heading: ReactNode; acts: readonly ReactNode[]; places: CardLayout; tick: ReactNode }) {
  const { heading, acts: actions, tick: checkbox } = props
  const { side, line, end, wide, pair } = props.places
  return (
    <li>
      <div className={styles.head}>
        {checkbox}
        <strong>{heading}</strong>
        {side.map(({ key, value }) => (
          <span key={key} className={styles.side}>
            {value}
          </span>
        ))}
        {actions.map((act, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they stand in the order of their columns
          <span key={index} className={styles.acts}>
            {act}
          </span>
        ))}
      </div>
      {line.length + end.length > 0 && (
        <div className={styles.line}>
          <dl>
            {line.map(({ key, title, value, hasHeading }) => (
              <div key={key}>
                <dt className={hasHeading ? styles.named : 'sr-only'}>{title}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {end.map(({ key, value }) => (
            <span key={key}>{value}</span>
          ))}
        </div>
      )}
      {wide.map(({ key, value }) => (
        <div key={key} className={styles.wide}>
          {value}
        </div>
      ))}
      {pair.length > 0 && (
        <dl className={styles.pairs}>
          {pair.map(({ key, title, value }) => (
            <div key={key}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}
