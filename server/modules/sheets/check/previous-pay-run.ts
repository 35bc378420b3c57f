/** Previous pay runs, and what each member was paid in them, for comparison. Only amounts stay in memory. */
import { sql } from 'kysely'
import { sealedHeaderBytes } from '../../../crypto/cipher.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import {
  findPaidMemberIds,
  hasPaidPayslips,
  hasSendStarted,
  PayTotalsAccumulator,
  selectBatchDigests,
  streamBatchPayslips,
  streamLatestPayslips,
  streamMemberPayslips,
} from '../../payslip-records/index.ts'
import { type BatchRow, batchesInFullScope, visibleBatches } from '../access.ts'
import { openTitle } from '../names/sealed-names.ts'
import { MemberAmounts } from '../rules/check/member-amounts.ts'
import { isComparable } from '../rules/check/month-comparison.ts'
import type { PreviousPayRun } from '../rules/check/previous-run.ts'
import {
  createPayslipRecorder,
  type EarlierMonths,
  getPreviousDecember,
  subtractMonths,
  typicalMonthCount,
} from './earlier-payslips.ts'

type SheetVaultContext = Pick<HandlerContext, 'db' | 'currentUser' | 'company_id' | 'vault'>

const selectBatchesWithTitles = ({ db, company_id }: SheetVaultContext) =>
  db
    .selectFrom('title')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'title.company_id').onRef('batch.title_id', '=', 'title.id'),
    )
    .where('title.company_id', '=', company_id)

/** Finds the newest earlier title of the same kind and owner that the user may see; null when there is none or none was sent. */
async function findPreviousTitle(ctx: SheetVaultContext, batch: BatchRow) {
  const { company_id } = ctx
  if (!batch.title_month || !batch.title_kind) return null
  const title = await selectBatchesWithTitles(ctx)
    .select(['title.id', 'title.name', 'title.month'])
    .where('title.owner_id', '=', batch.owner_id)
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', '<', batch.title_month)
    .where(visibleBatches(ctx))
    .where(hasPaidPayslips(company_id))
    .orderBy('title.month', 'desc')
    .orderBy('title.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return title ?? null
}

/** Loads the amounts paid in the previous pay run. */
export async function loadPreviousPayRun(ctx: SheetVaultContext, batch: BatchRow): Promise<PreviousPayRun | null> {
  const title = await findPreviousTitle(ctx, batch)
  return title ? loadPayRun(ctx, title) : null
}

type SealedTitle = NonNullable<Awaited<ReturnType<typeof findPreviousTitle>>>
async function loadPayRun(ctx: SheetVaultContext, title: SealedTitle): Promise<PreviousPayRun> {
  const { db, company_id, vault } = ctx
  const amounts = new MemberAmounts()
  const recordPayslip = createPayslipRecorder(ctx)
  const payTotals = new PayTotalsAccumulator()
  const batches = await db
    .selectFrom('batch')
    .select('batch.id')
    .where('batch.company_id', '=', company_id)
    .where('batch.title_id', '=', title.id)
    .where(visibleBatches(ctx))
    .execute()
  for (const { id } of batches)
    for await (const page of streamBatchPayslips(ctx, id))
      for (const payslip of page) {
        payTotals.add(payslip.content)
        await recordPayslip(amounts, payslip)
      }
  return {
    title: openTitle(vault, title.id, title.name) ?? '',
    month: title.month,
    people: amounts.getAmountsByMember().size,
    ...payTotals.totals,
    amounts,
  }
}

/** Maximum number of pay runs of other administrators that are read to find one of these members. */
const maxVisibleRuns = 3

/**
 * Loads the newest pay run of another administrator that the user may see as a whole and that paid most of these
 * members; null where there is none.
 */
export async function loadVisiblePayRun(
  ctx: SheetVaultContext,
  batch: BatchRow,
  memberIds: readonly string[],
): Promise<PreviousPayRun | null> {
  const months = await listPaidMonths(ctx, batch)
  if (months.length === 0 || memberIds.length === 0 || !batch.title_kind) return null
  const titles = await selectBatchesWithTitles(ctx)
    .select(['title.id', 'title.name', 'title.month'])
    .distinct()
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', 'in', months)
    .where('title.owner_id', '<>', batch.owner_id)
    .where(visibleBatches(ctx))
    .where(batchesInFullScope(ctx))
    .where(hasPaidPayslips(ctx.company_id))
    .orderBy('title.month', 'desc')
    .orderBy('title.id', 'desc')
    .limit(maxVisibleRuns)
    .execute()
  for (const title of titles) {
    const run = await loadPayRun(ctx, title)
    if (isComparable(memberIds, run.amounts.has)) return run
  }
  return null
}

/** Loads what some members were paid since a month in other batches, including the month of this batch. */
export async function loadEarlierMonths(
  ctx: SheetVaultContext,
  batch: BatchRow,
  months: EarlierMonths,
  { people: memberIds, since }: { readonly people: readonly string[]; readonly since: string },
): Promise<void> {
  const until = batch.title_month ?? ''
  if (memberIds.length === 0 || until === '') return
  const runs = await selectBatchesWithTitles(ctx)
    .select(['batch.id', 'title.month', 'title.kind', visibleBatches(ctx).as('visible')])
    .where('title.month', '>=', since)
    .where('title.month', '<=', until)
    .where('batch.id', '<>', batch.id)
    .execute()
  const ids = (visible: boolean) => runs.flatMap((run) => (run.visible === visible ? [run.id] : []))
  const runById = new Map(runs.map((run) => [run.id, run]))
  const recordPayslip = createPayslipRecorder(ctx)
  for await (const page of streamMemberPayslips(ctx, memberIds, ids(true)))
    for (const payslip of page) {
      const run = runById.get(payslip.batch_id)
      if (run) await recordPayslip(months.getAmounts(run.month, run.kind), payslip)
    }
  for (const one of await findPaidMemberIds(ctx, ids(false), { among: memberIds })) months.partlyVisible.add(one)
}

/** Finds the members who already have a payslip in the same title from another batch. */
export async function findAlreadyPaid(ctx: SheetVaultContext, batch: BatchRow): Promise<ReadonlySet<string>> {
  if (!batch.title_id) return new Set()
  const others = await selectBatchesWithTitles(ctx)
    .select('batch.id')
    .where('title.id', '=', batch.title_id)
    .where('batch.id', '<>', batch.id)
    .execute()
  return findPaidMemberIds(
    ctx,
    others.map(({ id }) => id),
    { queued: true },
  )
}

/** Maximum number of earlier months searched for each member; the newest month that includes the member counts. */
const maxMonthsBack = 3

export type CompanyPayRun = { readonly amounts: MemberAmounts; readonly isHidden: boolean }

/**
 * Loads what the members of a wage sheet were paid last time by any administrator of the company, for checks where the
 * user's own earlier pay runs do not suffice. The payslips themselves are the source: encrypted with the company's key,
 * corrected and withdrawn in place, never copied. The SQL query is limited to members in the user's scope; whether the
 * user may see those pay runs determines what the check reports (`rules/check/month-comparison`).
 */
export async function loadCompanyPayRun(
  ctx: SheetVaultContext,
  batch: BatchRow,
  memberIds: readonly string[],
): Promise<CompanyPayRun | null> {
  const months = await listPaidMonths(ctx, batch)
  if (months.length === 0 || memberIds.length === 0 || !batch.title_kind) return null
  const batches = await selectBatchesWithTitles(ctx)
    .select(['batch.id', 'title.id as title_id', visibleBatches(ctx).as('visible')])
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', 'in', months)
    .where('batch.id', '<>', batch.id)
    .orderBy('title.month', 'desc')
    .orderBy('title.id', 'desc')
    .execute()
  const hiddenBatches = new Set(batches.flatMap(({ id, visible }) => (visible ? [] : [id])))
  const runs = Map.groupBy(batches, ({ title_id }) => title_id)
  const amounts = new MemberAmounts()
  const recordPayslip = createPayslipRecorder(ctx)
  let isHidden = false
  const newest = [...runs.values()].map((run) => run.map(({ id }) => id))
  for await (const page of streamLatestPayslips(ctx, memberIds, newest, isPayablePayslip(ctx)))
    for (const payslip of page) {
      isHidden ||= hiddenBatches.has(payslip.batch_id)
      await recordPayslip(amounts, payslip)
    }
  return amounts.getAmountsByMember().size > 0 ? { amounts, isHidden } : null
}

/** Lists the latest months before this one in which the company paid anything of this kind. */
async function listPaidMonths({ db, company_id }: SheetVaultContext, batch: BatchRow): Promise<string[]> {
  if (!batch.title_month || !batch.title_kind) return []
  const rows = await db
    .selectFrom('title')
    .select('month')
    .distinct()
    .where('company_id', '=', company_id)
    .where('kind', '=', batch.title_kind)
    .where('month', '<', batch.title_month)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('batch')
          .select('batch.id')
          .where('batch.company_id', '=', company_id)
          .whereRef('batch.title_id', '=', 'title.id')
          .where(hasSendStarted),
      ),
    )
    .orderBy('month', 'desc')
    .limit(maxMonthsBack)
    .execute()
  return rows.map(({ month }) => month)
}

/**
 * Computes a digest of all data that this file can return for a batch, as far as the user may see it: the pay runs up
 * to its month, and which payslips and versions count in those that are read.
 */
export async function computePaidDigest(ctx: SheetVaultContext, batch: BatchRow): Promise<string> {
  const month = batch.title_month
  if (!month) return ''
  const runs = await selectBatchesWithTitles(ctx)
    .select(['title.id as title_id', 'title.month', 'title.kind', 'title.owner_id', 'batch.id'])
    .select(visibleBatches(ctx).as('visible'))
    .select([
      hasSendStarted.as('is_out'),
      sql<string>`encode(substring(batch.recognition from 1 for ${sealedHeaderBytes}), 'hex')`.as('recognition'),
      sql<string>`md5(title.name)`.as('name'),
    ])
    .where('title.month', '<=', month)
    .where('batch.id', '<>', batch.id)
    .orderBy('batch.id')
    .execute()
  const last = await findPreviousTitle(ctx, batch)
  const months = new Set(await listPaidMonths(ctx, batch))
  const since = [subtractMonths(month, typicalMonthCount), getPreviousDecember(month)].toSorted()[0] ?? month
  const near = runs.filter((run) => run.month >= since || run.title_id === last?.id || months.has(run.month))
  const slips = await selectBatchDigests(
    ctx,
    near.map(({ id }) => id),
  )
  return JSON.stringify([runs, last, slips])
}
