/** What the page of one batch reads from the address. */
import { oneOf, type PageSearch, pageOf, textOf } from '../../../ui/search.ts'
import { type BatchesSearch, type DetailStatus, detailStatuses, idOf, listSearchOf } from '../words.ts'

export type DetailSearch = PageSearch & {
  batch_id?: string | undefined
  status?: DetailStatus | undefined
  name?: string | undefined
  department_id?: string | undefined
  /** The slip that is open in the drawer. */
  salary?: string | undefined
  /** The list that ‹ leads back to, as it was filtered. */
  list?: BatchesSearch | undefined
}
export type OneBatch = DetailSearch & { batch_id: string }
export const detailSearchOf = (raw: Record<string, unknown>): DetailSearch => ({
  ...pageOf(raw),
  batch_id: idOf(raw.batch_id),
  status: oneOf(raw.status, detailStatuses),
  name: textOf(raw.name)?.slice(0, 50),
  department_id: idOf(raw.department_id),
  salary: idOf(raw.salary),
  list: listSearchOf(raw.list),
})
