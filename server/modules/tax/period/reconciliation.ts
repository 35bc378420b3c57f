/** The annual reconciliation of members from the locked months of a year. Nothing is stored: everything is derived from them. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as contract from '../../../contract/tax/comparison.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { getExemptionLimits } from '../../../rules/law/income/settlement.ts'
import { formatStep } from '../../../rules/law/steps.ts'
import { loadRoster, matchesMemberName } from '../../directory/index.ts'
import {
  computeReconciliation,
  isReconciliationKind,
  type LockedMonth,
  noIncomeElsewhere,
  type Reconciliation,
} from '../rules/reconciliation.ts'
import { decryptTaxResult } from './documents.ts'
import { isManagedIncome } from './period-rows.ts'

/** Number of members whose months are decrypted at a time. */
const membersPerStep = 200

const selectLockedIncome = (ctx: HandlerContext, year: number) =>
  ctx.db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .where('tax_income.company_id', '=', ctx.company_id)
    .where('tax_period.status', '=', 'locked')
    .where('tax_period.month', '>=', `${year}-01`)
    .where('tax_period.month', '<=', `${year}-12`)
    .where(isManagedIncome(ctx))

async function loadLockedMonths(
  ctx: HandlerContext,
  year: number,
  memberIds: readonly string[],
): Promise<Map<string, LockedMonth[]>> {
  const rows = await selectLockedIncome(ctx, year)
    .select(['tax_income.id', 'tax_income.member_id', 'tax_income.result', 'tax_period.month'])
    .where(sql<boolean>`tax_income.member_id = any(${[...memberIds]}::uuid[])`)
    .orderBy('tax_period.month')
    .execute()
  const byMember = new Map<string, LockedMonth[]>()
  for (const row of rows) {
    const result = decryptTaxResult(ctx.vault, row)
    if (!result) continue
    const months = byMember.get(row.member_id) ?? []
    byMember.set(row.member_id, [...months, { month: Number(row.month.slice(5)), result }])
  }
  return byMember
}

type MemberReconciliation = { readonly member_id: string; readonly reconciliation: Reconciliation }
/** Loads all members within scope in the year, ordered by the amount due. */
async function loadReconciliations(ctx: HandlerContext, year: number, name: string | undefined): Promise<MemberReconciliation[]> {
  const ids = await selectLockedIncome(ctx, year)
    .select('tax_income.member_id')
    .distinct()
    .$if(name !== undefined && name !== '', (query) => query.where(matchesMemberName(ctx, sql`tax_income.member_id`, name ?? '')))
    .orderBy('tax_income.member_id')
    .execute()
  const reconciliations: MemberReconciliation[] = []
  for (let from = 0; from < ids.length; from += membersPerStep) {
    const chunk = ids.slice(from, from + membersPerStep).map(({ member_id }) => member_id)
    for (const [member_id, months] of await loadLockedMonths(ctx, year, chunk)) {
      const reconciliation = computeReconciliation(year, months)
      if (reconciliation) reconciliations.push({ member_id, reconciliation })
    }
    await setImmediate()
  }
  return reconciliations.toSorted(
    (a, b) => b.reconciliation.settlement.due - a.reconciliation.settlement.due || (a.member_id < b.member_id ? -1 : 1),
  )
}

export const getReconciliationList = defineHandler(
  contract.getReconciliationList,
  async (ctx, { year, kind, name, page, pagesize }) => {
    const periods = await ctx.db
      .selectFrom('tax_period')
      .select(['month', 'status'])
      .where('company_id', '=', ctx.company_id)
      .where('month', '>=', `${year}-01`)
      .where('month', '<=', `${year}-12`)
      .orderBy('month')
      .execute()
    const all = await loadReconciliations(ctx, year, name)
    const count = (of: contract.ReconciliationKind) =>
      all.filter(({ reconciliation }) => isReconciliationKind(of, reconciliation)).length
    const matches = kind === undefined ? all : all.filter(({ reconciliation }) => isReconciliationKind(kind, reconciliation))
    const due = all.map(({ reconciliation }) => reconciliation.settlement.due)
    return {
      list: await toReconciliationItems(ctx, matches.slice((page - 1) * pagesize, page * pagesize)),
      page: { page, pagesize, total: matches.length },
      locked: periods.flatMap(({ month, status }) => (status === 'locked' ? [month] : [])),
      open: periods.flatMap(({ month, status }) => (status === 'locked' ? [] : [month])),
      counts: { owes: count('owes'), back: count('back'), even: count('even'), other_way: count('other_way') },
      payable_fen: due.reduce((sum, one) => sum + Math.max(0, one), 0),
      refund_fen: due.reduce((sum, one) => sum + Math.max(0, -one), 0),
      saved_fen: all.reduce(
        (sum, { reconciliation }) =>
          sum +
          (isReconciliationKind('other_way', reconciliation)
            ? (reconciliation.settlement.separate ?? 0) - reconciliation.settlement.merged
            : 0),
        0,
      ),
    }
  },
)

async function toReconciliationItems(ctx: HandlerContext, reconciliations: readonly MemberReconciliation[]) {
  const people = await loadRoster(
    ctx,
    reconciliations.map(({ member_id }) => member_id),
  )
  const membersById = new Map(people.map((one) => [one.id, one]))
  return reconciliations.map(({ member_id, reconciliation: { months, year, settlement } }) => {
    const member = membersById.get(member_id)
    return {
      member_id,
      name: member?.name ?? '',
      employee_no: member?.employee_no ?? '',
      departments: member?.departments ?? '',
      left: member?.status === 'left',
      months,
      wages_fen: year.wages,
      bonus_fen: year.bonus,
      special_fen: year.special,
      additional_fen: year.additional,
      other_fen: year.other,
      donation_fen: year.donation,
      reduction_fen: year.reduction,
      withheld_fen: year.withheld,
      separate_fen: settlement.separate,
      merged_fen: settlement.merged,
      better_bonus_method: settlement.better,
      tax_fen: settlement.tax,
      due_fen: settlement.due,
      payment_exempt: settlement.payment_exempt,
    }
  })
}

export const getReconciliationDetail = defineHandler(
  contract.getReconciliationDetail,
  async (ctx, { member_id, year, ...elsewhere }) => {
    const months = (await loadLockedMonths(ctx, year, [member_id])).get(member_id) ?? []
    const reconciliation = computeReconciliation(year, months, {
      ...noIncomeElsewhere,
      wages: elsewhere.elsewhere_fen,
      special: elsewhere.elsewhere_special_fen,
      withheld: elsewhere.elsewhere_withheld_fen,
      labor: elsewhere.labor_fen,
      illness: elsewhere.illness_fen,
      additional: elsewhere.more_fen,
    })
    const [item] = reconciliation ? await toReconciliationItems(ctx, [{ member_id, reconciliation }]) : []
    if (!reconciliation || !item) throw fail('not_found', `${year} 年还没有他锁定的月份`)
    return { ...item, exemption_limits: getExemptionLimits(year), steps: reconciliation.settlement.steps.map(formatStep) }
  },
)
