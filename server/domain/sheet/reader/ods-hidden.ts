/**
 * What an .ods hides. The parser reads its cells but not which sheets, rows and columns are hidden (ODF 1.3 part 3, 19.749 and
 * 20.405), and a hidden column must not be sent to people unnoticed.
 */

import { markup, type Tag } from './markup/tags.ts'
import { limits } from './unreadable.ts'
import type { Hidden } from './xls/hidden.ts'

/** By position of the sheet. Goes over the whole file, so that one which is cut or has a DTD ends here. */
export function hiddenInOds(content: string): Hidden[] {
  const sheets: Hidden[] = []
  const unseen = new Set<string>()
  let style = ''
  let row = 0
  let column = 0
  for (const tag of markup(content, true)) {
    if (typeof tag === 'string' || tag.closing) continue
    const sheet = sheets.at(-1)
    if (tag.name === 'style') style = read(tag, 'style:name')
    else if (tag.name === 'table-properties' && read(tag, 'table:display') === 'false') unseen.add(style)
    else if (tag.name === 'table') {
      const hidden = unseen.has(read(tag, 'table:style-name'))
      sheets.push({ sheet: hidden, rows: new Set(), columns: new Set(), widths: new Map() })
      row = column = 0
    } else if (tag.name === 'table-row' && sheet) row = mark(sheet.rows, tag, row, 'rows', limits.rows)
    else if (tag.name === 'table-column' && sheet) column = mark(sheet.columns, tag, column, 'columns', limits.columns)
  }
  return sheets
}

const read = ({ attributes }: Tag, name: string) => attributes.get(name) ?? ''

/** Answers where the next one stands. */
function mark(hidden: Set<number>, tag: Tag, from: number, what: 'rows' | 'columns', most: number): number {
  const to = from + (Number.parseInt(read(tag, `table:number-${what}-repeated`), 10) || 1)
  if (/^(?:collapse|filter)$/.test(read(tag, 'table:visibility')))
    for (let at = from; at < Math.min(to, most); at++) hidden.add(at)
  return to
}
