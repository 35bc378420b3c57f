/**
 * Exact fractions of a fen: nothing is rounded inside a formula (tax-rules §12), and a sixth, a share of days or 70% of 80% is no whole fen.
 * Only what is one operation on whole fen stays a plain integer. There is no floating point anywhere.
 */
import { type Fen, fen } from '../../contract/words/money.ts'

/** 四舍五入 · 见分进位 · 舍去, away from zero and towards it. */
export const roundings = ['half_up', 'up', 'down'] as const
export type Rounding = (typeof roundings)[number]
export type Quantity = number | Exact

const divisor = (a: bigint, b: bigint): bigint => {
  let [x, y] = [a < 0n ? -a : a, b]
  while (y > 0n) [x, y] = [y, x % y]
  return x
}

export class Exact {
  readonly n: bigint
  readonly d: bigint

  constructor(n: bigint, d = 1n) {
    if (d === 0n) throw new RangeError('a fraction of nothing')
    const sign = d < 0n ? -1n : 1n
    const by = divisor(n, sign * d)
    this.n = by > 1n ? (sign * n) / by : sign * n
    this.d = by > 1n ? (sign * d) / by : sign * d
  }

  static of(value: Quantity): Exact {
    return typeof value === 'number' ? new Exact(BigInt(fen(value))) : value
  }
  plus(more: Quantity): Exact {
    const { n, d } = Exact.of(more)
    return new Exact(this.n * d + n * this.d, this.d * d)
  }
  minus(less: Quantity): Exact {
    const { n, d } = Exact.of(less)
    return new Exact(this.n * d - n * this.d, this.d * d)
  }
  times(by: Quantity): Exact {
    const { n, d } = Exact.of(by)
    return new Exact(this.n * n, this.d * d)
  }
  over(by: Quantity): Exact {
    const { n, d } = Exact.of(by)
    return new Exact(this.n * d, this.d * n)
  }
  /** × parts per million. */
  part(rate_ppm: number): Exact {
    return new Exact(this.n * BigInt(rate_ppm), this.d * 1_000_000n)
  }
  exceeds(other: Quantity): boolean {
    const { n, d } = Exact.of(other)
    return this.n * d > n * this.d
  }
  equals(other: Quantity): boolean {
    return !this.exceeds(other) && !Exact.of(other).exceeds(this)
  }
  /** Whole units of so many fen. */
  rounded(mode: Rounding = 'half_up', unit_fen = 1): Fen {
    const unit = BigInt(unit_fen)
    const below = this.d * unit
    const size = this.n < 0n ? -this.n : this.n
    const whole = size / below
    const rest = size % below
    const up = mode === 'up' ? rest > 0n : mode === 'half_up' && rest * 2n >= below
    const units = up ? whole + 1n : whole
    return fen(Number((this.n < 0n ? -units : units) * unit))
  }
}

export const exact = (value: Quantity): Exact => Exact.of(value)
export const least = (first: Quantity, second: Quantity): Exact => (exact(first).exceeds(second) ? exact(second) : exact(first))
export const most = (first: Quantity, second: Quantity): Exact => (exact(first).exceeds(second) ? exact(first) : exact(second))
/** 低于零按零计. */
export const floored = (value: Quantity): Exact => most(value, 0)
/** Whole fen of what may be a fraction, for showing. */
export const shown = (value: Quantity): Fen => (typeof value === 'number' ? fen(value) : value.rounded())
