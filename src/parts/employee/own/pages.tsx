import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { AskOf, Call, OutputOf } from '../../../../server/contract/call.ts'
import { ask } from '../../../api.ts'
import { gathered } from '../../../ui/search.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import pocketDevicesStyles from '../../account/pocket/pocket-devices.module.css'
import styles from '../m.module.css'
import { neverKept } from '../queries.ts'
import { Sheet } from '../sheet.tsx'

const pagesize = 20
type Paged<T> = { list: T[]; page: { total: number } }

/** A list about oneself in a dialog, page after page. */
export function OwnList<T>(props: {
  title: string
  hint: string
  empty: string
  /** Its name in the cache, and one page of it. */
  name: string
  page: (at: { page: number; pagesize: number }, signal: AbortSignal) => Promise<Paged<T>>
  line: (one: T, at: number) => ReactNode
  onClose: () => void
}) {
  const { title, hint, empty, name, page, line, onClose } = props
  const [pages, setPages] = useState(1)
  const asked = useQuery({
    queryKey: ['own', name, pages] as const,
    queryFn: ({ signal }) => Promise.all(Array.from({ length: pages }, (_, at) => page({ page: at + 1, pagesize }, signal))),
    placeholderData: keepPreviousData,
    ...neverKept,
  })
  const lines = gathered(asked.data ?? [])
  const total = asked.data?.[0]?.page.total ?? 0
  return (
    <Sheet open title={title} onClose={onClose}>
      <p className="ui-label">{hint}</p>
      {!asked.data ? (
        asked.error ? (
          <ErrorState error={asked.error} retry={() => void asked.refetch()} />
        ) : (
          <Skeleton rows={4} />
        )
      ) : lines.length === 0 ? (
        <p>{empty}</p>
      ) : (
        <ul className={pocketDevicesStyles.root}>{lines.map(line)}</ul>
      )}
      <div className={styles.sheetActions}>
        <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
          关闭
        </button>
        {lines.length < total && (
          <button
            type="button"
            className={`ui-button ${styles.button}`}
            disabled={asked.isFetching}
            onClick={() => setPages(pages + 1)}
          >
            再看 {Math.min(pagesize, total - lines.length)} 条
          </button>
        )}
      </div>
    </Sheet>
  )
}

/** A call that answers a list, as `OwnList` asks it. */
export const pageOf =
  <C extends Call>(call: C) =>
  (at: AskOf<C>, signal: AbortSignal): Promise<OutputOf<C>> =>
    ask(call, at, { signal })
