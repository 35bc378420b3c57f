/** What was paid in earlier runs: slips by batch and by person, opened a page at a time. Which runs these are, and who may see them, the asker says. */
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { paidStatuses, readableStatuses } from '../../contract/shared/statuses.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { openPayslipContent, type PayslipContent, type SealedPayslip } from './payslip-content.ts'

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>
type CompanyVaultTx = CompanyTx & Pick<HandlerContext, 'vault'>

/** What somebody was paid with a batch. */
export type PaidPayslip = { readonly member_id: string; readonly batch_id: string; readonly content: PayslipContent }
type SealedPayslipRow = SealedPayslip & { readonly member_id: string; readonly batch_id: string }

const rowsPerPage = 500
/** People whose slips of some months are read at once. */
const membersPerQuery = 200

const openPaidPayslip = ({ vault }: CompanyVaultTx, row: SealedPayslipRow): PaidPayslip => ({
  member_id: row.member_id,
  batch_id: row.batch_id,
  content: openPayslipContent(vault, row),
})
const payslipColumns = ['payslip.id', 'payslip.member_id', 'payslip.version', 'payslip.cells', 'payslip.batch_id'] as const

/**
 * The slips of a batch that are paid, in the order of the sheet: as its index has them, so that no page looks at more than itself. `where`: whose, a
 * condition on `salary`.
 */
export async function* streamBatchPayslips(
  ctx: CompanyVaultTx,
  batch_id: string,
  where: RawBuilder<boolean> = sql<boolean>`true`,
): AsyncGenerator<PaidPayslip[]> {
  for (let after = 0; ; ) {
    const page = await ctx.db
      .selectFrom('payslip')
      .select([...payslipColumns, 'payslip.row_no'])
      .where('company_id', '=', ctx.company_id)
      .where('batch_id', '=', batch_id)
      .where('row_no', '>', after)
      .where('status', 'in', paidStatuses)
      .where(where)
      .orderBy('row_no')
      .limit(rowsPerPage)
      .execute()
    yield page.map((row) => openPaidPayslip(ctx, row))
    const last = page.at(-1)
    if (!last || page.length < rowsPerPage) return
    after = last.row_no
    await setImmediate()
  }
}

export type PayTotals = Record<'net_fen' | 'gross_fen' | 'tax_fen', number | null>
/** Adds slips up; null where no slip has such a figure. */
export class PayTotalsAccumulator {
  #totals: PayTotals = { net_fen: null, gross_fen: null, tax_fen: null }
  add(content: PayslipContent): void {
    for (const field of ['net_fen', 'gross_fen', 'tax_fen'] as const) {
      const fen = content[field]
      if (typeof fen === 'number') this.#totals[field] = (this.#totals[field] ?? 0) + fen
    }
  }
  get totals(): PayTotals {
    return { ...this.#totals }
  }
}

/** What the people of a batch are paid, slip by slip: where the totals of its sheet are not theirs. */
export async function sumBatchPay(ctx: CompanyVaultTx, batch_id: string): Promise<PayTotals> {
  const accumulator = new PayTotalsAccumulator()
  for await (const page of streamBatchPayslips(ctx, batch_id)) for (const { content } of page) accumulator.add(content)
  return accumulator.totals
}

/** Slips that some people can open, of these batches. */
export async function* streamMemberPayslips(
  ctx: CompanyVaultTx,
  memberIds: readonly string[],
  batch_ids: readonly string[],
): AsyncGenerator<PaidPayslip[]> {
  for (let from = 0; from < memberIds.length && batch_ids.length > 0; from += membersPerQuery) {
    const page = await ctx.db
      .selectFrom('payslip')
      .select(payslipColumns)
      .where('payslip.company_id', '=', ctx.company_id)
      .where('payslip.member_id', 'in', memberIds.slice(from, from + membersPerQuery))
      .where('payslip.status', 'in', readableStatuses)
      .where('payslip.batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
      .execute()
    yield page.map((row) => openPaidPayslip(ctx, row))
    await setImmediate()
  }
}

/** `batchGroups`: the newest first, each with its batches. Of each person what he got in the newest run that he is in; `where` is a condition on `salary`. */
export async function* streamLatestPayslips(
  ctx: CompanyVaultTx,
  memberIds: readonly string[],
  batchGroups: readonly (readonly string[])[],
  where: RawBuilder<boolean>,
): AsyncGenerator<PaidPayslip[]> {
  const batches = batchGroups.flatMap((batch_ids, rank) => batch_ids.map((id) => ({ id, position: rank })))
  for (let from = 0; from < memberIds.length && batches.length > 0; from += membersPerQuery) {
    const { rows } = await sql<SealedPayslipRow>`
      select id, member_id, version, cells, batch_id from (
        select payslip.id, payslip.member_id, payslip.version, payslip.cells, payslip.batch_id,
          rank() over (partition by payslip.member_id order by run.position) as position
        from payslip
        join unnest(${batches.map(({ id }) => id)}::uuid[], ${batches.map(({ position: rank }) => rank)}::int[]) as run (batch_id, position)
          on run.batch_id = payslip.batch_id
        where payslip.company_id = ${ctx.company_id} and payslip.member_id = any(${memberIds.slice(from, from + membersPerQuery)}::uuid[])
          and payslip.status = any(${[...readableStatuses]}::text[]) and ${where}) as newest
      where position = 1`.execute(ctx.db)
    yield rows.map((row) => openPaidPayslip(ctx, row))
    await setImmediate()
  }
}

/** Who can open a slip of one of these batches; with `queued` also who is about to get one. */
export async function findPaidMemberIds(
  { db, company_id }: CompanyTx,
  batch_ids: readonly string[],
  { among, queued = false }: { readonly among?: readonly string[]; readonly queued?: boolean },
): Promise<ReadonlySet<string>> {
  if (batch_ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('payslip')
    .select('member_id')
    .distinct()
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .where('status', 'in', queued ? ['queued', ...readableStatuses] : readableStatuses)
    .$if(among !== undefined, (query) => query.where('member_id', '=', sql<string>`any(${[...(among ?? [])]}::uuid[])`))
    .execute()
  return new Set(rows.map((row) => row.member_id))
}

/**
 * Which slips of these batches count, and in which version, as a digest each: nothing of all the above changes while it is the same. That
 * somebody has looked at his slip changes nothing of it.
 */
export function selectBatchDigests({ db, company_id }: CompanyTx, batch_ids: readonly string[]) {
  const countedFields = sql`concat_ws(' ', row_no, member_id, version,
    case when status in ('queued', 'failed') then status else 'readable' end)`
  return db
    .selectFrom('payslip')
    .select(['batch_id', sql<string>`concat(count(*), ' ', bit_xor(hashtextextended(${countedFields}, 0)))`.as('counted')])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .where('status', 'in', ['queued', ...paidStatuses])
    .groupBy('batch_id')
    .orderBy('batch_id')
    .execute()
}

/** Of each of these batches how many slips are paid, and a word for whose they are and in which versions: the same as long as they say the same. */
export function selectBatchVersions({ db, company_id }: CompanyTx, batch_ids: readonly string[]) {
  // Of numbers and not of text: a year of ten thousand people is a twentieth of a second so, and a fifth of one as text.
  const payslipHash = sql`uuid_hash_extended(id, uuid_hash_extended(member_id, version))`
  return db
    .selectFrom('payslip')
    .select(['batch_id', sql<number>`count(*)::int`.as('slips')])
    .select(sql<string>`concat(count(*), ' ', bit_xor(${payslipHash}))`.as('stamp'))
    .where('company_id', '=', company_id)
    .where('batch_id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .where('status', 'in', paidStatuses)
    .groupBy('batch_id')
    .execute()
}

/** What one slip of a batch says now, and whose it is; null where `where` does not hold of it, a condition on `salary`. */
export async function findPaidPayslip(
  ctx: CompanyVaultTx,
  batch_id: string,
  salary_id: string,
  where: RawBuilder<boolean>,
): Promise<PaidPayslip | null> {
  const row = await ctx.db
    .selectFrom('payslip')
    .select(payslipColumns)
    .where('payslip.company_id', '=', ctx.company_id)
    .where('payslip.batch_id', '=', batch_id)
    .where('payslip.id', '=', salary_id)
    .where(where)
    .executeTakeFirst()
  return row ? openPaidPayslip(ctx, row) : null
}
