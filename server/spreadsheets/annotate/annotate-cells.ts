/**
 * What is written into the cells of an uploaded sheet: what was corrected online, and comments as Excel 97 to 2016 and WPS show them (the
 * texts in one part, the yellow boxes they stand in as VML drawings in another: ISO/IEC 29500-4, 19.2). The newer "threaded" comments are
 * not shown by WPS.
 */

import { escapeXmlText, toColumnLetter } from '../../files/xlsx-writer.ts'
import { formatNumberAsDecimal, parseDecimal } from '../../rules/decimal.ts'
import { type Grid, getCell, getCellId } from '../grid.ts'

/** Counted from 0. */
export interface CellNote {
  row: number
  column: number
  text: string
}

/** Signs in a line of the box, which is three ordinary columns wide. */
const charactersPerLine = 14
const maxLines = 12
/** Numbers of shapes come in blocks of 1,024, and a block belongs to one sheet. */
const shapesPerBlock = 1_000

export function buildCommentsXml(notes: readonly CellNote[]): string {
  const list = notes.map(
    ({ row, column, text }) =>
      `<comment ref="${toColumnLetter(column)}${row + 1}" authorId="0"><text><r><rPr><sz val="9"/></rPr><t xml:space="preserve">${escapeXmlText(text)}</t></r></text></comment>`,
  )
  return `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>薪函</author></authors><commentList>${list.join('')}</commentList></comments>`
}

/** `block`: the first block of numbers that is free; `blocks`: how many were taken. */
export function buildVmlXml(notes: readonly CellNote[], block: number): { text: string; blocks: number } {
  const blocks = Math.ceil(notes.length / shapesPerBlock)
  const shapes = notes.map(({ row, column, text }, at) => {
    const id = (block + Math.floor(at / shapesPerBlock)) * 1024 + 1 + (at % shapesPerBlock)
    const lines = text.split('\n').reduce((sum, part) => sum + Math.max(1, Math.ceil(part.length / charactersPerLine)), 1)
    const anchor = [column + 1, 15, row, 2, column + 4, 15, row + Math.min(lines, maxLines), 10]
    return `<v:shape id="_x0000_s${id}" type="#_x0000_t202" style="position:absolute;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox><div style="text-align:left"></div></v:textbox><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${anchor.join(', ')}</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>${row}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`
  })
  const data = Array.from({ length: blocks }, (_, at) => block + at).join(',')
  return {
    blocks,
    text: `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="${data}"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`,
  }
}

/** A cell that somebody has corrected on the page of problems. */
export interface CellEdit {
  sheet: string
  /** 1-based; null where the file has no such cell: it is only listed. */
  row: number | null
  /** 0-based. */
  column: number | null
  /** What stands there now; empty where it was emptied. */
  value: string
  /** An amount: it is written as a number, so that sums of the sheet count it. */
  isAmount: boolean
  /** Where it is listed only: whose and which cell. */
  description: string
}
/** A line of the list, for each of them. */
type EditRow = { sheet: string; row: number | null; column: number | null; level: 'edited'; text: string; what_to_do?: string }

/** The sheets as they were corrected, and a line for each correction with what stood there. */
export function applyEdits(grids: readonly Grid[], edits: readonly CellEdit[]): { grids: Grid[]; lines: EditRow[] } {
  const lines: EditRow[] = []
  const made = grids.map((grid) => {
    const own = edits.filter(({ sheet }) => sheet === grid.name)
    if (own.length === 0) return grid
    const rows = [...grid.rows]
    const marks = new Map(grid.marks)
    for (const { row, column, value, isAmount, description } of own) {
      const line = { sheet: grid.name, level: 'edited' } as const
      if (row === null || column === null) {
        lines.push({
          ...line,
          row: null,
          column: null,
          text: `${description}在薪函中改为「${value}」`,
          what_to_do: '请在这张表里照着改',
        })
        continue
      }
      const was = getCell(grid, row - 1, column).text
      const cells = Array.from(rows[row - 1] ?? [])
      cells[column] = isAmount ? toAmountCell(value) : value
      rows[row - 1] = cells
      marks.delete(getCellId(row - 1, column))
      lines.push({ ...line, row, column, text: was === '' ? '在薪函中填写，原来是空的' : `在薪函中改正，原来是「${was}」` })
    }
    return { ...grid, rows, marks }
  })
  return { grids: made, lines }
}

/** A number where the text is one that a spreadsheet holds to the last digit. */
function toAmountCell(value: string): string | number {
  const decimal = parseDecimal(value)
  const number = Number(decimal)
  return decimal !== null && formatNumberAsDecimal(number) === decimal ? number : value
}
