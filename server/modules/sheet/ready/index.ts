/**
 * The door of a checked sheet: its rows as they would be sent, what the tax of a month takes from them, and what tax tells the check. Whoever only shows
 * what was sent goes through the sheet's own door, which loads neither the check nor what opens files
 * (docs/decisions/20261123-use-narrow-module-entries.md).
 */
export { setTaxYearProvider, type TaxYearProvider } from '../check/earlier-months.ts'
export { createTaxAmountsReader, type SheetTaxAmounts } from '../rules/months/tax-amounts.ts'
export { getAdditionsToGross, getLeafDeductions } from '../rules/tax-columns.ts'
export { createCellLoader, loadReadyRows, type ReadyRow } from './rows.ts'
