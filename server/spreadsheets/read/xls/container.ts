/** The container of an .xls ([MS-CFB]): streams of the root folder by name; an embedded workbook is a different one. */

const endOfChain = 0xfffffffa
const entryBytes = 128

/** Returns streams by name in lower case; throws a `RangeError` if the file is not a container. */
export function readStreams(file: Buffer): Map<string, () => Buffer> {
  const sectorSize = 1 << file.readUInt16LE(30)
  if (sectorSize !== 512 && sectorSize !== 4096) throw new RangeError('sector size')
  const sector = (at: number) => file.subarray((at + 1) * sectorSize, (at + 2) * sectorSize)
  const most = Math.ceil(file.length / sectorSize)
  const fat = readFat(file, sector, most)
  const chain = (start: number, next: readonly number[], piece: (at: number) => Buffer) => {
    const segments: Buffer[] = []
    for (let at = start; at < endOfChain && segments.length <= most * 64; at = next[at] ?? endOfChain) segments.push(piece(at))
    return Buffer.concat(segments)
  }

  const entries = chain(file.readUInt32LE(48), fat, sector)
  const root = entries.subarray(0, entryBytes)
  if (root.length < entryBytes) throw new RangeError('no directory')
  const small = () => chain(root.readUInt32LE(116), fat, sector)
  const smallFat = () => {
    const table = chain(file.readUInt32LE(60), fat, sector)
    return Array.from({ length: table.length >> 2 }, (_, i) => table.readUInt32LE(i * 4))
  }
  const read = (entry: Buffer) => {
    const size = entry.readUInt32LE(120)
    if (size >= file.readUInt32LE(56)) return chain(entry.readUInt32LE(116), fat, sector).subarray(0, size)
    const bytes = small()
    return chain(entry.readUInt32LE(116), smallFat(), (at) => bytes.subarray(at * 64, at * 64 + 64)).subarray(0, size)
  }
  const streams = new Map<string, () => Buffer>()
  for (const entry of listChildren(entries, root)) {
    const name = entry.toString('utf16le', 0, Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2)).toLowerCase()
    if (!streams.has(name)) streams.set(name, () => read(entry))
  }
  return streams
}

function readFat(file: Buffer, sector: (at: number) => Buffer, most: number): number[] {
  const fat: number[] = []
  const add = (at: number) => {
    const part = sector(at)
    for (let i = 0; i + 4 <= part.length; i += 4) fat.push(part.readUInt32LE(i))
  }
  for (let i = 0; i < 109; i++) {
    const at = file.readUInt32LE(76 + i * 4)
    if (at < endOfChain && at < most) add(at)
  }
  // The table of files with more than 109 sectors (7 MB) continues in further sectors.
  for (let at = file.readUInt32LE(68), rounds = 0; at < endOfChain && at < most && rounds < most; rounds++) {
    const part = sector(at)
    for (let i = 0; i + 8 <= part.length; i += 4) if (part.readUInt32LE(i) < most) add(part.readUInt32LE(i))
    at = part.readUInt32LE(part.length - 4)
  }
  return fat
}

/** The entries of a folder form a tree: left, right and the folder's first child. */
function listChildren(entries: Buffer, folder: Buffer): Buffer[] {
  const children: Buffer[] = []
  const visited = new Set<number>()
  const waiting = [folder.readUInt32LE(76)]
  while (waiting.length > 0) {
    const at = waiting.pop() ?? 0
    const entry = entries.subarray(at * entryBytes, (at + 1) * entryBytes)
    if (visited.has(at) || entry.length < entryBytes) continue
    visited.add(at)
    waiting.push(entry.readUInt32LE(68), entry.readUInt32LE(72))
    if (entry[66] === 2 || entry[66] === 1) children.push(entry)
  }
  return children
}
