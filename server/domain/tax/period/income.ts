/** What goes into a month: taken from pay runs, entered by hand, taken out. Writes tax_income and tax_period. */

import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { InputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/wage/periods.ts'
import { canTax } from '../../../contract/wage/tax/tax-states.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, invalid, must } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { holdNamed, keptAmong } from '../../member/index.ts'
import type { TakenIncome } from '../rules/amounts.ts'
import { type KeptIncome, sealIncome } from './documents.ts'
import { type IncomeSource, sourcesOf } from './periods.ts'
import { incomesOf, keptIncome, type PeriodRow, periodOf, toDraft } from './rows.ts'
import { takenFrom } from './taken.ts'

type Asked = InputOf<typeof contract.saveIncome>
type Row = NonNullable<Asked['rows']>[number]
const nothing: KeptIncome = { taken: [], own: null, additional_cumulative_fen: null, withheld_fen: null }
const isEmpty = ({ taken, own }: KeptIncome): boolean => taken.length === 0 && own === null
const rows_a_statement = 300

export const saveIncome = handle(contract.saveIncome, async (ctx, asked) => {
  const period = await periodOf(ctx, asked.period_id, true)
  must(canTax.edit(period.status), { status: period.status })
  const wanted = new Changes()
  let sources = sourcesOf(period.sources)
  const out = asked.without?.batch_id
  if (out) {
    wanted.without(out)
    sources = sources.filter(({ batch_id }) => batch_id !== out)
  }
  if (asked.from) {
    const { batch_id, way } = asked.from
    const taken = await takenFrom(ctx, batch_id, way)
    if (taken.size === 0) throw invalid('from', '这一批里没有您可以取入的人；没有发送成功的和撤回的工资条不算')
    wanted.take(batch_id, taken)
    const source: IncomeSource = { batch_id, way, people: taken.size, taken_at: isoOf(ctx.now) }
    sources = [...sources.filter((one) => one.batch_id !== batch_id), source]
  }
  if (asked.rows) wanted.rows(await rowsWithin(ctx, asked.rows))
  for (const member_id of asked.remove ?? []) wanted.removed.add(member_id)
  const done = await keep(ctx, period, wanted)
  await ctx.db
    .updateTable('tax_period')
    .set({ sources: JSON.stringify(sources) })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', period.id)
    .execute()
  if (done.saved + done.removed > 0) await toDraft(ctx, [period.id])
  ctx.about({ saved: done.saved, removed: done.removed })
  return { ...done, people: await countOf(ctx, period.id) }
})

/** What is to become of each person's figures. */
class Changes {
  readonly removed = new Set<string>()
  readonly #out = new Set<string>()
  readonly #taken = new Map<string, Map<string, TakenIncome>>()
  readonly #rows = new Map<string, Row>()

  without(batch_id: string): void {
    this.#out.add(batch_id)
  }
  /** Whoever is not in the run any more has nothing of it. */
  take(batch_id: string, taken: Map<string, TakenIncome>): void {
    this.#out.add(batch_id)
    this.#taken.set(batch_id, taken)
  }
  rows(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.set(row.member_id, row)
  }
  get people(): Set<string> {
    return new Set([...[...this.#taken.values()].flatMap((one) => [...one.keys()]), ...this.#rows.keys()])
  }
  /** Null: he is in the month no more. */
  of(member_id: string, before: KeptIncome): KeptIncome | null {
    if (this.removed.has(member_id)) return null
    const taken = [
      ...before.taken.filter(({ batch_id }) => !this.#out.has(batch_id)),
      ...[...this.#taken.values()].flatMap((one) => one.get(member_id) ?? []),
    ]
    const row = this.#rows.get(member_id)
    const own = row
      ? { own: row.amounts, additional_cumulative_fen: row.additional_cumulative_fen, withheld_fen: row.withheld_fen }
      : { own: before.own, additional_cumulative_fen: before.additional_cumulative_fen, withheld_fen: before.withheld_fen }
    const next = { taken, ...own }
    return isEmpty(next) ? null : next
  }
}

/** Only people whom I pay; anybody else is nobody. */
async function rowsWithin(ctx: Ctx, rows: readonly Row[]): Promise<readonly Row[]> {
  const known = await keptAmong(
    ctx,
    rows.map(({ member_id }) => member_id),
  )
  const at = rows.findIndex(({ member_id }) => !known.has(member_id))
  if (at >= 0) throw invalid(`rows.${at}.member_id`, '没有找到这位员工，可能已被删除或不在您管理的部门')
  return rows
}

async function keep(ctx: Ctx, period: PeriodRow, wanted: Changes): Promise<{ saved: number; removed: number }> {
  const gone: string[] = []
  const next = new Map<string, KeptIncome>()
  const seen = new Set<string>()
  for await (const page of incomesOf(ctx, period.id))
    for (const { id, member_id, kept } of page) {
      seen.add(member_id)
      const then = wanted.of(member_id, kept)
      if (then !== null && JSON.stringify(then) === JSON.stringify(kept)) continue
      gone.push(id)
      if (then) next.set(member_id, then)
    }
  for (const member_id of wanted.people) {
    const then = seen.has(member_id) ? null : wanted.of(member_id, nothing)
    if (then) next.set(member_id, then)
  }
  await writeRows(ctx, period.id, gone, next)
  return { saved: next.size, removed: gone.length - [...next.keys()].filter((one) => seen.has(one)).length }
}

/** Rows whose figures changed are written anew: what was computed of them is gone with the old ones. */
async function writeRows(
  ctx: Ctx,
  period_id: string,
  gone: readonly string[],
  next: ReadonlyMap<string, KeptIncome>,
): Promise<void> {
  const { db, company_id, vault } = ctx
  await holdNamed(ctx, [...next.keys()])
  if (gone.length > 0)
    await db
      .deleteFrom('tax_income')
      .where('company_id', '=', company_id)
      .where('period_id', '=', period_id)
      .where(sql<boolean>`id = any(${[...gone]}::uuid[])`)
      .execute()
  const rows = [...next]
  for (let from = 0; from < rows.length; from += rows_a_statement) {
    const values = rows.slice(from, from + rows_a_statement).map(([member_id, kept]) => {
      const id = newId()
      return { company_id, id, period_id, member_id, income: sealIncome(vault, id, kept) }
    })
    await db.insertInto('tax_income').values(values).execute()
    await setImmediate()
  }
}

export async function countOf(ctx: Pick<Ctx, 'db' | 'me' | 'company_id'>, period_id: string): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('tax_income')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', ctx.company_id)
    .where('period_id', '=', period_id)
    .where(keptIncome(ctx))
    .executeTakeFirstOrThrow()
  return Number(count)
}
