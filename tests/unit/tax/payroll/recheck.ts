/** Recomputes the steps of a result with its own fractions: the stated parts of a step must yield its stated result. */
import { readFileSync } from 'node:fs'
import type { Quantity } from '../../../../server/rules/law/fraction.ts'
import { formatStep, type Step } from '../../../../server/rules/law/steps.ts'

export type PayrollCase = {
  readonly name: string
  readonly source: string
  readonly input: Readonly<Record<string, unknown>> & { readonly kind: string }
  readonly expected: Readonly<Record<string, unknown>>
}
export const getCases = (file: 'examples' | 'examples-rare' | 'own' | 'outside'): PayrollCase[] =>
  JSON.parse(readFileSync(new URL(`./${file}.json`, import.meta.url), 'utf8')) as PayrollCase[]
export const allCases = (): PayrollCase[] => [...getCases('examples'), ...getCases('examples-rare'), ...getCases('own')]

type Ratio = readonly [n: bigint, d: bigint]
const ratio = (value: Quantity): Ratio => (typeof value === 'number' ? [BigInt(value), 1n] : [value.n, value.d])
const add = ([a, b]: Ratio, [c, d]: Ratio, sign = 1n): Ratio => [a * d + sign * c * b, b * d]
const times = ([a, b]: Ratio, [c, d]: Ratio): Ratio => [a * c, b * d]
const over = ([a, b]: Ratio, [c, d]: Ratio): Ratio => (c < 0n ? [-a * d, -b * c] : [a * d, b * c])
const isBelow = ([a, b]: Ratio, [c, d]: Ratio) => a * d < c * b
const isSame = ([a, b]: Ratio, [c, d]: Ratio) => a * d === c * b
const nil: Ratio = [0n, 1n]

function rounded(value: Ratio, unit: bigint, mode: 'half_up' | 'up' | 'down'): Ratio {
  const below = isBelow(value, nil)
  const [n, d] = below ? [-value[0], value[1]] : value
  const step = d * unit
  const extra = mode === 'up' ? step - 1n : 0n
  const full = mode === 'half_up' ? (2n * n + step) / (2n * step) : (n + extra) / step
  return [(below ? -full : full) * unit, 1n]
}

function worth({ formula, result }: Step): Ratio {
  switch (formula.kind) {
    case 'given':
      return ratio(result)
    case 'sum': {
      const all = formula.terms.reduce((sum, { sign, value }) => add(sum, ratio(value), BigInt(sign)), nil)
      return formula.floor && isBelow(all, nil) ? nil : all
    }
    case 'least':
    case 'most':
      return formula.terms
        .map(({ value }) => ratio(value))
        .reduce((a, b) => ((formula.kind === 'least' ? isBelow(b, a) : isBelow(a, b)) ? b : a))
    case 'times':
      return over(times(ratio(formula.base.value), ratio(formula.by)), ratio(formula.over))
    case 'part': {
      const share = times(ratio(formula.base.value), [BigInt(formula.rate_ppm), 1_000_000n])
      return formula.unit_fen === null ? share : rounded(share, BigInt(formula.unit_fen), formula.mode)
    }
    case 'tax': {
      const one = add(
        times(ratio(formula.base.value), [BigInt(formula.rate_ppm), 1_000_000n]),
        [BigInt(formula.quick_fen), 1n],
        -1n,
      )
      const all = rounded(times(one, [BigInt(formula.times), 1n]), 1n, 'half_up')
      return isBelow(all, nil) ? nil : all
    }
  }
}

/** The steps that do not follow from their parts, as text. */
export const wrongSteps = (steps: readonly Step[]): string[] =>
  steps.filter((step) => !isSame(worth(step), ratio(step.result))).map(formatStep)

/** Amounts that a step takes from an earlier step by name and that differ from that step's result. */
export function brokenLinks(steps: readonly Step[]): string[] {
  const existing = new Map<string, Quantity>()
  const broken: string[] = []
  for (const step of steps) {
    const { formula } = step
    const accepted = formula.kind === 'given' ? [] : 'terms' in formula ? formula.terms : [formula.base]
    for (const { name, value } of accepted) {
      const before = existing.get(name)
      if (before !== undefined && !isSame(ratio(before), ratio(value))) broken.push(`${formatStep(step)} ← ${name}`)
    }
    existing.set(step.name, step.result)
  }
  return broken
}
