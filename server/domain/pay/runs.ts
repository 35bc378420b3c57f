/** What was paid in earlier runs: slips by batch and by person, opened a page at a time. Which runs these are, and who may see them, the asker says. */
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { paid, readable } from '../../contract/words/states.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { openContent, type SealedSlip, type SlipContent } from './content.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>
type Opening = Here & Pick<Ctx, 'vault'>

/** What somebody was paid with a batch. */
export type PaidSlip = { readonly member_id: string; readonly batch_id: string; readonly content: SlipContent }
type Row = SealedSlip & { readonly member_id: string; readonly batch_id: string }

const a_page = 500
/** People whose slips of some months are read at once. */
const some_people = 200

const opened = ({ vault }: Opening, row: Row): PaidSlip => ({
  member_id: row.member_id,
  batch_id: row.batch_id,
  content: openContent(vault, row),
})
const fields = ['salary.id', 'salary.member_id', 'salary.version', 'salary.cells', 'salary.batch_id'] as const

/**
 * The slips of a batch that are paid, in the order of the sheet: as its index has them, so that no page looks at more than itself. `where`: whose, a
 * condition on `salary`.
 */
export async function* paidWith(
  ctx: Opening,
  batch_id: string,
  where: RawBuilder<boolean> = sql<boolean>`true`,
): AsyncGenerator<PaidSlip[]> {
  for (let after = 0; ; ) {
    const page = await ctx.db
      .selectFrom('salary')
      .select([...fields, 'salary.row_no'])
      .where('company_id', '=', ctx.company_id)
      .where('batch_id', '=', batch_id)
      .where('row_no', '>', after)
      .where('status', 'in', paid)
      .where(where)
      .orderBy('row_no')
      .limit(a_page)
      .execute()
    yield page.map((row) => opened(ctx, row))
    const last = page.at(-1)
    if (!last || page.length < a_page) return
    after = last.row_no
    await setImmediate()
  }
}

export type Sums = Record<'net_fen' | 'gross_fen' | 'tax_fen', number | null>
/** Adds slips up; null where no slip has such a figure. */
export class PaidSums {
  #sums: Sums = { net_fen: null, gross_fen: null, tax_fen: null }
  add(content: SlipContent): void {
    for (const field of ['net_fen', 'gross_fen', 'tax_fen'] as const) {
      const fen = content[field]
      if (typeof fen === 'number') this.#sums[field] = (this.#sums[field] ?? 0) + fen
    }
  }
  get sums(): Sums {
    return { ...this.#sums }
  }
}

/** What the people of a batch are paid, slip by slip: where the totals of its sheet are not theirs. */
export async function paidSums(ctx: Opening, batch_id: string): Promise<Sums> {
  const sums = new PaidSums()
  for await (const page of paidWith(ctx, batch_id)) for (const { content } of page) sums.add(content)
  return sums.sums
}

/** Slips that some people can open, of these batches. */
export async function* paidTo(ctx: Opening, people: readonly string[], batch_ids: readonly string[]): AsyncGenerator<PaidSlip[]> {
  for (let from = 0; from < people.length && batch_ids.length > 0; from += some_people) {
    const page = await ctx.db
      .selectFrom('salary')
      .select(fields)
      .where('salary.company_id', '=', ctx.company_id)
      .where('salary.member_id', 'in', people.slice(from, from + some_people))
      .where('salary.status', 'in', readable)
      .where('salary.batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
      .execute()
    yield page.map((row) => opened(ctx, row))
    await setImmediate()
  }
}

/** `runs`: the newest first, each with its batches. Of each person what he got in the newest run that he is in; `where` is a condition on `salary`. */
export async function* newestPaidTo(
  ctx: Opening,
  people: readonly string[],
  runs: readonly (readonly string[])[],
  where: RawBuilder<boolean>,
): AsyncGenerator<PaidSlip[]> {
  const batches = runs.flatMap((batch_ids, place) => batch_ids.map((id) => ({ id, place })))
  for (let from = 0; from < people.length && batches.length > 0; from += some_people) {
    const { rows } = await sql<Row>`
      select id, member_id, version, cells, batch_id from (
        select salary.id, salary.member_id, salary.version, salary.cells, salary.batch_id,
          rank() over (partition by salary.member_id order by run.place) as place
        from salary
        join unnest(${batches.map(({ id }) => id)}::uuid[], ${batches.map(({ place }) => place)}::int[]) as run (batch_id, place)
          on run.batch_id = salary.batch_id
        where salary.company_id = ${ctx.company_id} and salary.member_id = any(${people.slice(from, from + some_people)}::uuid[])
          and salary.status = any(${[...readable]}::text[]) and ${where}) as newest
      where place = 1`.execute(ctx.db)
    yield rows.map((row) => opened(ctx, row))
    await setImmediate()
  }
}

/** Who can open a slip of one of these batches; with `queued` also who is about to get one. */
export async function peoplePaid(
  { db, company_id }: Here,
  batch_ids: readonly string[],
  { among, queued = false }: { readonly among?: readonly string[]; readonly queued?: boolean },
): Promise<ReadonlySet<string>> {
  if (batch_ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('salary')
    .select('member_id')
    .distinct()
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .where('status', 'in', queued ? ['queued', ...readable] : readable)
    .$if(among !== undefined, (query) => query.where('member_id', '=', sql<string>`any(${[...(among ?? [])]}::uuid[])`))
    .execute()
  return new Set(rows.map((row) => row.member_id))
}

/**
 * Which slips of these batches count, and in which version, as a digest each: nothing of all the above changes while it is the same. That
 * somebody has looked at his slip changes nothing of it.
 */
export function paidDigests({ db, company_id }: Here, batch_ids: readonly string[]) {
  const counts = sql`concat_ws(' ', row_no, member_id, version,
    case when status in ('queued', 'failed') then status else 'readable' end)`
  return db
    .selectFrom('salary')
    .select(['batch_id', sql<string>`concat(count(*), ' ', bit_xor(hashtextextended(${counts}, 0)))`.as('counted')])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .where('status', 'in', ['queued', ...paid])
    .groupBy('batch_id')
    .orderBy('batch_id')
    .execute()
}

/** Of each of these batches how many slips are paid, and a word for whose they are and in which versions: the same as long as they say the same. */
export function paidStamps({ db, company_id }: Here, batch_ids: readonly string[]) {
  // Of numbers and not of text: a year of ten thousand people is a twentieth of a second so, and a fifth of one as text.
  const which = sql`uuid_hash_extended(id, uuid_hash_extended(member_id, version))`
  return db
    .selectFrom('salary')
    .select(['batch_id', sql<number>`count(*)::int`.as('slips')])
    .select(sql<string>`concat(count(*), ' ', bit_xor(${which}))`.as('stamp'))
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .where('status', 'in', paid)
    .groupBy('batch_id')
    .execute()
}

/** What one slip of a batch says now, and whose it is; null where `where` does not hold of it, a condition on `salary`. */
export async function paidOne(
  ctx: Opening,
  batch_id: string,
  salary_id: string,
  where: RawBuilder<boolean>,
): Promise<PaidSlip | null> {
  const row = await ctx.db
    .selectFrom('salary')
    .select(fields)
    .where('salary.company_id', '=', ctx.company_id)
    .where('salary.batch_id', '=', batch_id)
    .where('salary.id', '=', salary_id)
    .where(where)
    .executeTakeFirst()
  return row ? opened(ctx, row) : null
}
