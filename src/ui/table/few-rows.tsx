import { Pagination } from 'antd'
import { useState } from 'react'
import { narrow } from '../../theme.ts'
import { useNarrow } from '../media.ts'
import { type Columns, RowCards } from './row-cards.tsx'
import { Rows } from './rows.tsx'
import './table.css'

const a_page = 20

/** A short list that is there already: a compact table, on a phone cards. What can be done stands in the column `acts`. */
export function FewRows<T extends object>(props: {
  rows: readonly T[]
  columns: Columns<T>
  rowKey: keyof T & string
  label: string
}) {
  const { rows, columns, rowKey, label } = props
  const isNarrow = useNarrow(narrow)
  const [wanted, turn] = useState(1)
  // What was taken away may have been the last of its page.
  const page = Math.min(wanted, Math.max(1, Math.ceil(rows.length / a_page)))
  return (
    <div className="ui-table" data-compact="">
      {isNarrow ? (
        <RowCards list={rows} columns={columns} rowKey={rowKey} label={label} />
      ) : (
        <>
          <Rows list={rows.slice((page - 1) * a_page, page * a_page)} columns={columns} rowKey={rowKey} label={label} />
          {rows.length > a_page && (
            <div className="ui-table-foot">
              <span>共 {rows.length} 条</span>
              <Pagination current={page} pageSize={a_page} total={rows.length} showSizeChanger={false} onChange={turn} />
            </div>
          )}
        </>
      )}
    </div>
  )
}
