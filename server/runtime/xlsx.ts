/**
 * Writes one sheet as .xlsx, row by row: what is written is compressed at once, so a hundred thousand rows need the memory of their
 * compressed form. Text is always a typed string cell, never a formula; what a program might still take for one when the file is
 * edited and saved as text carries Excel's quote prefix too.
 */
import { once } from 'node:events'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'
import { plainFen } from '../contract/money.ts'

/** Text, an exact amount in fen, or an empty cell. */
export type XlsxValue = string | { readonly fen: number } | null

/** The header; or the last row, which adds up. */
type RowStyle = 'head' | 'total'
export type XlsxWriter = {
  /** Writes a row; waits where the compressor is behind. */
  row(values: readonly XlsxValue[], style?: RowStyle): Promise<void>
  /** The whole file. Nothing can be written afterwards. */
  finish(): Promise<Buffer>
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
/** Places in `cellXfs`. */
const styles = { text: 1, quoted: 2, money: 3, head: 4, total: 5 }
const most_rows = 1_048_576
const longest_text = 32_767

export type XlsxOptions = {
  readonly sheet: string
  readonly widths?: readonly number[]
  /** As Excel writes them: `A1:C1`. */
  readonly merges?: readonly string[]
  /** Rows that stay in sight; 1 unless said. */
  readonly frozen_rows?: number
}

export function openXlsx(options: XlsxOptions): XlsxWriter {
  const part = openPart(sheet_part)
  const rows = writeRows(part.write, options)
  return {
    row: rows.row,
    async finish() {
      await rows.end()
      return zip([...fixedParts(options.sheet).map(([name, text]) => packed(name, text)), await part.finish()])
    },
  }
}

/** The same where the file may be larger than the memory: what is compressed leaves at once. */
export function streamXlsx(to: Sink, options: XlsxOptions): Pick<XlsxWriter, 'row'> & { end(): Promise<void> } {
  const file = openZip(to)
  const started = (async () => {
    for (const [name, text] of fixedParts(options.sheet)) await file.whole(packed(name, text))
    return file.growing(sheet_part)
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
/** Text that is compressed together: a row alone would be a turn of the compressor. */
const together = 32_768

function writeRows(
  to: (text: string) => Promise<void>,
  options: XlsxOptions,
): Pick<XlsxWriter, 'row'> & { end(): Promise<void> } {
  const { merges = [], frozen_rows = 1, widths = [] } = options
  let rows = 0
  let waiting = ''
  const write = (text: string): Promise<void> | void => {
    waiting += text
    if (waiting.length < together) return
    const taken = waiting
    waiting = ''
    return to(taken)
  }
  const cols = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`).join('')
  waiting = `${xml}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="${frozen_rows}" topLeftCell="A${frozen_rows + 1}" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${cols ? `<cols>${cols}</cols>` : ''}<sheetData>`
  return {
    async row(values, style) {
      rows += 1
      if (rows > most_rows) throw new RangeError('more rows than a sheet can hold')
      const cells = values.map((value, at) => cellXml(value, `${columnName(at)}${rows}`, style)).join('')
      await write(`<row r="${rows}">${cells}</row>`)
    },
    async end() {
      const merged = merges.map((range) => `<mergeCell ref="${range}"/>`).join('')
      await to(`${waiting}</sheetData>${merged ? `<mergeCells count="${merges.length}">${merged}</mergeCells>` : ''}</worksheet>`)
    },
  }
}

function cellXml(value: XlsxValue, at: string, style: RowStyle | undefined): string {
  if (value === null || value === '') return ''
  if (typeof value !== 'string')
    return `<c r="${at}" s="${style === 'total' ? styles.total : styles.money}"><v>${plainFen(value.fen)}</v></c>`
  const kind = style ? styles.head : looksLikeFormula(value) ? styles.quoted : styles.text
  return `<c r="${at}" s="${kind}" t="inlineStr"><is><t xml:space="preserve">${textOf(value)}</t></is></c>`
}

/** How spreadsheets begin what they calculate, full-width forms included. */
export const looksLikeFormula = (text: string): boolean => /^[\s]*[=+\-@＝＋－＠|]|^[\t\r\n]/.test(text)

/** As it may stand in XML, and as Excel reads it back. */
export function textOf(text: string): string {
  return (
    text
      .slice(0, longest_text)
      // Excel reads _x0041_ as a character; the text itself is meant.
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

/** 0 → A, 26 → AA. */
export function columnName(at: number): string {
  let name = ''
  for (let rest = at + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  return name
}

/** Sheet names hold 31 characters and none of []:*?/\ */
const sheetName = (name: string): string =>
  textOf([...name.replace(/[[\]:*?/\\']/g, ' ')].slice(0, 31).join('').trim() || 'Sheet1')

function fixedParts(sheet: string): [string, string][] {
  return [
    [
      '[Content_Types].xml',
      `${xml}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
    ],
    [
      '_rels/.rels',
      `${xml}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${xml}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="${sheetName(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${xml}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      'xl/styles.xml',
      `${xml}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00"/></numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="6"><xf/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="49" applyNumberFormat="1" quotePrefix="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf fontId="1" applyFont="1"/><xf numFmtId="164" fontId="1" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`,
    ],
  ]
}

export type ZipPart = { name: string; crc: number; size: number; bytes: Buffer }

export function packed(name: string, text: string | Buffer): ZipPart {
  const plain = typeof text === 'string' ? Buffer.from(text) : text
  return { name, crc: crc32(plain), size: plain.length, bytes: deflateRawSync(plain) }
}

/** A part that is written piece by piece and compressed at once: it needs the memory of its compressed form. */
export function openPart(name: string) {
  const deflate = createDeflateRaw()
  let chunks: Buffer[] = []
  deflate.on('data', (chunk: Buffer) => chunks.push(chunk))
  let crc = 0
  let size = 0
  return {
    async write(text: string): Promise<void> {
      const bytes = Buffer.from(text)
      crc = crc32(bytes, crc)
      size += bytes.length
      if (!deflate.write(bytes)) await once(deflate, 'drain')
    },
    /** What is compressed by now; it is no longer held. */
    take(): Buffer {
      const taken = Buffer.concat(chunks)
      chunks = []
      return taken
    },
    async finish(): Promise<ZipPart> {
      deflate.end()
      await once(deflate, 'end')
      return { name, crc, size, bytes: Buffer.concat(chunks) }
    },
  }
}

/** 1 January 1980, the first day a zip can say: the same content gives the same file. */
const dos_date = 0x0021

/** Where a file goes as it is made; waits where the other side is behind. */
export type Sink = (bytes: Buffer) => Promise<void>
type Entry = Omit<ZipPart, 'bytes'> & { readonly length: number }

/** Sizes follow the content (a growing part): bit 3; names are UTF-8: bit 11. */
function headOf({ name, crc, size, length }: Entry, follows: boolean): Buffer {
  const head = Buffer.alloc(26)
  head.writeUInt16LE(20, 0)
  head.writeUInt16LE(follows ? 0x0808 : 0x0800, 2)
  head.writeUInt16LE(8, 4)
  head.writeUInt16LE(dos_date, 8)
  head.writeUInt32LE(crc, 10)
  head.writeUInt32LE(length, 14)
  head.writeUInt32LE(size, 18)
  head.writeUInt16LE(Buffer.byteLength(name), 22)
  return head
}
const local = Buffer.from('PK\u0003\u0004', 'latin1')

/** A zip that leaves as it is made. */
function openZip(to: Sink) {
  const directory: Buffer[] = []
  let parts = 0
  let offset = 0
  const out: Sink = async (bytes) => {
    offset += bytes.length
    await to(bytes)
  }
  const listed = (entry: Entry, at: number, follows: boolean) => {
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), headOf(entry, follows), tail, Buffer.from(entry.name))
    parts += 1
  }
  return {
    async whole({ bytes, ...part }: ZipPart): Promise<void> {
      const entry = { ...part, length: bytes.length }
      listed(entry, offset, false)
      await out(Buffer.concat([local, headOf(entry, false), Buffer.from(entry.name), bytes]))
    },
    async growing(name: string) {
      const begun = offset
      await out(Buffer.concat([local, headOf({ name, crc: 0, size: 0, length: 0 }, true), Buffer.from(name)]))
      const start = offset
      const part = openPart(name)
      return {
        async write(text: string): Promise<void> {
          await part.write(text)
          await out(part.take())
        },
        async end(): Promise<void> {
          const { bytes, crc, size } = await part.finish()
          await out(bytes)
          const entry = { name, crc, size, length: offset - start }
          listed(entry, begun, true)
          await out(Buffer.concat([Buffer.from('PK\u0007\u0008', 'latin1'), headOf(entry, true).subarray(10, 22)]))
        },
      }
    },
    async end(): Promise<void> {
      await out(endOf(Buffer.concat(directory), parts, offset))
    },
  }
}

/** The directory, and where it is. */
function endOf(index: Buffer, parts: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(parts, 8)
  end.writeUInt16LE(parts, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([index, end])
}

export function zip(parts: readonly ZipPart[]): Buffer {
  const out: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { bytes, ...part } of parts) {
    const file = Buffer.from(part.name)
    const common = headOf({ ...part, length: bytes.length }, false)
    out.push(local, common, file, bytes)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, tail, file)
    offset += 30 + file.length + bytes.length
  }
  return Buffer.concat([...out, endOf(Buffer.concat(directory), parts.length, offset)])
}
