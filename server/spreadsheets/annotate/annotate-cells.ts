/**
 * Cell contents written into an uploaded sheet: corrections made online, and comments as Excel 97 to 2016 and WPS
 * display them (the texts in one part, their yellow boxes as VML drawings in another: ISO/IEC 29500-4, 19.2). WPS does
 * not display the newer "threaded" comments.
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

/** Characters per line of the comment box, which is three default columns wide. */
const charactersPerLine = 14
const maxLines = 12
/** Shape ids are allocated in blocks of 1,024, and a block belongs to one sheet. */
const shapesPerBlock = 1_000

export function buildCommentsXml(notes: readonly CellNote[]): string {
  const list = notes.map(
    ({ row, column, text }) =>
      `<comment ref="${toColumnLetter(column)}${row + 1}" authorId="0"><text><r><rPr><sz val="9"/></rPr><t xml:space="preserve">${escapeXmlText(text)}</t></r></text></comment>`,
  )
  return `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>薪函</author></authors><commentList>${list.join('')}</commentList></comments>`
}

/** `block` is the first free block of shape ids; `blocks` is the number of blocks used. */
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

/** A cell corrected on the page of issues. */
export interface CellEdit {
  sheet: string
  /** 1-based; null if the file has no such cell and the correction is only listed. */
  row: number | null
  /** 0-based. */
  column: number | null
  /** The current value; empty if the cell was cleared. */
  value: string
  /** Whether the value is an amount: it is written as a number, so that the sheet's sums include it. */
  isAmount: boolean
  /** Names the employee and the cell of a correction that is only listed. */
  description: string
}
type EditRow = { sheet: string; row: number | null; column: number | null; level: 'edited'; text: string; what_to_do?: string }

/** Applies the corrections to the sheets and returns a list row for each one with the previous value. */
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

/** Returns a number if a spreadsheet can store all of its digits, otherwise the text. */
function toAmountCell(value: string): string | number {
  const decimal = parseDecimal(value)
  const number = Number(decimal)
  return decimal !== null && formatNumberAsDecimal(number) === decimal ? number : value
}
