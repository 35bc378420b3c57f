/**
 * Writes one sheet as .xlsx, row by row: the output is compressed at once, so a hundred thousand rows need only the
 * memory of their compressed form. Text is always a typed string cell, never a formula; text that a program might still
 * interpret as a formula when the file is edited and saved as text also has Excel's quote prefix.
 */
import { formatPlainFen } from '../contract/shared/money.ts'
import { exportMarkName } from './export-mark.ts'
import { compressEntry, createEntryWriter, createZip, createZipStream, type Sink } from './zip-writer.ts'

/** Text, an exact amount in fen, or an empty cell. */
export type XlsxValue = string | { readonly fen: number } | null

/** The header, or the last row with the totals. */
type RowStyle = 'head' | 'total'
export type XlsxWriter = {
  /** Writes a row; waits while the compressor is behind. */
  row(values: readonly XlsxValue[], style?: RowStyle): Promise<void>
  /** Returns the whole file. Nothing can be written afterwards. */
  finish(): Promise<Buffer>
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
/** Indexes in `cellXfs`. */
const styles = { text: 1, quoted: 2, money: 3, head: 4, total: 5, quotedHead: 6 }
const maxSheetRows = 1_048_576
const maxTextLength = 32_767

export type XlsxOptions = {
  readonly sheet: string
  readonly widths?: readonly number[]
  /** In Excel's notation: `A1:C1`. */
  readonly merges?: readonly string[]
  /** Number of frozen rows, 1 by default. */
  readonly frozen_rows?: number
  /** The number of the export, written as a document property (`export-mark.ts`). */
  readonly mark?: string
}
/** A table of shared strings, each stored once: programs that replace text look only there. Holds all texts in memory. */
class SharedStringTable {
  readonly #places = new Map<string, number>()
  #used = 0
  indexOf(text: string): number {
    this.#used += 1
    const existing = this.#places.get(text)
    if (existing !== undefined) return existing
    this.#places.set(text, this.#places.size)
    return this.#places.size - 1
  }
  part(): string {
    const all = [...this.#places.keys()].map((text) => `<si><t xml:space="preserve">${escapeXmlText(text)}</t></si>`).join('')
    return `${xml}<sst xmlns="${main}" count="${this.#used}" uniqueCount="${this.#places.size}">${all}</sst>`
  }
}

export function createXlsxWriter({ shared = false, ...options }: XlsxOptions & { readonly shared?: boolean }): XlsxWriter {
  const part = createEntryWriter(sheet_part)
  const texts = shared ? new SharedStringTable() : null
  const rows = writeRows(part.write, options, texts)
  return {
    row: rows.row,
    async finish() {
      await rows.end()
      const others = texts ? [compressEntry('xl/sharedStrings.xml', texts.part())] : []
      return createZip([
        ...fixedSections(options, shared).map(([name, text]) => compressEntry(name, text)),
        ...others,
        await part.finish(),
      ])
    },
  }
}

/** Creates the writer for files that may exceed the memory: compressed output is written out at once. */
export function createXlsxStream(to: Sink, options: XlsxOptions): Pick<XlsxWriter, 'row'> & { end(): Promise<void> } {
  const file = createZipStream(to)
  const started = (async () => {
    for (const [name, text] of fixedSections(options, false)) await file.addEntry(compressEntry(name, text))
    return file.addStreamedEntry(sheet_part)
  })()
  const write = async (text: string) => (await started).write(text)
  const rows = writeRows(write, options)
  return {
    row: rows.row,
    async end() {
      await rows.end()
      await (await started).end()
      await file.end()
    },
  }
}

const sheet_part = 'xl/worksheets/sheet1.xml'
/** Characters compressed at once: compressing each row alone would need one compressor call per row. */
const flushChars = 32_768

function writeRows(
  to: (text: string) => Promise<void>,
  options: XlsxOptions,
  texts: SharedStringTable | null = null,
): Pick<XlsxWriter, 'row'> & { end(): Promise<void> } {
  const { merges = [], frozen_rows = 1, widths = [] } = options
  let rows = 0
  let waiting = ''
  const write = (text: string): Promise<void> | void => {
    waiting += text
    if (waiting.length < flushChars) return
    const accepted = waiting
    waiting = ''
    return to(accepted)
  }
  const cols = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`).join('')
  waiting = `${xml}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="${frozen_rows}" topLeftCell="A${frozen_rows + 1}" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${cols ? `<cols>${cols}</cols>` : ''}<sheetData>`
  return {
    async row(values, style) {
      rows += 1
      if (rows > maxSheetRows) throw new RangeError('more rows than a sheet can hold')
      const cells = values.map((value, at) => cellXml(value, `${toColumnLetter(at)}${rows}`, { style, texts })).join('')
      await write(`<row r="${rows}">${cells}</row>`)
    },
    async end() {
      const merged = merges.map((range) => `<mergeCell ref="${range}"/>`).join('')
      await to(`${waiting}</sheetData>${merged ? `<mergeCells count="${merges.length}">${merged}</mergeCells>` : ''}</worksheet>`)
    },
  }
}

type CellStyle = { readonly style: RowStyle | undefined; readonly texts: SharedStringTable | null }
function cellXml(value: XlsxValue, at: string, { style, texts }: CellStyle): string {
  if (value === null || value === '') return ''
  if (typeof value !== 'string')
    return `<c r="${at}" s="${style === 'total' ? styles.total : styles.money}"><v>${formatPlainFen(value.fen)}</v></c>`
  const kind = isLikelyFormula(value) ? (style ? styles.quotedHead : styles.quoted) : style ? styles.head : styles.text
  if (texts) return `<c r="${at}" s="${kind}" t="s"><v>${texts.indexOf(value)}</v></c>`
  return `<c r="${at}" s="${kind}" t="inlineStr"><is><t xml:space="preserve">${escapeXmlText(value)}</t></is></c>`
}

/** Whether text starts like a spreadsheet formula, including full-width forms. */
export const isLikelyFormula = (text: string): boolean => /^[\s]*[=+\-@＝＋－＠|]|^[\t\r\n]/.test(text)

/** Escapes text for XML in the way Excel reads it back. */
export function escapeXmlText(text: string): string {
  return (
    text
      .slice(0, maxTextLength)
      // Excel decodes _x0041_ to a character; here the literal text is meant.
      .replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_')
      .replace(
        // oxlint-disable-next-line no-control-regex -- XML cannot hold them
        /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
        '',
      )
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
      .replace(/\r/g, '&#13;')
  )
}

/** Converts a column index to letters: 0 → A, 26 → AA. */
export function toColumnLetter(at: number): string {
  let name = ''
  for (let rest = at + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  return name
}

/** Sheet names have at most 31 characters and none of []:*?/\ */
const toSheetName = (name: string): string =>
  escapeXmlText([...name.replace(/[[\]:*?/\\']/g, ' ')].slice(0, 31).join('').trim() || 'Sheet1')

/** The format id is the one of all custom properties; their numbers begin with 2. */
const markXml = (mark: string): string =>
  `${xml}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="2" name="${exportMarkName}"><vt:lpwstr>${escapeXmlText(mark)}</vt:lpwstr></property></Properties>`

function fixedSections({ sheet, mark }: XlsxOptions, shared: boolean): [string, string][] {
  const properties: [string, string][] = mark === undefined ? [] : [['docProps/custom.xml', markXml(mark)]]
  return [
    ...properties,
    [
      '[Content_Types].xml',
      `${xml}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/>${shared ? `<Override PartName="/xl/sharedStrings.xml" ContentType="${types}.sharedStrings+xml"/>` : ''}${mark === undefined ? '' : '<Override PartName="/docProps/custom.xml" ContentType="application/vnd.openxmlformats-officedocument.custom-properties+xml"/>'}</Types>`,
    ],
    [
      '_rels/.rels',
      `${xml}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/>${mark === undefined ? '' : `<Relationship Id="rId2" Type="${relations}/custom-properties" Target="docProps/custom.xml"/>`}</Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${xml}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="${toSheetName(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${xml}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/>${shared ? `<Relationship Id="rId3" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/>` : ''}</Relationships>`,
    ],
    [
      'xl/styles.xml',
      `${xml}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="7"><xf/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="49" applyNumberFormat="1" quotePrefix="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf fontId="1" applyFont="1"/><xf numFmtId="164" fontId="1" applyNumberFormat="1" applyFont="1"/><xf fontId="1" applyFont="1" quotePrefix="1"/></cellXfs></styleSheet>`,
    ],
  ]
}
