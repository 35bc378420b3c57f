import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { type Column, getSheetGrid, type SheetInfo } from '../../../server/contract/sheet.ts'
import type { ColumnRole } from '../../../server/contract/words.ts'
import { query } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { columnName, isUncertain, roleGroups, roleWords } from './words.ts'

type Drawn = OutputOf<typeof getSheetGrid>
type Row = Drawn['rows'][number]
const nothing: Drawn = { rows: [], merges: [] }
/** What a drawn cell covers, or null for one that another covers. */
type Span = { down: number; right: number } | null

const moneyRoles: ReadonlySet<ColumnRole> = new Set(['net', 'gross', 'earning', 'deduction', 'tax', 'employer'])

/**
 * The sheet as Excel draws it, inside a frame of its own: letters and roles above, row numbers and names at the left stay while one
 * scrolls. Header rows are tinted, rows that are no people are grey with the reason beside their number.
 */
export function SheetGrid(props: { info: SheetInfo; busy: boolean; onRole: (column: Column, role: ColumnRole) => void }) {
  const { info, busy, onRole } = props
  const drawn = useQuery(query(getSheetGrid, { batch_id: info.batch_id, from: 1, count: 60 })).data ?? nothing
  const { rows } = drawn
  const width = Math.max(info.columns.length, ...rows.map(({ cells }) => cells.length))
  const spans = useMemo(() => spansOf(drawn.merges, rows), [drawn.merges, rows])
  const byIndex = useMemo(() => new Map(info.columns.map((column) => [Number(column.key.slice(1)), column])), [info.columns])
  const why = useMemo(() => new Map(info.ignored.map((ignored) => [ignored.row, ignored.why])), [info.ignored])
  const headers = new Set(info.header.rows)
  const nameAt = info.columns.findIndex(({ role }) => role === 'name' || role === 'last_name')
  const name = nameAt < 0 ? -1 : Number(info.columns[nameAt]?.key.slice(1))
  const indexes = Array.from({ length: width }, (_, at) => at)
  const lastDrawn = rows.at(-1)?.row ?? 0
  const below = info.ignored.filter(({ row }) => row > lastDrawn)
  const undrawn = Math.max(
    0,
    info.rows - rows.filter(({ row }) => !headers.has(row) && !why.has(row) && row >= (info.header.first_data_row ?? 0)).length,
  )
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a frame that scrolls must be reachable by keyboard
    <section className="sheet" aria-label="工资表" tabIndex={0} data-busy={busy || undefined}>
      <table>
        <thead>
          <tr>
            <th className="sheet-no">
              <span className="sr-only">行号</span>
            </th>
            {indexes.map((at) => (
              <Head key={at} column={byIndex.get(at)} isName={at === name} onRole={onRole} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const reason = headers.has(row.row) ? '表头' : why.get(row.row)
            return (
              <tr key={row.row} data-as={headers.has(row.row) ? 'header' : reason ? 'ignored' : undefined}>
                <th scope="row" className="sheet-no">
                  {row.row}
                  {reason && <small>{reason}</small>}
                  {row.hidden && <small>隐藏行</small>}
                </th>
                {indexes.map((at) => (
                  <Cell
                    key={at}
                    row={row}
                    at={at}
                    span={spans.get(`${row.row}:${at}`)}
                    column={byIndex.get(at)}
                    isName={at === name}
                  />
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
      {(undrawn > 0 || below.length > 0) && (
        <ul className="sheet-below">
          {undrawn > 0 && <li>后面还有 {undrawn.toLocaleString('zh-CN')} 人没有画出来，下一步会逐行核对</li>}
          {below.slice(0, 20).map(({ row, why: text }) => (
            <li key={row}>
              <b>{row}</b> {text}
            </li>
          ))}
          {below.length > 20 && <li>另有 {below.length - 20} 行不导入</li>}
        </ul>
      )}
    </section>
  )
}

function Head({
  column,
  isName,
  onRole,
}: {
  column: Column | undefined
  isName: boolean
  onRole: (column: Column, role: ColumnRole) => void
}) {
  if (!column) return <th />
  const label = columnName(column)
  const unsure = isUncertain(column)
  return (
    <th className={isName ? 'sheet-name' : undefined} data-hidden={column.hidden || undefined} data-unsure={unsure || undefined}>
      <div className="sheet-col">
        <b>{column.col}</b>
        <span title={column.path.join(' › ')}>{columnName(column)}</span>
        {column.hidden && <em>隐藏列</em>}
      </div>
      <select
        value={column.role}
        aria-label={`${column.col} 列「${label}」的用途`}
        title={column.reason}
        aria-description={unsure ? `请确认：${column.reason}` : undefined}
        onChange={(event) => onRole(column, event.target.value as ColumnRole)}
      >
        {roleGroups.map((group) => (
          <optgroup key={group.name} label={group.name}>
            {group.roles.map((role) => (
              <option key={role} value={role}>
                {roleWords[role]}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {unsure && (
        <small title={column.reason}>
          <Icon name="warn" size={14} />
          <span>请确认{column.reason && `：${column.reason}`}</span>
        </small>
      )}
    </th>
  )
}

function Cell(props: { row: Row; at: number; span: Span | undefined; column: Column | undefined; isName: boolean }) {
  const { row, at, span, column, isName } = props
  if (span === null) return null
  const text = row.cells[at] ?? ''
  const money = column && moneyRoles.has(column.role)
  return (
    <td
      rowSpan={span?.down}
      colSpan={span?.right}
      className={isName && (span?.right ?? 1) === 1 ? 'sheet-name' : undefined}
      data-money={money || undefined}
      data-off={column?.role === 'ignore' || undefined}
      title={text.length > 16 ? text : undefined}
    >
      <span>{text}</span>
    </td>
  )
}

/** Merges cut to the rows that are drawn; keys are `row:column`. */
function spansOf(merges: Drawn['merges'], rows: readonly Row[]): Map<string, Span> {
  const spans = new Map<string, Span>()
  const drawn = rows.map(({ row }) => row)
  for (const { top, left, bottom, right } of merges) {
    const inside = drawn.filter((row) => row >= top && row <= bottom)
    const [first] = inside
    if (first === undefined) continue
    for (const row of inside) for (let at = left - 1; at < right; at++) spans.set(`${row}:${at}`, null)
    spans.set(`${first}:${left - 1}`, { down: inside.length, right: right - left + 1 })
  }
  return spans
}
