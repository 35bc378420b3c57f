import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Call, CallOutput, CallRequest } from '../../../../../server/contract/call.ts'
import { callApi } from '../../../../api.ts'
import { flattenPages } from '../../../../components/search-params.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { type Page, pagedQuery } from '../../../../components/state/paged-query.ts'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import mobileDevicesStyles from '../../../auth/account/mobile/devices-sheet.module.css'
import { BottomSheet } from '../bottom-sheet.tsx'
import styles from '../m.module.css'
import { noCacheOptions } from '../queries.ts'

const pagesize = 20

export function PaginatedSheet<T>(props: {
  title: string
  hint: string
  empty: string
  /** The name in the query cache, and the fetcher of one page. */
  name: string
  fetchPage: (page: number, signal: AbortSignal) => Promise<Page & { list: T[] }>
  line: (one: T, at: number) => ReactNode
  onClose: () => void
}) {
  const { title, hint, empty, name: cacheKey, fetchPage, line: renderItem, onClose } = props
  const pageQuery = useInfiniteQuery({ ...pagedQuery(['own', cacheKey], fetchPage), ...noCacheOptions })
  const items = flattenPages(pageQuery.data?.pages ?? [])
  const total = pageQuery.data?.pages[0]?.page.total ?? 0
  return (
    <BottomSheet open title={title} onClose={onClose}>
      <p className="ui-label">{hint}</p>
      {!pageQuery.data ? (
        pageQuery.error ? (
          <ErrorState error={pageQuery.error} retry={() => void pageQuery.refetch()} />
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
        {pageQuery.hasNextPage && (
          <button
            type="button"
            className={`ui-button ${styles.button}`}
            disabled={pageQuery.isFetching}
            onClick={() => void pageQuery.fetchNextPage()}
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
  (page: number, signal: AbortSignal): Promise<CallOutput<C>> =>
    callApi(call, { page, pagesize } as CallRequest<C>, { signal })
