/**
 * What an .xls hides. The parser reads its cells but not which sheets, rows and columns are hidden, and a hidden column must not
 * be sent to people unnoticed. Reads the container's table of sectors ([MS-CFB]) and four kinds of records ([MS-XLS]).
 */

export interface Hidden {
  sheet: boolean
  /** 0-based. */
  rows: Set<number>
  columns: Set<number>
  /** In characters. */
  widths: Map<number, number>
}

const endOfChain = 0xfffffffa

/** By position of the sheet; empty when the file is not as expected, which the parser then says better. */
export function hiddenParts(file: Buffer): Hidden[] {
  try {
    return recordsHidden(workbookStream(file))
  } catch {
    return []
  }
}

/** The records of an .xls, out of its container; throws a `RangeError` where it is none. */
export function workbookStream(file: Buffer): Buffer {
  const sectorSize = 1 << file.readUInt16LE(30)
  if (sectorSize !== 512 && sectorSize !== 4096) throw new RangeError('sector size')
  const sector = (at: number) => file.subarray((at + 1) * sectorSize, (at + 2) * sectorSize)
  const most = Math.ceil(file.length / sectorSize)

  const fat: number[] = []
  const addFat = (at: number) => {
    const part = sector(at)
    for (let i = 0; i + 4 <= part.length; i += 4) fat.push(part.readUInt32LE(i))
  }
  for (let i = 0; i < 109; i++) {
    const at = file.readUInt32LE(76 + i * 4)
    if (at < endOfChain && at < most) addFat(at)
  }
  // Tables of more than 109 sectors (7 MB) go on in sectors of their own.
  for (let at = file.readUInt32LE(68), turns = 0; at < endOfChain && at < most && turns < most; turns++) {
    const part = sector(at)
    for (let i = 0; i + 8 <= part.length; i += 4) if (part.readUInt32LE(i) < most) addFat(part.readUInt32LE(i))
    at = part.readUInt32LE(part.length - 4)
  }
  const chain = (start: number, next: readonly number[], piece: (at: number) => Buffer) => {
    const pieces: Buffer[] = []
    for (let at = start; at < endOfChain && pieces.length <= most * 64; at = next[at] ?? endOfChain) pieces.push(piece(at))
    return Buffer.concat(pieces)
  }

  const entries = chain(file.readUInt32LE(48), fat, sector)
  let root: Buffer | undefined
  let book: Buffer | undefined
  for (let at = 0; at + 128 <= entries.length; at += 128) {
    const entry = entries.subarray(at, at + 128)
    const name = entry.toString('utf16le', 0, Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2))
    if (entry[66] === 5) root = entry
    else if (name === 'Workbook' || (name === 'Book' && !book)) book = entry
  }
  if (!book || !root) throw new RangeError('no workbook')
  const size = book.readUInt32LE(120)
  if (size >= file.readUInt32LE(56)) return chain(book.readUInt32LE(116), fat, sector).subarray(0, size)
  const small = chain(root.readUInt32LE(116), fat, sector)
  const table = chain(file.readUInt32LE(60), fat, sector)
  const smallFat = Array.from({ length: table.length >> 2 }, (_, i) => table.readUInt32LE(i * 4))
  return chain(book.readUInt32LE(116), smallFat, (at) => small.subarray(at * 64, at * 64 + 64)).subarray(0, size)
}

const record = { sheet: 0x85, begin: 0x809, row: 0x208, columns: 0x7d } as const

function recordsHidden(stream: Buffer): Hidden[] {
  const sheets: Hidden[] = []
  const starts = new Map<number, Hidden>()
  let current: Hidden | undefined
  for (let at = 0; at + 4 <= stream.length; ) {
    const kind = stream.readUInt16LE(at)
    const length = stream.readUInt16LE(at + 2)
    const data = stream.subarray(at + 4, at + 4 + length)
    if (kind === record.sheet && length >= 6) {
      const sheet: Hidden = { sheet: ((data[4] ?? 0) & 3) !== 0, rows: new Set(), columns: new Set(), widths: new Map() }
      sheets.push(sheet)
      starts.set(data.readUInt32LE(0), sheet)
    } else if (kind === record.begin) current = starts.get(at) ?? current
    else if (kind === record.row && length >= 14 && (data[12] ?? 0) & 0x20) current?.rows.add(data.readUInt16LE(0))
    else if (kind === record.columns && length >= 10)
      for (let column = data.readUInt16LE(0); column <= Math.min(data.readUInt16LE(2), 299); column++) {
        current?.widths.set(column, data.readUInt16LE(4) / 256)
        if ((data[8] ?? 0) & 1) current?.columns.add(column)
      }
    at += 4 + length
  }
  return sheets
}
