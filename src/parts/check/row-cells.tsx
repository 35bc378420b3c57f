import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { type Column, getSheetGrid } from '../../../server/contract/sheet.ts'
import { query } from '../../api.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { columnName } from '../sheet/words.ts'

/** What stands in the column of a key in a row of the drawing, which begins at column A. */
const cellAt = (cells: readonly string[], key: string) => cells[Number(key.slice(1))] ?? ''

/** A row of the sheet as it stands, under its labels, with the cell in question marked; below it what is done with that cell. */
export function RowCells(props: {
  batch_id: string
  row: number
  columns: readonly Column[]
  /** The key of the column in question. */
  marked: string | null
  children: (value: string) => ReactNode
}) {
  const { batch_id, row, columns, marked } = props
  const asked = useQuery(query(getSheetGrid, { batch_id, from: row, count: 1 }))
  const cells = asked.data?.rows[0]?.cells
  const strip = useRef<HTMLDListElement>(null)
  const isThere = cells !== undefined
  // The cell in question in the middle, its neighbours on both sides.
  useEffect(() => {
    const all = strip.current
    const cell = all?.querySelector<HTMLElement>('[data-marked]')
    if (isThere && all && cell) all.scrollLeft = cell.offsetLeft - (all.clientWidth - cell.offsetWidth) / 2
  }, [isThere])
  if (asked.error && !cells) return <ErrorState error={asked.error} retry={() => void asked.refetch()} />
  if (!cells) return <p className="ui-hint">正在读取这一行…</p>
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- wider than the page, so it is scrolled with the keyboard */}
      <dl ref={strip} className="check-cells" tabIndex={0} aria-label="这一行的单元格">
        {columns
          .filter(({ key }) => key === marked || cellAt(cells, key) !== '')
          .map((column) => (
            <div key={column.key} data-marked={column.key === marked || undefined}>
              <dt>{columnName(column)}</dt>
              <dd>{cellAt(cells, column.key) || '空'}</dd>
            </div>
          ))}
      </dl>
      {props.children(marked ? cellAt(cells, marked) : '')}
    </>
  )
}
