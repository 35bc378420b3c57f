/**
 * Deliberately broken wage sheets, always the same for a seed: changed bytes, cut and spliced files, parts swapped with
 * correct checksums, changed XML and records.
 */
import { makeZip, zipEntries } from '../files/xlsx.ts'

export interface Source {
  name: string
  bytes: Buffer
}

export interface Mutant {
  what: string
  bytes: Buffer
  source: Source
  /** What may differ in a file that is still readable: nothing, one value, or anything. */
  may: 'nothing' | 'one' | 'anything'
}

class Chance {
  private state: number
  constructor(seed: number) {
    this.state = (seed * 2_654_435_761) >>> 0 || 1
  }
  /** Returns an integer from 0 to below `most`. */
  below(most: number): number {
    this.state ^= this.state << 13
    this.state ^= this.state >>> 17
    this.state ^= this.state << 5
    return (this.state >>> 0) % Math.max(1, most)
  }
  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T
  }
}

const extremes = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]

/** Returns the mutant of this number. */
export function mutant(seed: number, sources: readonly Source[]): Mutant {
  const chance = new Chance(seed + 1)
  const source = chance.of(sources)
  const isZip = source.bytes.toString('latin1', 0, 2) === 'PK'
  const isXls = source.bytes[0] === 0xd0
  const kind = chance.below(10)
  if (isZip && kind < 6) return { source, ...zipMutant(source.bytes, chance) }
  if (isXls && kind < 6) return { source, what: 'record', may: 'anything', bytes: recordMutant(source.bytes, chance) }
  if (!isZip && !isXls && kind < 4) return { source, what: 'text', may: 'anything', bytes: textMutant(source.bytes, chance) }
  const { what, bytes } = byteMutant(source.bytes, chance, chance.of(sources).bytes)
  // A checksum covers every byte that matters in an archive.
  return { source, what, bytes, may: isZip ? 'nothing' : 'anything' }
}

function byteMutant(from: Buffer, chance: Chance, other: Buffer): { what: string; bytes: Buffer } {
  const bytes = Buffer.from(from)
  const at = chance.below(bytes.length)
  switch (chance.below(8)) {
    case 0:
      for (let slots = 1 + chance.below(4); slots > 0; slots--) {
        const position = chance.below(bytes.length)
        bytes[position] = (bytes[position] ?? 0) ^ (1 << chance.below(8))
      }
      return { what: 'bits', bytes }
    case 1:
      return { what: 'cut', bytes: bytes.subarray(0, at) }
    case 2:
      return { what: 'cut in front', bytes: bytes.subarray(at) }
    case 3:
      bytes.fill(chance.of([0, 255]), at, Math.min(bytes.length, at + chance.below(200)))
      return { what: 'blanked', bytes }
    case 4: {
      const size = chance.below(500)
      return {
        what: 'chunk from elsewhere',
        bytes: Buffer.concat([bytes.subarray(0, at), other.subarray(0, size), bytes.subarray(at + size)]),
      }
    }
    case 5:
      return {
        what: 'chunk twice',
        bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - chance.below(300)))]),
      }
    case 6:
      if (at + 4 <= bytes.length) bytes.writeUInt32LE(chance.of(extremes), at)
      return { what: 'extreme', bytes }
    default:
      return { what: 'half and half', bytes: Buffer.concat([bytes.subarray(0, at), other.subarray(Math.min(at, other.length))]) }
  }
}

type Changed = Pick<Mutant, 'what' | 'may' | 'bytes'>

function zipMutant(from: Buffer, chance: Chance): Changed {
  const sections = zipEntries(from)
  const names = Object.keys(sections)
  const sheets = names.filter((name) => /worksheets\/[^/]+\.xml$|content\.xml$/.test(name))
  const name = chance.of(sheets.length > 0 && chance.below(3) > 0 ? sheets : names)
  const text = sections[name]?.toString('utf8') ?? ''
  switch (chance.below(8)) {
    case 0: {
      const second = chance.of(names)
      ;[sections[name], sections[second]] = [sections[second] ?? Buffer.alloc(0), sections[name] ?? Buffer.alloc(0)]
      return { what: 'parts swapped', may: 'anything', bytes: makeZip(sections) }
    }
    case 1:
      delete sections[name]
      return { what: 'part gone', may: 'anything', bytes: makeZip(sections) }
    case 2: {
      // Changes one digit of one stored number.
      const places = [...text.matchAll(/<c (?![^>]*t=)[^>]*><v>\d*[1-8]\d*(?:\.\d+)?<\/v>/g)]
      const position = places[chance.below(places.length)]
      if (!position) break
      const at = position.index + position[0].search(/[1-8]\d*(?:\.\d+)?<\/v>$/)
      sections[name] = Buffer.from(`${text.slice(0, at)}9${text.slice(at + 1)}`)
      return { what: 'digit', may: 'one', bytes: makeZip(sections) }
    }
  }
  sections[name] = Buffer.from(xmlMutant(text, chance))
  return { what: 'XML', may: 'anything', bytes: makeZip(sections) }
}

const values = [
  '',
  '0',
  '-1',
  '1e999',
  '999999999999',
  'A1:XFD1048576',
  'XFD1048576',
  '&#0;',
  '&x;',
  '\ud800',
  '<',
  '__proto__',
  's',
  'rId1',
  '../../x',
]

function xmlMutant(text: string, chance: Chance): string {
  const tags = [...text.matchAll(/<[^<>]*>/g)]
  const tag = tags[chance.below(tags.length)]
  const second = tags[chance.below(tags.length)]
  if (!tag || !second) return text.slice(0, chance.below(text.length))
  const [at, end] = [tag.index, tag.index + tag[0].length]
  switch (chance.below(7)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, end) + tag[0].repeat(1 + chance.below(50)) + text.slice(end)
    case 2:
      return text.slice(0, at) + tag[0].replace(/="[^"]*"/, `="${chance.of(values)}"`) + text.slice(end)
    case 3:
      return text.slice(0, end) + chance.of(values) + text.slice(end)
    case 4:
      return text.slice(0, chance.below(text.length))
    case 5:
      return text.slice(0, at) + second[0] + text.slice(end)
    default:
      return text.slice(0, Math.min(at, second.index)) + text.slice(Math.max(at, second.index))
  }
}

/** Changes records of a BIFF stream that begins in its first sector. */
function recordMutant(from: Buffer, chance: Chance): Buffer {
  const bytes = Buffer.from(from)
  const places: number[] = []
  let at = Math.max(512, bytes.indexOf(Buffer.from([0x09, 0x08, 0x10, 0x00])))
  while (at + 4 < bytes.length && places.length < 5_000) {
    places.push(at)
    at += 4 + bytes.readUInt16LE(at + 2)
  }
  for (let slots = 1 + chance.below(3); slots > 0; slots--) {
    const position = chance.of(places)
    const size = bytes.readUInt16LE(position + 2)
    const what = chance.below(4)
    if (what === 0)
      bytes.writeUInt16LE(chance.of([0x0a, 0x85, 0xfc, 0x3c, 0xfd, 0xbd, 0x06, 0x208, 0x203, 0x204, 0xe5, 0xffff]), position)
    else if (what === 1) bytes.writeUInt16LE(chance.of([0, 1, size + 1, Math.max(0, size - 1), 8224, 0xffff]), position + 2)
    else if (what === 2 && size >= 2 && position + 4 + size <= bytes.length)
      bytes.writeUInt16LE(chance.of(extremes) & 0xffff, position + 4 + chance.below(size - 1))
    else bytes[position + chance.below(size + 4)] = chance.below(256)
  }
  return bytes
}

const signs = [
  '"',
  '""',
  ',',
  '\t',
  '\r',
  '\n',
  ';',
  '\u0000',
  '\ufeff',
  '\ud83d',
  '<table>',
  '</table>',
  '<td>',
  '<!--',
  '<?xml',
  '&#x0;',
  '\u202e',
  '='.repeat(100_000),
]

function textMutant(from: Buffer, chance: Chance): Buffer {
  let bytes = from
  for (let slots = 1 + chance.below(5); slots > 0; slots--) {
    const at = chance.below(bytes.length)
    const away = chance.of([0, 0, 1, 5, 50])
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(chance.of(signs)), bytes.subarray(at + away)])
  }
  return bytes
}
