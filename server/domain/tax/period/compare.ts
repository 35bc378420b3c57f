/** The result file of the official withholding client beside a month as it was computed here. Nothing of the file is kept. */
import type { OutputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/wage/tax/tax-results.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import { type Ctx, handleOutside, invalid, refuse } from '../../../runtime/handle.ts'
import { readWithheld, SheetUnreadable, type WithheldRead } from '../../../tables/index.ts'
import { roster } from '../../member/index.ts'
import { amountsOf, type PersonResult } from '../rules/amounts.ts'
import { causeOf, comparedBonus, comparedWages, itemOf } from '../rules/compare.ts'
import { type KnownPeople, whoseRow } from '../rules/whose.ts'
import { openResult } from './documents.ts'
import { incomesOf, periodOf } from './rows.ts'

type Told = OutputOf<typeof contract.compareWithheld>
type Row = WithheldRead['rows'][number]
const lines_told = 1_000

export const compareWithheld = handleOutside(contract.compareWithheld, async (ctx, { period_id }) => {
  const { upload } = ctx
  // Before a file is opened it is known that there is something to compare it with.
  await ctx.inTransaction((inner) => computedPeriod(inner, period_id))
  if (!upload) throw invalid('file', '请选择扣缴端导出的税款计算结果')
  if (upload.bytes.length === 0) throw refuse('unreadable_sheet', '文件是空的，请检查后重新上传')
  const read = await readWithheld(ctx.outdoors, upload.bytes, {
    file_name: upload.file_name,
    signal: ctx.signal,
    owner: ctx.me?.company_id,
  }).catch((error: unknown) => {
    // The sentences of whoever opens files speak of wage sheets.
    throw error instanceof SheetUnreadable
      ? refuse('unreadable_sheet', error.message.replaceAll('工资表', '税款计算结果'))
      : error
  })
  if (read.reason !== null) throw refuse('unreadable_sheet', read.reason)
  return ctx.deed((inner) => compared(inner, period_id, read))
})

type Here = { readonly name: string; readonly amounts: TaxAmounts; readonly result: PersonResult }
async function hereIn(ctx: Ctx, period_id: string, names: ReadonlyMap<string, string>): Promise<Map<string, Here>> {
  const found = new Map<string, Here>()
  for await (const page of incomesOf(ctx, period_id))
    for (const row of page) {
      const result = openResult(ctx.vault, row)
      if (result) found.set(row.member_id, { name: names.get(row.member_id) ?? '', amounts: amountsOf(row.kept), result })
    }
  return found
}

/** Whose tax one keeps, those who left too: the file has them in their last month. */
async function peopleHere(ctx: Ctx): Promise<KnownPeople & { readonly names: ReadonlyMap<string, string> }> {
  const people = (await roster(ctx)).filter(({ in_scope }) => in_scope)
  const cards = new Map(people.flatMap((one) => (one.id_card_index ? [[one.id_card_index.toString('hex'), one]] : [])))
  return {
    people,
    cardOf: (text) => cards.get(ctx.vault.index('id_card', text).toString('hex')),
    names: new Map(people.map(({ id, name }) => [id, name])),
  }
}

async function computedPeriod(ctx: Ctx, period_id: string): Promise<{ readonly month: string }> {
  const { month, status } = await periodOf(ctx, period_id)
  if (status !== 'computed' && status !== 'locked')
    throw refuse('wrong_state', '这一期还没有计算完，不能比对；请先计算', { status })
  return { month }
}

async function compared(ctx: Ctx, period_id: string, read: WithheldRead): Promise<Told> {
  const { month } = await computedPeriod(ctx, period_id)
  const other = read.rows.find((row) => row.month !== null && row.month !== month)
  if (other) throw refuse('unreadable_sheet', `文件里是 ${other.month} 的税款，这一期是 ${month}；请选择同一个月的文件`)
  const known = await peopleHere(ctx)
  const here = await hereIn(ctx, period_id, known.names)
  const lines: contract.ComparedLine[] = []
  const counts = { same: 0, differs: 0, only_file: 0, only_here: 0, fault: 0 }
  const say = (line: contract.ComparedLine) => {
    counts[line.what] += 1
    lines.push(line)
  }
  const seen = { wages: new Set<string>(), bonus: new Set<string>() }
  let [ours, theirs, other_items] = [0, 0, 0]
  for (const row of read.rows) {
    const item = itemOf(row)
    if (item === 'other') {
      other_items += 1
      continue
    }
    theirs += row.fen.due ?? 0
    const line = lineOf(row, item, { known, here })
    if (line.member_id !== null) seen[item].add(line.member_id)
    if (line.what === 'same') counts.same += 1
    else say({ ...line, what: line.what })
  }
  for (const [member_id, one] of here) {
    ours += one.result.tax_fen - one.result.credit_fen + (seen.bonus.size > 0 ? (one.result.bonus?.tax_fen ?? 0) : 0)
    if (seen.wages.size > 0 && !seen.wages.has(member_id))
      say({
        row: null,
        sheet: '',
        member_id,
        name: one.name,
        what: 'only_here',
        why: '这里有、扣缴端没有：请确认是否漏报',
        fields: [],
      })
  }
  return {
    month,
    counts,
    ours_due_fen: ours,
    theirs_due_fen: theirs,
    lines: ordered(lines).slice(0, lines_told),
    other_items,
    other_sheets: read.other_sheets,
  }
}

type Beside = { readonly known: KnownPeople; readonly here: ReadonlyMap<string, Here> }
type Line = Omit<contract.ComparedLine, 'what'> & { readonly what: contract.ComparedLine['what'] | 'same' }
function lineOf(row: Row, item: 'wages' | 'bonus', { known, here }: Beside): Line {
  const plain = { row: row.row, sheet: row.sheet, name: row.name, member_id: null, fields: [] }
  if (row.bad) return { ...plain, what: 'fault', why: `${row.bad.column}${row.row}：${row.bad.why}` }
  const person = whoseRow(row, known)
  if (typeof person === 'string') return { ...plain, what: 'fault', why: person }
  const own = here.get(person.id)
  const whose = { ...plain, member_id: person.id }
  if (!own) return { ...whose, what: 'only_file', why: '扣缴端有、这一期里没有：请取入他的收入，或在扣缴端删除' }
  const fields = item === 'bonus' ? comparedBonus(own.amounts, own.result, row) : comparedWages(own.result, row)
  if (own.result.refused !== null) return { ...whose, what: 'fault', why: `这里没有算出结果：${own.result.refused}` }
  return fields.length === 0 ? { ...whose, what: 'same', why: '' } : { ...whose, what: 'differs', why: causeOf(fields), fields }
}

const order = ['fault', 'differs', 'only_file', 'only_here'] as const
const ordered = (lines: readonly contract.ComparedLine[]) =>
  lines.toSorted((a, b) => order.indexOf(a.what) - order.indexOf(b.what))
