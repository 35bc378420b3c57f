/** Which columns say who a row is for: by their labels, and where those say nothing true, by what stands in them. */
import { cellAt, type Grid, textAt } from '../grid.ts'
import type { Header } from './header.ts'
import type { Meaning } from './meaning.ts'
import { isPersonName, looksLikeName } from './names.ts'
import type { WhoColumns } from './rows.ts'

/** So many rows under the header are looked at. */
const looked = 200

/** The header with what its columns prove to be, and the columns that say who somebody is. */
export function settleWho(grid: Grid, header: Header): { header: Header; who: WhoColumns } {
  const byLabel = whoColumns(header)
  const rows = bodyRows(grid, header, byLabel)
  if (rows.length === 0) return { header, who: byLabel }
  const values = (column: number) => rows.map((row) => textAt(grid, row, column)).filter((text) => text !== '')
  const isEmpty = (column: number | undefined) => column === undefined || values(column).length === 0
  const known = byLabel.names.filter((column) => !isEmpty(column))
  // The same in every row says nothing, unless there is nothing better: a sheet of one person over many months.
  const isSame = known.length === 1 && rows.length > 1 && new Set(values(known[0] ?? 0)).size === 1
  const number = isEmpty(byLabel.employee_no) ? undefined : byLabel.employee_no
  const who: WhoColumns = {
    ...byLabel,
    names: known,
    employee_no: number !== undefined && rows.length > 2 && new Set(values(number)).size === 1 ? undefined : number,
    id_card: isEmpty(byLabel.id_card) ? undefined : byLabel.id_card,
    mobile: isEmpty(byLabel.mobile) ? undefined : byLabel.mobile,
  }
  const isNamed = known.some((column) => rows.some((row) => isPersonName(cellAt(grid, row, column))))
  if (isNamed && !isSame) return { header, who }
  const found = nameByValues(grid, header, rows, new Set(known))
  if (found === undefined) return { header, who }
  const label = header.paths[found - header.left]?.at(-1) ?? ''
  const meanings = new Map<number, Meaning>([
    ...byLabel.names.map((column): [number, Meaning] => [
      column - header.left,
      { role: 'info', nature: 'info', confidence: 0.6, reason: isSame ? '每一行都相同，分不出是谁' : '这一列里没有姓名' },
    ]),
    [
      found - header.left,
      { role: 'name', nature: 'who', confidence: 0.55, reason: label ? `“${label}”列的内容像姓名` : '没有表头，内容像姓名' },
    ],
  ])
  const settled = { ...header, meanings: header.meanings.map((meaning, at) => meanings.get(at) ?? meaning) }
  return { header: settled, who: { ...who, names: [found] } }
}

/** Rows under the header with an amount in them. */
function bodyRows(grid: Grid, header: Header, { money, unknown }: WhoColumns): number[] {
  const rows: number[] = []
  for (let row = header.bottom + 1; row < grid.rows.length && rows.length < looked; row++)
    if ([...money, ...unknown].some((column) => cellAt(grid, row, column).decimal !== null)) rows.push(row)
  return rows
}

/** The leftmost column in which most rows hold somebody's name, and nearly each another one. */
function nameByValues(grid: Grid, header: Header, rows: readonly number[], tried: ReadonlySet<number>): number | undefined {
  for (let column = header.left; column <= header.right; column++) {
    const meaning = header.meanings[column - header.left]
    if (tried.has(column)) continue
    // What is plainly something else stays that: 部门, 岗位, 开户行.
    if (meaning && meaning.nature !== 'unknown' && meaning.role !== 'name' && meaning.confidence > 0.8) continue
    const texts = rows.map((row) => cellAt(grid, row, column)).filter(({ kind }) => kind === 'text')
    const names = texts.filter(({ text }) => looksLikeName(text))
    const distinct = new Set(names.map(({ text }) => text)).size
    if (names.length * 10 >= rows.length * 6 && names.length * 10 >= texts.length * 7 && distinct * 10 >= names.length * 7)
      return column
  }
  return undefined
}

function whoColumns(header: Header): WhoColumns {
  const best = (role: string) => {
    let found = -1
    header.meanings.forEach((meaning, at) => {
      if (meaning.role === role && meaning.confidence > (header.meanings[found]?.confidence ?? 0)) found = at
    })
    return found < 0 ? undefined : header.left + found
  }
  const name = best('name')
  const names = name !== undefined ? [name] : [best('last_name'), best('first_name')].filter((column) => column !== undefined)
  const of = (wanted: Meaning['nature']) =>
    header.meanings.flatMap(({ nature }, at) => (nature === wanted ? [header.left + at] : []))
  return {
    names,
    employee_no: best('employee_no'),
    id_card: best('id_card'),
    mobile: best('mobile'),
    money: of('money'),
    unknown: of('unknown'),
  }
}
