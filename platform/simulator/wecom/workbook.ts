/**
 * Replaces texts in a part of a workbook archive; implemented independently of the product's code, so that each
 * verifies the other.
 */
import { crc32, inflateRawSync } from 'node:zlib'

type ArchiveEntry = { readonly name: string; readonly bytes: Buffer }

/** Parses the entries by the central directory at the end of the archive. */
function parseArchive(archive: Buffer): ArchiveEntry[] {
  const end = archive.lastIndexOf('PK\u0005\u0006', archive.length, 'latin1')
  const entries: ArchiveEntry[] = []
  let at = end < 0 ? 0 : archive.readUInt32LE(end + 16)
  for (let left = end < 0 ? 0 : archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [length, from] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 42)]
    const begin = from + 30 + archive.readUInt16LE(from + 26) + archive.readUInt16LE(from + 28)
    const raw = archive.subarray(begin, begin + length)
    const named = archive.readUInt16LE(at + 28)
    const bytes = archive.readUInt16LE(at + 10) === 8 ? inflateRawSync(raw) : Buffer.from(raw)
    entries.push({ name: archive.subarray(at + 46, at + 46 + named).toString('utf8'), bytes })
    at += 46 + named + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return entries
}
const toBytes = (value: number, size: 2 | 4): Buffer => {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntLE(value, 0, size)
  return bytes
}
/** Entries are stored uncompressed: the archive is read once and discarded. */
function buildArchive(entries: readonly ArchiveEntry[]): Buffer {
  const files: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const { name, bytes } of entries) {
    const nameBytes = Buffer.from(name)
    const size = toBytes(bytes.length, 4)
    const header = [
      toBytes(20, 2),
      toBytes(0x800, 2),
      toBytes(0, 2),
      toBytes(0, 2),
      toBytes(0x21, 2),
      toBytes(crc32(bytes), 4),
      size,
      size,
    ]
    const head = Buffer.concat([...header, toBytes(nameBytes.length, 2), toBytes(0, 2)])
    const file = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), head, nameBytes, bytes])
    list.push(
      Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'),
      head,
      toBytes(0, 2),
      toBytes(0, 4),
      toBytes(0, 4),
      toBytes(at, 4),
      nameBytes,
    )
    files.push(file)
    at += file.length
  }
  const centralDirectory = Buffer.concat(list)
  const count = toBytes(entries.length, 2)
  const end = [toBytes(0, 4), count, count, toBytes(centralDirectory.length, 4), toBytes(at, 4), toBytes(0, 2)]
  return Buffer.concat([...files, centralDirectory, Buffer.from('PK\u0005\u0006', 'latin1'), ...end])
}

export const replaceTexts = (archive: Buffer, isText: (name: string) => boolean, transform: (text: string) => string): Buffer =>
  buildArchive(
    parseArchive(archive).map(({ name, bytes }) => ({
      name,
      bytes: isText(name) ? Buffer.from(transform(bytes.toString('utf8'))) : bytes,
    })),
  )
