/** Minimal strict parser for the DER (X.690) used in time stamps. Like everything in this folder it imports only Node modules. */
import { VerificationError } from './canonical.ts'

export type DerValue = { readonly tag: number; readonly bytes: Buffer; readonly body: Buffer }

const createDamagedError = () => new VerificationError('damaged', '时间戳的内容不完整，或被改动过')

/** Reads the first value and returns it with the remaining bytes. */
function readFirst(bytes: Buffer): { one: DerValue; rest: Buffer } {
  const [tag, short] = [bytes[0], bytes[1]]
  if (tag === undefined || short === undefined || (tag & 0x1f) === 0x1f) throw createDamagedError()
  const more = short < 0x80 ? 0 : short & 0x7f
  if (short === 0x80 || more > 4 || bytes.length < 2 + more) throw createDamagedError()
  const length = more === 0 ? short : bytes.readUIntBE(2, more)
  // Only the shortest encoding of a length is valid.
  if (more > 0 && (length < 0x80 || bytes[2] === 0)) throw createDamagedError()
  const end = 2 + more + length
  if (end > bytes.length) throw createDamagedError()
  return { one: { tag, bytes: bytes.subarray(0, end), body: bytes.subarray(2 + more, end) }, rest: bytes.subarray(end) }
}

/** Parses bytes that hold exactly one value. */
export function parseDer(bytes: Buffer): DerValue {
  const { one, rest } = readFirst(bytes)
  if (rest.length > 0) throw createDamagedError()
  return one
}

export function getDerChildren({ tag, body }: DerValue): DerValue[] {
  if ((tag & 0x20) === 0) throw createDamagedError()
  const children: DerValue[] = []
  for (let rest = body; rest.length > 0; ) {
    const next = readFirst(rest)
    children.push(next.one)
    rest = next.rest
  }
  return children
}

/** Returns the value if it has this tag; otherwise throws `createDamagedError`. */
export function expectTag(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag !== tag) throw createDamagedError()
  return value
}
export const readSequence = (value: DerValue | undefined): DerValue[] => getDerChildren(expectTag(value, 0x30))

/** Reads an object identifier, for example `1.2.840.113549.1.7.2`. */
export function readOid(value: DerValue | undefined): string {
  const numbers: number[] = []
  let arc = 0
  for (const byte of expectTag(value, 0x06).body) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    numbers.push(arc)
    arc = 0
  }
  const [head = 0, ...tail] = numbers
  const root = Math.min(2, Math.floor(head / 40))
  return [root, head - root * 40, ...tail].join('.')
}

/** Reads `20261123132000Z`, with or without a fraction of a second, and returns 2026-11-23T13:20:00.000Z. */
export function readGeneralizedTime(value: DerValue | undefined): string {
  const [, year, month, day, hour, minute, second, rest = ''] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?Z$/.exec(expectTag(value, 0x18).body.toString('latin1')) ?? []
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${rest.slice(0, 4)}Z`)
  if (Number.isNaN(at.getTime())) throw createDamagedError()
  return at.toISOString()
}
