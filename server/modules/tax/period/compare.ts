/** Compares the result file of the official withholding client with a computed month. Nothing of the file is stored. */
import type { CallOutput } from '../../../contract/call.ts'
import * as contract from '../../../contract/tax/comparison.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { WithholdingResult } from '../../../spreadsheets/index.ts'
import { loadRoster } from '../../directory/index.ts'
import { getEffectiveAmounts, type MemberTaxResult } from '../rules/amounts.ts'
import { compareBonus, compareWages, explainDifference, getIncomeItem } from '../rules/compare-withholding.ts'
import { type MemberLookup, matchRowToMember } from '../rules/match-member.ts'
import { decryptTaxResult } from './documents.ts'
import { requirePeriod, streamIncomes } from './period-rows.ts'
import { readUploadedResult } from './read-withheld.ts'

type ComparisonOutput = CallOutput<typeof contract.compareWithholding>
type WithheldRow = WithholdingResult['rows'][number]
const maxListedRows = 1_000

export const compareWithholding = defineHandler(contract.compareWithholding, { kind: 'external' }, async (ctx, { period_id }) => {
  // Checked before the file is opened: there must be something to compare it with.
  await ctx.inTransaction((tx) => requireComputedPeriod(tx, period_id))
  const read = await readUploadedResult(ctx)
  return ctx.mutate((tx) => buildComparison(tx, period_id, read))
})

type ComputedMember = { readonly name: string; readonly amounts: TaxAmounts; readonly result: MemberTaxResult }
async function loadComputedMembers(
  ctx: HandlerContext,
  period_id: string,
  names: ReadonlyMap<string, string>,
): Promise<Map<string, ComputedMember>> {
  const byMember = new Map<string, ComputedMember>()
  for await (const page of streamIncomes(ctx, period_id))
    for (const row of page) {
      const result = decryptTaxResult(ctx.vault, row)
      if (result)
        byMember.set(row.member_id, { name: names.get(row.member_id) ?? '', amounts: getEffectiveAmounts(row.stored), result })
    }
  return byMember
}

/** Loads the members whose tax the user manages, including terminated ones: the file contains them in their last month. */
export async function loadExistingMembers(
  ctx: HandlerContext,
): Promise<MemberLookup & { readonly names: ReadonlyMap<string, string> }> {
  const people = (await loadRoster(ctx)).filter(({ in_scope }) => in_scope)
  const membersByIdCard = new Map(people.flatMap((one) => (one.id_card_index ? [[one.id_card_index.toString('hex'), one]] : [])))
  return {
    members: people,
    findByIdCard: (text) => membersByIdCard.get(ctx.vault.blindIndex('id_card', text).toString('hex')),
    names: new Map(people.map(({ id, name }) => [id, name])),
  }
}

async function requireComputedPeriod(ctx: HandlerContext, period_id: string): Promise<{ readonly month: string }> {
  const { month, status } = await requirePeriod(ctx, period_id)
  if (status !== 'computed' && status !== 'locked')
    throw fail('wrong_state', '这一期还没有计算完，不能比对；请先计算', { status })
  return { month }
}

async function buildComparison(ctx: HandlerContext, period_id: string, read: WithholdingResult): Promise<ComparisonOutput> {
  const { month } = await requireComputedPeriod(ctx, period_id)
  const other = read.rows.find((row) => row.month !== null && row.month !== month)
  if (other) throw fail('unreadable_sheet', `文件里是 ${other.month} 的税款，这一期是 ${month}；请选择同一个月的文件`)
  const members = await loadExistingMembers(ctx)
  const computed = await loadComputedMembers(ctx, period_id, members.names)
  const rows: contract.WithholdingComparison[] = []
  const counts = { same: 0, differs: 0, only_file: 0, only_here: 0, fault: 0 }
  const addRow = (line: contract.WithholdingComparison) => {
    counts[line.kind] += 1
    rows.push(line)
  }
  const viewedMembers = { wages: new Set<string>(), bonus: new Set<string>() }
  let [computedFen, declaredFen, other_items] = [0, 0, 0]
  for (const row of read.rows) {
    const item = getIncomeItem(row)
    if (item === 'other') {
      other_items += 1
      continue
    }
    declaredFen += row.fen.due ?? 0
    const line = compareRow(row, item, { members, computed })
    if (line.member_id !== null) viewedMembers[item].add(line.member_id)
    if (line.kind === 'same') counts.same += 1
    else addRow({ ...line, kind: line.kind })
  }
  for (const [member_id, one] of computed) {
    computedFen +=
      one.result.tax_fen - one.result.credit_fen + (viewedMembers.bonus.size > 0 ? (one.result.bonus?.tax_fen ?? 0) : 0)
    if (viewedMembers.wages.size > 0 && !viewedMembers.wages.has(member_id))
      addRow({
        row: null,
        sheet: '',
        member_id,
        name: one.name,
        kind: 'only_here',
        message: '这里有、扣缴端没有：请确认是否漏报',
        fields: [],
      })
  }
  return {
    month,
    counts,
    ours_due_fen: computedFen,
    theirs_due_fen: declaredFen,
    rows: sortRows(rows).slice(0, maxListedRows),
    other_items,
    other_sheets: read.other_sheets,
  }
}

type ComparisonContext = { readonly members: MemberLookup; readonly computed: ReadonlyMap<string, ComputedMember> }
type ComparisonRow = Omit<contract.WithholdingComparison, 'kind'> & {
  readonly kind: contract.WithholdingComparison['kind'] | 'same'
}
function compareRow(row: WithheldRow, item: 'wages' | 'bonus', { members, computed }: ComparisonContext): ComparisonRow {
  const base = { row: row.row, sheet: row.sheet, name: row.name, member_id: null, fields: [] }
  if (row.error) return { ...base, kind: 'fault', message: `${row.error.column}${row.row}：${row.error.reason}` }
  const person = matchRowToMember(row, members)
  if (typeof person === 'string') return { ...base, kind: 'fault', message: person }
  const computedMember = computed.get(person.id)
  const memberRow = { ...base, member_id: person.id }
  if (!computedMember)
    return { ...memberRow, kind: 'only_file', message: '扣缴端有、这一期里没有：请引入他的收入，或在扣缴端删除' }
  const fields =
    item === 'bonus' ? compareBonus(computedMember.amounts, computedMember.result, row) : compareWages(computedMember.result, row)
  if (computedMember.result.refused !== null)
    return { ...memberRow, kind: 'fault', message: `这里没有算出结果：${computedMember.result.refused}` }
  return fields.length === 0
    ? { ...memberRow, kind: 'same', message: '' }
    : { ...memberRow, kind: 'differs', message: explainDifference(fields), fields }
}

const rowOrder = ['fault', 'differs', 'only_file', 'only_here'] as const
const sortRows = (rows: readonly contract.WithholdingComparison[]) =>
  rows.toSorted((a, b) => rowOrder.indexOf(a.kind) - rowOrder.indexOf(b.kind))
