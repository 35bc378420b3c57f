/**
 * Chart and search calls: pay totals by month, and one search box over everything that the user may see. Writes
 * chart_figures, chart_groups and chart_export.
 */

import * as contract from '../../contract/reports/charts.ts'
import * as match from '../../contract/reports/search.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import { chartData, compareMonths, getAveragewageDetail, getYearList, getYearSalaryCharts } from './charts.ts'
import { registerComponentsJob } from './component-tables.ts'
import { exportMemberWageByYear, getYearWageFileStatus, registerYearExport } from './export.ts'
import { search } from './search.ts'

export { canViewYearExport } from './export.ts'

const chartHandlers = [
  ...bindHandlers(match, { search }),
  ...bindHandlers(contract, {
    getYearList,
    chartData,
    getAveragewageDetail,
    compareMonths,
    getYearSalaryCharts,
    exportMemberWageByYear,
    getYearWageFileStatus,
  }),
]

export function createChartHandlers(deps: Parameters<typeof registerYearExport>[0]): Handler[] {
  registerComponentsJob(deps)
  registerYearExport(deps)
  return chartHandlers
}
