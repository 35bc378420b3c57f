/**
 * The door of a checked sheet: its rows as they would be sent, what the tax of a month takes from them, and what tax tells the check. Whoever only shows
 * what was sent goes through the sheet's own door, which loads neither the check nor what opens files
 * (docs/decisions/20261123-use-narrow-module-entries.md).
 */
export { type TaxKeeper, tellKeptTax } from '../check/months-before.ts'
export { type SheetTaxAmounts, taxAmountsReader } from '../rules/months/tax-amounts.ts'
export { besideGross, leavesOf } from '../rules/tax-figures.ts'
export { cellsToSend, type ReadyRow, readyRows } from './rows.ts'
