/** What the pages of one month ask: the month, and its people as the address filters them. */
import { getPeriod } from '../../../../server/contract/wage/periods.ts'
import { getHistoryDetail } from '../../../../server/contract/wage/tax/tax-history.ts'
import { query } from '../../../api.ts'
import type { PeriodSearch } from './search.ts'

export const periodQuery = (period_id: string) => ({ ...query(getPeriod, { period_id }), meta: { quiet: true } })
export const peopleQuery = (period_id: string, { page = 1, pagesize = 20, name }: PeriodSearch) => ({
  ...query(getHistoryDetail, { period_id, page, pagesize, ...(name ? { name } : {}) }),
  gcTime: 0,
})
