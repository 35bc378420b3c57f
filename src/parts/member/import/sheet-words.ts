import type { ImportSheet } from '../../../../server/contract/people/import.ts'

export const listed = (count: number): string => count.toLocaleString('zh-CN')
const most_named = 4
const named = (sheets: readonly ImportSheet[]): string =>
  `${sheets
    .slice(0, most_named)
    .map(({ name, people }) => `「${name}」${listed(people)} 人`)
    .join('、')}${sheets.length > most_named ? ` 等 ${sheets.length} 张` : ''}`

/** The choice of all that go together, beside the names of single sheets. */
export const together = '\n'

/** What is said of the sheets of a file: what was read, what was not, and why some cannot be read with the others. */
export function sheetsSaid(sheets: readonly ImportSheet[]) {
  const read = sheets.filter((sheet) => sheet.read)
  const rest = sheets.filter((sheet) => !sheet.read)
  const joint = sheets.filter(({ joins }) => joins)
  const apart = rest.filter(({ joins }) => !joins)
  const [only] = read
  const left = rest.length > 0 ? `这个文件里还有 ${rest.length} 张像花名册的工作表没有读：${named(rest)}。` : ''
  const it = apart.length > 1 ? '它们' : '它'
  return {
    said: `${whatIsRead(read)}${left}`,
    hint:
      apart.length > 0
        ? `${apart.map(({ name }) => `「${name}」`).join('、')}的列不一样，或者是离职人员，不能合在一起读：这次导入之后再导入一次这个文件，只读${it}。`
        : null,
    joint,
    value: read.length > 1 ? together : (only?.name ?? null),
  }
}

function whatIsRead(read: readonly ImportSheet[]): string {
  const [only, ...more] = read
  if (!only) return '现在读的是一人一张的登记表。'
  return more.length > 0 ? `${read.length} 张工作表合在一起读：${named(read)}。` : `现在只读「${only.name}」。`
}

/** After it was carried out: what of the file is not in the roster. */
export function leftOut(sheets: readonly ImportSheet[]): string | null {
  const rest = sheets.filter((sheet) => !sheet.read)
  return rest.length > 0
    ? `这个文件里的${named(rest)}还没有导入：再导入一次这个文件，在上面选${rest.length > 1 ? '它们' : '它'}。`
    : null
}
