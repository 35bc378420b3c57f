/** Entry point for wage sheets uploaded by other modules: splits a sheet of several companies and stores each part. */
export { openWageTable, readCompanyFile, type WageTable, writeCompanyFile } from './split.ts'
