/** Cases of labour income, leaving, equity and withdrawals. */
import { Exact } from '../exact.ts'
import { deferredTransferTax, type EquityGrant, equityTax, fenOf } from '../income/equity.ts'
import { laborItems, laborOfMonth, laborTax, type TaxedAlone } from '../income/labor.ts'
import { laborPersons, withholdLabor } from '../income/labor-cumulative.ts'
import { earlyRetirementTax, internalRetirementTax, severanceTax } from '../income/leaving.ts'
import { settle } from '../income/settlement.ts'
import { type AnnuityMode, annuityTax, pensionSaving, pensionTax } from '../income/withdrawals.ts'
import { StrictFields } from '../read.ts'
import { type CaseAnswer, level, money, monthsOfYear, rate, refusedAs, whenOf, years } from './words.ts'

const alone = ({ taxable, tax, net, ...found }: TaxedAlone): Readonly<Record<string, unknown>> => ({
  taxable: money(taxable),
  ...level(found),
  tax: money(tax),
  net: money(net),
})

export function laborOnce(of: StrictFields): CaseAnswer {
  const item = of.choice('item', laborItems, 'labor')
  const income = of.money('income', 0)
  const when = whenOf(of)
  of.close()
  const found = laborTax(item, income, when)
  return { result: { expense: money(found.expense), ...alone(found) }, steps: found.steps }
}

export function laborMonth(of: StrictFields): CaseAnswer {
  const payments = of.list('payments', (value, place) => {
    const one = new StrictFields(value, place)
    const found = {
      project: one.text('project', '未写项目'),
      item: one.choice('item', laborItems, 'labor'),
      amount: one.money('amount', 0),
      month: whenOf(one),
    }
    one.close()
    return found
  })
  const when = whenOf(of)
  of.close()
  const { groups, total_tax } = laborOfMonth(payments.map((one) => ({ ...one, month: one.month ?? when })))
  return {
    result: {
      groups: groups.map(({ project, item, income, tax }) => ({ project, item, income: money(income), tax: money(tax) })),
      total_tax: money(total_tax),
    },
    steps: groups.flatMap(({ steps }) => steps),
  }
}

export function laborCumulative(of: StrictFields): CaseAnswer {
  const person = {
    person_type: of.choice('person_type', laborPersons),
    year: of.whole('tax_year', years),
    start_month: of.has('start_month') ? of.whole('start_month', monthsOfYear) : undefined,
    prior_year_under_60000: of.flag('prior_year_under_60000', false),
  }
  const months = of.list('months', (value, place) => {
    const one = new StrictFields(value, place)
    const found = {
      month: one.whole('month', monthsOfYear),
      income: one.money('income', 0),
      surtax: one.money('surtax', 0),
      withheld: one.has('actual_withheld') ? one.money('actual_withheld') : undefined,
    }
    one.close()
    return found
  })
  of.close()
  const found = withholdLabor(person, months)
  return {
    result: {
      months: found.map((one) => ({
        month: one.month,
        months_counted: one.months_counted,
        cum_amount: money(one.cum_amount),
        cum_taxable: money(one.cum_taxable),
        ...level(one),
        cum_tax: money(one.cum_tax),
        tax: money(one.tax),
      })),
      total_tax: money(found.reduce((all, { tax }) => all + tax, 0)),
    },
    steps: found.flatMap(({ steps }) => steps),
  }
}

export function severance(of: StrictFields): CaseAnswer {
  const input = {
    amount: of.money('amount', 0),
    local_avg_annual_wage: of.money('local_avg_annual_wage'),
    contributions: of.money('contributions', 0),
  }
  const when = whenOf(of)
  of.close()
  const found = severanceTax(input, when)
  return { result: { exempt_limit: money(found.exempt_limit), exempt: money(found.exempt), ...alone(found) }, steps: found.steps }
}

export function earlyRetirement(of: StrictFields): CaseAnswer {
  const amount = of.money('amount', 0)
  const count = of.whole('years', [1, 60])
  const when = of.has('pay_date') ? of.month('pay_date') : null
  of.close()
  const found = earlyRetirementTax(amount, count, when)
  const { per_year_taxable, tax, net } = found
  const result = { per_year_taxable: money(per_year_taxable), ...level(found), tax: money(tax), net: money(net) }
  return { result, steps: found.steps }
}

export function internalRetirement(of: StrictFields): CaseAnswer {
  const input = { amount: of.money('amount', 0), months: of.whole('months', [1, 600]), wage: of.money('wage', 0) }
  const when = of.has('pay_date') ? of.month('pay_date') : null
  of.close()
  const found = internalRetirementTax(input, when)
  return { result: alone(found), steps: found.steps }
}

/** A price in fen. */
const price = (of: StrictFields, name: string): Exact => fenOf(of.decimal(name, new Exact(0n)))
function grantIn(value: unknown, place: string): EquityGrant {
  const of = new StrictFields(value, place)
  const type = of.choice('type', ['option', 'restricted', 'sar', 'award'])
  const shares = of.decimal('shares')
  const grant = ((): EquityGrant => {
    switch (type) {
      case 'option':
        return { type, shares, market: price(of, 'market'), exercise: price(of, 'exercise') }
      case 'restricted':
        return {
          type,
          shares,
          market_register: price(of, 'market_register'),
          market_unlock: price(of, 'market_unlock'),
          cost: price(of, 'cost'),
        }
      case 'sar':
        return { type, shares, market: price(of, 'market'), grant: price(of, 'grant') }
      case 'award':
        return { type, shares, market: price(of, 'market'), cost: price(of, 'cost') }
    }
  })()
  of.close()
  return grant
}

export function equityIncentive(of: StrictFields): CaseAnswer {
  const year = of.has('year') ? of.whole('year', years) : of.whole('tax_year', years)
  const grants = of.list('items', grantIn)
  of.close()
  const found = equityTax(year, grants)
  if ('refused' in found) return refusedAs(found.refused)
  return {
    result: {
      items: found.items.map((one) => ({
        income: money(one.income),
        cum_income: money(one.cum_income),
        ...level(one),
        cum_tax: money(one.cum_tax),
        tax: money(one.tax),
      })),
      total_tax: money(found.total_tax),
    },
    steps: found.items.flatMap(({ steps }) => steps),
  }
}

export function equityDeferredTransfer(of: StrictFields): CaseAnswer {
  const shares = of.decimal('shares')
  const transfer = { shares, price: price(of, 'transfer_price'), cost: price(of, 'cost'), expenses: of.money('expenses', 0) }
  of.close()
  const found = deferredTransferTax(transfer)
  const net = found.income.minus(found.tax)
  return {
    result: { income: money(found.income), rate: rate(found.rate_ppm), tax: money(found.tax), net: money(net) },
    steps: found.steps,
  }
}

/** Others' words for the same ways of drawing. */
const modes: Readonly<Record<string, AnnuityMode>> = {
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
export function annuityWithdrawal(of: StrictFields): CaseAnswer {
  const amount = of.money('amount', 0)
  const mode = modes[of.choice('mode', Object.keys(modes), 'monthly')] ?? 'monthly'
  const reason = of.has('reason') ? of.choice('reason', ['emigration', 'death', 'other']) : 'other'
  const when = whenOf(of)
  of.close()
  const found = annuityTax(amount, mode === 'lump_sum' && reason !== 'other' ? 'lump_sum_special' : mode, when)
  return { result: alone(found), steps: found.steps }
}

export function pensionWithdrawal(of: StrictFields): CaseAnswer {
  const amount = of.money('amount', 0)
  const when = whenOf(of)
  of.close()
  const found = pensionTax(amount, when)
  return { result: { rate: rate(found.rate_ppm), tax: money(found.tax), net: money(found.net) }, steps: found.steps }
}

export function pensionSavingCase(of: StrictFields): CaseAnswer {
  const paid = of.money('paid', 0)
  const before = of.money('annual_taxable_before', 0)
  const when = whenOf(of)
  of.close()
  const { deductible, tax_before, tax_after, saving, steps } = pensionSaving(paid, before, when)
  const result = {
    deductible: money(deductible),
    tax_before: money(tax_before),
    tax_after: money(tax_after),
    saving: money(saving),
  }
  return { result, steps }
}

export function annualSettlement(of: StrictFields): CaseAnswer {
  const year = of.whole('tax_year', years)
  const labor = of.list(
    'labor',
    (value, place) => {
      const one = new StrictFields(value, place)
      const found = { item: one.choice('item', laborItems, 'labor'), income: one.money('income', 0) }
      one.close()
      return found
    },
    true,
  )
  const found = settle({
    year,
    wages: of.money('wages', 0),
    labor,
    special: of.money('special', 0),
    additional: of.money('additional', 0),
    other: of.money('other', 0),
    donation: of.money('donation', 0),
    reduction: of.money('tax_reduction', 0),
    illnesses: of.list('illnesses', (value, place) => new StrictFields({ value }, place).money('value'), true),
    bonus: of.money('bonus', 0),
    withheld: of.money('withheld', 0),
  })
  of.close()
  const { separate, merged, tax, due, better, may_stay } = found
  const both = { separate: separate === null ? null : money(separate), merged: money(merged) }
  return { result: { ...both, better, tax: money(tax), due: money(due), may_stay }, steps: found.steps }
}
