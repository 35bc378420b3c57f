import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'

/** One page of a list, as every list call returns it. */
export type Page = { page: { page: number; pagesize: number; total: number } }

/** Builds the options of a list that grows page by page: `useInfiniteQuery(pagedQuery(key, fetchPage))`. */
export const pagedQuery = <T extends Page>(queryKey: QueryKey, fetchPage: (page: number, signal: AbortSignal) => Promise<T>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: ({ page: { page, pagesize, total } }) => (page * pagesize < total ? page + 1 : undefined),
  })
