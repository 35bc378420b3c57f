/**
 * How a few cells are shown. The parser gives 0.08 and a date; the sheet shows 8% and 2026年3月. Reading all styles doubles the
 * parser's time and memory, so only cells whose format is a percentage or a date are looked up, straight in the sheet's XML.
 */
import { percentText } from '../rules/cells.ts'
import { cellId, columnIndex, type Stored } from '../rules/grid.ts'
import type { Part } from './zip-guard.ts'

type Show = (stored: Stored) => string | null

/** Cells looked up at most; more of them is not a wage sheet but a table of rates. */
const most = 50_000

/** Sheet name → cell → how to show it. */
export function shownFormats(parts: readonly Part[]): Map<string, Map<number, Show>> {
  const text = (name: string) =>
    parts.find((part) => part.name.toLowerCase() === name.toLowerCase())?.bytes.toString('utf8') ?? ''
  const found = new Map<string, Map<number, Show>>()
  const styles = speakingStyles(text('xl/styles.xml'))
  if (styles.size === 0) return found
  const targets = new Map<string, string>()
  for (const [, attributes = ''] of text('xl/_rels/workbook.xml.rels').matchAll(/<(?:\w+:)?Relationship\s([^>]*)>/g))
    targets.set(attribute(attributes, 'Id'), attribute(attributes, 'Target').replace(/^\/?(?:xl\/)?/, 'xl/'))
  for (const [, attributes = ''] of text('xl/workbook.xml').matchAll(/<(?:\w+:)?sheet\s([^>]*)>/g)) {
    const part = targets.get(attribute(attributes, '\\w+:id'))
    const xml = part ? parts.find(({ name }) => name === part)?.bytes : undefined
    if (xml) found.set(unescape(attribute(attributes, 'name')), cellsOf(xml, styles))
  }
  return found
}

const attribute = (attributes: string, name: string) => new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
const unescape = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|apos);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })[name] ?? '',
  )

/** Built-in formats that show dates or times, in any locale. */
const isDateId = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/**
 * The styles with every format that cannot be a date replaced by an unknown one. The parser asks each number's format whether
 * it is a date and takes a quarter of its time for that; an unknown format it does not look at.
 */
export function onlyDateFormats(xml: string): string {
  const codes = formatCodes(xml)
  return xml.replace(
    /(<(?:\w+:)?cellXfs[\s>])([\s\S]*?)(<\/(?:\w+:)?cellXfs>)/,
    (_, open: string, list: string, close: string) => {
      const plain = list.replace(/(\snumFmtId=")(\d+)"/g, (whole, name: string, id: string) => {
        const code = codes.get(id)
        const date = code === undefined ? isDateId(Number(id)) : /[ymdhs年月日时上下]/i.test(code.replace(/"[^"]*"/g, ''))
        return date ? whole : `${name}9999"`
      })
      return open + plain + close
    },
  )
}

function formatCodes(xml: string): Map<string, string> {
  const codes = new Map<string, string>()
  for (const [, attributes = ''] of xml.matchAll(/<(?:\w+:)?numFmt\s([^>]*)>/g))
    codes.set(attribute(attributes, 'numFmtId'), unescape(attribute(attributes, 'formatCode')))
  return codes
}

/** Style index → format, for those that say more than the number. */
function speakingStyles(xml: string): Map<string, Show> {
  const custom = formatCodes(xml)
  const styles = new Map<string, Show>()
  const list = /<(?:\w+:)?cellXfs[\s>]([\s\S]*?)<\/(?:\w+:)?cellXfs>/.exec(xml)?.[1] ?? ''
  let index = 0
  for (const [, attributes = ''] of list.matchAll(/<(?:\w+:)?xf\s([^>]*)>/g)) {
    const id = attribute(attributes, 'numFmtId')
    const show = showAs(id === '9' ? '0%' : id === '10' ? '0.00%' : (custom.get(id) ?? ''))
    if (show) styles.set(String(index), show)
    index++
  }
  return styles
}

function showAs(code: string): Show | null {
  if (code === '' || code.length > 200) return null
  const plain = code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '')
  const percent = /^[^%]*?(?:\.(0+))?%/.exec(plain)
  if (percent) return (stored) => (typeof stored === 'number' ? percentText(stored, percent[1]?.length ?? 0) : null)
  // Months and dates with words; the plain ones are shown as 2026-03-05 anyway.
  if (/y/i.test(plain) && !/[dh]/i.test(plain))
    return (stored) => (stored instanceof Date ? stored.toISOString().slice(0, 7) : null)
  return null
}

/** The cells of a sheet that have one of these styles; found by their style, so that a sheet without any costs one scan. */
function cellsOf(xml: Buffer, styles: Map<string, Show>): Map<number, Show> {
  const cells = new Map<number, Show>()
  for (const [style, show] of styles) {
    const mark = ` s="${style}"`
    for (let at = xml.indexOf(mark); at >= 0 && cells.size < most; at = xml.indexOf(mark, at + mark.length)) {
      const open = xml.lastIndexOf(60, at)
      if (open < 0 || at - open > 200) continue
      const place = /^<(?:\w+:)?c\s(?:[^>]*\s)?r="([A-Z]{1,3})(\d{1,7})"/.exec(
        xml.toString('latin1', open, at + mark.length + 100),
      )
      if (place) cells.set(cellId(Number(place[2]) - 1, columnIndex(place[1] ?? '')), show)
    }
  }
  return cells
}
