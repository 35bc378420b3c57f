/**
 * The job that tells. An event is taken under a lease, told with no transaction open, and settled; a server that dies meanwhile leaves a lease that ends,
 * and the receiver may be told twice, with the same id.
 */
import { sql } from 'kysely'
import type { PostWebhook, WebhookAnswer, WebhookDesk } from '../../../../platform/carrier.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { onlyOutdoors } from '../../../runtime/data/outdoors.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import type { JobContext, Jobs } from '../../../runtime/jobs.ts'
import type { Secrets, Vault } from '../../../runtime/secrets.ts'
import { bodyOf, kept_ms, outcomeOf, patience_ms, type WebhookOutcome } from '../rules/webhook.ts'
import { giveUp } from './keep.ts'
import { openFormer, openSecret, openUrl } from './secrets.ts'

export type WebhookParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly clock: Clock
  readonly post: PostWebhook
  readonly desk: WebhookDesk
}
export type WebhookData = { readonly company_id: string }

/** Longer than a try may take. */
const lease_ms = 60_000
/** At once; a receiver that is slow keeps others of the company waiting no longer than a try. */
const at_once = 8
/** ToldSlip in one turn of the job; the next turn goes on. */
const a_turn = 200

type Due = {
  readonly id: string
  readonly webhook_id: string
  readonly event: string
  readonly salary_id: string | null
  readonly batch_id: string | null
  readonly at: Date
  readonly tries: number
  readonly url: Buffer
  readonly secret: Buffer
  readonly former_secret: Buffer | null
  readonly former_until: Date | null
}
type Told = { readonly due: Due; readonly outcome: WebhookOutcome }

export function openTelling({ database, jobs, secrets, clock, post, desk }: WebhookParts) {
  const postOutside = onlyOutdoors(post)

  /** Every minute: which companies have something to tell. Doing it twice is harmless: what is taken is taken once. */
  async function everyCompany(): Promise<void> {
    const now = clock.now()
    await database.asMachine(async (tx) => {
      const waiting = await tx
        .selectFrom('webhook_event')
        .select('company_id')
        .distinct()
        .where('status', 'in', ['waiting', 'leased'])
        .where('due_at', '<=', now)
        .execute()
      for (const { company_id } of waiting) await jobs.send(tx, 'webhook', { company_id })
    })
  }

  async function tell({ company_id }: WebhookData, { outdoors, signal }: JobContext): Promise<void> {
    for (let told = 0; told < a_turn && !signal.aborted; ) {
      const { due, vault } = await database.inCompany(company_id, async (tx) => ({
        due: await take(tx, company_id, clock.now()),
        vault: await secrets.vault(tx, company_id),
      }))
      if (due.length === 0) return
      told += due.length
      const answers = await Promise.all(
        due.map(async (one): Promise<Told> => {
          const answer: WebhookAnswer = await postOutside(
            outdoors,
            receiverOf(vault, one, clock.now()),
            messageOf(one, clock.now()),
            desk,
          )
          return { due: one, outcome: outcomeOf(answer, one.tries) }
        }),
      )
      await database.inCompany(company_id, (tx) => settle(tx, company_id, clock.now(), answers))
    }
    // What is left is found again by the clock, and at once where a turn was full.
    await database.inCompany(company_id, (tx) => jobs.send(tx, 'webhook', { company_id }))
  }

  return { everyCompany, tell }
}

const receiverOf = (vault: Vault, one: Due, now: Date) => ({
  url: openUrl(vault, one.webhook_id, one.url),
  secrets: [
    openSecret(vault, one.webhook_id, one.secret),
    ...(one.former_secret && one.former_until && one.former_until > now
      ? [openFormer(vault, one.webhook_id, one.former_secret)]
      : []),
  ].map((secret) => Buffer.from(secret, 'base64')),
})
const messageOf = (one: Due, at: Date) => ({ id: one.id, body: bodyOf(one), at })

/** Also what a server had taken that has died since. */
async function take(tx: Tx, company_id: string, now: Date): Promise<Due[]> {
  const { rows } = await sql<Due>`
    with due as (
      select id from webhook_event
      where company_id = ${company_id} and due_at <= ${now}
        and (status = 'waiting' or (status = 'leased' and lease_until <= ${now}))
      order by due_at limit ${at_once} for update skip locked),
    taken as (
      update webhook_event set status = 'leased', tries = tries + 1, lease_until = ${new Date(now.getTime() + lease_ms)}
      where company_id = ${company_id} and id in (select id from due)
      returning id, webhook_id, event, salary_id, batch_id, at, tries)
    select taken.*, webhook.url, webhook.secret, webhook.former_secret, webhook.former_until
    from taken
    join webhook on webhook.company_id = ${company_id} and webhook.id = taken.webhook_id`.execute(tx)
  return rows
}

async function settle(tx: Tx, company_id: string, now: Date, told: readonly Told[]): Promise<void> {
  for (const { due, outcome } of told) {
    const again = outcome.is === 'again'
    await tx
      .updateTable('webhook_event')
      .set({
        status: again ? 'waiting' : outcome.is,
        answer: outcome.answer,
        lease_until: null,
        due_at: again ? new Date(now.getTime() + outcome.wait_ms) : now,
        done_at: again ? null : now,
      })
      .where('company_id', '=', company_id)
      .where('id', '=', due.id)
      .execute()
  }
  for (const id of new Set(told.map(({ due }) => due.webhook_id)))
    await standing(
      tx,
      { company_id, id, now },
      told.filter(({ due }) => due.webhook_id === id).map(({ outcome }) => outcome),
    )
  await tx
    .deleteFrom('webhook_event')
    .where('company_id', '=', company_id)
    .where('done_at', '<', new Date(now.getTime() - kept_ms))
    .execute()
}

/** How the address stands after these: one that was taken ends all complaint; five days of nothing, or a 410, end the telling. */
async function standing(
  tx: Tx,
  { company_id, id, now }: { readonly company_id: string; readonly id: string; readonly now: Date },
  outcomes: readonly WebhookOutcome[],
): Promise<void> {
  const row = tx.updateTable('webhook').where('company_id', '=', company_id).where('id', '=', id)
  if (outcomes.some(({ is }) => is === 'taken')) {
    await row.set({ failing_since: null }).where('failing_since', 'is not', null).execute()
    return
  }
  await row.set({ failing_since: now }).where('failing_since', 'is', null).execute()
  const isGone = outcomes.some((outcome) => outcome.is === 'failed' && outcome.gone)
  const gone = await row
    .set({ status: 'gone' })
    .where('status', '=', 'active')
    .$if(!isGone, (query) => query.where('failing_since', '<=', new Date(now.getTime() - patience_ms)))
    .executeTakeFirst()
  if (gone.numUpdatedRows > 0n) await giveUp({ db: tx, company_id, now }, id)
}
