/**
 * Determines which rows of a table are members: examples and instructions are excluded, rows with a phone but no name
 * are included.
 */
import { isAnyName } from '../../../contract/sheets/column-roles.ts'
import { getFilledColumns, getText } from '../../grid.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import type { RecognizedTable } from '../../recognise/table.ts'
import type { RosterColumn } from './columns.ts'
import { getRosterLabelMeaning, type RosterRole } from './labels.ts'

const samplePattern =
  /^[(（【[*]*(?:示例|样例|范例|举例|例子|例如|例|填写示例|示例数据|示范|example|sample|demo row|e\.g\.)[)）】\]:：]?|[(（【[](?:示例|样例|范例|例|example|sample)[)）】\]]/i
const hintPattern =
  /^(?:必填|选填|非必填|必填项|选填项|可选|文本|文本格式|字符串|数字|日期|text|string|required|optional|varchar.*|mandatory|not null)$/i

/** Matches 必填，11位数字, instructions for filling in a cell. */
const cellHintPattern = /^[(（]?(?:必填|选填|非必填|可选|可不填|格式|例[:：如]|如[:：]|请(?:填|输入|选|按)|required|optional)/i
/** Marks a row as an example in a cell next to its data. */
const sampleRemarkPattern = /^[(（【[*]*(?:示例|样例|范例|填写示例|示例数据|此行为示例|本行为示例)/

/** First characters of both patterns: few cells of a long table start with one of them. */
const hintFirstCharacters = new Set('(（【[*必选非可格例如请rRoO示样范填此本')

/** Format instructions below a label: YYYY-MM-DD, if there is one, Put 1 for A. */
const formatHintPattern =
  /^(?:y{2,4}[-/.年]?m{1,2}.*|dd[-/.]mm.*|(?:put|use|enter|select|choose|fill|type|write|leave|see|if|one of|max(?:imum)?|must|should|as per|e\.?g)\b.*|(?:填|请|按|如|例|格式|最多|必须|只能|从|同|见|可以).{1,40}|.{1,20}(?:之一|可选|必填|选填|格式)|\d{1,2}\s?(?:位|个字).*)$/i

/**
 * Detects a row directly below the header that explains the columns: the name cell is a label (Name of employee), and
 * another cell is the label of its column or an instruction. No person has such a name.
 */
function isExplanationRow({ grid, header }: RecognizedTable, row: number, names: readonly number[]): boolean {
  const isLabel = (column: number) => {
    const own = getRosterLabelMeaning(header.paths[column - header.left] ?? [])
    const message = getRosterLabelMeaning([getText(grid, row, column)])
    return own.certainty > 0 && message.certainty > 1 && message.role === own.role
  }
  if (!names.some(isLabel)) return false
  const others = getFilledColumns(grid, row).filter((column) => !names.includes(column))
  return others.some((column) => isLabel(column) || formatHintPattern.test(getText(grid, row, column)))
}

/** Finds the rows with a name that are neither examples nor instructions. */
export function findMemberRows(table: RecognizedTable): number[] {
  const { grid, header, rows } = table
  const names = header.meanings.flatMap(({ role }, at) => (isAnyName(role) ? [header.left + at] : []))
  return rows.memberRows.filter((row) => {
    if (isExplanationRow(table, row, names)) return false
    const texts = names.map((column) => getText(grid, row, column)).filter((text) => text !== '')
    const filled = getFilledColumns(grid, row)
    let hints = 0
    for (const column of filled) {
      const text = getText(grid, row, column)
      if (!hintFirstCharacters.has(text[0] ?? '')) continue
      if (cellHintPattern.test(text)) hints += 1
      if (text.length <= 30 && sampleRemarkPattern.test(text)) return false
    }
    if (hints > 1 && hints * 2 >= filled.length) return false
    const first = filled[0] === undefined ? '' : getText(grid, row, filled[0])
    return (
      !samplePattern.test(first) &&
      !texts.some((text) => samplePattern.test(text) || hintPattern.test(text.replace(/[()（）]/g, '')))
    )
  })
}

/** Finds the rows among them without a name that contain a phone or another personal number. */
export function findUnnamedMemberRows(
  table: RecognizedTable,
  columns: readonly RosterColumn[],
  names: readonly RosterColumn[],
  people: readonly number[],
): number[] {
  const { grid, header, rows } = table
  const nameColumns = names.map(({ index }) => index)
  const [first, last] = [people[0], people.at(-1)]
  if (first === undefined || last === undefined) return []
  const named = new Set(people)
  const own: ReadonlySet<RosterRole> = new Set(['mobile', 'id_card', 'email', 'account', 'employee_no'])
  const strong = columns.filter(({ role }) => own.has(role))
  const other = columns.filter(({ role }) => role !== 'info' && !own.has(role))
  const labels = new Set(header.paths.flat().map(normalizeHeader))
  const notes = new Set(rows.ignoredRows.flatMap(({ row, why }) => (why === '说明文字' ? [row - 1] : [])))
  const isData = (row: number) => {
    if (notes.has(row) || isExplanationRow(table, row, nameColumns)) return false
    const filled = getFilledColumns(grid, row)
    if (filled.length < 2 || labels.has(normalizeHeader(getText(grid, row, filled[0] ?? 0)))) return false
    if (
      names.some(({ index }) => samplePattern.test(getText(grid, row, index)) || notMemberPattern.test(getText(grid, row, index)))
    )
      return false
    if (samplePattern.test(getText(grid, row, filled[0] ?? 0)) || notMemberPattern.test(getText(grid, row, filled[0] ?? 0)))
      return false
    const has = ({ index }: RosterColumn) => filled.includes(index)
    const count = strong.filter(has).length
    const among = row > first && row < last
    return (count > 0 && (among || count + other.filter(has).length > 1)) || (among && other.filter(has).length > 1)
  }
  const more: number[] = []
  for (let row = header.bottom + 1; row < grid.rows.length; row++)
    if (!named.has(row) && grid.rows[row] && isData(row)) more.push(row)
  return more.length === 0 ? [...people] : [...people, ...more].toSorted((a, b) => a - b)
}
const notMemberPattern = /^(?:合计|小计|总计|共计|总人数|人数|注|备注|说明|制表|审核|total)/i
