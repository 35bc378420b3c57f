import type { ImportSheet } from '../../../../server/contract/directory/import.ts'

export const formatCount = (count: number): string => count.toLocaleString('zh-CN')
const maxNamedSheets = 4
const formatSheetNames = (sheets: readonly ImportSheet[]): string =>
  `${sheets
    .slice(0, maxNamedSheets)
    .map(({ name, member_count }) => `「${name}」${formatCount(member_count)} 人`)
    .join('、')}${sheets.length > maxNamedSheets ? `等 ${sheets.length} 份` : ''}`

/** The option for all sheets with the same columns, next to the names of single sheets. */
export const allSheetsValue = '\n'

/** Describes the sheets of a file: which were read, which were not, and why some cannot be combined with the others. */
export function describeSheets(sheets: readonly ImportSheet[]) {
  const read = sheets.filter((sheet) => sheet.is_included)
  const rest = sheets.filter((sheet) => !sheet.is_included)
  const combinable = sheets.filter(({ excluded_reason: separateReason }) => separateReason === null)
  const [only] = read
  return {
    message: formatReadSheets(read),
    left: rest.length > 0 ? `这个文件里还有 ${rest.length} 份像员工名单的表没有读：${formatSheetNames(rest)}。` : '',
    hint: formatSeparateReasons(rest),
    joint: combinable,
    value: read.length > 1 ? allSheetsValue : (only?.name ?? null),
  }
}

function formatSeparateReasons(rest: readonly ImportSheet[]): string | null {
  const namesWithReason = (reason: ImportSheet['excluded_reason']) =>
    rest.filter(({ excluded_reason: separateReason }) => separateReason === reason).map(({ name }) => `「${name}」`)
  const [columns, left] = [namesWithReason('columns'), namesWithReason('left')]
  if (columns.length + left.length === 0) return null
  const reasons = [
    ...(columns.length > 0 ? [`${columns.join('、')}的列不一样`] : []),
    ...(left.length > 0 ? [`${left.join('、')}里是离职的人`] : []),
  ]
  return `${reasons.join('，')}，不能和别的合在一起读：这次导入之后，再选一次这个文件单独读。`
}

function formatReadSheets(read: readonly ImportSheet[]): string {
  const [only, ...more] = read
  if (!only) return '现在读的是一人一张的登记表。'
  return more.length > 0 ? `${read.length} 份名单合在一起读：${formatSheetNames(read)}。` : `现在只读「${only.name}」。`
}

/** Formats which sheets of an applied import are not in the roster. */
export function formatSkippedSheets(sheets: readonly ImportSheet[]): string | null {
  const rest = sheets.filter((sheet) => !sheet.is_included)
  return rest.length > 0 ? `这个文件里的${formatSheetNames(rest)}还没有导入：再导入一次这个文件，单独读。` : null
}
