/** What is entered of somebody's deductions, and confirmed for a year. Writes member_deduction. */
import * as contract from '../../../contract/wage/deductions.ts'
import { deductionWords } from '../../../contract/wage/kinds.ts'
import { monthOf } from '../../../runtime/clock.ts'
import { takeTurn } from '../../../runtime/data/turns.ts'
import { handle, invalid, must } from '../../../runtime/handle.ts'
import { changedMeanwhile, mustKeep } from '../people.ts'
import { deductionsKept } from './document.ts'
import { faultTogether, itemFault, tidyItem } from './items.ts'
import { confirmYear } from './list.ts'

const what = 'deductions'

export const saveDeduction = handle(contract.saveDeduction, async (ctx, { member_id, version, items }) => {
  await mustKeep(ctx, [member_id])
  const month = monthOf(ctx.now)
  const tidy = items.map(tidyItem)
  for (const [at, item] of tidy.entries()) {
    const fault = itemFault(item, month)
    if (fault) throw invalid(`items.${at}.${fault.field}`, `${deductionWords[item.kind]}：${fault.message}`)
  }
  const together = faultTogether(tidy, month)
  if (together) throw invalid(`items.${together.at}.kind`, together.message)
  await takeTurn(ctx, what)
  const [row] = await deductionsKept.sealed(ctx, [member_id])
  if ((row?.version ?? 0) !== version) throw changedMeanwhile()
  const before = row ? deductionsKept.open(ctx, row) : null
  // Whoever enters it says that it holds for the year; in December for the next one too.
  const confirmed_year = Math.max(before?.confirmed_year ?? 0, confirmYear(month))
  await deductionsKept.keep(ctx, [{ member_id, version, value: { items: tidy, confirmed_year } }])
  ctx.about({ member_id, items: tidy.length })
  return { version: version + 1 }
})

export const confirmDeduction = handle(contract.confirmDeduction, async (ctx, { year, member_ids }) => {
  await mustKeep(ctx, member_ids)
  const asked = confirmYear(monthOf(ctx.now))
  must(year <= asked || `${year} 年度要到上一年 12 月才开始确认`, { year: asked })
  await takeTurn(ctx, what)
  const rows = await deductionsKept.sealed(ctx, member_ids)
  const open = rows
    .map((row) => ({ ...row, value: deductionsKept.open(ctx, row) }))
    .filter(({ value }) => value.items.length > 0 && (value.confirmed_year ?? 0) < year)
  await deductionsKept.keep(
    ctx,
    open.map(({ member_id, version, value }) => ({ member_id, version, value: { ...value, confirmed_year: year } })),
  )
  ctx.about({ people: open.length, year })
  return { confirmed: open.length, nothing: member_ids.length - open.length }
})
