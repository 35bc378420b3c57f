/**
 * Entry point for wage sheets uploaded by other modules: splits a wage sheet of several companies and stores each part
 * in its company.
 */
export { openWageTable, readCompanyFile, type WageTable, writeCompanyFile } from './split.ts'
