/** Files of tables, by how their names end. The reader goes by what is in a file, so that the page and the server refuse by name only what it cannot read. */
export const sheetFileExtensions = [
  'xlsx',
  'xlsm',
  'xltx',
  'xltm',
  'xls',
  'xlt',
  // What WPS writes.
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
