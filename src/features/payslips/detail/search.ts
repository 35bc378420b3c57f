/** Parses the search parameters of the batch page. */
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../../components/search-params.ts'
import { type BatchListSearch, type DetailStatus, detailStatuses, parseId, parseOriginList } from '../labels.ts'

export type DetailSearch = PageParams & {
  batch_id?: string | undefined
  status?: DetailStatus | undefined
  name?: string | undefined
  department_id?: string | undefined
  /** The payslip that is open in the drawer. */
  salary?: string | undefined
  /** The link ‹ leads back to the list with its filters. */
  list?: BatchListSearch | undefined
}
export type BatchDetailSearch = DetailSearch & { batch_id: string }
export const parseDetailSearch = (raw: Record<string, unknown>): DetailSearch => ({
  ...parsePageParams(raw),
  batch_id: parseId(raw.batch_id),
  status: parseEnum(raw.status, detailStatuses),
  name: parseText(raw.name)?.slice(0, 50),
  department_id: parseId(raw.department_id),
  salary: parseId(raw.salary),
  list: parseOriginList(raw.list),
})
