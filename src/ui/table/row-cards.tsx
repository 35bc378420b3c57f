import { Checkbox } from 'antd'
import type { Key, ReactNode } from 'react'
import styles from './row-cards.module.css'

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
  /** Where a card has it, which may differ from row to row. Unsaid: a pair of heading and value on a line of its own. */
  card?: CardPlace | ((row: T) => CardPlace)
  render?(value: unknown, row: T, at: number): ReactNode
}
export type Columns<T> = ListColumn<T>[]
/**
 * `side`: at the right of the name · `line`: on the one small line below it, where the value says itself what it is; `named`: there, with its heading ·
 * `end`: at the right of that line · `wide`: across the card · `pair`: heading and value on a line · `none`: the card says it elsewhere.
 */
export type CardPlace = 'side' | 'line' | 'named' | 'end' | 'wide' | 'pair' | 'none'

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

type Placed = { key: Key; title: ReactNode; value: ReactNode; named: boolean }
type Places = Record<Exclude<CardPlace, 'named' | 'none'>, Placed[]>
/** What a card says of a row, place by place, in the order of the columns. A column without a value leaves no trace. */
function placed<T extends object>(columns: Columns<T>, row: T, at: number): Places {
  const places: Places = { side: [], line: [], end: [], wide: [], pair: [] }
  for (const [index, column] of columns.entries()) {
    const place = (typeof column.card === 'function' ? column.card(row) : column.card) ?? 'pair'
    const value = place === 'none' ? null : shown(column, row, at)
    if (place === 'none' || value === null || value === undefined || value === '' || value === '—') continue
    const named = place === 'named'
    places[named ? 'line' : place].push({ key: column.key ?? column.dataIndex ?? index, title: column.title, value, named })
  }
  return places
}

/**
 * A list on a phone, where nothing is scrolled sideways: each row is a card, the column that stays at a table's side its heading, with what can be
 * done beside it; every other column has its place (`CardPlace`).
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
          className={styles.all}
          disabled={free.length === 0}
          checked={free.length > 0 && here.length === free.length}
          indeterminate={here.length > 0 && here.length < free.length}
          onChange={({ target }) => choose(free, target.checked)}
        >
          {tickWords.all}
        </Checkbox>
      )}
      <ul className={styles.list} aria-label={label}>
        {list.map((row, at) => (
          <Card
            key={keyOf(row)}
            heading={heading && shown(heading, row, at)}
            acts={acts.map((column) => shown(column, row, at))}
            places={placed(others, row, at)}
            tick={
              chosen && (
                <Checkbox
                  aria-label={chosen.nameOf?.(row) ?? tickWords.row}
                  disabled={chosen.disabled?.(row) ?? false}
                  checked={chosen.keys.includes(keyOf(row))}
                  onChange={({ target }) => choose([row], target.checked)}
                />
              )
            }
          />
        ))}
      </ul>
    </>
  )
}

function Card(props: { heading: ReactNode; acts: readonly ReactNode[]; places: Places; tick: ReactNode }) {
  const { heading, acts, tick } = props
  const { side, line, end, wide, pair } = props.places
  return (
    <li>
      <div className={styles.head}>
        {tick}
        <strong>{heading}</strong>
        {side.map(({ key, value }) => (
          <span key={key} className={styles.side}>
            {value}
          </span>
        ))}
        {acts.map((act, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they stand in the order of their columns
          <span key={place} className={styles.acts}>
            {act}
          </span>
        ))}
      </div>
      {line.length + end.length > 0 && (
        <div className={styles.line}>
          <dl>
            {line.map(({ key, title, value, named }) => (
              <div key={key}>
                <dt className={named ? styles.named : 'sr-only'}>{title}</dt>
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
