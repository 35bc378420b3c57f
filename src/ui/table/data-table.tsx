import { useNavigate } from '@tanstack/react-router'
import { Pagination } from 'antd'
import type { ReactNode } from 'react'
import { narrow } from '../../theme.ts'
import { useNarrow } from '../media.ts'
import { type Drawing, Empty } from '../state/empty.tsx'
import { ErrorState } from '../state/error-state.tsx'
import { Skeleton } from '../state/skeleton.tsx'
import { type Chosen, type Columns, RowCards } from './row-cards.tsx'
import { Rows } from './rows.tsx'
import './table.css'

type Answer<T> = { list: T[]; page?: { page: number; pagesize: number; total: number } }
/** The parts of a query result that a table needs; `useQuery(query(getMemberList, …))` fits as it is. */
type Asked<T> = { data: Answer<T> | undefined; error: unknown; isFetching: boolean; refetch: () => unknown }

export type { Columns }

/**
 * A list: skeleton while it loads, a sentence and an action when it is empty, a retry when it failed, a total, and its page in
 * the address bar (`?page=2&pagesize=20`; read them with `pageOf` of ui/search.ts in the route's validateSearch). A list inside
 * a drawer keeps its page itself with `onPage`. On a phone its rows are cards. Amount columns: `align: 'right'`. `chosen` makes rows selectable.
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
      {isNarrow ? (
        <RowCards {...{ list, columns, rowKey, chosen }} label={props.label ?? '列表'} />
      ) : (
        <Rows {...{ list, columns, rowKey, chosen, onOpen, label: props.label }} />
      )}
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
