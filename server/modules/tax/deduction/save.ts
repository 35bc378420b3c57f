/** Saving a member's deductions and confirming them for a year. Writes member_deduction. */
import * as contract from '../../../contract/tax/deductions.ts'
import { deductionLabels } from '../../../contract/tax/kinds.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { assertAllowed, defineHandler, invalidInput } from '../../../http/handler.ts'
import { toShanghaiMonth } from '../../../shared/clock.ts'
import { assertManaged, createConcurrentChangeError } from '../members.ts'
import { normalizeItem, validateItem, validateItems } from './items.ts'
import { getConfirmationYear } from './list.ts'
import { deductionStore } from './store.ts'

const lockSubject = 'deductions'

export const saveDeduction = defineHandler(contract.saveDeduction, async (ctx, { member_id, version, items }) => {
  await assertManaged(ctx, [member_id])
  const month = toShanghaiMonth(ctx.now)
  const normalized = items.map(normalizeItem)
  for (const [at, item] of normalized.entries()) {
    const error = validateItem(item, month)
    if (error) throw invalidInput(`items.${at}.${error.field}`, `${deductionLabels[item.kind]}：${error.message}`)
  }
  const conflict = validateItems(normalized, month)
  if (conflict) throw invalidInput(`items.${conflict.at}.kind`, conflict.message)
  await lockCompanySubject(ctx, lockSubject)
  const [row] = await deductionStore.sealed(ctx, [member_id])
  if ((row?.version ?? 0) !== version) throw createConcurrentChangeError()
  const existing = row ? deductionStore.open(ctx, row) : null
  // Entering items confirms them for the year; in December for the next one too.
  const confirmed_year = Math.max(existing?.confirmed_year ?? 0, getConfirmationYear(month))
  await deductionStore.keep(ctx, [{ member_id, version, value: { items: normalized, confirmed_year } }])
  ctx.addAuditDetails({ member_id, items: normalized.length })
  return { version: version + 1 }
})

export const confirmDeduction = defineHandler(contract.confirmDeduction, async (ctx, { year, member_ids }) => {
  await assertManaged(ctx, member_ids)
  const latestYear = getConfirmationYear(toShanghaiMonth(ctx.now))
  assertAllowed(year <= latestYear || `${year} 年度要到上一年 12 月才开始确认`, { year: latestYear })
  await lockCompanySubject(ctx, lockSubject)
  const rows = await deductionStore.sealed(ctx, member_ids)
  const unconfirmed = rows
    .map((row) => ({ ...row, value: deductionStore.open(ctx, row) }))
    .filter(({ value }) => value.items.length > 0 && (value.confirmed_year ?? 0) < year)
  await deductionStore.keep(
    ctx,
    unconfirmed.map(({ member_id, version, value }) => ({ member_id, version, value: { ...value, confirmed_year: year } })),
  )
  ctx.addAuditDetails({ people: unconfirmed.length, year })
  return { confirmed: unconfirmed.length, nothing: member_ids.length - unconfirmed.length }
})
