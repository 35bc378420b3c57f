/** Importing contribution bases from a list: a preview, then the import. Repeatable. Writes member_insurance. */
import * as contract from '../../../contract/tax/insurance.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import type { MemberAmountList } from '../../../spreadsheets/index.ts'
import { listManagedMemberIds } from '../members.ts'
import { matchRows, readUploadedAmounts } from '../read-member-amounts.ts'
import { countChanges, listRejectedFirst } from '../rules/import-plan.ts'
import { getHousingFundBase, isSameEntry, planInsuranceEntry } from './import-plan.ts'
import { loadCurrentSchemes } from './schemes.ts'
import { insuranceStore, type StoredInsurance } from './store.ts'

type ImportOptions = { readonly from: string; readonly city?: string | undefined; readonly isApplied: boolean }
const withoutAmounts = {
  city: '',
  before_social_fen: null,
  social_fen: null,
  before_housing_fund_fen: null,
  housing_fund_fen: null,
  housing_fund_ppm: null,
}

export const importInsurance = defineHandler(contract.importInsurance, { kind: 'external' }, async (ctx, { apply, ...input }) => {
  const read = await readUploadedAmounts(ctx, 'bases')
  const isApplied = apply === '1'
  const run = (tx: HandlerContext) => importBases(tx, read, { ...input, isApplied })
  return isApplied ? ctx.mutate(run) : ctx.inTransaction(run)
})

async function importBases(
  ctx: HandlerContext,
  read: MemberAmountList,
  { from, city = '', isApplied }: ImportOptions,
): Promise<contract.InsuranceImport> {
  await lockCompanySubject(ctx, 'insurance')
  const schemes = await loadCurrentSchemes(ctx)
  const matched = await matchRows(ctx, read.rows, { includesTerminated: false })
  const memberIds = matched.flatMap(({ member }) => (typeof member === 'string' ? [] : [member.id]))
  const stored = new Map(
    (await insuranceStore.sealed(ctx, memberIds)).map((row) => [
      row.member_id,
      { version: row.version, entries: insuranceStore.open(ctx, row).entries },
    ]),
  )
  const changed: { member_id: string; version: number; value: StoredInsurance }[] = []
  const rows = matched.map(({ row, member }): contract.InsuranceImportRow => {
    const position = { row: row.row, sheet: row.sheet, name: row.name }
    if (typeof member === 'string') return { ...position, ...withoutAmounts, change: 'rejected', reason: member }
    const existing = stored.get(member.id)
    const plan = planInsuranceEntry(row, existing?.entries ?? [], { from, city, schemes })
    if (typeof plan === 'string') return { ...position, ...withoutAmounts, change: 'rejected', reason: plan }
    const { before, entry, entries } = plan
    const change = before === null ? 'new' : isSameEntry(before, entry) ? 'same' : 'changed'
    if (change !== 'same')
      changed.push({ member_id: member.id, version: existing?.version ?? 0, value: { entries: [...entries] } })
    return {
      ...position,
      change,
      reason: '',
      city: entry.city,
      before_social_fen: before?.social_fen ?? null,
      social_fen: entry.social_fen,
      before_housing_fund_fen: before && getHousingFundBase(before),
      housing_fund_fen: getHousingFundBase(entry),
      housing_fund_ppm: entry.housing_fund_ppm,
    }
  })
  if (isApplied) await insuranceStore.keep(ctx, changed)
  ctx.addAuditDetails({ people: changed.length, applied: isApplied ? 1 : 0 })
  const listed = new Set(memberIds)
  return {
    applied: isApplied,
    people: changed.length,
    counts: countChanges(rows),
    not_listed: (await listManagedMemberIds(ctx, {})).filter((id) => !listed.has(id)).length,
    rows: listRejectedFirst(rows),
    unread_columns: read.unread_columns,
    other_sheets: read.other_sheets,
  }
}
