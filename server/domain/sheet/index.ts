/** Wage sheets: from a file to a checked, arranged batch. Writes title, title_share, batch, sheet_row and wizard. */
import type { Handler } from '../../runtime/handle.ts'

export { type BatchRow, batchFor, setBatchStatus, visibleBatches } from './access.ts'
export { cellOfText, moneyRoles, type RowCell, type RowCells } from './rules/amounts.ts'
export { renderSlip } from './rules/render.ts'
export { type ReadyRow, readyRows } from './run-check.ts'
export { layoutOf, type Understood, understoodOf } from './understood.ts'

export const sheetHandlers: Handler[] = []
