/**
 * A small .xlsx writer for tests: valid enough for every reader, and able to write what a real program never would. Not
 * for the product.
 */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * A cell value in tests. A string stays text, a number is stored as it prints, a `Date` as a serial number with a date
 * format.
 * `{ formula }` without `value` is a formula whose result was never calculated; `{ raw }` is the stored number digit by
 * digit;
 * `{ error }` is an error cell such as `#REF!`; `{ attributes, inside }` is the cell's own XML.
 */
export type XlsxCell =
  | string
  | number
  | boolean
  | Date
  | null
  | undefined
  | { formula: string; value?: number | string }
  | { raw: string; format?: 'percent' | 'date' | 'money' }
  | { error: string }
  | { attributes: string; inside: string }

export interface XlsxSheet {
  name: string
  rows: XlsxCell[][]
  /** In Excel notation: `A1:C1`. */
  merges?: string[]
  /** Whether the worksheet is hidden. */
  hidden?: boolean
  /** 1-based. */
  hidden_rows?: number[]
  /** 1-based. */
  hidden_columns?: number[]
  /** By column, 1-based; in characters. */
  widths?: Record<number, number>
}

/** Returns a workbook as bytes. */
export function makeXlsx(book: XlsxBook): Buffer {
  return makeZip(xlsxEntries(book))
}

export interface XlsxBook {
  sheets: XlsxSheet[]
  date1904?: boolean
  /** XML of the first shared texts (`<si>…</si>`), for cells that refer to them by number. */
  shared?: string[]
  /** Number formats of the styles 4, 5, …; 1 is a date, 2 a percentage, 3 money. */
  formats?: string[]
}

/** Returns the parts of a workbook by name. */
export function xlsxEntries({ sheets, date1904 = false, shared = [], formats = [] }: XlsxBook): Record<string, string> {
  const texts = new Map<string, number>(shared.map((_, at) => [`\u0000${at}`, at]))
  const bodies = sheets.map((sheet) => sheetXml(sheet, texts))
  const list = sheets.map(
    (sheet, at) =>
      `<sheet name="${escape(sheet.name)}" sheetId="${at + 1}"${sheet.hidden ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`,
  )
  const numbers = sheets.map((_, at) => at + 1)
  return {
    '[Content_Types].xml': `${xml}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${ml}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${ml}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${ml}.sharedStrings+xml"/>${numbers
      .map((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${ml}.worksheet+xml"/>`)
      .join('')}</Types>`,
    '_rels/.rels': `${xml}<Relationships xmlns="${rels}"><Relationship Id="rId1" Type="${doc}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${xml}<workbook xmlns="${main}" xmlns:r="${doc}">${date1904 ? '<workbookPr date1904="1"/>' : ''}<sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${xml}<Relationships xmlns="${rels}">${numbers
      .map((n) => `<Relationship Id="rId${n}" Type="${doc}/worksheet" Target="worksheets/sheet${n}.xml"/>`)
      .join(
        '',
      )}<Relationship Id="rIdS" Type="${doc}/styles" Target="styles.xml"/><Relationship Id="rIdT" Type="${doc}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/styles.xml': `${xml}<styleSheet xmlns="${main}">${formats.length > 0 ? `<numFmts count="${formats.length}">${formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escape(code)}"/>`).join('')}</numFmts>` : ''}<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${4 + formats.length}"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="10" applyNumberFormat="1"/><xf numFmtId="4" applyNumberFormat="1"/>${formats.map((_, at) => `<xf numFmtId="${164 + at}" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${xml}<sst xmlns="${main}" count="${texts.size}" uniqueCount="${texts.size}">${[...texts.keys()]
      .map((text, at) => shared[at] ?? `<si><t xml:space="preserve">${escape(text)}</t></si>`)
      .join('')}</sst>`,
    ...Object.fromEntries(bodies.map((body, at) => [`xl/worksheets/sheet${at + 1}.xml`, body])),
  }
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const doc = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const rels = 'http://schemas.openxmlformats.org/package/2006/relationships'
const ml = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const styles = { date: 1, percent: 2, money: 3 }

function sheetXml(sheet: XlsxSheet, texts: Map<string, number>): string {
  const hidden = new Set(sheet.hidden_rows)
  const out: string[] = [`${xml}<worksheet xmlns="${main}">`]
  const columns = new Map([
    ...(sheet.hidden_columns ?? []).map((c) => [c, 'width="9" hidden="1"'] as const),
    ...Object.entries(sheet.widths ?? {}).map(([c, width]) => [Number(c), `width="${width}" customWidth="1"`] as const),
  ])
  const inOrder = [...columns].toSorted((a, b) => a[0] - b[0])
  if (inOrder.length > 0) out.push(`<cols>${inOrder.map(([c, more]) => `<col min="${c}" max="${c}" ${more}/>`).join('')}</cols>`)
  out.push('<sheetData>')
  sheet.rows.forEach((row, at) => {
    if (!row.length) return
    out.push(`<row r="${at + 1}"${hidden.has(at + 1) ? ' hidden="1"' : ''}>`)
    row.forEach((cell, column) => out.push(cellXml(cell, `${columnLetters(column)}${at + 1}`, texts)))
    out.push('</row>')
  })
  out.push('</sheetData>')
  if (sheet.merges?.length)
    out.push(
      `<mergeCells count="${sheet.merges.length}">${sheet.merges.map((m) => `<mergeCell ref="${m}"/>`).join('')}</mergeCells>`,
    )
  out.push('</worksheet>')
  return out.join('')
}

function cellXml(cell: XlsxCell, at: string, texts: Map<string, number>): string {
  if (cell === null || cell === undefined || cell === '') return ''
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"><v>${Number(cell)}</v></c>`
  if (cell instanceof Date) return `<c r="${at}" s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`
  if (typeof cell === 'string') {
    const index = texts.get(cell) ?? texts.set(cell, texts.size).size - 1
    return `<c r="${at}" t="s"><v>${index}</v></c>`
  }
  if ('raw' in cell) return `<c r="${at}" s="${cell.format ? styles[cell.format] : 0}"><v>${cell.raw}</v></c>`
  if ('inside' in cell) return `<c r="${at}" ${cell.attributes}>${cell.inside}</c>`
  if ('error' in cell) return `<c r="${at}" t="e"><v>${escape(cell.error)}</v></c>`
  const value = cell.value === undefined ? '' : `<v>${escape(String(cell.value))}</v>`
  return `<c r="${at}"${typeof cell.value === 'string' ? ' t="str"' : ''}><f>${escape(cell.formula)}</f>${value}</c>`
}

/** Converts an index to letters: 0 → A, 25 → Z, 26 → AA. */
export function columnLetters(index: number): string {
  let letters = ''
  for (let n = index + 1; n > 0; n = Math.floor((n - 1) / 26)) letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters
  return letters
}

const escape = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => (sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : sign === '>' ? '&gt;' : '&quot;'))

/** Builds a zip archive of deflated parts. `claims` overrides the uncompressed sizes that the archive declares. */
export function makeZip(sections: Record<string, string | Buffer>, claims: Record<string, number> = {}): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(sections)) {
    const plain = Buffer.from(content as string)
    const packed = deflateRawSync(plain)
    const path = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(0x0800, 2)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt16LE(0x21, 8)
    fields.writeUInt32LE(crc32(plain), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(claims[name] ?? plain.length, 18)
    fields.writeUInt16LE(path.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    bodies.push(Buffer.from('PK\x03\x04', 'latin1'), fields, path, packed)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, tail, path)
    offset += 30 + path.length + packed.length
  }
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Object.keys(sections).length, 8)
  end.writeUInt16LE(Object.keys(sections).length, 10)
  end.writeUInt32LE(listing.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, listing, end])
}

/** Returns the parts of an archive by its directory. */
export function zipEntries(file: Buffer): Record<string, Buffer> {
  const end = file.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const sections: Record<string, Buffer> = {}
  let at = file.readUInt32LE(end + 16)
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    const name = file.toString('utf8', at + 46, at + 46 + file.readUInt16LE(at + 28))
    const local = file.readUInt32LE(at + 42)
    const from = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28)
    const bytes = file.subarray(from, from + file.readUInt32LE(at + 20))
    sections[name] = file.readUInt16LE(at + 10) === 8 ? inflateRawSync(bytes) : bytes
    at += 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return sections
}

/**
 * Rewrites an archive like writers that do not know sizes beforehand: sizes and offsets of the entries are in their
 * ZIP64 fields, with `record` those of the directory in a ZIP64 record, too. `spoil` changes the fields of each entry
 * and the record before they are written.
 */
export function makeZip64(
  archive: Buffer,
  {
    places = false,
    record = false,
    spoil,
  }: { places?: boolean; record?: boolean; spoil?: (fields: Buffer, what: 'entry' | 'record') => Buffer } = {},
): Buffer {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const start = archive.readUInt32LE(end + 16)
  const directory: Buffer[] = []
  for (let at = start; at < end; ) {
    const nameLength = archive.readUInt16LE(at + 28)
    const entry = Buffer.from(archive.subarray(at, at + 46 + nameLength))
    const sizes = [24, 20, ...(places ? [42] : [])].map((field) => BigInt(entry.readUInt32LE(field)))
    const fields = Buffer.alloc(4 + sizes.length * 8)
    fields.writeUInt16LE(1, 0)
    fields.writeUInt16LE(sizes.length * 8, 2)
    sizes.forEach((size, nth) => fields.writeBigUInt64LE(size, 4 + nth * 8))
    for (const field of [24, 20, ...(places ? [42] : [])]) entry.writeUInt32LE(0xffffffff, field)
    const written = spoil?.(fields, 'entry') ?? fields
    entry.writeUInt16LE(written.length, 30)
    directory.push(entry, written)
    at += 46 + nameLength
  }
  const listing = Buffer.concat(directory)
  const tail = Buffer.from(archive.subarray(end))
  tail.writeUInt32LE(listing.length, 12)
  const long = Buffer.alloc(56)
  long.write('PK\x06\x06', 'latin1')
  long.writeBigUInt64LE(44n, 4)
  const count = BigInt(tail.readUInt16LE(10))
  for (const [at, value] of [
    [24, count],
    [32, count],
    [40, BigInt(listing.length)],
    [48, BigInt(start)],
  ] as const)
    long.writeBigUInt64LE(value, at)
  const position = Buffer.alloc(20)
  position.write('PK\x06\x07', 'latin1')
  position.writeBigUInt64LE(BigInt(start + listing.length), 8)
  position.writeUInt32LE(1, 16)
  return Buffer.concat([
    archive.subarray(0, start),
    listing,
    ...(record ? [spoil?.(long, 'record') ?? long, position] : []),
    tail,
  ])
}
