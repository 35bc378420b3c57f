/** Six locked tax months of the demo company: incomes of its payslips, computed by the product's own rules. */
import type { DeductionItem } from '../contract/tax/deductions.ts'
import { emptyDeduction } from '../contract/tax/kinds.ts'
import type { Vault } from '../crypto/secrets.ts'
import type { Tx } from '../database/database.ts'
import { type LockedMonth, writeTaxHistory } from '../modules/tax/index.ts'
import type { TaxAmounts } from '../rules/law/wages/amounts.ts'
import { type Wage, wageLabels } from './pay.ts'
import { createSeededRandom } from './random.ts'
import { applyDemoCorrection, type DemoPay, type PayRun } from './runs.ts'
import { type DemoCompany, type DemoStaff, demoEpoch } from './staff.ts'

const dayMs = 86_400_000
const labelPositions = new Map(wageLabels.map((label, at) => [label, at]))
const getAmount = ({ amounts }: Wage, label: (typeof wageLabels)[number]): number =>
  amounts.at(labelPositions.get(label) ?? -1) ?? 0

const toTaxAmounts = (wage: Wage): Partial<TaxAmounts> => ({
  income_fen: wage.gross,
  pension_fen: getAmount(wage, '养老保险'),
  medical_fen: getAmount(wage, '医疗保险'),
  unemployment_fen: getAmount(wage, '失业保险'),
  housing_fund_fen: getAmount(wage, '住房公积金'),
})
const sumContributions = (wage: Wage): number => {
  const { income_fen: _income, ...contributions } = toTaxAmounts(wage)
  return Object.values(contributions).reduce<number>((sum, one) => sum + (one ?? 0), 0)
}

/** What the employees of the demo deduct each month, as they would fill it in. */
const deductionByYuan: Readonly<Record<number, DeductionItem>> = {
  1000: { ...emptyDeduction, kind: 'housing_loan', from: '2022-05' },
  1500: { ...emptyDeduction, kind: 'housing_rent', from: '2023-03', city_tier: 1 },
  2000: { ...emptyDeduction, kind: 'child_education', born: '2016-09-12' },
  3000: { ...emptyDeduction, kind: 'elderly', born: '1955-04-06', only_child: true },
}

type SeedContext = { readonly tx: Tx; readonly vault: Vault; readonly company: DemoCompany; readonly now: Date }

export async function seedTax({ tx, vault, company, now }: SeedContext, { runs, earlierWages }: DemoPay): Promise<void> {
  const monthly = runs.filter(({ kind }) => kind === 'monthly')
  const [first] = monthly
  const owner = first && company.admins[first.owner]
  if (!first || !owner) return
  const year = Number(first.month.slice(0, 4))
  const random = createSeededRandom(company.plan.number * 32_452_843, company.plan.set)
  await writeTaxHistory(
    { db: tx, company_id: company.id, vault },
    {
      year,
      deductions: company.staff.flatMap(({ id, terms }) => {
        const item = deductionByYuan[terms.special]
        return item ? [{ member_id: id, items: [item] }] : []
      }),
      openings: company.staff.flatMap((staff) => {
        const opening = buildOpening(staff, earlierWages.get(staff.id) ?? [])
        return opening ? [{ member_id: staff.id, opening }] : []
      }),
      months: monthly.map((run) => toLockedMonth(run, now)),
      by: { name: owner.staff.name, account_id: owner.staff.account_id },
      makeId: () => random.id(demoEpoch),
    },
  )
}

function toLockedMonth({ month, batch_id, sent_at, payslips }: PayRun, now: Date): LockedMonth {
  return {
    month,
    batch_id,
    paid_at: sent_at,
    locked_at: new Date(Math.min(sent_at.getTime() + 4 * dayMs, now.getTime())),
    incomes: payslips.map(({ staff, wage, corrected_at }) => ({
      member_id: staff.id,
      amounts: toTaxAmounts(corrected_at ? applyDemoCorrection(wage) : wage),
      tax_fen: wage.tax,
    })),
  }
}

/** The sums of the year before the first month; null for those who had no wage in it. */
function buildOpening({ terms }: DemoStaff, months: readonly (Wage | null)[]) {
  const wages = months.flatMap((wage) => wage ?? [])
  const sum = (pick: (wage: Wage) => number) => wages.reduce((all, wage) => all + pick(wage), 0)
  if (wages.length === 0) return null
  return {
    through_month: months.length,
    income_fen: sum(({ gross }) => gross),
    exempt_fen: 0,
    special_fen: sum(sumContributions),
    additional_fen: wages.length * terms.special * 100,
    other_fen: 0,
    donation_fen: 0,
    reduction_fen: 0,
    withheld_fen: sum(({ tax }) => tax),
  }
}
