/** Cases about labor income, severance, equity and withdrawals. */
import { Fraction } from '../../../server/rules/law/fraction.ts'
import { computeSettlement } from '../../../server/rules/law/income/settlement.ts'
import { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import { computeDeferredTransferTax, computeEquityTax, type EquityGrant, toFenFraction } from '../income/equity.ts'
import { computeLaborMonthTax, computeLaborTax, laborIncomeKinds, type StandaloneTax } from '../income/labor.ts'
import { computeCumulativeLaborTax, laborPersonTypes } from '../income/labor-cumulative.ts'
import { computeEarlyRetirementTax, computeInternalRetirementTax, computeSeveranceTax } from '../income/severance.ts'
import {
  type AnnuityWithdrawalMode,
  computeAnnuityWithdrawalTax,
  computePensionSaving,
  computePensionWithdrawalTax,
} from '../income/withdrawals.ts'
import {
  type CaseOutput,
  formatBracket,
  formatMoney,
  formatRate,
  monthRange,
  readPaymentMonth,
  toRefusedOutput,
  yearRange,
} from './formats.ts'

const formatStandaloneTax = ({ taxable, tax, net, ...computed }: StandaloneTax): Readonly<Record<string, unknown>> => ({
  taxable: formatMoney(taxable),
  ...formatBracket(computed),
  tax: formatMoney(tax),
  net: formatMoney(net),
})

export function runLaborOnceCase(fields: StrictFields): CaseOutput {
  const item = fields.choice('item', laborIncomeKinds, 'labor')
  const income = fields.money('income', 0)
  const when = readPaymentMonth(fields)
  fields.close()
  const computed = computeLaborTax(item, income, when)
  return { result: { expense: formatMoney(computed.expense), ...formatStandaloneTax(computed) }, steps: computed.steps }
}

export function runLaborMonthCase(fields: StrictFields): CaseOutput {
  const payments = fields.list('payments', (value, path) => {
    const one = new StrictFields(value, path)
    const computed = {
      project: one.text('project', '未写项目'),
      item: one.choice('item', laborIncomeKinds, 'labor'),
      amount: one.money('amount', 0),
      month: readPaymentMonth(one),
    }
    one.close()
    return computed
  })
  const when = readPaymentMonth(fields)
  fields.close()
  const { groups, total_tax } = computeLaborMonthTax(payments.map((one) => ({ ...one, month: one.month ?? when })))
  return {
    result: {
      groups: groups.map(({ project, item, income, tax }) => ({
        project,
        item,
        income: formatMoney(income),
        tax: formatMoney(tax),
      })),
      total_tax: formatMoney(total_tax),
    },
    steps: groups.flatMap(({ steps }) => steps),
  }
}

export function runLaborCumulativeCase(fields: StrictFields): CaseOutput {
  const person = {
    person_type: fields.choice('person_type', laborPersonTypes),
    year: fields.integer('tax_year', yearRange),
    start_month: fields.has('start_month') ? fields.integer('start_month', monthRange) : undefined,
    prior_year_under_60000: fields.flag('prior_year_under_60000', false),
  }
  const months = fields.list('months', (value, path) => {
    const one = new StrictFields(value, path)
    const computed = {
      month: one.integer('month', monthRange),
      income: one.money('income', 0),
      surtax: one.money('surtax', 0),
      withheld: one.has('actual_withheld') ? one.money('actual_withheld') : undefined,
    }
    one.close()
    return computed
  })
  fields.close()
  const computed = computeCumulativeLaborTax(person, months)
  return {
    result: {
      months: computed.map((one) => ({
        month: one.month,
        months_counted: one.months_counted,
        cum_amount: formatMoney(one.cum_amount),
        cum_taxable: formatMoney(one.cum_taxable),
        ...formatBracket(one),
        cum_tax: formatMoney(one.cum_tax),
        tax: formatMoney(one.tax),
      })),
      total_tax: formatMoney(computed.reduce((all, { tax }) => all + tax, 0)),
    },
    steps: computed.flatMap(({ steps }) => steps),
  }
}

export function runSeveranceCase(fields: StrictFields): CaseOutput {
  const input = {
    amount: fields.money('amount', 0),
    local_avg_annual_wage: fields.money('local_avg_annual_wage'),
    contributions: fields.money('contributions', 0),
  }
  const when = readPaymentMonth(fields)
  fields.close()
  const computed = computeSeveranceTax(input, when)
  return {
    result: {
      exempt_limit: formatMoney(computed.exempt_limit),
      exempt: formatMoney(computed.exempt),
      ...formatStandaloneTax(computed),
    },
    steps: computed.steps,
  }
}

export function runEarlyRetirementCase(fields: StrictFields): CaseOutput {
  const amount = fields.money('amount', 0)
  const count = fields.integer('years', [1, 60])
  const when = fields.has('pay_date') ? fields.month('pay_date') : null
  fields.close()
  const computed = computeEarlyRetirementTax(amount, count, when)
  const { per_year_taxable, tax, net } = computed
  const result = {
    per_year_taxable: formatMoney(per_year_taxable),
    ...formatBracket(computed),
    tax: formatMoney(tax),
    net: formatMoney(net),
  }
  return { result, steps: computed.steps }
}

export function runInternalRetirementCase(fields: StrictFields): CaseOutput {
  const input = { amount: fields.money('amount', 0), months: fields.integer('months', [1, 600]), wage: fields.money('wage', 0) }
  const when = fields.has('pay_date') ? fields.month('pay_date') : null
  fields.close()
  const computed = computeInternalRetirementTax(input, when)
  return { result: formatStandaloneTax(computed), steps: computed.steps }
}

/** Reads a price in fen. */
const readPrice = (fields: StrictFields, name: string): Fraction => toFenFraction(fields.decimal(name, new Fraction(0n)))
function readGrant(value: unknown, path: string): EquityGrant {
  const fields = new StrictFields(value, path)
  const type = fields.choice('type', ['option', 'restricted', 'sar', 'award'])
  const shares = fields.decimal('shares')
  const grant = ((): EquityGrant => {
    switch (type) {
      case 'option':
        return { type, shares, market: readPrice(fields, 'market'), exercise: readPrice(fields, 'exercise') }
      case 'restricted':
        return {
          type,
          shares,
          market_register: readPrice(fields, 'market_register'),
          market_unlock: readPrice(fields, 'market_unlock'),
          cost: readPrice(fields, 'cost'),
        }
      case 'sar':
        return { type, shares, market: readPrice(fields, 'market'), grant: readPrice(fields, 'grant') }
      case 'award':
        return { type, shares, market: readPrice(fields, 'market'), cost: readPrice(fields, 'cost') }
    }
  })()
  fields.close()
  return grant
}

export function runEquityIncentiveCase(fields: StrictFields): CaseOutput {
  const year = fields.has('year') ? fields.integer('year', yearRange) : fields.integer('tax_year', yearRange)
  const grants = fields.list('items', readGrant)
  fields.close()
  const computed = computeEquityTax(year, grants)
  if ('refused' in computed) return toRefusedOutput(computed.refused)
  return {
    result: {
      items: computed.items.map((one) => ({
        income: formatMoney(one.income),
        cum_income: formatMoney(one.cum_income),
        ...formatBracket(one),
        cum_tax: formatMoney(one.cum_tax),
        tax: formatMoney(one.tax),
      })),
      total_tax: formatMoney(computed.total_tax),
    },
    steps: computed.items.flatMap(({ steps }) => steps),
  }
}

export function runDeferredTransferCase(fields: StrictFields): CaseOutput {
  const shares = fields.decimal('shares')
  const transfer = {
    shares,
    price: readPrice(fields, 'transfer_price'),
    cost: readPrice(fields, 'cost'),
    expenses: fields.money('expenses', 0),
  }
  fields.close()
  const computed = computeDeferredTransferTax(transfer)
  const net = computed.income.minus(computed.tax)
  return {
    result: {
      income: formatMoney(computed.income),
      rate: formatRate(computed.rate_ppm),
      tax: formatMoney(computed.tax),
      net: formatMoney(net),
    },
    steps: computed.steps,
  }
}

/** Alternative names of the withdrawal modes. */
const modesByName: Readonly<Record<string, AnnuityWithdrawalMode>> = {
  monthly: 'monthly',
  month: 'monthly',
  quarterly: 'quarterly',
  quarter: 'quarterly',
  annual: 'annual',
  annually: 'annual',
  yearly: 'annual',
  year: 'annual',
  lump_sum: 'lump_sum',
  lump: 'lump_sum',
  one_time: 'lump_sum',
  once: 'lump_sum',
  lump_sum_special: 'lump_sum_special',
  lump_sum_emigration: 'lump_sum_special',
  lump_sum_death: 'lump_sum_special',
  lump_sum_heir: 'lump_sum_special',
  emigration: 'lump_sum_special',
  death: 'lump_sum_special',
  inheritance: 'lump_sum_special',
}
export function runAnnuityWithdrawalCase(fields: StrictFields): CaseOutput {
  const amount = fields.money('amount', 0)
  const mode = modesByName[fields.choice('mode', Object.keys(modesByName), 'monthly')] ?? 'monthly'
  const reason = fields.has('reason') ? fields.choice('reason', ['emigration', 'death', 'other']) : 'other'
  const when = readPaymentMonth(fields)
  fields.close()
  const computed = computeAnnuityWithdrawalTax(
    amount,
    mode === 'lump_sum' && reason !== 'other' ? 'lump_sum_special' : mode,
    when,
  )
  return { result: formatStandaloneTax(computed), steps: computed.steps }
}

export function runPensionWithdrawalCase(fields: StrictFields): CaseOutput {
  const amount = fields.money('amount', 0)
  const when = readPaymentMonth(fields)
  fields.close()
  const computed = computePensionWithdrawalTax(amount, when)
  return {
    result: { rate: formatRate(computed.rate_ppm), tax: formatMoney(computed.tax), net: formatMoney(computed.net) },
    steps: computed.steps,
  }
}

export function runPensionSavingCase(fields: StrictFields): CaseOutput {
  const paid = fields.money('paid', 0)
  const before = fields.money('annual_taxable_before', 0)
  const when = readPaymentMonth(fields)
  fields.close()
  const { deductible, tax_before, tax_after, saving, steps } = computePensionSaving(paid, before, when)
  const result = {
    deductible: formatMoney(deductible),
    tax_before: formatMoney(tax_before),
    tax_after: formatMoney(tax_after),
    saving: formatMoney(saving),
  }
  return { result, steps }
}

export function runSettlementCase(fields: StrictFields): CaseOutput {
  const year = fields.integer('tax_year', yearRange)
  const labor = fields.list(
    'labor',
    (value, path) => {
      const one = new StrictFields(value, path)
      const computed = { item: one.choice('item', laborIncomeKinds, 'labor'), income: one.money('income', 0) }
      one.close()
      return computed
    },
    true,
  )
  const computed = computeSettlement({
    year,
    wages: fields.money('wages', 0),
    labor,
    special: fields.money('special', 0),
    additional: fields.money('additional', 0),
    other: fields.money('other', 0),
    donation: fields.money('donation', 0),
    reduction: fields.money('tax_reduction', 0),
    illnesses: fields.list('illnesses', (value, path) => new StrictFields({ value }, path).money('value'), true),
    bonus: fields.money('bonus', 0),
    withheld: fields.money('withheld', 0),
  })
  fields.close()
  const { separate, merged, tax, due, better, payment_exempt } = computed
  const both = { separate: separate === null ? null : formatMoney(separate), merged: formatMoney(merged) }
  return {
    result: { ...both, better, tax: formatMoney(tax), due: formatMoney(due), may_stay: payment_exempt },
    steps: computed.steps,
  }
}
