import { useQuery } from '@tanstack/react-query'
import { chartData } from '../../../../server/contract/reports/charts.ts'
import { callQuery } from '../../../api.ts'

export type ChartFilter = { year: number; month?: string | undefined; department_id?: string | undefined }
/** While figures are put together the page asks again. */
export const chartPollMs = 1_500
/** All charts of the page at once: the server looks through the slips once for them. */
export const useChartData = (filter: ChartFilter) =>
  useQuery({
    ...callQuery(chartData, { ...filter, kind: 'all' }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.preparing ? chartPollMs : false),
  })
