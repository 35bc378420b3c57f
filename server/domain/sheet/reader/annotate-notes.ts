/**
 * Comments in cells as Excel 97 to 2016 and WPS show them: the texts in one part, the yellow boxes they stand in as VML drawings in
 * another (ISO/IEC 29500-4, 19.2). The newer "threaded" comments are not shown by WPS.
 */
import { columnName, textOf } from '../../../runtime/xlsx.ts'

/** Counted from 0. */
export interface Note {
  row: number
  column: number
  text: string
}

/** Signs in a line of the box, which is three ordinary columns wide. */
const line = 14
const mostLines = 12
/** Numbers of shapes come in blocks of 1,024, and a block belongs to one sheet. */
const inBlock = 1_000

export function commentsXml(notes: readonly Note[]): string {
  const list = notes.map(
    ({ row, column, text }) =>
      `<comment ref="${columnName(column)}${row + 1}" authorId="0"><text><r><rPr><sz val="9"/></rPr><t xml:space="preserve">${textOf(text)}</t></r></text></comment>`,
  )
  return `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>薪函</author></authors><commentList>${list.join('')}</commentList></comments>`
}

/** `block`: the first block of numbers that is free; `blocks`: how many were taken. */
export function vmlXml(notes: readonly Note[], block: number): { text: string; blocks: number } {
  const blocks = Math.ceil(notes.length / inBlock)
  const shapes = notes.map(({ row, column, text }, at) => {
    const id = (block + Math.floor(at / inBlock)) * 1024 + 1 + (at % inBlock)
    const lines = text.split('\n').reduce((sum, part) => sum + Math.max(1, Math.ceil(part.length / line)), 1)
    const anchor = [column + 1, 15, row, 2, column + 4, 15, row + Math.min(lines, mostLines), 10]
    return `<v:shape id="_x0000_s${id}" type="#_x0000_t202" style="position:absolute;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox><div style="text-align:left"></div></v:textbox><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${anchor.join(', ')}</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>${row}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`
  })
  const data = Array.from({ length: blocks }, (_, at) => block + at).join(',')
  return {
    blocks,
    text: `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="${data}"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`,
  }
}
