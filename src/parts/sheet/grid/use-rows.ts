import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getSheetGrid } from '../../../../server/contract/sheet/sheet.ts'
import { query } from '../../../api.ts'
import type { MergedArea, Window } from './geometry.ts'

type Drawn = OutputOf<typeof getSheetGrid>
export type Row = Drawn['rows'][number]
export type Rows = { rows: ReadonlyMap<number, Row>; merges: readonly MergedArea[]; error: Error | null; retry: () => void }

function combine(answers: UseQueryResult<Drawn>[]): Rows {
  const rows = new Map<number, Row>()
  // A merge that reaches over two windows is told by both.
  const merges = new Map<string, MergedArea>()
  for (const { data } of answers) {
    for (const row of data?.rows ?? []) rows.set(row.row, row)
    for (const merge of data?.merges ?? []) merges.set(`${merge.top}:${merge.left}`, merge)
  }
  const failed = answers.filter(({ error, data }) => error !== null && data === undefined)
  return {
    rows,
    merges: [...merges.values()],
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach((one) => void one.refetch()),
  }
}

/** Rows of these windows as far as they have come. Windows that are scrolled past are given up on the way. */
export const useRows = (batch_id: string, windows: readonly Window[]): Rows =>
  useQueries({ queries: windows.map((window) => query(getSheetGrid, { batch_id, ...window })), combine })
