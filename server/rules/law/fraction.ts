/**
 * Exact fractions of a fen: nothing is rounded inside a formula (tax-rules §12), and a sixth, a share of days or 70% of
 * 80% is not a whole number of fen. Only single operations on whole fen use plain integers. There is no floating point
 * anywhere.
 */
import { type Fen, toFen } from '../../contract/shared/money.ts'

/** 四舍五入 · 见分进位 · 舍去: half up, up and down, relative to zero. */
export const roundingModes = ['half_up', 'up', 'down'] as const
export type RoundingMode = (typeof roundingModes)[number]
export type Quantity = number | Fraction

const computeGcd = (a: bigint, b: bigint): bigint => {
  let [x, y] = [a < 0n ? -a : a, b]
  while (y > 0n) [x, y] = [y, x % y]
  return x
}

export class Fraction {
  readonly n: bigint
  readonly d: bigint

  constructor(n: bigint, d = 1n) {
    if (d === 0n) throw new RangeError('a fraction of nothing')
    const sign = d < 0n ? -1n : 1n
    const by = computeGcd(n, sign * d)
    this.n = by > 1n ? (sign * n) / by : sign * n
    this.d = by > 1n ? (sign * d) / by : sign * d
  }

  static of(value: Quantity): Fraction {
    return typeof value === 'number' ? new Fraction(BigInt(toFen(value))) : value
  }
  plus(more: Quantity): Fraction {
    const { n, d } = Fraction.of(more)
    return new Fraction(this.n * d + n * this.d, this.d * d)
  }
  minus(less: Quantity): Fraction {
    const { n, d } = Fraction.of(less)
    return new Fraction(this.n * d - n * this.d, this.d * d)
  }
  times(by: Quantity): Fraction {
    const { n, d } = Fraction.of(by)
    return new Fraction(this.n * n, this.d * d)
  }
  dividedBy(by: Quantity): Fraction {
    const { n, d } = Fraction.of(by)
    return new Fraction(this.n * d, this.d * n)
  }
  /** Multiplies by parts per million. */
  timesPpm(rate_ppm: number): Fraction {
    return new Fraction(this.n * BigInt(rate_ppm), this.d * 1_000_000n)
  }
  exceeds(other: Quantity): boolean {
    const { n, d } = Fraction.of(other)
    return this.n * d > n * this.d
  }
  equals(other: Quantity): boolean {
    return !this.exceeds(other) && !Fraction.of(other).exceeds(this)
  }
  /** Rounds to whole units of `unit_fen`. */
  rounded(mode: RoundingMode = 'half_up', unit_fen = 1): Fen {
    const unit = BigInt(unit_fen)
    const below = this.d * unit
    const size = this.n < 0n ? -this.n : this.n
    const full = size / below
    const rest = size % below
    const up = mode === 'up' ? rest > 0n : mode === 'half_up' && rest * 2n >= below
    const units = up ? full + 1n : full
    return toFen(Number((this.n < 0n ? -units : units) * unit))
  }
}

export const toFraction = (value: Quantity): Fraction => Fraction.of(value)
export const minQuantity = (first: Quantity, second: Quantity): Fraction =>
  toFraction(first).exceeds(second) ? toFraction(second) : toFraction(first)
export const maxQuantity = (first: Quantity, second: Quantity): Fraction =>
  toFraction(first).exceeds(second) ? toFraction(first) : toFraction(second)
/** Applies 低于零按零计: negative amounts count as zero. */
export const clampToZero = (value: Quantity): Fraction => maxQuantity(value, 0)
/** Rounds a possibly fractional amount to whole fen for display. */
export const roundToFen = (value: Quantity): Fen => (typeof value === 'number' ? toFen(value) : value.rounded())
