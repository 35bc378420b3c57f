import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getSheetGrid } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../../api.ts'
import type { MergedArea, RowWindow } from './geometry.ts'

type SheetGridData = CallOutput<typeof getSheetGrid>
export type GridRowData = SheetGridData['rows'][number]
export type GridRows = {
  rows: ReadonlyMap<number, GridRowData>
  merges: readonly MergedArea[]
  error: Error | null
  retry: () => void
}

function combineWindows(results: UseQueryResult<SheetGridData>[]): GridRows {
  const rows = new Map<number, GridRowData>()
  // Both windows contain a merged cell that spans them.
  const merges = new Map<string, MergedArea>()
  for (const { data } of results) {
    for (const row of data?.rows ?? []) rows.set(row.row, row)
    for (const merge of data?.merges ?? []) merges.set(`${merge.top}:${merge.left}`, merge)
  }
  const failed = results.filter(({ error, data }) => error !== null && data === undefined)
  return {
    rows,
    merges: [...merges.values()],
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach((one) => void one.refetch()),
  }
}

/** Fetches the rows of these windows. Requests for windows that were scrolled past are aborted. */
export const useGridRows = (batch_id: string, windows: readonly RowWindow[]): GridRows =>
  useQueries({ queries: windows.map((window) => callQuery(getSheetGrid, { batch_id, ...window })), combine: combineWindows })
