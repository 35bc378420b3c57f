/** Runs the check of a batch: reads its rows, the roster and the previous pay run, and stores status and totals. */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod/mini'
import type { IssueKind } from '../../../contract/shared/schemas.ts'
import { checkIsWageSheet, countOpenQuestions, findMissingRoles } from '../../../contract/shared/statuses.ts'
import type { checkSummary, Issue } from '../../../contract/sheets/sheet.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { runCooperatively } from '../../../shared/cooperative.ts'
import { loadRoster } from '../../directory/index.ts'
import { type BatchRow, setBatchStatus } from '../access.ts'
import { openRecognition, type RecognizedSheet } from '../recognition.ts'
import { getCombinedRows, getRowVersions, type StoredRow, streamCombinedRows } from '../rows/stored-rows.ts'
import type { SheetCheckContext } from '../rules/check/check-input.ts'
import { type PayrollMember, Roster } from '../rules/check/member-match.ts'
import { isComparable } from '../rules/check/month-comparison.ts'
import { toPlatformAccountKey } from '../rules/check/owner-comparison.ts'
import { compareWithPreviousRun, type PreviousPayRun } from '../rules/check/previous-run.ts'
import { SheetCheck } from '../rules/check/sheet-check.ts'
import type { CheckOutcome } from '../rules/outcome.ts'
import { type CachedRow, CheckCacheEntry, cacheCheck, isCacheable, takeCachedCheck } from './check-cache.ts'
import type { CheckCacheKey } from './check-key.ts'
import { toCheckSheet } from './check-sheet.ts'
import { loadMonthsBefore } from './earlier-months.ts'
import {
  type CompanyPayRun,
  findAlreadyPaid,
  loadCompanyPayRun,
  loadPreviousPayRun,
  loadVisiblePayRun,
} from './previous-pay-run.ts'
import { ContentChecksum, decryptPeriodTotals, findSameFile, type StoredTotals, sealTotals } from './same-file.ts'

export type CheckCounts = z.infer<typeof checkSummary>

/** Loads the company's roster in the form that the rules require. */
export async function loadMembers(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id' | 'now'>,
): Promise<PayrollMember[]> {
  const all = await loadRoster(ctx)
  return all.map(({ id_card_index, bank_account_index, platform_accounts, ...person }) => ({
    ...person,
    platform_accounts: platform_accounts.map(({ provider, user_id }) => toPlatformAccountKey(provider, user_id)),
    id_card_index: id_card_index?.toString('hex') ?? null,
    bank_account_index: bank_account_index?.toString('hex') ?? null,
  }))
}

/** Checks every row; rows parsed before are reused if their inputs are unchanged. */
export async function computeCheck(
  ctx: HandlerContext,
  batch: BatchRow,
  { baseDigest, digest, rowVersions }: CheckCacheKey,
): Promise<CheckOutcome> {
  const recognition = openRecognition(ctx, batch)
  const isCached = isCacheable(recognition.rows, recognition.columns.length)
  const entry = takeCachedCheck(ctx, batch, baseDigest) ?? (await createCacheEntry(ctx, batch, recognition, baseDigest))
  const check = new SheetCheck({ ...entry.sheet, accepted: batch.accepted }, entry.context, entry.reader, entry.comparison)
  const contentSum = new ContentChecksum()
  // Without cached rows, each row is read together with its version.
  const versions = isCached && entry.rows.size > 0 ? (rowVersions ?? (await getRowVersions(ctx, batch.id)).byRow) : null
  for await (const page of readRows(ctx, batch.id, entry, { existing: versions, isCached }))
    for (const { reading, content } of page) {
      check.addReading(reading)
      contentSum.add(content)
    }
  await setImmediate()
  const { previousRun, company } = await compareWithCompany(ctx, batch, check, entry)
  const content = `${contentSum}`
  const same_file = await findSameFile(ctx, batch, content)
  const earlierMonths = await loadMonthsBefore(ctx, batch, recognition, check, {
    previousRun,
    typicalMonths: entry.typicalMonths,
    taxYear: entry.taxYear,
  })
  const checked = await runCooperatively(check.finishCooperatively({ same_file, ...earlierMonths }))
  const members = entry.context.roster.members
  const outcome = {
    checked,
    ...compareWithPreviousRun(checked, members, previousRun),
    comparison_others: countHiddenMembers(company),
    same_file,
    content,
  }
  entry.result = { ground: digest, outcome }
  if (isCached) cacheCheck(ctx, batch, entry)
  return outcome
}

/** Loads everything needed for all rows before the first one is checked. */
async function createCacheEntry(
  ctx: HandlerContext,
  batch: BatchRow,
  recognition: RecognizedSheet,
  baseDigest: string,
): Promise<CheckCacheEntry> {
  const { vault } = ctx
  const members = await loadMembers(ctx)
  const previousRun = await loadPreviousPayRun(ctx, batch)
  const cards = new Map<string, string>()
  const context: SheetCheckContext = {
    roster: new Roster(members),
    lastMonth: previousRun?.amounts ?? null,
    alreadyPaid: await findAlreadyPaid(ctx, batch),
    getIdCardIndex(id_card) {
      const existing = cards.get(id_card)
      if (existing !== undefined) return existing
      const index = vault.blindIndex('id_card', id_card).toString('hex')
      cards.set(id_card, index)
      return index
    },
    getBankCardIndex: (card) => vault.blindIndex('bank_account', card).toString('hex'),
  }
  return new CheckCacheEntry(baseDigest, toCheckSheet(ctx, batch, recognition), context, previousRun)
}

/** Above this number of changed rows, all rows are read instead of only those. */
const maxChangedRows = 500
const rowsPerYield = 2_000

/**
 * Reads the rows in order. A row is identified by the header of its encrypted cells: rows written meanwhile are read
 * again, the others come from the cache.
 */
async function* readRows(
  ctx: HandlerContext,
  batch_id: string,
  { reader, rows }: CheckCacheEntry,
  { existing: versions, isCached }: { existing: ReadonlyMap<number, string> | null; isCached: boolean },
): AsyncGenerator<CachedRow[]> {
  const toCachedRow = (sign: string, row: StoredRow): CachedRow => ({
    version: sign,
    reading: reader.read(row),
    content: ContentChecksum.ofRow(row.cells),
  })
  const currentVersions = versions ?? new Map<number, string>()
  for (const row of rows.keys()) if (!currentVersions.has(row)) rows.delete(row)
  const changed = [...currentVersions].flatMap(([row, version]) => (rows.get(row)?.version === version ? [] : [row]))
  if (!versions || changed.length > maxChangedRows) {
    rows.clear()
    for await (const page of streamCombinedRows(ctx, batch_id)) {
      const read = page.map((row) => toCachedRow(row.version, row))
      if (isCached) for (const one of read) rows.set(one.reading.compared.row, one)
      yield read
    }
    return
  }
  for (const row of await getCombinedRows(ctx, batch_id, changed))
    rows.set(row.row, toCachedRow(currentVersions.get(row.row) ?? '', row))
  const all = [...currentVersions.keys()].flatMap((row) => rows.get(row) ?? [])
  for (let from = 0; from < all.length; from += rowsPerYield) {
    yield all.slice(from, from + rowsPerYield)
    await setImmediate()
  }
}

/** Counts members of other administrators' pay runs that the user may not see. */
const countHiddenMembers = (company: CompanyPayRun | null): number | null =>
  company?.isHidden ? company.amounts.getAmountsByMember().size : null

/**
 * Compares with the company's payslips where the administrator's own last pay run does not suffice. Returns the pay run
 * whose totals and members are shown: their own, or another one that they may see and that paid most of these members.
 */
async function compareWithCompany(
  ctx: HandlerContext,
  batch: BatchRow,
  check: SheetCheck,
  entry: CheckCacheEntry,
): Promise<{ previousRun: PreviousPayRun | null; company: CompanyPayRun | null }> {
  const memberIds = check.listMemberIds()
  if (entry.previousRun && isComparable(memberIds, entry.previousRun.amounts.has))
    return { previousRun: entry.previousRun, company: null }
  if (!entry.companyRun || !isDeepStrictEqual(entry.companyRun.memberIds, memberIds))
    entry.companyRun = {
      memberIds,
      run: await loadCompanyPayRun(ctx, batch, memberIds),
      visible: await loadVisiblePayRun(ctx, batch, memberIds),
    }
  const { run, visible } = entry.companyRun
  // Amounts that the user may see are compared exactly.
  const company = visible && run?.isHidden ? null : run
  if (company) check.compareWith(company.amounts, company.isHidden)
  else if (visible) check.compareWith(visible.amounts, false)
  return { previousRun: visible ?? entry.previousRun, company }
}

/**
 * Stores the outcome with the batch: `checked` when there is no error, no required question is open, the sheet was not
 * declared to be no wage sheet, and it has a title, an identity column and either a net column or the answer that there
 * is none; otherwise `draft`. `updated_at` changes only with the status, because viewing a batch is no change. Returns
 * the status.
 */
export async function saveCheckStatus(
  ctx: HandlerContext,
  batch: BatchRow,
  { checked, content }: CheckOutcome,
): Promise<BatchRow['status']> {
  const { db, company_id, vault } = ctx
  const recognition = openRecognition(ctx, batch)
  if (batch.status !== 'draft' && batch.status !== 'checked') return batch.status
  const isReady =
    batch.title_id !== null &&
    countOpenQuestions(recognition) === 0 &&
    checkIsWageSheet(recognition) === true &&
    findMissingRoles(recognition).length === 0 &&
    checked.totals.people > 0 &&
    !checked.issues.some((problem) => problem.level === 'error')
  const status = isReady ? 'checked' : 'draft'
  const totals: StoredTotals = { ...checked.totals, content }
  // Viewing alone writes nothing.
  const storedTotals = decryptPeriodTotals(ctx, batch)
  if (status === batch.status && batch.people === totals.people && isDeepStrictEqual(storedTotals, totals)) return status
  const fields = { people: totals.people, totals: sealTotals(vault, batch.id, totals) }
  if (status !== batch.status)
    return (await setBatchStatus(ctx, batch.id, [batch.status], status, fields)) ? status : batch.status
  await db.updateTable('batch').set(fields).where('company_id', '=', company_id).where('id', '=', batch.id).execute()
  return status
}

/** Stores the totals after issues of the rest of a sent batch were resolved; its status stays. */
export async function saveRestTotals(
  { db, company_id, vault }: HandlerContext,
  batch: BatchRow,
  { checked, content }: CheckOutcome,
): Promise<void> {
  const totals: StoredTotals = { ...checked.totals, content }
  await db
    .updateTable('batch')
    .set({ people: totals.people, totals: sealTotals(vault, batch.id, totals) })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .execute()
}

export function getCheckCounts(status: BatchRow['status'], { checked, last }: CheckOutcome): CheckCounts {
  const { issues, rows, totals, skipped } = checked
  const kinds = new Map<string, { kind: IssueKind; level: Issue['level']; count: number }>()
  for (const { kind, level } of issues) {
    const line = kinds.get(`${level}:${kind}`)
    if (line) line.count += 1
    else kinds.set(`${level}:${kind}`, { kind, level, count: 1 })
  }
  const errors = issues.filter((problem) => problem.level === 'error').length
  return {
    status,
    rows: rows.length,
    skipped,
    errors,
    warnings: issues.length - errors,
    totals,
    previous: last,
    kinds: [...kinds.values()].sort((a, b) => (a.level === b.level ? b.count - a.count : a.level === 'error' ? -1 : 1)),
  }
}
