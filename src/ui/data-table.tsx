import { useNavigate } from '@tanstack/react-router'
import { Pagination, Table, type TableProps } from 'antd'
import type { Key, ReactNode } from 'react'
import { narrow } from '../theme.ts'
import { type Drawing, Empty } from './empty.tsx'
import { ErrorState } from './error-state.tsx'
import { useNarrow } from './media.ts'
import { Skeleton } from './skeleton.tsx'
import './ui.css'

/** On a phone fixed columns would cover all the others. */
const loose = <C extends object>(column: C): C => ({ ...column, fixed: undefined })

type Answer<T> = { list: T[]; page?: { page: number; pagesize: number; total: number } }
/** The parts of a query result that a table needs; `useQuery(query(getMemberList, …))` fits as it is. */
type Asked<T> = { data: Answer<T> | undefined; error: unknown; isFetching: boolean; refetch: () => unknown }

export type Columns<T> = NonNullable<TableProps<T>['columns']>

type Chosen<T> = {
  keys: Key[]
  onChange: (keys: Key[], rows: T[]) => void
  disabled?: (row: T) => boolean
  /** 「选择 张三」 */
  nameOf?: (row: T) => string
}

const selectionOf = <T extends object>({
  keys,
  onChange,
  disabled,
  nameOf,
}: Chosen<T>): NonNullable<TableProps<T>['rowSelection']> => ({
  selectedRowKeys: keys,
  onChange: (next, rows) => onChange(next, rows),
  preserveSelectedRowKeys: true,
  // The library's own names are English.
  getCheckboxProps: (row) => ({ disabled: disabled?.(row) ?? false, 'aria-label': nameOf?.(row) ?? '选择这一行' }),
  getTitleCheckboxProps: () => ({ 'aria-label': '选择本页全部' }),
})

/**
 * A list: skeleton while it loads, a sentence and an action when it is empty, a retry when it failed, a total, and its page in
 * the address bar (`?page=2&pagesize=20`; read them with `pageOf` of ui/search.ts in the route's validateSearch). A list inside
 * a drawer keeps its page itself with `onPage`. Amount columns: `align: 'right'`. `chosen` makes rows selectable.
 */
export function DataTable<T extends object>(props: {
  asked: Asked<T>
  columns: Columns<T>
  rowKey: keyof T & string
  empty: { text: ReactNode; drawing?: Drawing; action?: ReactNode }
  /** 「共 12 人」 */
  unit?: string
  compact?: boolean
  onPage?: (page: number, pagesize: number) => void
  chosen?: Chosen<T>
  onOpen?: (row: T) => void
  summary?: TableProps<T>['summary']
  expandable?: TableProps<T>['expandable']
  label?: string
}) {
  const { asked, columns, rowKey, empty, unit = '条', compact = false, chosen, onOpen } = props
  const navigate = useNavigate()
  const isNarrow = useNarrow(narrow)
  const turn =
    props.onPage ??
    ((page: number, pagesize: number) =>
      void navigate({ to: '.', search: ((old: Record<string, unknown>) => ({ ...old, page, pagesize })) as never }))

  if (!asked.data) return asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton />
  const { list, page } = asked.data
  if (list.length === 0 && (page?.page ?? 1) === 1) return <Empty {...empty} />
  const last = page ? Math.max(1, Math.ceil(page.total / page.pagesize)) : 1
  return (
    <div className="ui-table" data-compact={compact || undefined} aria-busy={asked.isFetching}>
      <div
        className="ui-table-scroll"
        {...(isNarrow ? { tabIndex: 0, role: 'region', 'aria-label': props.label ?? '列表' } : {})}
      >
        <Table<T>
          columns={isNarrow ? columns.map(loose) : columns}
          dataSource={list}
          rowKey={rowKey}
          pagination={false}
          {...(isNarrow ? {} : { scroll: { x: 'max-content' } })}
          aria-label={props.label}
          {...(props.summary ? { summary: props.summary } : {})}
          {...(props.expandable ? { expandable: props.expandable } : {})}
          {...(onOpen ? { onRow: (row) => ({ onClick: () => onOpen(row), style: { cursor: 'pointer' } }) } : {})}
          {...(chosen ? { rowSelection: selectionOf(chosen) } : {})}
        />
      </div>
      {page && (
        <div className="ui-table-foot no-print">
          <span>
            共 {page.total.toLocaleString('zh-CN')} {unit}
            {chosen && chosen.keys.length > 0 && `，已选 ${chosen.keys.length} ${unit}`}
          </span>
          {(last > 1 || page.page > last) && (
            <Pagination
              current={page.page}
              pageSize={page.pagesize}
              total={page.total}
              simple={isNarrow}
              showSizeChanger={page.total > 10 && !isNarrow}
              pageSizeOptions={[10, 20, 50, 100]}
              onChange={turn}
            />
          )}
        </div>
      )}
    </div>
  )
}
