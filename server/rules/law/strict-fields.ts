/**
 * Strict reader for external data (a law table, a city's scheme, a case): every field is read by its type, and `close`
 * rejects unknown fields. Amounts and rates are parsed digit by digit.
 */
import { type Fen, toFen } from '../../contract/shared/money.ts'
import { Fraction } from './fraction.ts'
import { LawError } from './law-error.ts'

const decimalPattern = /^(-?)(\d{1,13})(?:\.(\d{1,12}))?$/
/** Parses a multiple of 10^-places; null if the text is not a plain decimal or has more decimal places. */
function parseScaledDecimal(value: unknown, places: number): bigint | null {
  const text = typeof value === 'number' ? String(value) : value
  const match = typeof text === 'string' ? decimalPattern.exec(text.trim()) : null
  if (!match) return null
  const [, sign, integerDigits = '', fraction = ''] = match
  const fractionDigits = fraction.replace(/0+$/, '')
  if (fractionDigits.length > places) return null
  const size = BigInt(integerDigits + fractionDigits.padEnd(places, '0'))
  return sign === '-' ? -size : size
}
const describeValue = (value: unknown): string => JSON.stringify(value) ?? '没有写'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads an object field by field. An absent or null field takes its fallback; without a fallback it is required. */
export class StrictFields {
  readonly path: string
  private readonly value: Readonly<Record<string, unknown>>
  private readonly requestedNames = new Set<string>()

  constructor(value: unknown, position: string) {
    if (!isRecord(value)) throw new LawError(position, `应是 {字段: 值}，写的是 ${describeValue(value)}`)
    this.value = value
    this.path = position
  }

  getPath(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }
  raw(name: string): unknown {
    this.requestedNames.add(name)
    return this.value[name] ?? undefined
  }
  has(name: string): boolean {
    return this.raw(name) !== undefined
  }
  private readField<T>(name: string, fallback: T | undefined, read: (value: unknown) => T | null, kind: string): T {
    const value = this.raw(name)
    if (value === undefined) {
      if (fallback !== undefined) return fallback
      throw new LawError(this.getPath(name), `没有写；请写${kind}`)
    }
    const match = read(value)
    if (match === null) throw new LawError(this.getPath(name), `应是${kind}，写的是 ${describeValue(value)}`)
    return match
  }

  money(name: string, fallback?: number): Fen {
    const read = (value: unknown) => {
      const size = parseScaledDecimal(value, 2)
      return size === null || size > BigInt(Number.MAX_SAFE_INTEGER) || -size > BigInt(Number.MAX_SAFE_INTEGER)
        ? null
        : toFen(Number(size))
    }
    return this.readField(name, fallback === undefined ? undefined : toFen(fallback), read, '金额（元，最多两位小数，不带逗号）')
  }
  /** Reads any decimal: a share price, a number of shares. */
  decimal(name: string, fallback?: Fraction): Fraction {
    const read = (value: unknown) => {
      const size = parseScaledDecimal(value, 12)
      return size === null ? null : new Fraction(size, 10n ** 12n)
    }
    return this.readField(name, fallback, read, '数字（不带逗号）')
  }
  /** Reads a percentage as parts per million. */
  rate(name: string, fallback?: number): number {
    const read = (value: unknown) => {
      const size = parseScaledDecimal(value, 6)
      return size === null || size < 0n || size > 1_000_000n ? null : Number(size)
    }
    return this.readField(name, fallback, read, '比例（0 到 1 之间，最多六位小数）')
  }
  integer(name: string, [from, to]: readonly [number, number], fallback?: number): number {
    const read = (value: unknown) => {
      const size = parseScaledDecimal(value, 0)
      return size === null || size < BigInt(from) || size > BigInt(to) ? null : Number(size)
    }
    return this.readField(name, fallback, read, `${from} 到 ${to} 之间的整数`)
  }
  flag(name: string, fallback?: boolean): boolean {
    return this.readField(name, fallback, (value) => (typeof value === 'boolean' ? value : null), ' true 或 false')
  }
  text(name: string, fallback?: string): string {
    return this.readField(name, fallback, (value) => (typeof value === 'string' && value !== '' ? value : null), '文字')
  }
  /** Reads a month (`2026-07`) from a month or a day. */
  month(name: string, fallback?: string): string {
    const read = (value: unknown) => (typeof value === 'string' ? (monthPattern.exec(value)?.[1] ?? null) : null)
    return this.readField(name, fallback, read, '月份或日期（如 2026-07 或 2026-07-01）')
  }
  choice<T extends string>(name: string, of: readonly T[], fallback?: T): T {
    const read = (value: unknown) => of.find((one) => one === value) ?? null
    return this.readField(name, fallback, read, `其中之一：${of.join('、')}`)
  }
  list<T>(name: string, read: (value: unknown, path: string) => T, isOptional = false): T[] {
    const value = this.raw(name)
    if (value === undefined && isOptional) return []
    if (!Array.isArray(value)) throw new LawError(this.getPath(name), `应是列表 […]，写的是 ${describeValue(value)}`)
    return value.map((one: unknown, at) => read(one, `${this.getPath(name)}[${at}]`))
  }
  textList(name: string): string[] {
    return this.list(
      name,
      (value, position) => {
        if (typeof value !== 'string') throw new LawError(position, `应是文字，写的是 ${describeValue(value)}`)
        return value
      },
      true,
    )
  }
  nested(name: string): StrictFields {
    return new StrictFields(this.raw(name), this.getPath(name))
  }
  /** Returns the names of the fields, for a table whose rows are its fields. */
  names(): string[] {
    return Object.keys(this.value)
  }
  /** Ends reading; unknown fields are rejected. */
  close(): void {
    const unknown = Object.keys(this.value).filter((name) => !this.requestedNames.has(name))
    if (unknown[0] !== undefined)
      throw new LawError(this.getPath(unknown[0]), `不认识的字段；可以写：${[...this.requestedNames].join('、')}`)
  }
}

const monthPattern = /^((?:19|20)\d\d-(?:0[1-9]|1[0-2]))(?:-(?:0[1-9]|[12]\d|3[01]))?$/
