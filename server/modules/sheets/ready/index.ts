/**
 * Entry point for checked wage sheets: their rows as they would be sent, the tax amounts of a month, and the tax data
 * for the check. Callers that only show what was sent use the main entry point of the sheet module, which loads neither
 * the check nor the file readers (docs/decisions/20261123-use-narrow-module-entries.md).
 */
export { setTaxYearProvider, type TaxYearProvider } from '../check/earlier-months.ts'
export { createTaxAmountsReader, type SheetTaxAmounts } from '../rules/months/tax-amounts.ts'
export { getAdditionsToGross, getLeafDeductions } from '../rules/tax-columns.ts'
export { createCellLoader, loadReadyRows, type ReadyRow } from './rows.ts'
export { countWarnings, type WarningCounts } from './warnings.ts'
