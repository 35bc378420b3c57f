import { Checkbox } from 'antd'
import type { Key, ReactNode } from 'react'

/** A column as the table takes it. A method, so that a page may say of which type its value is. */
export type ListColumn<T> = {
  title?: ReactNode
  dataIndex?: keyof T & string
  key?: string
  /** Pixels, or a share. */
  width?: number | string
  align?: 'left' | 'center' | 'right'
  /** Stays at this side while the others are scrolled. */
  fixed?: 'left' | 'right' | 'start' | 'end'
  className?: string
  /** Only in windows as wide as this: `sm` 576, `md` 768, `lg` 992 pixels. A card always has it. */
  from?: 'sm' | 'md' | 'lg'
  render?(value: unknown, row: T, at: number): ReactNode
}
export type Columns<T> = ListColumn<T>[]

export type Chosen<T> = {
  keys: Key[]
  onChange: (keys: Key[], rows: T[]) => void
  disabled?: (row: T) => boolean
  /** 「选择 张三」 */
  nameOf?: (row: T) => string
}
/** What the ticks of a list are called: the library's own names are English. */
export const tickWords = { row: '选择这一行', all: '选择本页全部' }

const isAct = <T,>({ key }: ListColumn<T>): boolean => key === 'acts' || key === 'act'
/** What a column says of a row. */
export const shown = <T extends object>({ dataIndex, render }: ListColumn<T>, row: T, at: number): ReactNode => {
  const value: unknown = dataIndex && row[dataIndex]
  if (render) return render(value, row, at)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** The keys after a tick: what was chosen on other pages stays chosen. */
export const ticked = (keys: readonly Key[], these: readonly Key[], on: boolean): Key[] =>
  on ? [...new Set([...keys, ...these])] : keys.filter((key) => !these.includes(key))

/**
 * A list on a phone, where nothing is scrolled sideways: each row is a card, the column that stays at a table's side its heading, the others pairs of
 * heading and value in their order, and what can be done with it below. A column without a value leaves no line.
 */
export function RowCards<T extends object>(props: {
  list: readonly T[]
  columns: Columns<T>
  rowKey: keyof T & string
  label: string
  chosen?: Chosen<T> | undefined
}) {
  const { list, rowKey, label, chosen } = props
  const columns = props.columns.filter((column) => !isAct(column))
  const acts = props.columns.filter(isAct)
  // What stays at the side of a table says whose row it is.
  const heading = columns.find(({ fixed }) => fixed === 'left' || fixed === 'start') ?? columns[0]
  const others = columns.filter((column) => column !== heading)
  const keyOf = (row: T): Key => {
    const key = row[rowKey]
    return typeof key === 'number' ? key : String(key)
  }
  const choose = (rows: readonly T[], on: boolean) => {
    const keys = ticked(chosen?.keys ?? [], rows.map(keyOf), on)
    chosen?.onChange(
      keys,
      list.filter((row) => keys.includes(keyOf(row))),
    )
  }
  const free = list.filter((row) => !chosen?.disabled?.(row))
  const here = free.filter((row) => chosen?.keys.includes(keyOf(row)))
  return (
    <>
      {chosen && (
        <Checkbox
          className="row-cards-all"
          disabled={free.length === 0}
          checked={free.length > 0 && here.length === free.length}
          indeterminate={here.length > 0 && here.length < free.length}
          onChange={({ target }) => choose(free, target.checked)}
        >
          {tickWords.all}
        </Checkbox>
      )}
      <ul className="row-cards" aria-label={label}>
        {list.map((row, at) => (
          <li key={keyOf(row)}>
            <div className="row-card-head">
              {chosen && (
                <Checkbox
                  aria-label={chosen.nameOf?.(row) ?? tickWords.row}
                  disabled={chosen.disabled?.(row) ?? false}
                  checked={chosen.keys.includes(keyOf(row))}
                  onChange={({ target }) => choose([row], target.checked)}
                />
              )}
              <strong>{heading && shown(heading, row, at)}</strong>
              {acts.map((column) => (
                <span key={String(column.key)} className="row-card-acts">
                  {shown(column, row, at)}
                </span>
              ))}
            </div>
            <dl>
              {others.map((column, place) => {
                const value = shown(column, row, at)
                if (value === null || value === undefined || value === '' || value === '—') return null
                return (
                  <div key={column.key ?? column.dataIndex ?? place}>
                    <dt>{column.title}</dt>
                    <dd>{value}</dd>
                  </div>
                )
              })}
            </dl>
          </li>
        ))}
      </ul>
    </>
  )
}
