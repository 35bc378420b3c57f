import { useQuery } from '@tanstack/react-query'
import { type ChartKind, chartData } from '../../../../server/contract/wage/chart.ts'
import { query } from '../../../api.ts'

export type ChartFilter = { year: number; month?: string | undefined; department_id?: string | undefined }
/** While figures are put together the page asks again. */
export const again_ms = 1_500
export const useChart = (kind: ChartKind, filter: ChartFilter, enabled = true) =>
  useQuery({
    ...query(chartData, { ...filter, kind }),
    enabled,
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.preparing ? again_ms : false),
  })
