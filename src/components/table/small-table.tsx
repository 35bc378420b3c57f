import { Pagination } from 'antd'
import { useState } from 'react'
import { narrowWidth } from '../../theme.ts'
import { useIsNarrow } from '../media.ts'
import { CardList, type Columns } from './card-list.tsx'
import { TableRows } from './table-rows.tsx'
import './table.css'

const pageSize = 20

/** A short list whose data is already loaded: a compact table, on a phone cards. Actions are in the column `acts`. */
export function SmallTable<T extends object>(props: {
  rows: readonly T[]
  columns: Columns<T>
  rowKey: keyof T & string
  label: string
}) {
  const { rows, columns, rowKey, label } = props
  const isNarrow = useIsNarrow(narrowWidth)
  const [requestedPage, setRequestedPage] = useState(1)
  // The removed row may have been the last of its page.
  const page = Math.min(requestedPage, Math.max(1, Math.ceil(rows.length / pageSize)))
  return (
    <div className="ui-table" data-compact="">
      {isNarrow ? (
        <CardList list={rows} columns={columns} rowKey={rowKey} label={label} />
      ) : (
        <>
          <TableRows list={rows.slice((page - 1) * pageSize, page * pageSize)} columns={columns} rowKey={rowKey} label={label} />
          {rows.length > pageSize && (
            <div className="ui-table-foot">
              <span>共 {rows.length} 条</span>
              <Pagination
                current={page}
                pageSize={pageSize}
                total={rows.length}
                showSizeChanger={false}
                onChange={setRequestedPage}
              />
            </div>
          )}
        </>
      )}
    </div>
  )
}
