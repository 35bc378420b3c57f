/**
 * Benchmarks a year of wages for many employees: the engine with its steps, and a bare loop of the same integer
 * arithmetic without them.
 */
import { multiplyByRate, toFen } from '../../server/contract/shared/money.ts'
import { getDatedRow } from '../../server/rules/law/tables/dated-table.ts'
import { currentLaw } from '../../server/rules/law/tables/law.ts'
import { computeWithholding, type WageMonthInput } from '../../server/rules/law/wages/withholding.ts'
import { seeded } from '../support/random.ts'

type Person = { readonly hired: string | null; readonly months: readonly WageMonthInput[] }
function people(count: number): Person[] {
  const random = seeded(16)
  return Array.from({ length: count }, () => {
    const income = 500_000 + random.below(6_000_000)
    const special = random.below(400_000)
    const months = Array.from({ length: 12 }, (_, at) => ({
      month: at + 1,
      income: income + random.below(300_000),
      special,
      additional: 200_000,
    }))
    return { hired: null, months }
  })
}

const levels = getDatedRow(currentLaw.annual_rates, '2026-01').value
const { month_fen } = getDatedRow(currentLaw.basic_deduction, '2026-01').value
function bare(all: readonly Person[]): number {
  let total = 0
  for (const { months } of all) {
    let income = 0
    let off = 0
    let withheld = 0
    for (const one of months) {
      income = toFen(income + (one.income ?? 0))
      off = toFen(off + (one.special ?? 0) + (one.additional ?? 0))
      const taxable = Math.max(0, income - off - month_fen * one.month)
      const level = levels.find(({ up_to }) => up_to === null || taxable <= up_to)
      const due = level ? Math.max(0, multiplyByRate(toFen(taxable), level.rate_ppm) - level.quick_fen) : 0
      const tax = Math.max(0, due - withheld)
      withheld += tax
    }
    total += withheld
  }
  return total
}
function withSteps(all: readonly Person[]): { total: number; steps: number } {
  let total = 0
  let steps = 0
  for (const { hired, months } of all)
    for (const one of computeWithholding({ year: 2026, hire_month: hired }, months)) {
      total += one.tax
      steps += one.steps.length
    }
  return { total, steps }
}

const timed = <T>(work: () => T): { took: number; result: T } => {
  const began = performance.now()
  const result = work()
  return { took: performance.now() - began, result }
}
/**
 * Runs both sides alternately, so that a busy moment of the machine affects both; the first round warms up and is not
 * reported.
 */
export function taxing(count: number, rounds: number): { bare: number; figures: number; engine: number; steps: number }[] {
  const all = people(count)
  return Array.from({ length: rounds + 1 }, () => {
    const loop = timed(() => bare(all))
    const engine = timed(() => withSteps(all))
    const figures = timed(() =>
      all.reduce(
        (sum, { hired, months }) => sum + (computeWithholding({ year: 2026, hire_month: hired }, months).at(-1)?.cum_tax ?? 0),
        0,
      ),
    )
    if (loop.result !== engine.result.total) throw new Error('the bare loop and the engine do not agree')
    return { bare: loop.took, figures: figures.took, engine: engine.took, steps: engine.result.steps }
  }).slice(1)
}
