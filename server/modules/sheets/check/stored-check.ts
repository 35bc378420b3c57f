/** The check of a batch: stored while all inputs are unchanged, else computed, once for all requests. Writes sheet_check. */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { sql } from 'kysely'
import type { Issue } from '../../../contract/sheets/sheet.ts'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import type { BatchRow } from '../access.ts'
import { type CheckOutcome, type OutcomeChunk, packOutcome, removeAcceptedIssues, unpackOutcome } from '../rules/outcome.ts'
import { getCachedOutcome } from './check-cache.ts'
import { type CheckCacheKey, getCheckKey, getLockedCheckKey } from './check-key.ts'
import { computeCheck } from './run-check.ts'
import { findSameFile } from './same-file.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Maximum stored bytes per company: a hundred wage sheets of ten thousand employees. */
const maxStoredBytes = 64 * 1024 ** 2
const maxAgeDays = 14
const dayMs = 86_400_000

const getCheckPosition = (id: string, digest: string, part: number) => ({
  table: 'sheet_check',
  row: id,
  column: digest,
  version: part,
})

/** Checks in progress in this process, by digest; concurrent requests for the same check wait for it. */
const checksInProgress = new Map<string, Promise<CheckOutcome>>()

export const getCheckOutcome = async (ctx: HandlerContext, batch: BatchRow): Promise<CheckOutcome> =>
  getOutcomeForKey(ctx, batch, await getCheckKey(ctx, batch))

/** `accepted`: only these warnings were accepted. `affectsRowsOnly`: no member was created and the roster is unchanged. */
type FixScope = { readonly accepted: readonly Issue[] | null; readonly affectsRowsOnly: boolean }

/**
 * Returns the check before a fix. With `after`, it returns the check with some issues accepted: this removes them and
 * changes nothing else, so it follows from the previous check unless its inputs were changed meanwhile. The caller has
 * locked the batch.
 */
export async function checkBeforeFix(ctx: HandlerContext, batch: BatchRow) {
  const key = await getCheckKey(ctx, batch)
  const outcome = await getOutcomeForKey(ctx, batch, key)
  const getOutcomeAfter = async (updatedBatch: BatchRow, { accepted, affectsRowsOnly }: FixScope): Promise<CheckOutcome> => {
    const currentKey = affectsRowsOnly
      ? await getLockedCheckKey(ctx, updatedBatch, key.baseDigest)
      : await getCheckKey(ctx, updatedBatch)
    if (accepted === null || currentKey.baseDigest !== key.baseDigest) return getOutcomeForKey(ctx, updatedBatch, currentKey)
    const next = removeAcceptedIssues(outcome, accepted)
    if (currentKey.digest !== key.digest) await storeOutcome(ctx, updatedBatch, currentKey.digest, next)
    return next
  }
  return { outcome, after: getOutcomeAfter }
}

async function getOutcomeForKey(ctx: HandlerContext, batch: BatchRow, key: CheckCacheKey): Promise<CheckOutcome> {
  const { digest } = key
  const stored = await findStoredOutcome(ctx, batch, digest)
  if (stored) return stored
  const running = checksInProgress.get(digest)
  // The other request may have been aborted; then this one computes the check itself.
  const shared = await running?.catch(() => null)
  if (shared) return shared
  const work = computeCheck(ctx, batch, key)
  checksInProgress.set(digest, work)
  try {
    const outcome = await work
    await storeOutcome(ctx, batch, digest, outcome)
    return outcome
  } finally {
    if (checksInProgress.get(digest) === work) checksInProgress.delete(digest)
  }
}

/** Returns an earlier outcome from the cache or the database. */
async function findStoredOutcome(ctx: HandlerContext, batch: BatchRow, digest: string): Promise<CheckOutcome | null> {
  const outcome = getCachedOutcome(ctx, batch, digest) ?? (await readStoredOutcome(ctx, batch, digest))
  // Another batch with the same content may have been uploaded, renamed or withdrawn, so this is checked every time
  // with two queries.
  const isSame = outcome && isDeepStrictEqual(outcome.same_file, await findSameFile(ctx, batch, outcome.content))
  return isSame ? outcome : null
}

async function readStoredOutcome(ctx: HandlerContext, batch: BatchRow, digest: string): Promise<CheckOutcome | null> {
  const { db, company_id, currentUser, vault } = ctx
  const rows = await db
    .selectFrom('sheet_check')
    .select(['id', 'part', 'sealed'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('admin_id', '=', currentUser.admin_id)
    .where('ground', '=', digest)
    .orderBy('id')
    .orderBy('part')
    .execute()
  const chunks: OutcomeChunk[] = []
  // Two concurrent computations have both stored their outcome; only the first one is read.
  for (const { id, part, sealed } of rows.filter((row) => row.id === rows[0]?.id)) {
    const text = await inflate(vault.openBytes(getCheckPosition(id, digest, part), sealed))
    chunks.push(JSON.parse(text.toString()))
    await setImmediate()
  }
  return unpackOutcome(chunks)
}

/** Replaces the outcome that this administrator stored for the batch; deletes what is too old or exceeds the limit. */
async function storeOutcome(ctx: HandlerContext, batch: BatchRow, digest: string, outcome: CheckOutcome): Promise<void> {
  const { db, company_id, currentUser, now, vault } = ctx
  const admin_id = currentUser.admin_id
  if (admin_id === null) return
  const id = newId()
  let part = 0
  for (const chunk of packOutcome(outcome)) {
    const sealed = vault.seal(getCheckPosition(id, digest, part), await deflate(JSON.stringify(chunk), { level: 1 }))
    await db
      .insertInto('sheet_check')
      .values({ company_id, id, batch_id: batch.id, admin_id, ground: digest, part, sealed, created_at: now })
      .execute()
    part += 1
  }
  await db
    .deleteFrom('sheet_check')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('admin_id', '=', admin_id)
    .where('id', '<>', id)
    .execute()
  await deleteOldChecks(ctx)
}

/** Deletes old checks and keeps the newest up to the size limit. */
export async function deleteOldChecks({ db, company_id, now }: CompanyTimeTx, maxBytes = maxStoredBytes): Promise<void> {
  const since = new Date(now.getTime() - maxAgeDays * dayMs)
  await sql`
    delete from sheet_check where company_id = ${company_id} and (created_at < ${since} or id in (
      select id from (
        select id, sum(octet_length(sealed)) over (order by id desc) as all_bytes from sheet_check where company_id = ${company_id}) as newest
      where all_bytes > ${maxBytes}))`.execute(db)
}
