/**
 * Row numbers of a batch: 1-based as in Excel; where a batch was made from several sheets, those of the nth sheet (from
 * 0) begin at n × 1,000,000, so that a row has the same number everywhere. Does not import the schema library, which
 * the sandboxed process that opens files must not load.
 */
export const rowsPerSheet = 1_000_000
/** Converts the row number of a batch to the number that a spreadsheet shows. */
export const toSheetRowNumber = (row: number): number => ((row - 1) % rowsPerSheet) + 1
