/**
 * The check of a batch: the one that is kept, as long as all that it stands on is as it was; else worked out, once for all who ask at the same time.
 * Writes sheet_check.
 */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { sql } from 'kysely'
import type { Issue } from '../../../contract/sheets/sheet.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import type { BatchRow } from '../access.ts'
import { type CheckOutcome, type OutcomeChunk, packOutcome, removeAcceptedIssues, unpackOutcome } from '../rules/outcome.ts'
import { getCachedOutcome } from './check-cache.ts'
import { type CheckKey, getCheckKey, getLockedCheckKey } from './check-key.ts'
import { computeCheck } from './run-check.ts'
import { findSameFile } from './same-file.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** What a company keeps at most: a hundred sheets of ten thousand people. */
const maxStoredBytes = 64 * 1024 ** 2
const maxAgeDays = 14
const dayMs = 86_400_000

const getCheckPosition = (id: string, digest: string, part: number) => ({
  table: 'sheet_check',
  row: id,
  column: digest,
  version: part,
})

/** Under way in this process, by what they stand on: whoever asks for the same meanwhile waits for it. */
const checksInProgress = new Map<string, Promise<CheckOutcome>>()

export const getCheckOutcome = async (ctx: HandlerContext, batch: BatchRow): Promise<CheckOutcome> =>
  getOutcomeForKey(ctx, batch, await getCheckKey(ctx, batch))

/** `accepted`: nothing else was done. `affectsRowsOnly`: nobody was made, and the roster took nothing. */
type FixScope = { readonly accepted: readonly Issue[] | null; readonly affectsRowsOnly: boolean }

/**
 * With `after`: the check as it is when some of its problems have been accepted. That takes them away and changes nothing else, so that it follows from
 * the check before, unless somebody has changed meanwhile what both stand on. Whoever fixes holds the batch.
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

async function getOutcomeForKey(ctx: HandlerContext, batch: BatchRow, key: CheckKey): Promise<CheckOutcome> {
  const { digest } = key
  const stored = await findStoredOutcome(ctx, batch, digest)
  if (stored) return stored
  const running = checksInProgress.get(digest)
  // Who works it out may have been stopped: then it is one's own.
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

/** What became of it before, at hand or kept. */
async function findStoredOutcome(ctx: HandlerContext, batch: BatchRow, digest: string): Promise<CheckOutcome | null> {
  const outcome = getCachedOutcome(ctx, batch, digest) ?? (await readStoredOutcome(ctx, batch, digest))
  // Another batch with the same content may have come, been renamed or withdrawn: that is asked each time, it is two questions.
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
  // Two who worked it out at the same time have both kept it.
  for (const { id, part, sealed } of rows.filter((row) => row.id === rows[0]?.id)) {
    const text = await inflate(vault.openBytes(getCheckPosition(id, digest, part), sealed))
    chunks.push(JSON.parse(text.toString()))
    await setImmediate()
  }
  return unpackOutcome(chunks)
}

/** In the place of what this administrator kept of this batch; what is too old, or too much, goes. */
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

/** The newest stay, as far as there is room for them. */
export async function deleteOldChecks(
  { db, company_id, now }: Pick<HandlerContext, 'db' | 'company_id' | 'now'>,
  maxBytes = maxStoredBytes,
): Promise<void> {
  const since = new Date(now.getTime() - maxAgeDays * dayMs)
  await sql`
    delete from sheet_check where company_id = ${company_id} and (created_at < ${since} or id in (
      select id from (
        select id, sum(octet_length(sealed)) over (order by id desc) as all_bytes from sheet_check where company_id = ${company_id}) as newest
      where all_bytes > ${maxBytes}))`.execute(db)
}
