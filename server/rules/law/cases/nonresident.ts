/** Cases of people without domicile and of foreign residents. */
import { laborItems } from '../income/labor.ts'
import { type ExpatForm, type ExpatItem, expatChoice, expatExempt, expatForms, expatItems } from '../nonresident/expat.ts'
import { nonresidentBonusTax, nonresidentLaborTax, nonresidentWageTax } from '../nonresident/monthly.ts'
import { residenceSettlement } from '../nonresident/residence.ts'
import { sixYearsTax, sourcedTax, stays } from '../nonresident/sourcing.ts'
import { StrictFields } from '../read.ts'
import { bonusAnswer } from './wages.ts'
import { type CaseAnswer, flag, level, money, monthsOfYear, refusedAs, whenOf, years } from './words.ts'

export function nonresidentSalary(of: StrictFields): CaseAnswer {
  const income = of.money('income', 0)
  const exempt = of.money('exempt', 0)
  const when = whenOf(of)
  of.close()
  const found = nonresidentWageTax({ income, exempt }, when)
  const { taxable, tax } = found
  return { result: { taxable: money(taxable), ...level(found), tax: money(tax), net: money(income - tax) }, steps: found.steps }
}

export function nonresidentBonus(of: StrictFields): CaseAnswer {
  const amount = of.money('amount', 0)
  const used = flag(of, 'used_this_year')
  const when = whenOf(of)
  of.close()
  return bonusAnswer(nonresidentBonusTax(amount, used, when))
}

export function nonresidentLabor(of: StrictFields): CaseAnswer {
  const item = of.choice('item', laborItems, 'labor')
  const income = of.money('income', 0)
  const when = whenOf(of)
  of.close()
  const found = nonresidentLaborTax(item, income, when)
  const { taxable, tax, net } = found
  return { result: { taxable: money(taxable), ...level(found), tax: money(tax), net: money(net) }, steps: found.steps }
}

export function nonresidentSourcing(of: StrictFields): CaseAnswer {
  const month_wage = of.money('month_wage')
  const input = {
    month_wage,
    paid_in_china: of.money('paid_in_china', month_wage),
    days_in_china: of.decimal('days_in_china'),
    days_in_month: of.decimal('days_in_month'),
    stay: of.choice('stay', stays),
    executive: flag(of, 'executive'),
  }
  const when = whenOf(of)
  of.close()
  const found = sourcedTax(input, when)
  const { income, taxable, tax } = found
  return { result: { income: money(income), taxable: money(taxable), ...level(found), tax: money(tax) }, steps: found.steps }
}

export function sixYears(of: StrictFields): CaseAnswer {
  const input = {
    month_wage: of.money('month_wage'),
    bonus: of.money('bonus', 0),
    paid_in_china_share_ppm: of.rate('paid_in_china_share', 1_000_000),
    days_in_china: of.decimal('days_in_china'),
    days_in_month: of.decimal('days_in_month'),
    six_years_full: flag(of, 'six_years_full'),
    bonus_merged: of.flag('bonus_merged', true),
  }
  const when = whenOf(of)
  of.close()
  const found = sixYearsTax(input, when)
  const { taxable_income, taxable, tax, bonus_tax } = found
  return {
    result: {
      taxable_income: money(taxable_income),
      taxable: money(taxable),
      ...level(found),
      tax: money(tax),
      bonus_tax: money(bonus_tax),
    },
    steps: found.steps,
  }
}

export function nonresidentYear(of: StrictFields): CaseAnswer {
  const incomes = of.list('months', (value, place) => new StrictFields({ value }, place).money('value'))
  const when = whenOf(of)
  of.close()
  const found = incomes.map((income) => nonresidentWageTax({ income }, when))
  return {
    result: { month_tax: found.map(({ tax }) => money(tax)), total_tax: money(found.reduce((all, { tax }) => all + tax, 0)) },
    steps: found.flatMap(({ steps }) => steps),
  }
}

export function expatAllowanceChoice(of: StrictFields): CaseAnswer {
  const input = {
    annual_taxable_before: of.money('annual_taxable_before', 0),
    allowance: of.money('allowance', 0),
    special_additional: of.money('special_additional', 0),
  }
  const when = whenOf(of)
  of.close()
  const found = expatChoice(input, when)
  if ('refused' in found) return refusedAs(found.refused)
  const { saving_allowance, saving_special, better, steps } = found
  return { result: { saving_allowance: money(saving_allowance), saving_special: money(saving_special), better }, steps }
}

/** Others' words for the same things. */
const itemWords: Readonly<Record<string, ExpatItem>> = {
  ...Object.fromEntries(expatItems.map((item) => [item, item])),
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
const formWords: Readonly<Record<string, ExpatForm>> = {
  ...Object.fromEntries(expatForms.map((form) => [form, form])),
  reimburse: 'reimbursed',
  reimbursement: 'reimbursed',
  non_cash: 'in_kind',
  inkind: 'in_kind',
}
export function expatAllowanceExempt(of: StrictFields): CaseAnswer {
  const input = {
    item: itemWords[of.choice('item', Object.keys(itemWords))] ?? 'other',
    amount: of.money('amount', 0),
    times: of.has('times') ? of.whole('times', [0, 366]) : undefined,
  }
  const forms = of.list('forms', (value, place) =>
    new StrictFields({ form: value }, place).choice('form', Object.keys(formWords)),
  )
  of.close()
  const steps = forms.map((form) => expatExempt(input, formWords[form] ?? 'cash'))
  const exempt = Object.fromEntries(forms.map((form, at) => [form, money(steps[at]?.result ?? 0)]))
  return { result: { exempt }, steps }
}

export function residenceChange(of: StrictFields): CaseAnswer {
  const input = {
    year: of.whole('tax_year', years),
    days: of.whole('days', [0, 366]),
    months: of.list('months', (value, place) => {
      const one = new StrictFields(value, place)
      const found = {
        month: one.whole('month', monthsOfYear),
        income: one.money('income', 0),
        withheld: one.money('withheld', 0),
      }
      one.close()
      return found
    }),
    special: of.money('special', 0),
    additional: of.money('additional', 0),
    other: of.money('other', 0),
  }
  of.close()
  const { resident, tax, withheld, due, steps } = residenceSettlement(input)
  return { result: { resident, tax: money(tax), withheld: money(withheld), due: money(due) }, steps }
}
