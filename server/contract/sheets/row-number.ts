/**
 * How the rows of a batch are numbered: 1-based as Excel counts; where a batch was made of several sheets, those of its nth sheet
 * (from 0) begin at n × 1,000,000, so that a row has one number everywhere. Without the schema library, which the limited process that
 * opens files neither may nor needs to load.
 */
export const rowsPerSheet = 1_000_000
/** Of a row so numbered the number that a spreadsheet shows. */
export const toSheetRowNumber = (row: number): number => ((row - 1) % rowsPerSheet) + 1
