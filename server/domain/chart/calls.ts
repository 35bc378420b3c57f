/** Seeing how things stand: what pay came to over the months, and one box over all that one may see. Writes chart_figures, chart_groups and chart_export. */
import * as found from '../../contract/people/find.ts'
import * as contract from '../../contract/wage/chart.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import { chartData, compareMonths, getAveragewageDetail, getYearList, getYearSalaryCharts } from './charts.ts'
import { exportMemberWageByYear, getYearWageFileStatus, openYearExport } from './export.ts'
import { find } from './find.ts'
import { openFigures } from './kept.ts'

export { seesYear } from './export.ts'

const chartHandlers = [
  ...implement(found, { find }),
  ...implement(contract, {
    getYearList,
    chartData,
    getAveragewageDetail,
    compareMonths,
    getYearSalaryCharts,
    exportMemberWageByYear,
    getYearWageFileStatus,
  }),
]

/** Binds the calls and declares the jobs. */
export function openCharts(parts: Parameters<typeof openYearExport>[0]): Handler[] {
  openFigures(parts)
  openYearExport(parts)
  return chartHandlers
}
