/** Cases about wages: a year month by month, its corrections, the annual bonus. */
import { sumFen } from '../../../server/contract/shared/money.ts'
import { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import { type BonusTax, computeSeparateBonusTax } from '../../../server/rules/law/wages/bonus.ts'
import { formatYearMonth } from '../../../server/rules/law/wages/employment.ts'
import { computeWithholding, type WageMonth, type WageMonthInput } from '../../../server/rules/law/wages/withholding.ts'
import { compareBonusMethods } from '../wages/bonus.ts'
import { applyCorrections, type MonthCorrection } from '../wages/corrections.ts'
import { type BonusInput, readBonus, readOpening, readResidentEmployment } from './employee.ts'
import { type CaseOutput, formatBracket, formatMoney, monthRange, readFlag, toRefusedOutput, yearRange } from './formats.ts'

type CaseMonth = { readonly month: WageMonthInput; readonly bonus: BonusInput | undefined }
function readMonth(value: unknown, path: string): CaseMonth {
  const fields = new StrictFields(value, path)
  const bonus = readBonus(fields)
  const merged = bonus?.method === 'merged' ? bonus.amount : 0
  const month: WageMonthInput = {
    month: fields.integer('month', monthRange),
    income: fields.money('income', 0) + merged,
    exempt: fields.money('exempt', 0),
    special: fields.money('special', 0),
    additional: fields.money('additional', 0),
    other: fields.money('other', 0),
    donation: fields.money('donation', 0),
    reduction: fields.money('tax_reduction', 0),
    withheld: fields.has('actual_withheld') ? fields.money('actual_withheld') : undefined,
  }
  fields.close()
  return { month, bonus }
}
const sortMonths = (months: readonly CaseMonth[]): CaseMonth[] => months.toSorted((a, b) => a.month.month - b.month.month)

const formatMonthResult = (one: WageMonth) => ({
  month: one.month,
  months_counted: one.months_counted,
  cum_income: formatMoney(one.cum_income),
  cum_basic: formatMoney(one.cum_basic),
  cum_taxable: formatMoney(one.cum_taxable),
  ...formatBracket(one),
  cum_tax: formatMoney(one.cum_tax),
  tax: formatMoney(one.tax),
  credit: formatMoney(one.credit),
})

/** Computes the separately taxed bonus of each month, allowed once a year. Null: no bonus in that month. */
function computeBonuses(months: readonly CaseMonth[], year: number): (BonusTax | null)[] {
  let used = false
  return months.map(({ month, bonus }) => {
    if (bonus?.method !== 'separate') return null
    const result = computeSeparateBonusTax(bonus.amount, formatYearMonth(year, month.month), used)
    used = true
    return result
  })
}

export function runSalarySeriesCase(fields: StrictFields): CaseOutput {
  const year = fields.integer('tax_year', yearRange)
  const employment = readResidentEmployment(fields.nested('employee'), year)
  const opening = readOpening(fields)
  const months = sortMonths(fields.list('months', readMonth))
  fields.close()
  const bonuses = computeBonuses(months, year)
  const refused = bonuses.find((one) => one !== null && !one.allowed)
  if (refused && !refused.allowed) return toRefusedOutput(refused.reason)
  const result = computeWithholding(
    employment,
    months.map(({ month }) => month),
    { opening },
  )
  const taxes = bonuses.map((one) => (one?.allowed ? one.tax : null))
  return {
    result: {
      months: result.map((one, at) => {
        const tax = taxes[at]
        return tax === null || tax === undefined
          ? formatMonthResult(one)
          : { ...formatMonthResult(one), bonus_tax: formatMoney(tax) }
      }),
      total_tax: formatMoney(sumFen(result.map(({ tax }) => tax))),
      total_bonus_tax: formatMoney(sumFen(taxes.map((tax) => tax ?? 0))),
    },
    steps: result.flatMap(({ steps }, at) => {
      const bonus = bonuses[at]
      return bonus?.allowed ? [...steps, ...bonus.steps] : steps
    }),
  }
}

/** Applies the fields of a correction to a month; other fields stay unchanged. */
function readCorrectedMonth(raw: unknown, set: StrictFields, month: number, path: string): CaseMonth {
  const before: object = typeof raw === 'object' && raw !== null ? raw : { month }
  const changes = Object.fromEntries(set.names().map((name) => [name, set.raw(name)]))
  return readMonth({ ...before, ...changes, month }, path)
}

export function runSalaryCorrectionCase(fields: StrictFields): CaseOutput {
  const year = fields.integer('tax_year', yearRange)
  const employment = readResidentEmployment(fields.nested('employee'), year)
  const opening = readOpening(fields)
  const months = sortMonths(fields.list('months', readMonth))
  const raw = fields.list('months', (one) => one)
  const sets = fields.list('corrections', (value, path) => {
    const one = new StrictFields(value, path)
    const result = { month: one.integer('month', monthRange), set: one.nested('set') }
    one.close()
    return result
  })
  fields.close()
  const corrections = sets.map(({ month, set }): MonthCorrection => {
    const rawMonth = raw.find((one) => new StrictFields(one, 'months').raw('month') === month)
    const before = months.find((one) => one.month.month === month)?.month
    const after = readCorrectedMonth(rawMonth, set, month, set.path).month
    // Only changed fields are a correction: two corrections of one month may each change a different field.
    const changedFields = Object.entries(after).filter(
      ([name, value]) => name !== 'month' && value !== new Map<string, unknown>(Object.entries(before ?? {})).get(name),
    )
    return { month, set: Object.fromEntries(changedFields) }
  })
  const result = applyCorrections(
    employment,
    months.map(({ month }) => month),
    corrections,
    { opening },
  )
  return {
    result: {
      original_tax: result.original.map(({ tax }) => formatMoney(tax)),
      corrected_tax: result.corrected.map(({ tax }) => formatMoney(tax)),
      difference: result.difference.map(formatMoney),
      total_difference: formatMoney(result.total_difference),
      final_credit: formatMoney(result.final_credit),
      months: result.corrected.map(formatMonthResult),
    },
    steps: [...result.corrected.flatMap(({ steps }) => steps), ...result.steps],
  }
}

export const formatBonusResult = (result: BonusTax): CaseOutput =>
  result.allowed
    ? {
        result: { allowed: true, ...formatBracket(result), tax: formatMoney(result.tax), net: formatMoney(result.net) },
        steps: result.steps,
      }
    : { result: { allowed: false, reason: result.reason }, steps: [] }

export function runAnnualBonusCase(fields: StrictFields): CaseOutput {
  const amount = fields.money('amount', 0)
  const method = fields.choice('method', ['separate', 'merged'], 'separate')
  const month = fields.has('pay_date') ? fields.month('pay_date') : null
  const used = readFlag(fields, 'used_this_year')
  fields.close()
  // A merged bonus is part of the month's wages, so its tax cannot be computed for the bonus alone.
  if (method === 'merged') return { result: { allowed: true, method }, steps: [] }
  return formatBonusResult(computeSeparateBonusTax(amount, month, used))
}

export function runBonusCompareCase(fields: StrictFields): CaseOutput {
  const year = {
    income: fields.money('annual_income', 0),
    special: fields.money('annual_special', 0),
    additional: fields.money('annual_additional', 0),
    other: fields.money('annual_other', 0),
  }
  const bonus = fields.money('bonus', 0)
  const month = fields.has('pay_date')
    ? fields.month('pay_date')
    : fields.has('tax_year')
      ? `${fields.integer('tax_year', yearRange)}-12`
      : null
  fields.close()
  const { separate, merged, difference, better, steps } = compareBonusMethods(year, bonus, month)
  return {
    result: {
      separate: {
        salary_tax: formatMoney(separate.salary_tax),
        bonus_tax: formatMoney(separate.bonus_tax),
        total: formatMoney(separate.total),
      },
      merged: { total: formatMoney(merged.total) },
      difference: formatMoney(difference),
      better,
    },
    steps,
  }
}
