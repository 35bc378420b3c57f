import { useQuery } from '@tanstack/react-query'
import { chartData } from '../../../../server/contract/reports/charts.ts'
import { callQuery } from '../../../api.ts'

export type ChartFilter = { year: number; month?: string | undefined; department_id?: string | undefined }
/** The polling interval while the server prepares the data. */
export const chartPollMs = 1_500
/** Fetches all charts of the page at once, so that the server reads the payslips only once. */
export const useChartData = (filter: ChartFilter) =>
  useQuery({
    ...callQuery(chartData, { ...filter, kind: 'all' }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.preparing ? chartPollMs : false),
  })
