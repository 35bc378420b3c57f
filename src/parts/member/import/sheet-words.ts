import type { ImportSheet } from '../../../../server/contract/people/import.ts'

export const listed = (count: number): string => count.toLocaleString('zh-CN')
const most_named = 4
const named = (sheets: readonly ImportSheet[]): string =>
  `${sheets
    .slice(0, most_named)
    .map(({ name, people }) => `「${name}」${listed(people)} 人`)
    .join('、')}${sheets.length > most_named ? `等 ${sheets.length} 份` : ''}`

/** The choice of all that go together, beside the names of single sheets. */
export const together = '\n'

/** What is said of the sheets of a file: what was read, what was not, and why some cannot be read with the others. */
export function sheetsSaid(sheets: readonly ImportSheet[]) {
  const read = sheets.filter((sheet) => sheet.read)
  const rest = sheets.filter((sheet) => !sheet.read)
  const joint = sheets.filter(({ apart }) => apart === null)
  const [only] = read
  return {
    said: whatIsRead(read),
    left: rest.length > 0 ? `这个文件里还有 ${rest.length} 份像员工名单的表没有读：${named(rest)}。` : '',
    hint: whyApart(rest),
    joint,
    value: read.length > 1 ? together : (only?.name ?? null),
  }
}

function whyApart(rest: readonly ImportSheet[]): string | null {
  const of = (why: ImportSheet['apart']) => rest.filter(({ apart }) => apart === why).map(({ name }) => `「${name}」`)
  const [columns, left] = [of('columns'), of('left')]
  if (columns.length + left.length === 0) return null
  const why = [
    ...(columns.length > 0 ? [`${columns.join('、')}的列不一样`] : []),
    ...(left.length > 0 ? [`${left.join('、')}里是离职的人`] : []),
  ]
  return `${why.join('，')}，不能和别的合在一起读：这次导入之后，再选一次这个文件单独读。`
}

function whatIsRead(read: readonly ImportSheet[]): string {
  const [only, ...more] = read
  if (!only) return '现在读的是一人一张的登记表。'
  return more.length > 0 ? `${read.length} 份名单合在一起读：${named(read)}。` : `现在只读「${only.name}」。`
}

/** After it was carried out: what of the file is not in the roster. */
export function leftOut(sheets: readonly ImportSheet[]): string | null {
  const rest = sheets.filter((sheet) => !sheet.read)
  return rest.length > 0 ? `这个文件里的${named(rest)}还没有导入：再导入一次这个文件，单独读。` : null
}
