/** Alipay's statements are a ZIP of a few small files: enough of the format to read them, and to write them in the simulator. */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

export type ZipFile = { readonly name: string; readonly bytes: Buffer }
const [localHeaderSignature, centralHeaderSignature, endRecordSignature] = [0x04034b50, 0x02014b50, 0x06054b50]
/** A day's sales are far below this limit; a larger file is not a statement. */
const maxFileBytes = 64 * 1024 * 1024
const maxFiles = 20
const decoder = new TextDecoder('gb18030')

/** Returns the files of an archive by its central directory; throws if it is not an archive or larger than a statement can be. */
export function unzip(bytes: Buffer): ZipFile[] {
  const from = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (from < 0) throw new Error('not a ZIP')
  const count = bytes.readUInt16LE(from + 10)
  if (count > maxFiles) throw new Error('more files than a statement has')
  const files: ZipFile[] = []
  let at = bytes.readUInt32LE(from + 16)
  for (let file = 0; file < count; file += 1) {
    if (bytes.readUInt32LE(at) !== centralHeaderSignature) throw new Error('a damaged ZIP')
    const [method, flags] = [bytes.readUInt16LE(at + 10), bytes.readUInt16LE(at + 8)]
    const [size, nameLength, extra, commentLength] = [
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
    ]
    const start = bytes.readUInt32LE(at + 42)
    const name = bytes.subarray(at + 46, at + 46 + nameLength)
    const content = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    const packed = bytes.subarray(content, content + size)
    const unpacked = method === 8 ? inflateRawSync(packed, { maxOutputLength: maxFileBytes }) : Buffer.from(packed)
    if (crc32(unpacked) !== bytes.readUInt32LE(at + 16)) throw new Error('a damaged ZIP')
    // Bit 11 means that the name is UTF-8; otherwise it uses the writer's Chinese encoding.
    files.push({ name: (flags & 0x800) > 0 ? name.toString('utf8') : decoder.decode(name), bytes: unpacked })
    at += 46 + nameLength + extra + commentLength
  }
  return files
}

export function zip(files: readonly ZipFile[]): Buffer {
  const bodies: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const { name, bytes } of files) {
    const [packed, nameBytes] = [deflateRawSync(bytes), Buffer.from(name)]
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(0x800, 2)
    head.writeUInt16LE(8, 4)
    head.writeUInt32LE(crc32(bytes), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(bytes.length, 18)
    head.writeUInt16LE(nameBytes.length, 22)
    const [first, entry, rest] = [Buffer.alloc(4), Buffer.alloc(6), Buffer.alloc(14)]
    first.writeUInt32LE(localHeaderSignature)
    entry.writeUInt32LE(centralHeaderSignature)
    entry.writeUInt16LE(20, 4)
    rest.writeUInt32LE(at, 10)
    const body = Buffer.concat([first, head, nameBytes, packed])
    bodies.push(body)
    list.push(Buffer.concat([entry, head, rest, nameBytes]))
    at += body.length
  }
  const centralDirectory = Buffer.concat(list)
  const endRecord = Buffer.alloc(22)
  endRecord.writeUInt32LE(endRecordSignature)
  endRecord.writeUInt16LE(files.length, 8)
  endRecord.writeUInt16LE(files.length, 10)
  endRecord.writeUInt32LE(centralDirectory.length, 12)
  endRecord.writeUInt32LE(at, 16)
  return Buffer.concat([...bodies, centralDirectory, endRecord])
}
