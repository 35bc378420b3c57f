import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Call, CallOutput, CallRequest } from '../../../../../server/contract/call.ts'
import { callApi } from '../../../../api.ts'
import { flattenPages } from '../../../../components/search-params.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import mobileDevicesStyles from '../../../auth/account/mobile/devices-sheet.module.css'
import { BottomSheet } from '../bottom-sheet.tsx'
import styles from '../m.module.css'
import { noCacheOptions } from '../queries.ts'

const pagesize = 20
type PaginatedList<T> = { list: T[]; page: { total: number } }

/** A paginated list about the employee in a dialog. */
export function PaginatedSheet<T>(props: {
  title: string
  hint: string
  empty: string
  /** The name in the query cache, and the fetcher of one page. */
  name: string
  page: (at: { page: number; pagesize: number }, signal: AbortSignal) => Promise<PaginatedList<T>>
  line: (one: T, at: number) => ReactNode
  onClose: () => void
}) {
  const { title, hint, empty, name: cacheKey, page: fetchPage, line: renderItem, onClose } = props
  const [pages, setPages] = useState(1)
  const pageQueries = useQuery({
    queryKey: ['own', cacheKey, pages] as const,
    queryFn: ({ signal }) => Promise.all(Array.from({ length: pages }, (_, at) => fetchPage({ page: at + 1, pagesize }, signal))),
    placeholderData: keepPreviousData,
    ...noCacheOptions,
  })
  const items = flattenPages(pageQueries.data ?? [])
  const total = pageQueries.data?.[0]?.page.total ?? 0
  return (
    <BottomSheet open title={title} onClose={onClose}>
      <p className="ui-label">{hint}</p>
      {!pageQueries.data ? (
        pageQueries.error ? (
          <ErrorState error={pageQueries.error} retry={() => void pageQueries.refetch()} />
        ) : (
          <Skeleton rows={4} />
        )
      ) : items.length === 0 ? (
        <p>{empty}</p>
      ) : (
        <ul className={mobileDevicesStyles.root}>{items.map(renderItem)}</ul>
      )}
      <div className={styles.sheetActions}>
        <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
          关闭
        </button>
        {items.length < total && (
          <button
            type="button"
            className={`ui-button ${styles.button}`}
            disabled={pageQueries.isFetching}
            onClick={() => setPages(pages + 1)}
          >
            再看 {Math.min(pagesize, total - items.length)} 条
          </button>
        )}
      </div>
    </BottomSheet>
  )
}

/** Creates a page fetcher for `PaginatedSheet` from a list call. */
export const createPageFetcher =
  <C extends Call>(call: C) =>
  (params: CallRequest<C>, signal: AbortSignal): Promise<CallOutput<C>> =>
    callApi(call, params, { signal })
