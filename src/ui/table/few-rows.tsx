import { Table } from 'antd'
import { narrow } from '../../theme.ts'
import { useNarrow } from '../media.ts'
import { type Columns, RowCards } from './row-cards.tsx'
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
  return (
    <div className="ui-table" data-compact="">
      {isNarrow ? (
        <RowCards list={rows} columns={columns} rowKey={rowKey} label={label} />
      ) : (
        <Table<T>
          rowKey={rowKey}
          columns={columns}
          dataSource={[...rows]}
          pagination={rows.length > a_page ? { pageSize: a_page, showSizeChanger: false } : false}
          scroll={{ x: 'max-content' }}
        />
      )}
    </div>
  )
}
