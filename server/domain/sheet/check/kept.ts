/**
 * The check of a batch: the one that is kept, as long as all that it stands on is as it was; else worked out, once for all who ask at the same time.
 * Writes sheet_check.
 */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { sql } from 'kysely'
import type { Problem } from '../../../contract/sheet/sheet.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { BatchRow } from '../access.ts'
import { type CheckOutcome, type CheckPiece, packed, unpacked, withAccepted } from '../rules/outcome.ts'
import { doneAtHand } from './at-hand.ts'
import { type Ground, groundHeld, groundOf } from './ground.ts'
import { workOut } from './run-check.ts'
import { sameFile } from './same-file.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** What a company keeps at most: a hundred sheets of ten thousand people. */
const most_bytes = 64 * 1024 ** 2
const most_days = 14
const a_day_ms = 86_400_000

const place = (id: string, ground: string, part: number) => ({ table: 'sheet_check', row: id, column: ground, version: part })

/** Under way in this process, by what they stand on: whoever asks for the same meanwhile waits for it. */
const under_way = new Map<string, Promise<CheckOutcome>>()

export const checkOf = async (ctx: Ctx, batch: BatchRow): Promise<CheckOutcome> =>
  outcomeOn(ctx, batch, await groundOf(ctx, batch))

/** `accepted`: nothing else was done. `isOfRows`: nobody was made, and the roster took nothing. */
type Fixed = { readonly accepted: readonly Problem[] | null; readonly isOfRows: boolean }

/**
 * With `after`: the check as it is when some of its problems have been accepted. That takes them away and changes nothing else, so that it follows from
 * the check before, unless somebody has changed meanwhile what both stand on. Whoever fixes holds the batch.
 */
export async function checkBeforeFix(ctx: Ctx, batch: BatchRow) {
  const ground = await groundOf(ctx, batch)
  const outcome = await outcomeOn(ctx, batch, ground)
  const after = async (fresh: BatchRow, { accepted, isOfRows }: Fixed): Promise<CheckOutcome> => {
    const now = isOfRows ? await groundHeld(ctx, fresh, ground.around) : await groundOf(ctx, fresh)
    if (accepted === null || now.around !== ground.around) return outcomeOn(ctx, fresh, now)
    const next = withAccepted(outcome, accepted)
    if (now.digest !== ground.digest) await keep(ctx, fresh, now.digest, next)
    return next
  }
  return { outcome, after }
}

async function outcomeOn(ctx: Ctx, batch: BatchRow, on: Ground): Promise<CheckOutcome> {
  const { digest: ground } = on
  const kept = await known(ctx, batch, ground)
  if (kept) return kept
  const begun = under_way.get(ground)
  // Who works it out may have been stopped: then it is one's own.
  const theirs = await begun?.catch(() => null)
  if (theirs) return theirs
  const work = workOut(ctx, batch, on)
  under_way.set(ground, work)
  try {
    const outcome = await work
    await keep(ctx, batch, ground, outcome)
    return outcome
  } finally {
    if (under_way.get(ground) === work) under_way.delete(ground)
  }
}

/** What became of it before, at hand or kept. */
async function known(ctx: Ctx, batch: BatchRow, ground: string): Promise<CheckOutcome | null> {
  const outcome = doneAtHand(ctx, batch, ground) ?? (await read(ctx, batch, ground))
  // Another batch with the same content may have come, been renamed or withdrawn: that is asked each time, it is two questions.
  const isSame = outcome && isDeepStrictEqual(outcome.same_file, await sameFile(ctx, batch, outcome.content))
  return isSame ? outcome : null
}

async function read(ctx: Ctx, batch: BatchRow, ground: string): Promise<CheckOutcome | null> {
  const { db, company_id, me, vault } = ctx
  const rows = await db
    .selectFrom('sheet_check')
    .select(['id', 'part', 'sealed'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('admin_id', '=', me.admin_id)
    .where('ground', '=', ground)
    .orderBy('id')
    .orderBy('part')
    .execute()
  const pieces: CheckPiece[] = []
  // Two who worked it out at the same time have both kept it.
  for (const { id, part, sealed } of rows.filter((row) => row.id === rows[0]?.id)) {
    const text = await inflate(vault.openBytes(place(id, ground, part), sealed))
    pieces.push(JSON.parse(text.toString()))
    await setImmediate()
  }
  return unpacked(pieces)
}

/** In the place of what this administrator kept of this batch; what is too old, or too much, goes. */
async function keep(ctx: Ctx, batch: BatchRow, ground: string, outcome: CheckOutcome): Promise<void> {
  const { db, company_id, me, now, vault } = ctx
  const admin_id = me.admin_id
  if (admin_id === null) return
  const id = newId()
  let part = 0
  for (const piece of packed(outcome)) {
    const sealed = vault.seal(place(id, ground, part), await deflate(JSON.stringify(piece), { level: 1 }))
    await db
      .insertInto('sheet_check')
      .values({ company_id, id, batch_id: batch.id, admin_id, ground, part, sealed, created_at: now })
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
  await sweepChecks(ctx)
}

/** The newest stay, as far as there is room for them. */
export async function sweepChecks(
  { db, company_id, now }: Pick<Ctx, 'db' | 'company_id' | 'now'>,
  most = most_bytes,
): Promise<void> {
  const since = new Date(now.getTime() - most_days * a_day_ms)
  await sql`
    delete from sheet_check where company_id = ${company_id} and (created_at < ${since} or id in (
      select id from (
        select id, sum(octet_length(sealed)) over (order by id desc) as all_bytes from sheet_check where company_id = ${company_id}) as newest
      where all_bytes > ${most}))`.execute(db)
}
