/**
 * Opens an archive strictly and with hard limits before any parser: a zip bomb, a false size, two directories, an
 * encrypted entry or a DTD is rejected, and the bytes that were checked are exactly those that are read.
 */
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from './unreadable-error.ts'

export interface GuardedEntry {
  readonly name: string
  /** Unpacked size in bytes. */
  readonly size: number
  /** Returns the entire verified content. */
  read(): Buffer
  /** Yields the content in chunks; the last one is yielded before the checksum is known, and a wrong checksum throws. */
  chunks(): AsyncIterable<Buffer>
}

const endOfDirectorySignature = 0x06054b50
const directoryEntrySignature = 0x02014b50
const localEntrySignature = 0x04034b50
const endOfDirectory64Signature = 0x06064b50
const directory64LocatorSignature = 0x07064b50
/** Marks a count or size that is stored in the ZIP64 fields instead. */
const zip64Marker16 = 0xffff
const zip64Marker32 = 0xffffffff
/** Maximum length of the data descriptor that may follow an entry with its sizes. */
const descriptorBytes = 24

/** Parts that the parser does not use: pictures, macros, printer settings, other formats. */
const unusedEntryPattern =
  /\.(?:png|jpe?g|gif|emf|wmf|bmp|tiff?|svg|bin|vml|ttf|odttf|mp4|wav|css|js)$|^(?:docProps|customXml|Configurations2|Thumbnails)\/|\/(?:drawings|media|charts|embeddings|theme|printerSettings|activeX|ctrlProps|persons|threadedComments|externalLinks|pivotTables|pivotCache)\//i

const createDamagedError = () => new UnreadableSheetError(unreadableMessages.damaged)

/** Returns the relevant parts of an archive; throws `UnreadableSheetError`. */
export function readZipEntries(file: Buffer): GuardedEntry[] {
  const { count, size, start, end } = findDirectory(file)
  if (start + size !== end) throw createDamagedError()
  if (count > sheetLimits.sections) throw new UnreadableSheetError(unreadableMessages.too_big_inside)

  const entries: GuardedEntry[] = []
  const names = new Set<string>()
  const places: [number, number][] = []
  let all = 0
  let at = start
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || file.readUInt32LE(at) !== directoryEntrySignature) throw createDamagedError()
    const flags = file.readUInt16LE(at + 8)
    const method = file.readUInt16LE(at + 10)
    const crc = file.readUInt32LE(at + 16)
    const nameLength = file.readUInt16LE(at + 28)
    const nameEnd = at + 46 + nameLength
    const next = nameEnd + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
    if (next > end) throw createDamagedError()
    const { plain, packed, local } = readSizes(file, at, nameEnd)
    const message = file.toString('utf8', at + 46, nameEnd)
    // Some Windows programs separate folders with backslashes.
    const name = message.replaceAll('\\', '/')
    at = next

    if (flags & 0x2041) throw new UnreadableSheetError(unreadableMessages.encrypted)
    if (names.has(name.toLowerCase()) || nameLength > 512) throw createDamagedError()
    names.add(name.toLowerCase())
    if (local + 30 > start || file.readUInt32LE(local) !== localEntrySignature) throw createDamagedError()
    if (file.readUInt16LE(local + 8) !== method) throw createDamagedError()
    const from = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28)
    if (file.toString('utf8', local + 30, local + 30 + file.readUInt16LE(local + 26)) !== message) throw createDamagedError()
    if (from + packed > start) throw createDamagedError()
    places.push([local, from + packed])
    // Parts that are never read are not checked.
    if (name.endsWith('/') || (name !== 'xl/workbook.bin' && unusedEntryPattern.test(name))) continue
    all += plain
    if (plain > sheetLimits.sheet_bytes || all > sheetLimits.all_bytes || isBomb(plain, packed))
      throw new UnreadableSheetError(unreadableMessages.too_big_inside)
    const entry = { packed: file.subarray(from, from + packed), method, size: plain, crc }
    entries.push({ name, size: plain, read: () => unpackEntry(entry), chunks: () => streamUnpacked(entry) })
  }
  // Overlapping entries are how a small archive expands to a large one; bytes that belong to no entry may be a second
  // archive.
  let last = 0
  for (const [from, to] of [...places.toSorted((a, b) => a[0] - b[0]), [start, start] as const]) {
    if (from < last || from > last + (last === 0 ? 0 : descriptorBytes)) throw createDamagedError()
    last = to
  }
  return entries
}

/** The XML of a sheet shrinks to a tenth, sometimes to a thirtieth; a ratio of a thousand is an attack. */
const isBomb = (plain: number, packed: number) => plain > 4 * 1024 * 1024 && plain > packed * 100

/** Finds the only end of central directory record, as far back as its comment may reach. */
function findDirectoryEnd(file: Buffer): number {
  for (let at = file.length - 22; at >= Math.max(0, file.length - 22 - 0xffff); at--)
    if (file.readUInt32LE(at) === endOfDirectorySignature && at + 22 + file.readUInt16LE(at + 20) === file.length) return at
  throw new UnreadableSheetError(unreadableMessages.damaged)
}

type ZipDirectory = { readonly count: number; readonly size: number; readonly start: number; readonly end: number }

/**
 * Finds the directory and the number of its entries. Writers that do not know sizes in advance (Apache POI, streams)
 * add the ZIP64 record between the directory and its end; the two may differ only if the short record refers to the
 * long one.
 */
function findDirectory(file: Buffer): ZipDirectory {
  const end = findDirectoryEnd(file)
  const short = { count: file.readUInt16LE(end + 10), size: file.readUInt32LE(end + 12), start: file.readUInt32LE(end + 16), end }
  const isOneDisk = file.readUInt16LE(end + 4) === 0 && file.readUInt16LE(end + 8) === short.count
  const position = end - 20
  if (position < 0 || file.readUInt32LE(position) !== directory64LocatorSignature) {
    if (short.count === zip64Marker16 || short.size === zip64Marker32 || short.start === zip64Marker32)
      throw new UnreadableSheetError(unreadableMessages.too_big_inside)
    if (!isOneDisk) throw createDamagedError()
    return short
  }
  const record = readSize64(file, position + 8)
  if (record + 56 > position || file.readUInt32LE(record) !== endOfDirectory64Signature) throw createDamagedError()
  if (record + 12 + readSize64(file, record + 4) !== position) throw createDamagedError()
  const isOneDisk64 = [position + 4, record + 16, record + 20].every((disk) => file.readUInt32LE(disk) === 0)
  const long = {
    count: readSize64(file, record + 32),
    size: readSize64(file, record + 40),
    start: readSize64(file, record + 48),
    end: record,
  }
  const agrees = (message: number, is: number, elsewhere: number) => message === is || message === elsewhere
  if (
    !isOneDisk64 ||
    !isOneDisk ||
    readSize64(file, record + 24) !== long.count ||
    !agrees(short.count, long.count, zip64Marker16) ||
    !agrees(short.size, long.size, zip64Marker32) ||
    !agrees(short.start, long.start, zip64Marker32)
  )
    throw createDamagedError()
  return long
}

/** Reads eight bytes; a value that a double cannot represent exactly is not a file size. */
function readSize64(file: Buffer, at: number): number {
  const size = file.readBigUInt64LE(at)
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw createDamagedError()
  return Number(size)
}

/**
 * Reads the sizes and the position of an entry. Values that its header leaves open are in its ZIP64 field, in this
 * order; without that field the header holds literal values of 4 GB.
 */
function readSizes(file: Buffer, entry: number, extra: number): { plain: number; packed: number; local: number } {
  const sizes = {
    plain: file.readUInt32LE(entry + 24),
    packed: file.readUInt32LE(entry + 20),
    local: file.readUInt32LE(entry + 42),
  }
  const open = (['plain', 'packed', 'local'] as const).filter((size) => sizes[size] === zip64Marker32)
  if (open.length === 0) return sizes
  const extraEnd = extra + file.readUInt16LE(entry + 30)
  for (let at = extra; at + 4 <= extraEnd; at += 4 + file.readUInt16LE(at + 2)) {
    if (file.readUInt16LE(at) !== 1) continue
    if (file.readUInt16LE(at + 2) < open.length * 8 || at + 4 + open.length * 8 > extraEnd) throw createDamagedError()
    open.forEach((size, nth) => (sizes[size] = readSize64(file, at + 4 + nth * 8)))
    break
  }
  return sizes
}

type PackedEntry = { readonly packed: Buffer; readonly method: number; readonly size: number; readonly crc: number }

function unpackEntry({ packed, method, size, crc }: PackedEntry): Buffer {
  if (size > sheetLimits.part_bytes) throw new UnreadableSheetError(unreadableMessages.too_big_inside)
  let bytes: Buffer
  if (method === 0) bytes = packed
  else if (method === 8) {
    try {
      bytes = inflateRawSync(packed, { maxOutputLength: size + 1 })
    } catch (error) {
      const tooLarge =
        error instanceof RangeError || (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw new UnreadableSheetError(tooLarge ? unreadableMessages.too_big_inside : unreadableMessages.damaged)
    }
  } else throw createDamagedError()
  if (bytes.length !== size || crc32(bytes) !== crc) throw createDamagedError()
  assertXmlStart(bytes)
  return bytes
}

const chunkBytes = 256 * 1024

async function* streamUnpacked(entry: PackedEntry): AsyncGenerator<Buffer> {
  if (entry.method !== 8) {
    yield unpackEntry(entry)
    return
  }
  const inflate = createInflateRaw({ chunkSize: chunkBytes })
  inflate.end(entry.packed)
  let size = 0
  let crc = 0
  try {
    for await (const piece of inflate) {
      if (size === 0) assertXmlStart(piece)
      size += piece.length
      if (size > entry.size) throw new UnreadableSheetError(unreadableMessages.too_big_inside)
      crc = crc32(piece, crc)
      yield piece
    }
  } catch (error) {
    throw error instanceof UnreadableSheetError ? error : createDamagedError()
  }
  if (size !== entry.size || crc !== entry.crc) throw createDamagedError()
}

function assertXmlStart(bytes: Buffer) {
  if (/<!DOCTYPE|<!ENTITY/i.test(bytes.toString('latin1', 0, Math.min(bytes.length, 4096)))) throw createDamagedError()
  // UTF-16 would hide a DTD from the check above.
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) throw createDamagedError()
}
