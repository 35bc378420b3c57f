/**
 * Stands before the parser. Opens an archive strictly and with hard caps: a bomb, a lying size, two directories, an encrypted entry
 * or a DTD end here, and what was checked is exactly what is read.
 */
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { limits, SheetUnreadable, sentences } from './unreadable.ts'

export interface GuardedPart {
  readonly name: string
  /** Bytes, unpacked. */
  readonly size: number
  /** All of it, checked. */
  read(): Buffer
  /** Piece by piece, never all in memory; the last piece comes before the checksum is known, and a wrong one throws. */
  pieces(): AsyncIterable<Buffer>
}

const directoryEnd = 0x06054b50
const directoryEntry = 0x02014b50
const localEntry = 0x04034b50
const directoryEnd64 = 0x06064b50
const directoryEnd64Place = 0x07064b50
/** A count or size that stands in the ZIP64 fields instead. */
const elsewhere16 = 0xffff
const elsewhere32 = 0xffffffff
/** Bytes that may follow an entry and say its sizes. */
const descriptor = 24

/** Parts the parser has no use for: pictures, macros, printer settings, other formats. */
const unused =
  /\.(?:png|jpe?g|gif|emf|wmf|bmp|tiff?|svg|bin|vml|ttf|odttf|mp4|wav|css|js)$|^(?:docProps|customXml|Configurations2|Thumbnails)\/|\/(?:drawings|media|charts|embeddings|theme|printerSettings|activeX|ctrlProps|persons|threadedComments|externalLinks|pivotTables|pivotCache)\//i

const damaged = () => new SheetUnreadable(sentences.damaged)

/** The parts of an archive that matter; throws `SheetUnreadable`. */
export function unzip(file: Buffer): GuardedPart[] {
  const { count, size, start, end } = findDirectory(file)
  if (start + size !== end) throw damaged()
  if (count > limits.parts) throw new SheetUnreadable(sentences.too_big_inside)

  const parts: GuardedPart[] = []
  const names = new Set<string>()
  const places: [number, number][] = []
  let all = 0
  let at = start
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || file.readUInt32LE(at) !== directoryEntry) throw damaged()
    const flags = file.readUInt16LE(at + 8)
    const method = file.readUInt16LE(at + 10)
    const crc = file.readUInt32LE(at + 16)
    const nameLength = file.readUInt16LE(at + 28)
    const nameEnd = at + 46 + nameLength
    const next = nameEnd + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
    if (next > end) throw damaged()
    const { plain, packed, local } = readSizes(file, at, nameEnd)
    const said = file.toString('utf8', at + 46, nameEnd)
    // Some programs of Windows part folders in their own way.
    const name = said.replaceAll('\\', '/')
    at = next

    if (flags & 0x2041) throw new SheetUnreadable(sentences.encrypted)
    if (names.has(name.toLowerCase()) || nameLength > 512) throw damaged()
    names.add(name.toLowerCase())
    if (local + 30 > start || file.readUInt32LE(local) !== localEntry) throw damaged()
    if (file.readUInt16LE(local + 8) !== method) throw damaged()
    const from = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28)
    if (file.toString('utf8', local + 30, local + 30 + file.readUInt16LE(local + 26)) !== said) throw damaged()
    if (from + packed > start) throw damaged()
    places.push([local, from + packed])
    // What is never read is not judged.
    if (name.endsWith('/') || (name !== 'xl/workbook.bin' && unused.test(name))) continue
    all += plain
    if (plain > limits.sheet_bytes || all > limits.all_bytes || isBomb(plain, packed))
      throw new SheetUnreadable(sentences.too_big_inside)
    const entry = { packed: file.subarray(from, from + packed), method, size: plain, crc }
    parts.push({ name, size: plain, read: () => unpacked(entry), pieces: () => unpackedInPieces(entry) })
  }
  // Entries that share bytes are how a small archive becomes a large one; what no entry owns may be a second archive.
  let last = 0
  for (const [from, to] of [...places.toSorted((a, b) => a[0] - b[0]), [start, start] as const]) {
    if (from < last || from > last + (last === 0 ? 0 : descriptor)) throw damaged()
    last = to
  }
  return parts
}

/** The XML of a sheet shrinks to a tenth, sometimes to a thirtieth; to a thousandth it is made to hurt. */
const isBomb = (plain: number, packed: number) => plain > 4 * 1024 * 1024 && plain > packed * 100

/** The one end of the one directory, as far back as its comment may reach. */
function findEnd(file: Buffer): number {
  for (let at = file.length - 22; at >= Math.max(0, file.length - 22 - 0xffff); at--)
    if (file.readUInt32LE(at) === directoryEnd && at + 22 + file.readUInt16LE(at + 20) === file.length) return at
  throw new SheetUnreadable(sentences.damaged)
}

type Directory = { readonly count: number; readonly size: number; readonly start: number; readonly end: number }

/**
 * Where the directory stands and how much is in it. Writers that do not know sizes beforehand (Apache POI, streams) add the ZIP64 record between
 * the directory and its end; the two may differ only where the short one says that the value stands in the long one.
 */
function findDirectory(file: Buffer): Directory {
  const end = findEnd(file)
  const short = { count: file.readUInt16LE(end + 10), size: file.readUInt32LE(end + 12), start: file.readUInt32LE(end + 16), end }
  const isOneDisk = file.readUInt16LE(end + 4) === 0 && file.readUInt16LE(end + 8) === short.count
  const place = end - 20
  if (place < 0 || file.readUInt32LE(place) !== directoryEnd64Place) {
    if (short.count === elsewhere16 || short.size === elsewhere32 || short.start === elsewhere32)
      throw new SheetUnreadable(sentences.too_big_inside)
    if (!isOneDisk) throw damaged()
    return short
  }
  const record = readSize64(file, place + 8)
  if (record + 56 > place || file.readUInt32LE(record) !== directoryEnd64) throw damaged()
  if (record + 12 + readSize64(file, record + 4) !== place) throw damaged()
  const isOneDisk64 = [place + 4, record + 16, record + 20].every((disk) => file.readUInt32LE(disk) === 0)
  const long = {
    count: readSize64(file, record + 32),
    size: readSize64(file, record + 40),
    start: readSize64(file, record + 48),
    end: record,
  }
  const agrees = (said: number, is: number, elsewhere: number) => said === is || said === elsewhere
  if (
    !isOneDisk64 ||
    !isOneDisk ||
    readSize64(file, record + 24) !== long.count ||
    !agrees(short.count, long.count, elsewhere16) ||
    !agrees(short.size, long.size, elsewhere32) ||
    !agrees(short.start, long.start, elsewhere32)
  )
    throw damaged()
  return long
}

/** Eight bytes; what a double cannot hold exactly is no size of a file. */
function readSize64(file: Buffer, at: number): number {
  const size = file.readBigUInt64LE(at)
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged()
  return Number(size)
}

/** The sizes and the place of an entry. Those that its header leaves open stand in its ZIP64 field, in this order; without one they are the sizes of 4 GB. */
function readSizes(file: Buffer, entry: number, extra: number): { plain: number; packed: number; local: number } {
  const sizes = {
    plain: file.readUInt32LE(entry + 24),
    packed: file.readUInt32LE(entry + 20),
    local: file.readUInt32LE(entry + 42),
  }
  const open = (['plain', 'packed', 'local'] as const).filter((size) => sizes[size] === elsewhere32)
  if (open.length === 0) return sizes
  const extraEnd = extra + file.readUInt16LE(entry + 30)
  for (let at = extra; at + 4 <= extraEnd; at += 4 + file.readUInt16LE(at + 2)) {
    if (file.readUInt16LE(at) !== 1) continue
    if (file.readUInt16LE(at + 2) < open.length * 8 || at + 4 + open.length * 8 > extraEnd) throw damaged()
    open.forEach((size, nth) => (sizes[size] = readSize64(file, at + 4 + nth * 8)))
    break
  }
  return sizes
}

type Entry = { readonly packed: Buffer; readonly method: number; readonly size: number; readonly crc: number }

function unpacked({ packed, method, size, crc }: Entry): Buffer {
  if (size > limits.part_bytes) throw new SheetUnreadable(sentences.too_big_inside)
  let bytes: Buffer
  if (method === 0) bytes = packed
  else if (method === 8) {
    try {
      bytes = inflateRawSync(packed, { maxOutputLength: size + 1 })
    } catch (error) {
      const tooLarge =
        error instanceof RangeError || (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw new SheetUnreadable(tooLarge ? sentences.too_big_inside : sentences.damaged)
    }
  } else throw damaged()
  if (bytes.length !== size || crc32(bytes) !== crc) throw damaged()
  checkStart(bytes)
  return bytes
}

const a_piece = 256 * 1024

async function* unpackedInPieces(entry: Entry): AsyncGenerator<Buffer> {
  if (entry.method !== 8) {
    yield unpacked(entry)
    return
  }
  const inflate = createInflateRaw({ chunkSize: a_piece })
  inflate.end(entry.packed)
  let size = 0
  let crc = 0
  try {
    for await (const piece of inflate) {
      if (size === 0) checkStart(piece)
      size += piece.length
      if (size > entry.size) throw new SheetUnreadable(sentences.too_big_inside)
      crc = crc32(piece, crc)
      yield piece
    }
  } catch (error) {
    throw error instanceof SheetUnreadable ? error : damaged()
  }
  if (size !== entry.size || crc !== entry.crc) throw damaged()
}

function checkStart(bytes: Buffer) {
  if (/<!DOCTYPE|<!ENTITY/i.test(bytes.toString('latin1', 0, Math.min(bytes.length, 4096)))) throw damaged()
  // UTF-16 would hide a DTD from the line above.
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) throw damaged()
}
