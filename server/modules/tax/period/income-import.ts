/** Importing the incomes of a month from a list: a preview, then the import. Repeatable. Writes tax_income. */
import * as contract from '../../../contract/tax/periods.ts'
import { canTaxPeriod } from '../../../contract/tax/statuses.ts'
import { assertAllowed, defineHandler, type HandlerContext } from '../../../http/handler.ts'
import type { MemberAmountList } from '../../../spreadsheets/index.ts'
import { matchRows, readUploadedAmounts } from '../read-member-amounts.ts'
import { getEffectiveAmounts } from '../rules/amounts.ts'
import { countChanges, listRejectedFirst } from '../rules/import-plan.ts'
import { readListedIncome, sumSpecialAmounts } from '../rules/listed-income.ts'
import type { StoredIncome } from './documents.ts'
import { IncomeChanges, type IncomeInputRow, saveChanges } from './income.ts'
import { requirePeriod, resetToDraft, streamIncomes } from './period-rows.ts'

const withoutAmounts = { before_income_fen: null, income_fen: null, special_fen: null, bonus_fen: null }

export const importIncome = defineHandler(contract.importIncome, { kind: 'external' }, async (ctx, { period_id, apply }) => {
  await ctx.inTransaction((tx) => requireEditablePeriod(tx, period_id, false))
  const read = await readUploadedAmounts(ctx, 'incomes')
  const isApplied = apply === '1'
  const run = (tx: HandlerContext) => importIncomes(tx, read, { period_id, isApplied })
  return isApplied ? ctx.mutate(run) : ctx.inTransaction(run)
})

async function requireEditablePeriod(ctx: HandlerContext, period_id: string, lock: boolean) {
  const period = await requirePeriod(ctx, period_id, lock)
  assertAllowed(canTaxPeriod.edit(period.status), { status: period.status })
  return period
}

async function importIncomes(
  ctx: HandlerContext,
  read: MemberAmountList,
  { period_id, isApplied }: { readonly period_id: string; readonly isApplied: boolean },
): Promise<contract.IncomeImport> {
  const period = await requireEditablePeriod(ctx, period_id, true)
  const stored = new Map<string, StoredIncome>()
  for await (const page of streamIncomes(ctx, period_id)) for (const one of page) stored.set(one.member_id, one.stored)
  const changed: IncomeInputRow[] = []
  const listed = new Set<string>()
  const rows = (await matchRows(ctx, read.rows, { includesTerminated: true })).map(
    ({ row, member }): contract.IncomeImportRow => {
      const position = { row: row.row, sheet: row.sheet, name: row.name }
      if (typeof member === 'string') return { ...position, ...withoutAmounts, change: 'rejected', reason: member }
      listed.add(member.id)
      const existing = stored.get(member.id)
      const before = existing ? getEffectiveAmounts(existing) : null
      const amounts = readListedIncome(row, read.columns, before)
      if (typeof amounts === 'string') return { ...position, ...withoutAmounts, change: 'rejected', reason: amounts }
      const withheld_fen = read.columns.includes('withheld') ? (row.fen.withheld ?? null) : (existing?.withheld_fen ?? null)
      const isSame = JSON.stringify(before) === JSON.stringify(amounts) && withheld_fen === (existing?.withheld_fen ?? null)
      if (!isSame)
        changed.push({
          member_id: member.id,
          amounts,
          withheld_fen,
          additional_cumulative_fen: existing?.additional_cumulative_fen ?? null,
        })
      return {
        ...position,
        change: isSame ? 'same' : before === null ? 'new' : 'changed',
        reason: '',
        before_income_fen: before?.income_fen ?? null,
        income_fen: amounts.income_fen,
        special_fen: sumSpecialAmounts(amounts),
        bonus_fen: amounts.bonus_fen,
      }
    },
  )
  if (isApplied && changed.length > 0) {
    const changes = new IncomeChanges()
    changes.setRows(changed)
    await saveChanges(ctx, period, changes)
    await resetToDraft(ctx, [period_id])
  }
  ctx.addAuditDetails({ people: changed.length, applied: isApplied ? 1 : 0 })
  return {
    applied: isApplied,
    people: changed.length,
    counts: countChanges(rows),
    not_listed: [...stored.keys()].filter((id) => !listed.has(id)).length,
    rows: listRejectedFirst(rows),
    unread_columns: read.unread_columns,
    other_sheets: read.other_sheets,
  }
}
