/** The queries of the pages of one period: the period, and its employees with the filters of the address. */

import { getHistoryDetail } from '../../../../server/contract/tax/history.ts'
import { getPeriod } from '../../../../server/contract/tax/periods.ts'
import { callQuery } from '../../../api.ts'
import type { PeriodSearch } from './search.ts'

export const periodQuery = (period_id: string) => ({ ...callQuery(getPeriod, { period_id }), meta: { quiet: true } })
export const periodMembersQuery = (period_id: string, { page = 1, pagesize = 20, name }: PeriodSearch) => ({
  ...callQuery(getHistoryDetail, { period_id, page, pagesize, ...(name ? { name } : {}) }),
  gcTime: 0,
})
