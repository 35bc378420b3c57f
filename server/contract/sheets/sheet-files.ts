/**
 * File extensions of spreadsheets. The reader detects the format from the content, so that the page and the server
 * refuse by name only what it cannot read.
 */
export const sheetFileExtensions = [
  'xlsx',
  'xlsm',
  'xltx',
  'xltm',
  'xls',
  'xlt',
  // Formats of WPS.
  'et',
  'ett',
  'ods',
  'ots',
  'csv',
  'tsv',
  'txt',
  'xml',
  'html',
  'htm',
] as const

export function isSheetFileName(name: string): boolean {
  const extension = name.toLowerCase().split('.').at(-1) ?? ''
  return name.includes('.') && sheetFileExtensions.some((one) => one === extension)
}
