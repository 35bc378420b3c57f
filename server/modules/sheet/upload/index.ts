/** The door of sheets that come in by somebody else's hand: a sheet of several companies is taken apart, and each part kept in its own. */
export { openWageTable, readCompanyFile, type WageTable, writeCompanyFile } from './split.ts'
