/**
 * Writes the uploaded workbook again with online corrections in its cells and the remaining issues next to them: each
 * issue colors its cell and adds a comment, and a first sheet lists all of them. Only values are written: formulas of
 * an untrusted file are not passed on, and text never becomes a formula. Runs in the child process.
 */

import { escapeXmlText, isLikelyFormula, toColumnLetter } from '../../files/xlsx-writer.ts'
import { compressEntry, createZip, type ZipEntry } from '../../files/zip-writer.ts'
import { computeMissingResults } from '../formulas.ts'
import { type CellMark, formatDate, type Grid, getCellId, isErrorText, type StoredValue } from '../grid.ts'
import { applyEdits, buildCommentsXml, buildVmlXml, type CellEdit, type CellNote } from './annotate-cells.ts'

export interface CellIssue {
  sheet: string
  /** 1-based; null if the issue concerns no row of the file and is only listed. */
  row: number | null
  /** 0-based; null if the entire row is meant. */
  column: number | null
  level: 'error' | 'warning'
  /** The description of the issue. */
  text: string
  what_to_do?: string
}

/** Issues and corrections to write into a workbook. */
export interface Annotations {
  readonly issues: readonly CellIssue[]
  readonly edits: readonly CellEdit[]
}

const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationshipsNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'
const contentTypePrefix = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const issueListName = '问题清单'
/** Number formats; a cell style is an index into this list, combined with each of the fills. */
const numberFormats = [
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
const formatIndex = { plain: 0, text: 1, quoted: 2, date: 3, moment: 4, time: 5, month: 6, percent: 7 } as const
const fillIndex = { none: 0, warning: 1, error: 2, edited: 3 } as const
type FillLevel = Exclude<keyof typeof fillIndex, 'none'>
/** Determines the color of a cell with several issues. */
const levelWeight: Record<FillLevel, number> = { edited: 0, warning: 1, error: 2 }
const fillCount = Object.keys(fillIndex).length
const boldStyle = numberFormats.length * fillCount
const linkStyle = boldStyle + 1
const wrappedStyle = boldStyle + 2
const getStyleIndex = (kind: number, level: FillLevel | undefined) => kind * fillCount + fillIndex[level ?? 'none']

/** Returns an .xlsx file. */
export function annotateWorkbook(read: readonly Grid[], { issues, edits }: Annotations): Buffer {
  const { grids, lines } = applyEdits(read, edits)
  const all: IssueRow[] = [...issues.map((one) => ({ ...one, sheet: getTabName(grids, one.sheet) })), ...lines]
  const list = buildListSheet(grids, all)
  const sheets = grids.map((grid) =>
    buildGridSheet(
      computeMissingResults(grid),
      all.filter(({ sheet }) => sheet === grid.name),
    ),
  )
  const names = toUniqueNames([issueListName, ...grids.map(({ name }) => name)])
  const entries: ZipEntry[] = [
    ...buildFixedEntries(
      names,
      [false, ...grids.map(({ hidden }) => hidden)],
      sheets.map(({ notes }) => notes.length > 0),
    ),
    compressEntry('xl/worksheets/sheet1.xml', list),
  ]
  let block = 1
  sheets.forEach(({ body, notes }, at) => {
    const n = at + 2
    entries.push(compressEntry(`xl/worksheets/sheet${n}.xml`, body))
    if (notes.length === 0) return
    const vml = buildVmlXml(notes, block)
    block += vml.blocks
    entries.push(
      compressEntry(`xl/comments${n}.xml`, xmlDeclaration + buildCommentsXml(notes)),
      compressEntry(`xl/drawings/vmlDrawing${n}.vml`, vml.text),
      compressEntry(
        `xl/worksheets/_rels/sheet${n}.xml.rels`,
        `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${relationshipsNamespace}/vmlDrawing" Target="../drawings/vmlDrawing${n}.vml"/><Relationship Id="rId2" Type="${relationshipsNamespace}/comments" Target="../comments${n}.xml"/></Relationships>`,
      ),
    )
  })
  return createZip(entries)
}

/** Returns the tab name for a list below another one on a sheet: the sheet's name and the list's, 总部 · 离职人员. */
function getTabName(grids: readonly Grid[], list: string): string {
  const tabs = grids.map(({ name }) => name)
  if (tabs.includes(list)) return list
  return tabs.filter((tab) => list.startsWith(`${tab} · `)).toSorted((a, b) => b.length - a.length)[0] ?? list
}

/** A row of the issue list: an issue, or a corrected cell. */
type IssueRow = Omit<CellIssue, 'level'> & { level: FillLevel }

interface MarkedCell {
  level: FillLevel
  texts: string[]
}

function buildGridSheet(grid: Grid, problems: readonly IssueRow[]): { body: Buffer; notes: CellNote[] } {
  const marked = groupMarkedCells(grid, problems)
  const rows = Math.max(grid.rows.length, ...[...marked.keys()].map((row) => row + 1))
  const body: Buffer[] = [
    Buffer.from(
      `${xmlDeclaration}<worksheet xmlns="${mainNamespace}" xmlns:r="${relationshipsNamespace}">${buildColumnsXml(grid)}<sheetData>`,
    ),
  ]
  const notes: CellNote[] = []
  for (let row = 0; row < rows; row++) {
    const cells = grid.rows[row] ?? []
    const wrong = marked.get(row)
    const width = Math.max(cells.length, ...(wrong ? [...wrong.keys()].map((column) => column + 1) : []))
    let line = ''
    for (let column = 0; column < width; column++) {
      const problem = wrong?.get(column)
      line += buildCellXml(
        cells[column],
        grid.marks.get(getCellId(row, column)),
        `${toColumnLetter(column)}${row + 1}`,
        problem?.level,
      )
      if (problem) notes.push({ row, column, text: problem.texts.join('\n') })
    }
    const hidden = grid.hidden_rows.has(row)
    if (line !== '' || hidden) body.push(Buffer.from(`<row r="${row + 1}"${hidden ? ' hidden="1"' : ''}>${line}</row>`))
  }
  const merges = grid.merges.map(
    ({ top, left, bottom, right }) =>
      `<mergeCell ref="${toColumnLetter(left)}${top + 1}:${toColumnLetter(right)}${bottom + 1}"/>`,
  )
  const merged = merges.length > 0 ? `<mergeCells count="${merges.length}">${merges.join('')}</mergeCells>` : ''
  body.push(Buffer.from(`</sheetData>${merged}${notes.length > 0 ? '<legacyDrawing r:id="rId1"/>' : ''}</worksheet>`))
  return { body: Buffer.concat(body), notes }
}

/** Groups issues by row and column. A comment on a covered cell would be invisible, so it moves to the merge's corner. */
function groupMarkedCells(grid: Grid, problems: readonly IssueRow[]): Map<number, Map<number, MarkedCell>> {
  const marked = new Map<number, Map<number, MarkedCell>>()
  for (const { row, column, level, text, what_to_do } of problems) {
    if (row === null) continue
    const first = (grid.rows[row - 1] ?? []).findIndex((cell) => cell !== null && cell !== undefined && cell !== '')
    const at = { row: row - 1, column: column ?? Math.max(first, 0) }
    const merge = grid.merges.find((m) => m.top <= at.row && at.row <= m.bottom && m.left <= at.column && at.column <= m.right)
    const position = merge ? { row: merge.top, column: merge.left } : at
    const cells = marked.get(position.row) ?? new Map<number, MarkedCell>()
    marked.set(position.row, cells)
    const existing = cells.get(position.column) ?? { level, texts: [] }
    cells.set(position.column, existing)
    if (levelWeight[level] > levelWeight[existing.level]) existing.level = level
    existing.texts.push(what_to_do ? `${text}\n${what_to_do}` : text)
  }
  return marked
}

function buildColumnsXml({ widths, hidden_columns }: Grid): string {
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

function buildCellXml(stored: StoredValue, mark: CellMark | undefined, at: string, level: FillLevel | undefined): string {
  // Without a result the formula is written as text, so that the cell does not look empty.
  const value = mark?.uncached ? (mark.formula ? `=${mark.formula}` : '（公式没有结果）') : stored
  if (value === null || value === undefined || value === '') return level ? `<c r="${at}" s="${getStyleIndex(0, level)}"/>` : ''
  if (typeof value === 'boolean') return `<c r="${at}" s="${getStyleIndex(0, level)}" t="b"><v>${Number(value)}</v></c>`
  if (typeof value === 'number' && Number.isFinite(value)) {
    const places = /^-?\d+(?:\.(\d+))?%$/.exec(mark?.displayText ?? '')
    const kind = places ? Math.min(formatIndex.percent + (places[1]?.length ?? 0), numberFormats.length - 1) : formatIndex.plain
    return `<c r="${at}" s="${getStyleIndex(kind, level)}"><v>${value}</v></c>`
  }
  if (value instanceof Date) return buildDateXml(value, mark?.displayText, at, level)
  const text = String(value)
  if (mark?.error && isErrorText(text))
    return `<c r="${at}" s="${getStyleIndex(0, level)}" t="e"><v>${escapeXmlText(text)}</v></c>`
  // Digits stay text when the cell is edited: an ID card number must not become a number.
  const kind = isLikelyFormula(text) ? formatIndex.quoted : /^\s*[\d０-９]/.test(text) ? formatIndex.text : formatIndex.plain
  return buildTextXml(at, text, getStyleIndex(kind, level))
}

const buildTextXml = (at: string, text: string, style: number) =>
  `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeXmlText(text)}</t></is></c>`

function buildDateXml(date: Date, displayText: string | undefined, at: string, level: FillLevel | undefined): string {
  const serial = date.getTime() / 86_400_000 + 25_569
  // Excel counts the nonexistent 29 February 1900; earlier values cannot be dates there.
  if (!(serial >= 61)) return buildTextXml(at, displayText ?? formatDate(date), getStyleIndex(formatIndex.text, level))
  const serialDays = Number.isInteger(serial)
  const kind =
    displayText !== undefined && /^\d{4}-\d\d$/.test(displayText)
      ? formatIndex.month
      : serialDays
        ? formatIndex.date
        : formatIndex.moment
  return `<c r="${at}" s="${getStyleIndex(kind, level)}"><v>${serial}</v></c>`
}

const levelLabels: Record<FillLevel, string> = { error: '必须修改', warning: '请确认', edited: '已改正' }
const adviceLabels: Record<FillLevel, string> = {
  error: '请改正后重新上传',
  warning: '请核对，无误可以保留',
  edited: '已写在这张表里，不用再改',
}
const listHeader = ['工作表', '行', '列', '程度', '问题', '怎么办']

function buildListSheet(grids: readonly Grid[], problems: readonly IssueRow[]): string {
  const names = new Map(
    grids.map((grid, at) => [grid.name, toUniqueNames([issueListName, ...grids.map(({ name }) => name)])[at + 1]]),
  )
  const rows = [
    `<row r="1">${listHeader.map((text, at) => buildTextXml(`${toColumnLetter(at)}1`, text, boldStyle)).join('')}</row>`,
  ]
  const links: string[] = []
  problems.forEach(({ sheet, row, column, level, text, what_to_do }, at) => {
    const n = at + 2
    const name = row === null ? undefined : names.get(sheet)
    const position = `${toColumnLetter(column ?? 0)}${row}`
    if (name) links.push(`<hyperlink ref="C${n}" location="'${escapeXmlText(name.replaceAll("'", "''"))}'!${position}"/>`)
    const cells = [
      buildTextXml(`A${n}`, sheet, wrappedStyle),
      row === null ? buildTextXml(`B${n}`, '—', wrappedStyle) : `<c r="B${n}" s="${wrappedStyle}"><v>${row}</v></c>`,
      buildTextXml(
        `C${n}`,
        row === null ? '—' : column === null ? '整行' : toColumnLetter(column),
        name ? linkStyle : wrappedStyle,
      ),
      buildTextXml(`D${n}`, levelLabels[level], getStyleIndex(0, level)),
      buildTextXml(`E${n}`, text, wrappedStyle),
      buildTextXml(`F${n}`, what_to_do ?? adviceLabels[level], wrappedStyle),
    ]
    rows.push(`<row r="${n}">${cells.join('')}</row>`)
  })
  const widths = [16, 8, 8, 10, 60, 40].map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  )
  const linked = links.length > 0 ? `<hyperlinks>${links.join('')}</hyperlinks>` : ''
  return `${xmlDeclaration}<worksheet xmlns="${mainNamespace}" xmlns:r="${relationshipsNamespace}"><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>${rows.join('')}</sheetData>${linked}</worksheet>`
}

/** Sheet names have at most 31 characters, none of []:*?/\, and are unique regardless of case. */
function toUniqueNames(names: readonly string[]): string[] {
  const usedNames = new Set<string>()
  return names.map((name) => {
    const clean = (length: number) => [...name.replace(/[[\]:*?/\\]|^'|'$/g, ' ')].slice(0, length).join('').trim() || 'Sheet'
    let free = clean(31)
    for (let at = 2; usedNames.has(free.toLowerCase()); at++) free = `${clean(26)}(${at})`
    usedNames.add(free.toLowerCase())
    return free
  })
}

function buildFixedEntries(names: readonly string[], hidden: readonly boolean[], noted: readonly boolean[]): ZipEntry[] {
  const numbers = names.map((_, at) => at + 1)
  const fills = [
    '<patternFill patternType="none"/>',
    '<patternFill patternType="gray125"/>',
    ...['FFFFEB9C', 'FFFFC7CE', 'FFC6EFCE'].map(buildSolidFill),
  ]
  const custom = numberFormats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`)
  const cellFormats = numberFormats.flatMap((code, at) =>
    [0, 2, 3, 4].map(
      (id) =>
        `<xf numFmtId="${code === 'General' ? 0 : code === '@' ? 49 : 164 + at}" fontId="0" fillId="${id}" borderId="0" applyNumberFormat="1" applyFill="1"${at === formatIndex.quoted ? ' quotePrefix="1"' : ''}/>`,
    ),
  )
  const others = [
    '<xf fontId="1" fillId="0" borderId="0" applyFont="1"/>',
    '<xf fontId="2" fillId="0" borderId="0" applyFont="1"/>',
    '<xf fontId="0" fillId="0" borderId="0" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>',
  ]
  const relation = (id: string, kind: string, target: string) =>
    `<Relationship Id="${id}" Type="${relationshipsNamespace}/${kind}" Target="${target}"/>`
  return [
    compressEntry(
      '[Content_Types].xml',
      `${xmlDeclaration}<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/><Override PartName="/xl/workbook.xml" ContentType="${contentTypePrefix}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${contentTypePrefix}.styles+xml"/>${numbers.map((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${contentTypePrefix}.worksheet+xml"/>`).join('')}${noted.map((has, at) => (has ? `<Override PartName="/xl/comments${at + 2}.xml" ContentType="${contentTypePrefix}.comments+xml"/>` : '')).join('')}</Types>`,
    ),
    compressEntry(
      '_rels/.rels',
      `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ),
    compressEntry(
      'xl/workbook.xml',
      `${xmlDeclaration}<workbook xmlns="${mainNamespace}" xmlns:r="${relationshipsNamespace}"><bookViews><workbookView activeTab="0"/></bookViews><sheets>${names.map((name, at) => `<sheet name="${escapeXmlText(name)}" sheetId="${at + 1}"${hidden[at] ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    ),
    compressEntry(
      'xl/_rels/workbook.xml.rels',
      `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships">${numbers.map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`)).join('')}${relation('rIdS', 'styles', 'styles.xml')}</Relationships>`,
    ),
    compressEntry(
      'xl/styles.xml',
      `${xmlDeclaration}<styleSheet xmlns="${mainNamespace}"><numFmts count="${custom.length}">${custom.join('')}</numFmts><fonts count="3"><font/><font><b/></font><font><u/><color rgb="FF0563C1"/></font></fonts><fills count="${fills.length}">${fills.map((one) => `<fill>${one}</fill>`).join('')}</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${cellFormats.length + others.length}">${[...cellFormats, ...others].join('')}</cellXfs></styleSheet>`,
    ),
  ]
}

const buildSolidFill = (colour: string) =>
  `<patternFill patternType="solid"><fgColor rgb="${colour}"/><bgColor indexed="64"/></patternFill>`
