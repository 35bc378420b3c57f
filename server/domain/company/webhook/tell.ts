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
/** Without an address: all of the company's that something waits for. */
export type WebhookData = { readonly company_id: string; readonly webhook_id?: string }

/** Longer than a try may take. */
const lease_ms = 60_000
/** Longer than a turn may take: 200 quick ones, or eight slow ones. */
const turn_ms = 120_000
/** At once to one address. */
const at_once = 8
/** Events in one turn; the next turn goes on. */
const a_turn = 200
/** A receiver that has taken longer than this for eight of them waits for its next turn: others are told meanwhile. */
const slow_ms = 1_000

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
        .select(['company_id', 'webhook_id'])
        .distinct()
        .where('status', 'in', ['waiting', 'leased'])
        .where('due_at', '<=', now)
        .execute()
      for (const one of waiting) await jobs.send(tx, 'webhook', one)
    })
  }

  async function tell({ company_id, webhook_id }: WebhookData, context: JobContext): Promise<void> {
    const inCompany = <T>(work: (tx: Tx) => Promise<T>) => database.inCompany(company_id, work)
    if (!webhook_id)
      return inCompany(async (tx) => {
        for (const id of await waitingOf(tx, company_id, clock.now()))
          await jobs.send(tx, 'webhook', { company_id, webhook_id: id })
      })
    // Somebody else has it: he goes on until nothing is due.
    const of = { company_id, id: webhook_id }
    if (!(await inCompany((tx) => beginTurn(tx, of, clock.now())))) return
    let more = true
    try {
      more = await turn(of, context)
    } finally {
      await inCompany(async (tx) => {
        await endTurn(tx, of)
        // At the end of the queue: after whoever waited meanwhile.
        if (more) await jobs.send(tx, 'webhook', { company_id, webhook_id })
      })
    }
  }

  /** Answers whether there may be more. */
  async function turn({ company_id, id }: Address, { outdoors, signal }: JobContext): Promise<boolean> {
    for (let told = 0; told < a_turn && !signal.aborted; ) {
      const { due, vault } = await database.inCompany(company_id, async (tx) => ({
        due: await take(tx, { company_id, id }, clock.now()),
        vault: await secrets.vault(tx, company_id),
      }))
      if (due.length === 0) return false
      told += due.length
      const began = performance.now()
      const answers = await Promise.all(
        due.map(async (one): Promise<Told> => {
          const receiver = receiverOf(vault, one, clock.now())
          const answer: WebhookAnswer = await postOutside(outdoors, receiver, messageOf(one, clock.now()), desk)
          return { due: one, outcome: outcomeOf(answer, one.tries) }
        }),
      )
      await database.inCompany(company_id, (tx) => settle(tx, company_id, clock.now(), answers))
      if (performance.now() - began > slow_ms) return true
    }
    return true
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

type Address = { readonly company_id: string; readonly id: string }

/** One turn an address at a time; a server that dies leaves one that ends by itself. */
async function beginTurn(tx: Tx, { company_id, id }: Address, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook')
    .set({ turn_until: new Date(now.getTime() + turn_ms) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('turn_until', 'is', null), eb('turn_until', '<=', now)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const endTurn = (tx: Tx, { company_id, id }: Address) =>
  tx.updateTable('webhook').set({ turn_until: null }).where('company_id', '=', company_id).where('id', '=', id).execute()

async function waitingOf(tx: Tx, company_id: string, now: Date): Promise<string[]> {
  const rows = await tx
    .selectFrom('webhook_event')
    .select('webhook_id')
    .distinct()
    .where('company_id', '=', company_id)
    .where('status', 'in', ['waiting', 'leased'])
    .where('due_at', '<=', now)
    .execute()
  return rows.map(({ webhook_id }) => webhook_id)
}

/** Also what a server had taken that has died since. */
async function take(tx: Tx, { company_id, id }: Address, now: Date): Promise<Due[]> {
  const { rows } = await sql<Due>`
    with due as (
      select id from webhook_event
      where company_id = ${company_id} and webhook_id = ${id} and due_at <= ${now}
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

/** The address is held before its events, as by whoever changes or deletes it: else each would wait for the other. */
async function settle(tx: Tx, company_id: string, now: Date, told: readonly Told[]): Promise<void> {
  const addresses = [...new Set(told.map(({ due }) => due.webhook_id))]
  await tx
    .selectFrom('webhook')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', 'in', addresses)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
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
  for (const id of addresses)
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
