import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { type getSlip, watchSlip } from '../../../../server/contract/own/employee.ts'
import { formatFen } from '../../../../server/contract/words/money.ts'
import { ApiError, query } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { type ChangedLine, changesBetween, isStale } from './changed.ts'
import styles from './open.module.css'

type Shown = OutputOf<typeof getSlip>
const soon_ms = 5_000
const calm_ms = 15_000
const soon_for = 24

/**
 * Asks every few seconds, while the page is visible, whether the slip on it is still the one that counts: closely in the first two minutes,
 * while somebody reads, then calmly. `again` fetches the slip anew, and with it a refusal.
 */
function useWatch(shown: Shown, again: () => void) {
  const { slip_id } = shown
  const { data, error, dataUpdatedAt, errorUpdatedAt } = useQuery({
    ...query(watchSlip, { slip_id }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { quiet: true },
    refetchOnMount: false,
    refetchInterval: ({ state }) => (state.dataUpdateCount < soon_for ? soon_ms : calm_ms),
  })
  const stale_at = error instanceof ApiError ? errorUpdatedAt : data !== undefined && isStale(shown, data) ? dataUpdatedAt : 0
  // The slip itself is fetched by its own question, once an answer.
  useEffect(() => {
    if (stale_at > 0) again()
  }, [stale_at, again])
}

/** What has become different in this slip since it was opened; null while nothing has. */
function useChanges(shown: Shown): readonly ChangedLine[] | null {
  const [first] = useState(shown)
  return first.version !== shown.version ? changesBetween(first.slip, shown.slip, formatFen) : null
}

/** What keeps an open slip true: beside it, and shown only when it has become another one. */
export function Live({ shown, again, hidden }: { shown: Shown; again: () => void; hidden: boolean }) {
  useWatch(shown, again)
  const changes = useChanges(shown)
  return changes && <ChangedNote changes={changes} hidden={hidden} />
}

/** It became another one under his eyes: what is different, said aloud. */
export const ChangedNote = ({ changes, hidden }: { changes: readonly ChangedLine[]; hidden: boolean }) => (
  <section className={`${styles.changed} no-print`} role="alert">
    <h2>
      <Icon name="edit" size={18} /> 公司刚刚更正了这张工资条，请重新核对
    </h2>
    <ul>
      {changes.map(({ label, from, to, fen }) => (
        <li key={label}>
          {label}：{hidden && fen ? '**** → ****' : `${from || '空'} → ${to || '空'}`}
        </li>
      ))}
    </ul>
  </section>
)
