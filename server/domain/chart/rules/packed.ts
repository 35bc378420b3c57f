/**
 * The parts of many slips in few bytes: a batch of ten thousand people is half a megabyte and opened in a few thousandths of a second. Of each slip 16
 * bytes of whose it is, one bit for each figure that it has not, and then number by number: 6 bits with its sign, 7 bits each that follow.
 */
import type { SlipParts } from './parts.ts'

/** In this order for ever: another order is another version of what lies on disk. */
export const packedParts = [
  'gross',
  'net',
  'tax',
  'base',
  'bonus',
  'allowance',
  'overtime',
  'rest',
  'absence',
  'social',
  'fund',
  'other',
  'employer_social',
  'employer_fund',
  'employer_other',
] as const satisfies readonly (keyof SlipParts)[]
export type PackedPart = (typeof packedParts)[number]
/** The place of a part in a row of them. */
export const placeOfPart = (part: PackedPart): number => packedParts.indexOf(part)
export const part_count = packedParts.length
const may_lack = ['gross', 'net', 'tax'] as const

/** The most bytes of one slip: every number at its longest. */
const most_bytes = 16 + 1 + part_count * 8

export type PartsOf = { readonly member_id: string; readonly parts: SlipParts }

export const packParts = (slips: readonly PartsOf[]): Buffer =>
  packed(
    slips.map(({ member_id, parts }) => ({
      hex: member_id.replaceAll('-', ''),
      of: (part: number) => parts[packedParts[part] ?? 'gross'],
    })),
  )

/** The same of what `unpackParts` made. */
export const packRows = ({ people, parts }: Sheaf): Buffer =>
  packed(
    people.map((key, row) => ({
      hex: Buffer.from(key, 'latin1').toString('hex'),
      of: (part: number) => orNull(parts[row * part_count + part]),
    })),
  )
const orNull = (fen: number | undefined): number | null => (fen === undefined || Number.isNaN(fen) ? null : fen)

type Row = { readonly hex: string; readonly of: (part: number) => number | null }
function packed(rows: readonly Row[]): Buffer {
  const out = Buffer.alloc(rows.length * most_bytes)
  let at = 0
  const put = (value: number): void => {
    if (!Number.isSafeInteger(value)) throw new RangeError('an amount must be a safe integer of fen')
    let left = Math.abs(value)
    let byte = (left % 64) + (value < 0 ? 64 : 0)
    left = Math.floor(left / 64)
    while (left > 0) {
      out[at] = byte + 128
      at += 1
      byte = left % 128
      left = Math.floor(left / 128)
    }
    out[at] = byte
    at += 1
  }
  for (const { hex, of } of rows) {
    at += out.write(hex, at, 'hex')
    out[at] = may_lack.reduce((bits, part, bit) => bits + (of(placeOfPart(part)) === null ? 2 ** bit : 0), 0)
    at += 1
    for (let part = 0; part < part_count; part += 1) put(of(part) ?? 0)
  }
  return out.subarray(0, at)
}

/** As keys of people in `unpackParts`: half as long as an id, and never written anywhere. */
export const keyOfPerson = (member_id: string): string => Buffer.from(member_id.replaceAll('-', ''), 'hex').toString('latin1')

/** A batch of slips: whose they are, and of each its parts in a row; NaN where it says nothing of one. */
export type Sheaf = { readonly people: readonly string[]; readonly parts: Float64Array }

/** The fewest bytes of one slip: every number in one byte. */
const fewest_bytes = 16 + 1 + part_count

/** Written for speed: a year of ten thousand people is two million numbers, unpacked for every look at it. */
export function unpackParts(packed: Buffer): Sheaf {
  const people: string[] = []
  const parts = new Float64Array(Math.floor(packed.length / fewest_bytes) * part_count)
  const end = packed.length
  let [at, put] = [0, 0]
  while (at < end) {
    people.push(packed.toString('latin1', at, at + 16))
    const lacking = packed[at + 16] ?? 0
    at += 17
    const first = put
    for (; put < first + part_count; put += 1) {
      let byte = packed[at] ?? 0
      at += 1
      let value = byte & 63
      const is_minus = (byte & 64) !== 0
      for (let scale = 64; byte >= 128; scale *= 128) {
        byte = packed[at] ?? 0
        at += 1
        value += (byte & 127) * scale
      }
      parts[put] = is_minus ? -value : value
    }
    // Of nearly every slip nothing is lacking.
    if (lacking !== 0)
      for (let part = 0; part < may_lack.length; part += 1) if ((lacking & (1 << part)) !== 0) parts[first + part] = Number.NaN
  }
  return { people, parts: parts.subarray(0, put) }
}
