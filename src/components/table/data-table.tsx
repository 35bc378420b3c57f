import { useNavigate } from '@tanstack/react-router'
import { Pagination } from 'antd'
import type { ReactNode } from 'react'
import { narrowWidth } from '../../theme.ts'
import { useIsNarrow } from '../media.ts'
import { EmptyState, type IllustrationName } from '../state/empty-state.tsx'
import { ErrorState } from '../state/error-state.tsx'
import { pageSizes, savePageSize } from '../state/page-size.ts'
import { Skeleton } from '../state/skeleton.tsx'
import { CardList, type Columns, type RowSelection } from './card-list.tsx'
import { TableRows } from './table-rows.tsx'
import './table.css'

type ListResponse<T> = { list: T[]; page?: { page: number; pagesize: number; total: number } }
/** The parts of a query result that a table needs; `useQuery(callQuery(getMemberList, …))` fits directly. */
type ListQuery<T> = { data: ListResponse<T> | undefined; error: unknown; isFetching: boolean; refetch: () => unknown }

export type { Columns }

/**
 * A list: a skeleton while loading, a message with an action when empty, a retry after an error, a total, and its page
 * in the address bar (`?page=2&pagesize=20`; parse it with `parsePageParams` of ui/search-params.ts in the route's
 * validateSearch). A list inside a drawer keeps its page itself with `onPage`. On a phone its rows are cards. Amount
 * columns: `align: 'right'`. `selection` makes rows selectable.
 */
export function DataTable<T extends object>(props: {
  requested: ListQuery<T>
  columns: Columns<T>
  rowKey: keyof T & string
  empty: { text: ReactNode; illustration?: IllustrationName; action?: ReactNode }
  /** The unit in the total, 「共 12 人」. */
  unit?: string
  compact?: boolean
  onPage?: (page: number, pagesize: number) => void
  selected?: RowSelection<T>
  onOpen?: (row: T) => void
  label?: string
}) {
  const { requested: query, columns, rowKey, empty, unit = '条', compact = false, selected: selection, onOpen } = props
  const navigate = useNavigate()
  const isNarrow = useIsNarrow(narrowWidth)
  const goToPage =
    props.onPage ??
    ((page: number, pagesize: number) =>
      void navigate({ to: '.', search: ((old: Record<string, unknown>) => ({ ...old, page, pagesize })) as never }))
  const changePage = (page: number, pagesize: number) => {
    if (pagesize !== query.data?.page?.pagesize) savePageSize(pagesize)
    goToPage(page, pagesize)
  }

  if (!query.data) return query.error ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <Skeleton />
  const { list, page } = query.data
  if (list.length === 0 && (page?.page ?? 1) === 1) return <EmptyState {...empty} />
  const last = page ? Math.max(1, Math.ceil(page.total / page.pagesize)) : 1
  return (
    <div className="ui-table" data-compact={compact || undefined} aria-busy={query.isFetching}>
      {isNarrow ? (
        <CardList {...{ list, columns, rowKey, selection }} label={props.label ?? '列表'} />
      ) : (
        <TableRows {...{ list, columns, rowKey, selection, onOpen, label: props.label }} />
      )}
      {page && (
        <div className="ui-table-foot no-print">
          <span>
            共 {page.total.toLocaleString('zh-CN')} {unit}
            {selection && selection.keys.length > 0 && `，已选 ${selection.keys.length} ${unit}`}
          </span>
          {(last > 1 || page.page > last || page.total > Math.min(...pageSizes)) && (
            <Pagination
              current={page.page}
              pageSize={page.pagesize}
              total={page.total}
              simple={isNarrow}
              showSizeChanger={page.total > 10 && !isNarrow}
              pageSizeOptions={pageSizes}
              onChange={changePage}
            />
          )}
        </div>
      )}
    </div>
  )
}
