/** Zip archives: from complete entries, or from entries written and compressed incrementally, into memory or into a stream. */
import { once } from 'node:events'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'

export type ZipEntry = { name: string; crc: number; size: number; bytes: Buffer }

export function compressEntry(name: string, text: string | Buffer): ZipEntry {
  const plain = typeof text === 'string' ? Buffer.from(text) : text
  return { name, crc: crc32(plain), size: plain.length, bytes: deflateRawSync(plain) }
}

/** Writes an entry incrementally and compresses it at once: requires the memory of its compressed form. */
export function createEntryWriter(name: string) {
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
    /** Returns the output compressed so far, and releases it. */
    take(): Buffer {
      const accepted = Buffer.concat(chunks)
      chunks = []
      return accepted
    },
    async finish(): Promise<ZipEntry> {
      deflate.end()
      await once(deflate, 'end')
      return { name, crc, size, bytes: Buffer.concat(chunks) }
    },
  }
}

/** 1 January 1980, the earliest date of the zip format: the same content gives the same file. */
const dos_date = 0x0021

/** The destination of a file while it is generated; waits while the receiver is behind. */
export type Sink = (bytes: Buffer) => Promise<void>
type Entry = Omit<ZipEntry, 'bytes'> & { readonly length: number }

/** Bit 3: sizes follow the content (a streamed entry); bit 11: names are UTF-8. */
function buildEntryHeader({ name, crc, size, length }: Entry, follows: boolean): Buffer {
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

/** Creates a zip that is streamed while it is generated. */
export function createZipStream(to: Sink) {
  const directory: Buffer[] = []
  let sections = 0
  let offset = 0
  const out: Sink = async (bytes) => {
    offset += bytes.length
    await to(bytes)
  }
  const listed = (entry: Entry, at: number, follows: boolean) => {
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    directory.push(
      Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'),
      buildEntryHeader(entry, follows),
      tail,
      Buffer.from(entry.name),
    )
    sections += 1
  }
  return {
    async addEntry({ bytes, ...part }: ZipEntry): Promise<void> {
      const entry = { ...part, length: bytes.length }
      listed(entry, offset, false)
      await out(Buffer.concat([local, buildEntryHeader(entry, false), Buffer.from(entry.name), bytes]))
    },
    async addStreamedEntry(name: string) {
      const started = offset
      await out(Buffer.concat([local, buildEntryHeader({ name, crc: 0, size: 0, length: 0 }, true), Buffer.from(name)]))
      const start = offset
      const part = createEntryWriter(name)
      return {
        async write(text: string): Promise<void> {
          await part.write(text)
          await out(part.take())
        },
        async end(): Promise<void> {
          const { bytes, crc, size } = await part.finish()
          await out(bytes)
          const entry = { name, crc, size, length: offset - start }
          listed(entry, started, true)
          await out(Buffer.concat([Buffer.from('PK\u0007\u0008', 'latin1'), buildEntryHeader(entry, true).subarray(10, 22)]))
        },
      }
    },
    async end(): Promise<void> {
      await out(buildEndRecord(Buffer.concat(directory), sections, offset))
    },
  }
}

/** Builds the end record: the central directory and its offset. */
function buildEndRecord(index: Buffer, sections: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(sections, 8)
  end.writeUInt16LE(sections, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([index, end])
}

export function createZip(sections: readonly ZipEntry[]): Buffer {
  const out: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { bytes, ...part } of sections) {
    const file = Buffer.from(part.name)
    const common = buildEntryHeader({ ...part, length: bytes.length }, false)
    out.push(local, common, file, bytes)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, tail, file)
    offset += 30 + file.length + bytes.length
  }
  return Buffer.concat([...out, buildEndRecord(Buffer.concat(directory), sections.length, offset)])
}
