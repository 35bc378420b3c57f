import { useQuery } from '@tanstack/react-query'
import { chartData } from '../../../../server/contract/wage/chart.ts'
import { query } from '../../../api.ts'

export type ChartFilter = { year: number; month?: string | undefined; department_id?: string | undefined }
/** While figures are put together the page asks again. */
export const again_ms = 1_500
/** All charts of the page at once: the server looks through the slips once for them. */
export const useCharts = (filter: ChartFilter) =>
  useQuery({
    ...query(chartData, { ...filter, kind: 'all' }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.preparing ? again_ms : false),
  })
