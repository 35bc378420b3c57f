/**
 * The uploaded workbook again, with what was corrected online in its cells and what is still wrong written beside them: each colours its
 * cell and stands in a comment, and a first sheet lists them all. Values only: a formula of a stranger's file is not handed on, and text never becomes one. Runs in the
 * child.
 */

import { columnName, looksLikeFormula, textOf } from '../../runtime/files/xlsx.ts'
import { packed, type ZipPart, zip } from '../../runtime/files/zip.ts'
import { computeMissing } from '../formulas.ts'
import { cellId, dateText, type Grid, isErrorText, type Mark, type Stored } from '../grid.ts'
import { type CellEdit, commentsXml, corrected, type Note, vmlXml } from './annotate-cells.ts'

export interface CellProblem {
  sheet: string
  /** 1-based; null where no row of the file is meant: it is listed and stands in no cell. */
  row: number | null
  /** 0-based; null when the whole row is meant. */
  column: number | null
  level: 'error' | 'warning'
  /** What is wrong. */
  text: string
  what_to_do?: string
}

/** What is written into a workbook. */
export interface Written {
  readonly problems: readonly CellProblem[]
  readonly edits: readonly CellEdit[]
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const doc = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const listName = '问题清单'
/** Number formats; the style of a cell is its place here, three times, one for each fill. */
const formats = [
  'General',
  '@',
  '@',
  'yyyy-mm-dd',
  'yyyy-mm-dd hh:mm:ss',
  'hh:mm:ss',
  'yyyy-mm',
  '0%',
  '0.0%',
  '0.00%',
  '0.000%',
] as const
const format = { plain: 0, text: 1, quoted: 2, date: 3, moment: 4, time: 5, month: 6, percent: 7 } as const
const fill = { none: 0, warning: 1, error: 2, edited: 3 } as const
type Fill = Exclude<keyof typeof fill, 'none'>
/** What a cell of several is coloured by. */
const weight: Record<Fill, number> = { edited: 0, warning: 1, error: 2 }
const fills = Object.keys(fill).length
const bold = formats.length * fills
const link = bold + 1
const wrapped = bold + 2
const styled = (kind: number, level: Fill | undefined) => kind * fills + fill[level ?? 'none']

/** An .xlsx file. */
export function annotate(read: readonly Grid[], { problems, edits }: Written): Buffer {
  const { grids, lines } = corrected(read, edits)
  const all: Line[] = [...problems.map((one) => ({ ...one, sheet: tabOf(grids, one.sheet) })), ...lines]
  const list = listSheet(grids, all)
  const sheets = grids.map((grid) =>
    gridSheet(
      computeMissing(grid),
      all.filter(({ sheet }) => sheet === grid.name),
    ),
  )
  const names = uniqueNames([listName, ...grids.map(({ name }) => name)])
  const parts: ZipPart[] = [
    ...fixedParts(
      names,
      [false, ...grids.map(({ hidden }) => hidden)],
      sheets.map(({ notes }) => notes.length > 0),
    ),
    packed('xl/worksheets/sheet1.xml', list),
  ]
  let block = 1
  sheets.forEach(({ body, notes }, at) => {
    const n = at + 2
    parts.push(packed(`xl/worksheets/sheet${n}.xml`, body))
    if (notes.length === 0) return
    const vml = vmlXml(notes, block)
    block += vml.blocks
    parts.push(
      packed(`xl/comments${n}.xml`, xml + commentsXml(notes)),
      packed(`xl/drawings/vmlDrawing${n}.vml`, vml.text),
      packed(
        `xl/worksheets/_rels/sheet${n}.xml.rels`,
        `${xml}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${doc}/vmlDrawing" Target="../drawings/vmlDrawing${n}.vml"/><Relationship Id="rId2" Type="${doc}/comments" Target="../comments${n}.xml"/></Relationships>`,
      ),
    )
  })
  return zip(parts)
}

/** A list that stands below another one bears the name of the sheet and its own: 总部 · 离职人员. */
function tabOf(grids: readonly Grid[], list: string): string {
  const tabs = grids.map(({ name }) => name)
  if (tabs.includes(list)) return list
  return tabs.filter((tab) => list.startsWith(`${tab} · `)).toSorted((a, b) => b.length - a.length)[0] ?? list
}

/** What a line of the list says: of a problem, or of a cell that was corrected. */
type Line = Omit<CellProblem, 'level'> & { level: Fill }

interface Marked {
  level: Fill
  texts: string[]
}

function gridSheet(grid: Grid, problems: readonly Line[]): { body: Buffer; notes: Note[] } {
  const marked = markedCells(grid, problems)
  const rows = Math.max(grid.rows.length, ...[...marked.keys()].map((row) => row + 1))
  const body: Buffer[] = [Buffer.from(`${xml}<worksheet xmlns="${main}" xmlns:r="${doc}">${columnsXml(grid)}<sheetData>`)]
  const notes: Note[] = []
  for (let row = 0; row < rows; row++) {
    const cells = grid.rows[row] ?? []
    const wrong = marked.get(row)
    const width = Math.max(cells.length, ...(wrong ? [...wrong.keys()].map((column) => column + 1) : []))
    let line = ''
    for (let column = 0; column < width; column++) {
      const problem = wrong?.get(column)
      line += cellXml(cells[column], grid.marks.get(cellId(row, column)), `${columnName(column)}${row + 1}`, problem?.level)
      if (problem) notes.push({ row, column, text: problem.texts.join('\n') })
    }
    const hidden = grid.hidden_rows.has(row)
    if (line !== '' || hidden) body.push(Buffer.from(`<row r="${row + 1}"${hidden ? ' hidden="1"' : ''}>${line}</row>`))
  }
  const merges = grid.merges.map(
    ({ top, left, bottom, right }) => `<mergeCell ref="${columnName(left)}${top + 1}:${columnName(right)}${bottom + 1}"/>`,
  )
  const merged = merges.length > 0 ? `<mergeCells count="${merges.length}">${merges.join('')}</mergeCells>` : ''
  body.push(Buffer.from(`</sheetData>${merged}${notes.length > 0 ? '<legacyDrawing r:id="rId1"/>' : ''}</worksheet>`))
  return { body: Buffer.concat(body), notes }
}

/** Row → column → what is wrong there. A comment on a covered cell of a merge would not be seen: it moves to the corner. */
function markedCells(grid: Grid, problems: readonly Line[]): Map<number, Map<number, Marked>> {
  const marked = new Map<number, Map<number, Marked>>()
  for (const { row, column, level, text, what_to_do } of problems) {
    if (row === null) continue
    const first = (grid.rows[row - 1] ?? []).findIndex((cell) => cell !== null && cell !== undefined && cell !== '')
    const at = { row: row - 1, column: column ?? Math.max(first, 0) }
    const merge = grid.merges.find((m) => m.top <= at.row && at.row <= m.bottom && m.left <= at.column && at.column <= m.right)
    const place = merge ? { row: merge.top, column: merge.left } : at
    const cells = marked.get(place.row) ?? new Map<number, Marked>()
    marked.set(place.row, cells)
    const known = cells.get(place.column) ?? { level, texts: [] }
    cells.set(place.column, known)
    if (weight[level] > weight[known.level]) known.level = level
    known.texts.push(what_to_do ? `${text}\n${what_to_do}` : text)
  }
  return marked
}

function columnsXml({ widths, hidden_columns }: Grid): string {
  const last = Math.max(0, ...[...(widths?.keys() ?? []), ...hidden_columns].map((column) => column + 1))
  let columns = ''
  for (let column = 0; column < last; column++) {
    const width = widths?.get(column)
    const hidden = hidden_columns.has(column)
    if (width === undefined && !hidden) continue
    columns += `<col min="${column + 1}" max="${column + 1}" width="${width ?? 9}" customWidth="1"${hidden ? ' hidden="1"' : ''}/>`
  }
  return columns === '' ? '' : `<cols>${columns}</cols>`
}

function cellXml(stored: Stored, mark: Mark | undefined, at: string, level: Fill | undefined): string {
  // No result to show: the formula itself, as text, so that the cell does not look empty.
  const value = mark?.uncached ? (mark.formula ? `=${mark.formula}` : '（公式没有结果）') : stored
  if (value === null || value === undefined || value === '') return level ? `<c r="${at}" s="${styled(0, level)}"/>` : ''
  if (typeof value === 'boolean') return `<c r="${at}" s="${styled(0, level)}" t="b"><v>${Number(value)}</v></c>`
  if (typeof value === 'number' && Number.isFinite(value)) {
    const places = /^-?\d+(?:\.(\d+))?%$/.exec(mark?.shown ?? '')
    const kind = places ? Math.min(format.percent + (places[1]?.length ?? 0), formats.length - 1) : format.plain
    return `<c r="${at}" s="${styled(kind, level)}"><v>${value}</v></c>`
  }
  if (value instanceof Date) return dateXml(value, mark?.shown, at, level)
  const text = String(value)
  if (mark?.error && isErrorText(text)) return `<c r="${at}" s="${styled(0, level)}" t="e"><v>${textOf(text)}</v></c>`
  // Digits stay text when somebody edits the cell: an ID card must not become a number.
  const kind = looksLikeFormula(text) ? format.quoted : /^\s*[\d０-９]/.test(text) ? format.text : format.plain
  return textXml(at, text, styled(kind, level))
}

const textXml = (at: string, text: string, style: number) =>
  `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${textOf(text)}</t></is></c>`

function dateXml(date: Date, shown: string | undefined, at: string, level: Fill | undefined): string {
  const serial = date.getTime() / 86_400_000 + 25_569
  // Excel counts a 29 February 1900 that never was; what is older cannot be a date there.
  if (!(serial >= 61)) return textXml(at, shown ?? dateText(date), styled(format.text, level))
  const whole = Number.isInteger(serial)
  const kind = shown !== undefined && /^\d{4}-\d\d$/.test(shown) ? format.month : whole ? format.date : format.moment
  return `<c r="${at}" s="${styled(kind, level)}"><v>${serial}</v></c>`
}

const levelText: Record<Fill, string> = { error: '必须修改', warning: '请确认', edited: '已改正' }
const todoText: Record<Fill, string> = {
  error: '请改正后重新上传',
  warning: '请核对，无误可以保留',
  edited: '已写在这张表里，不用再改',
}
const header = ['工作表', '行', '列', '程度', '问题', '怎么办']

function listSheet(grids: readonly Grid[], problems: readonly Line[]): string {
  const names = new Map(grids.map((grid, at) => [grid.name, uniqueNames([listName, ...grids.map(({ name }) => name)])[at + 1]]))
  const rows = [`<row r="1">${header.map((text, at) => textXml(`${columnName(at)}1`, text, bold)).join('')}</row>`]
  const links: string[] = []
  problems.forEach(({ sheet, row, column, level, text, what_to_do }, at) => {
    const n = at + 2
    const name = row === null ? undefined : names.get(sheet)
    const place = `${columnName(column ?? 0)}${row}`
    if (name) links.push(`<hyperlink ref="C${n}" location="'${textOf(name.replaceAll("'", "''"))}'!${place}"/>`)
    const cells = [
      textXml(`A${n}`, sheet, wrapped),
      row === null ? textXml(`B${n}`, '—', wrapped) : `<c r="B${n}" s="${wrapped}"><v>${row}</v></c>`,
      textXml(`C${n}`, row === null ? '—' : column === null ? '整行' : columnName(column), name ? link : wrapped),
      textXml(`D${n}`, levelText[level], styled(0, level)),
      textXml(`E${n}`, text, wrapped),
      textXml(`F${n}`, what_to_do ?? todoText[level], wrapped),
    ]
    rows.push(`<row r="${n}">${cells.join('')}</row>`)
  })
  const widths = [16, 8, 8, 10, 60, 40].map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  )
  const linked = links.length > 0 ? `<hyperlinks>${links.join('')}</hyperlinks>` : ''
  return `${xml}<worksheet xmlns="${main}" xmlns:r="${doc}"><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>${rows.join('')}</sheetData>${linked}</worksheet>`
}

/** Sheet names hold 31 characters, none of []:*?/\ and no two are the same, whatever the case. */
function uniqueNames(wanted: readonly string[]): string[] {
  const taken = new Set<string>()
  return wanted.map((name) => {
    const clean = (length: number) => [...name.replace(/[[\]:*?/\\]|^'|'$/g, ' ')].slice(0, length).join('').trim() || 'Sheet'
    let free = clean(31)
    for (let at = 2; taken.has(free.toLowerCase()); at++) free = `${clean(26)}(${at})`
    taken.add(free.toLowerCase())
    return free
  })
}

function fixedParts(names: readonly string[], hidden: readonly boolean[], noted: readonly boolean[]): ZipPart[] {
  const numbers = names.map((_, at) => at + 1)
  const fills = [
    '<patternFill patternType="none"/>',
    '<patternFill patternType="gray125"/>',
    ...['FFFFEB9C', 'FFFFC7CE', 'FFC6EFCE'].map(solid),
  ]
  const custom = formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`)
  const cellFormats = formats.flatMap((code, at) =>
    [0, 2, 3, 4].map(
      (id) =>
        `<xf numFmtId="${code === 'General' ? 0 : code === '@' ? 49 : 164 + at}" fontId="0" fillId="${id}" borderId="0" applyNumberFormat="1" applyFill="1"${at === format.quoted ? ' quotePrefix="1"' : ''}/>`,
    ),
  )
  const others = [
    '<xf fontId="1" fillId="0" borderId="0" applyFont="1"/>',
    '<xf fontId="2" fillId="0" borderId="0" applyFont="1"/>',
    '<xf fontId="0" fillId="0" borderId="0" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>',
  ]
  const relation = (id: string, kind: string, target: string) =>
    `<Relationship Id="${id}" Type="${doc}/${kind}" Target="${target}"/>`
  return [
    packed(
      '[Content_Types].xml',
      `${xml}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/>${numbers.map((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${types}.worksheet+xml"/>`).join('')}${noted.map((has, at) => (has ? `<Override PartName="/xl/comments${at + 2}.xml" ContentType="${types}.comments+xml"/>` : '')).join('')}</Types>`,
    ),
    packed(
      '_rels/.rels',
      `${xml}<Relationships xmlns="${packages}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ),
    packed(
      'xl/workbook.xml',
      `${xml}<workbook xmlns="${main}" xmlns:r="${doc}"><bookViews><workbookView activeTab="0"/></bookViews><sheets>${names.map((name, at) => `<sheet name="${textOf(name)}" sheetId="${at + 1}"${hidden[at] ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    ),
    packed(
      'xl/_rels/workbook.xml.rels',
      `${xml}<Relationships xmlns="${packages}/relationships">${numbers.map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`)).join('')}${relation('rIdS', 'styles', 'styles.xml')}</Relationships>`,
    ),
    packed(
      'xl/styles.xml',
      `${xml}<styleSheet xmlns="${main}"><numFmts count="${custom.length}">${custom.join('')}</numFmts><fonts count="3"><font/><font><b/></font><font><u/><color rgb="FF0563C1"/></font></fonts><fills count="${fills.length}">${fills.map((one) => `<fill>${one}</fill>`).join('')}</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${cellFormats.length + others.length}">${[...cellFormats, ...others].join('')}</cellXfs></styleSheet>`,
    ),
  ]
}

const solid = (colour: string) =>
  `<patternFill patternType="solid"><fgColor rgb="${colour}"/><bgColor indexed="64"/></patternFill>`
