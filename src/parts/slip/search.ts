/** The address of the list of batches; the page of one batch bears it too, so that ‹ leads back to the list as it was filtered, also after a reload. */
import { type BatchStatus, batchStatuses } from '../../../server/contract/words.ts'
import { oneOf, type PageSearch, pageOf, textOf } from '../../ui/search.ts'

export type BatchesSearch = PageSearch & {
  month?: string | undefined
  status?: BatchStatus | undefined
  name?: string | undefined
}

const monthOf = (value: unknown) => {
  const text = textOf(value)
  return text && /^(19|20)\d\d-(0[1-9]|1[0-2])$/.test(text) ? text : undefined
}

export const batchesOf = (raw: Record<string, unknown>): BatchesSearch => ({
  ...pageOf(raw),
  month: monthOf(raw.month),
  status: oneOf(raw.status, batchStatuses),
  name: textOf(raw.name)?.slice(0, 50),
})

/** The list that a batch was opened from; undefined where it was not filtered. */
export function listOf(raw: unknown): BatchesSearch | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  const said = Object.entries(batchesOf({ ...raw })).filter(([, value]) => value !== undefined)
  return said.length > 0 ? Object.fromEntries(said) : undefined
}
