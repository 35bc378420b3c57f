/**
 * Compact binary encoding of payslip components: a batch of ten thousand employees takes half a megabyte and is decoded
 * in a few milliseconds. Each payslip has 16 bytes for the member, one bit for each missing amount, and then its
 * numbers: the first byte holds 6 bits and the sign, each following byte 7 bits.
 */
import type { PayslipComponents } from './pay-components.ts'

/** This order is part of the stored format; changing it requires a new format version. */
export const packedComponents = [
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
] as const satisfies readonly (keyof PayslipComponents)[]
export type PackedComponent = (typeof packedComponents)[number]
/** Returns the index of a component within a payslip's values. */
export const getComponentIndex = (part: PackedComponent): number => packedComponents.indexOf(part)
export const componentCount = packedComponents.length
const nullableComponents = ['gross', 'net', 'tax'] as const

/** Maximum bytes of one payslip, with every number at its longest. */
const maxPayslipBytes = 16 + 1 + componentCount * 8

export type MemberComponents = { readonly member_id: string; readonly components: PayslipComponents }

export const packComponents = (slips: readonly MemberComponents[]): Buffer =>
  encodeRows(
    slips.map(({ member_id, components }) => ({
      hex: member_id.replaceAll('-', ''),
      getAmount: (part: number) => components[packedComponents[part] ?? 'gross'],
    })),
  )

/** Encodes the output of `unpackComponents` again. */
export const packComponentTable = ({ memberKeys, components }: ComponentTable): Buffer =>
  encodeRows(
    memberKeys.map((key, row) => ({
      hex: Buffer.from(key, 'latin1').toString('hex'),
      getAmount: (part: number) => nanToNull(components[row * componentCount + part]),
    })),
  )
const nanToNull = (fen: number | undefined): number | null => (fen === undefined || Number.isNaN(fen) ? null : fen)

type PackedRow = { readonly hex: string; readonly getAmount: (part: number) => number | null }
function encodeRows(rows: readonly PackedRow[]): Buffer {
  const buffer = Buffer.alloc(rows.length * maxPayslipBytes)
  let at = 0
  const writeNumber = (value: number): void => {
    if (!Number.isSafeInteger(value)) throw new RangeError('an amount must be a safe integer of fen')
    let remaining = Math.abs(value)
    let byte = (remaining % 64) + (value < 0 ? 64 : 0)
    remaining = Math.floor(remaining / 64)
    while (remaining > 0) {
      buffer[at] = byte + 128
      at += 1
      byte = remaining % 128
      remaining = Math.floor(remaining / 128)
    }
    buffer[at] = byte
    at += 1
  }
  for (const { hex, getAmount } of rows) {
    at += buffer.write(hex, at, 'hex')
    buffer[at] = nullableComponents.reduce(
      (bits, part, bit) => bits + (getAmount(getComponentIndex(part)) === null ? 2 ** bit : 0),
      0,
    )
    at += 1
    for (let part = 0; part < componentCount; part += 1) writeNumber(getAmount(part) ?? 0)
  }
  return buffer.subarray(0, at)
}

/** Converts a member id to the key used in `unpackComponents`: half as long as the id, and never stored. */
export const toMemberKey = (member_id: string): string => Buffer.from(member_id.replaceAll('-', ''), 'hex').toString('latin1')

/** Components of many payslips: the member of each, and all values in one flat array; NaN where a payslip has no value. */
export type ComponentTable = { readonly memberKeys: readonly string[]; readonly components: Float64Array }

/** Minimum bytes of one payslip, with every number in one byte. */
const minPayslipBytes = 16 + 1 + componentCount

/** Decodes packed components. Fast, because a year of ten thousand employees is two million numbers for every chart request. */
export function unpackComponents(packed: Buffer): ComponentTable {
  const memberKeys: string[] = []
  const components = new Float64Array(Math.floor(packed.length / minPayslipBytes) * componentCount)
  const end = packed.length
  let [readIndex, writeIndex] = [0, 0]
  while (readIndex < end) {
    memberKeys.push(packed.toString('latin1', readIndex, readIndex + 16))
    const missingBits = packed[readIndex + 16] ?? 0
    readIndex += 17
    const first = writeIndex
    for (; writeIndex < first + componentCount; writeIndex += 1) {
      let byte = packed[readIndex] ?? 0
      readIndex += 1
      let value = byte & 63
      const is_minus = (byte & 64) !== 0
      for (let scale = 64; byte >= 128; scale *= 128) {
        byte = packed[readIndex] ?? 0
        readIndex += 1
        value += (byte & 127) * scale
      }
      components[writeIndex] = is_minus ? -value : value
    }
    // Nearly all payslips have no missing value.
    if (missingBits !== 0)
      for (let part = 0; part < nullableComponents.length; part += 1)
        if ((missingBits & (1 << part)) !== 0) components[first + part] = Number.NaN
  }
  return { memberKeys, components: components.subarray(0, writeIndex) }
}
