/** Cases about individuals without domicile and foreign residents. */

import { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import { laborIncomeKinds } from '../income/labor.ts'
import {
  type AllowanceForm,
  allowanceForms,
  compareExpatOptions,
  computeAllowanceExemption,
  type ExpatAllowanceKind,
  expatAllowanceKinds,
} from '../nonresident/expat.ts'
import { computeNonresidentBonusTax, computeNonresidentLaborTax, computeNonresidentWageTax } from '../nonresident/monthly.ts'
import { computeResidenceSettlement } from '../nonresident/residence.ts'
import { computeSixYearTax, computeSourcedTax, stayRanges } from '../nonresident/sourcing.ts'
import {
  type CaseOutput,
  formatBracket,
  formatMoney,
  monthRange,
  readFlag,
  readPaymentMonth,
  toRefusedOutput,
  yearRange,
} from './formats.ts'
import { formatBonusResult } from './wages.ts'

export function runNonresidentSalaryCase(fields: StrictFields): CaseOutput {
  const income = fields.money('income', 0)
  const exempt = fields.money('exempt', 0)
  const when = readPaymentMonth(fields)
  fields.close()
  const result = computeNonresidentWageTax({ income, exempt }, when)
  const { taxable, tax } = result
  return {
    result: { taxable: formatMoney(taxable), ...formatBracket(result), tax: formatMoney(tax), net: formatMoney(income - tax) },
    steps: result.steps,
  }
}

export function runNonresidentBonusCase(fields: StrictFields): CaseOutput {
  const amount = fields.money('amount', 0)
  const used = readFlag(fields, 'used_this_year')
  const when = readPaymentMonth(fields)
  fields.close()
  return formatBonusResult(computeNonresidentBonusTax(amount, used, when))
}

export function runNonresidentLaborCase(fields: StrictFields): CaseOutput {
  const item = fields.choice('item', laborIncomeKinds, 'labor')
  const income = fields.money('income', 0)
  const when = readPaymentMonth(fields)
  fields.close()
  const result = computeNonresidentLaborTax(item, income, when)
  const { taxable, tax, net } = result
  return {
    result: { taxable: formatMoney(taxable), ...formatBracket(result), tax: formatMoney(tax), net: formatMoney(net) },
    steps: result.steps,
  }
}

export function runNonresidentSourcingCase(fields: StrictFields): CaseOutput {
  const month_wage = fields.money('month_wage')
  const input = {
    month_wage,
    paid_in_china: fields.money('paid_in_china', month_wage),
    days_in_china: fields.decimal('days_in_china'),
    days_in_month: fields.decimal('days_in_month'),
    stay: fields.choice('stay', stayRanges),
    executive: readFlag(fields, 'executive'),
  }
  const when = readPaymentMonth(fields)
  fields.close()
  const result = computeSourcedTax(input, when)
  const { income, taxable, tax } = result
  return {
    result: { income: formatMoney(income), taxable: formatMoney(taxable), ...formatBracket(result), tax: formatMoney(tax) },
    steps: result.steps,
  }
}

export function runSixYearsCase(fields: StrictFields): CaseOutput {
  const input = {
    month_wage: fields.money('month_wage'),
    bonus: fields.money('bonus', 0),
    paid_in_china_share_ppm: fields.rate('paid_in_china_share', 1_000_000),
    days_in_china: fields.decimal('days_in_china'),
    days_in_month: fields.decimal('days_in_month'),
    six_years_full: readFlag(fields, 'six_years_full'),
    bonus_merged: fields.flag('bonus_merged', true),
  }
  const when = readPaymentMonth(fields)
  fields.close()
  const result = computeSixYearTax(input, when)
  const { taxable_income, taxable, tax, bonus_tax } = result
  return {
    result: {
      taxable_income: formatMoney(taxable_income),
      taxable: formatMoney(taxable),
      ...formatBracket(result),
      tax: formatMoney(tax),
      bonus_tax: formatMoney(bonus_tax),
    },
    steps: result.steps,
  }
}

export function runNonresidentYearCase(fields: StrictFields): CaseOutput {
  const incomes = fields.list('months', (value, path) => new StrictFields({ value }, path).money('value'))
  const when = readPaymentMonth(fields)
  fields.close()
  const result = incomes.map((income) => computeNonresidentWageTax({ income }, when))
  return {
    result: {
      month_tax: result.map(({ tax }) => formatMoney(tax)),
      total_tax: formatMoney(result.reduce((all, { tax }) => all + tax, 0)),
    },
    steps: result.flatMap(({ steps }) => steps),
  }
}

export function runExpatChoiceCase(fields: StrictFields): CaseOutput {
  const input = {
    annual_taxable_before: fields.money('annual_taxable_before', 0),
    allowance: fields.money('allowance', 0),
    special_additional: fields.money('special_additional', 0),
  }
  const when = readPaymentMonth(fields)
  fields.close()
  const result = compareExpatOptions(input, when)
  if ('refused' in result) return toRefusedOutput(result.refused)
  const { saving_allowance, saving_special, better, steps } = result
  return {
    result: { saving_allowance: formatMoney(saving_allowance), saving_special: formatMoney(saving_special), better },
    steps,
  }
}

/** Alternative names of the allowances. */
const itemsByName: Readonly<Record<string, ExpatAllowanceKind>> = {
  ...Object.fromEntries(expatAllowanceKinds.map((item) => [item, item])),
  meals: 'meal',
  food: 'meal',
  moving: 'relocation',
  business_trip: 'travel',
  home: 'home_leave',
  family_visit: 'home_leave',
  language: 'language_training',
  education: 'children_education',
  child_education: 'children_education',
}
const formsByName: Readonly<Record<string, AllowanceForm>> = {
  ...Object.fromEntries(allowanceForms.map((form) => [form, form])),
  reimburse: 'reimbursed',
  reimbursement: 'reimbursed',
  non_cash: 'in_kind',
  inkind: 'in_kind',
}
export function runExpatExemptCase(fields: StrictFields): CaseOutput {
  const input = {
    item: itemsByName[fields.choice('item', Object.keys(itemsByName))] ?? 'other',
    amount: fields.money('amount', 0),
    times: fields.has('times') ? fields.integer('times', [0, 366]) : undefined,
  }
  const forms = fields.list('forms', (value, path) =>
    new StrictFields({ form: value }, path).choice('form', Object.keys(formsByName)),
  )
  fields.close()
  const steps = forms.map((form) => computeAllowanceExemption(input, formsByName[form] ?? 'cash'))
  const exempt = Object.fromEntries(forms.map((form, at) => [form, formatMoney(steps[at]?.result ?? 0)]))
  return { result: { exempt }, steps }
}

export function runResidenceChangeCase(fields: StrictFields): CaseOutput {
  const input = {
    year: fields.integer('tax_year', yearRange),
    days: fields.integer('days', [0, 366]),
    months: fields.list('months', (value, path) => {
      const one = new StrictFields(value, path)
      const result = {
        month: one.integer('month', monthRange),
        income: one.money('income', 0),
        withheld: one.money('withheld', 0),
      }
      one.close()
      return result
    }),
    special: fields.money('special', 0),
    additional: fields.money('additional', 0),
    other: fields.money('other', 0),
  }
  fields.close()
  const { resident, tax, withheld, due, steps } = computeResidenceSettlement(input)
  return { result: { resident, tax: formatMoney(tax), withheld: formatMoney(withheld), due: formatMoney(due) }, steps }
}
