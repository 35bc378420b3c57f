/**
 * The webhook delivery job. Events are claimed under a lease, delivered without an open transaction and settled; if a
 * server dies meanwhile, the lease expires, and the receiver may get the event twice with the same id.
 */
import { sql } from 'kysely'
import type { PostWebhook, WebhookOptions, WebhookResponse } from '../../../platform/carrier.ts'
import type { Secrets, Vault } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { requireNoTransaction } from '../../database/no-transaction.ts'
import type { JobContext, JobQueue } from '../../jobs/queue.ts'
import type { Clock } from '../../shared/clock.ts'
import { externalReferenceView } from '../api-v1/read-model.ts'
import { memberView } from '../directory/read-model.ts'
import {
  buildWebhookBody,
  disableAfterMs,
  eventRetentionMs,
  getWebhookOutcome,
  retryDelaysMs,
  type WebhookOutcome,
  type WebhookSubject,
} from './rules/webhook.ts'
import { openOldSecret, openSecret, openUrl } from './secrets.ts'
import { failPendingEvents } from './settings.ts'

export type WebhookDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly secrets: Secrets
  readonly clock: Clock
  readonly post: PostWebhook
  readonly options: WebhookOptions
}
/** Without a webhook id, the job covers all webhooks of the company with pending events. */
export type WebhookJobData = { readonly company_id: string; readonly webhook_id?: string }

/** The lease is longer than an attempt may take. */
const leaseMs = 60_000
/** The time limit is longer than a run may take: 200 fast events, or eight slow ones. */
const maxRunMs = 120_000
const maxConcurrent = 8
/** Events per run; the next run continues. */
const eventsPerRun = 200
/** A receiver that takes longer than this for eight events waits for its next run, so that others are served meanwhile. */
const slowResponseMs = 1_000

/**
 * When an event is due and whether a lease has ended. Later instants than the product writes remain from a clock that was
 * set back.
 */
const isDue = (now: Date) =>
  sql<boolean>`(due_at <= ${now} or due_at > ${new Date(now.getTime() + Math.max(...retryDelaysMs))} or at > ${new Date(now.getTime() + leaseMs)})`
const isLeaseEnded = (column: 'leased_until' | 'lease_until', now: Date, ms: number) =>
  sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${new Date(now.getTime() + ms)})`

type DueWebhookEvent = WebhookSubject & {
  readonly id: string
  readonly webhook_id: string
  readonly event: string
  readonly at: Date
  readonly attempts: number
  readonly url: Buffer
  readonly secret: Buffer
  readonly former_secret: Buffer | null
  readonly former_until: Date | null
}
type DeliveredEvent = { readonly event: DueWebhookEvent; readonly outcome: WebhookOutcome }

export function createWebhookDelivery({ database, jobs, secrets, clock, post, options }: WebhookDeps) {
  const postExternal = requireNoTransaction(post)

  /** Every minute, queues the companies with pending events. Idempotent: an event is claimed once. */
  async function queueAllCompanies(): Promise<void> {
    const now = clock.now()
    await database.asSystem(async (tx) => {
      const pending = await tx
        .selectFrom('webhook_event')
        .select(['company_id', 'webhook_id'])
        .distinct()
        .where('status', 'in', ['waiting', 'leased'])
        .where(isDue(now))
        .execute()
      for (const one of pending) await jobs.send(tx, 'webhook', one)
    })
  }

  async function deliver({ company_id, webhook_id }: WebhookJobData, context: JobContext): Promise<void> {
    const inCompany = <T>(run: (tx: Tx) => Promise<T>) => database.inCompany(company_id, run)
    if (!webhook_id)
      return inCompany(async (tx) => {
        for (const id of await listDueWebhooks(tx, company_id, clock.now()))
          await jobs.send(tx, 'webhook', { company_id, webhook_id: id })
      })
    // Another worker has the lease and continues until nothing is due.
    const address = { company_id, id: webhook_id }
    if (!(await inCompany((tx) => acquireWebhookLease(tx, address, clock.now())))) return
    let hasMore = true
    try {
      hasMore = await runWebhook(address, context)
    } finally {
      await inCompany(async (tx) => {
        await releaseWebhookLease(tx, address)
        // Queues the next run behind the jobs that are already waiting.
        if (hasMore) await jobs.send(tx, 'webhook', { company_id, webhook_id })
      })
    }
  }

  /** Returns whether there may be more events. */
  async function runWebhook({ company_id, id }: WebhookRef, { noTransaction, signal }: JobContext): Promise<boolean> {
    for (let deliveredCount = 0; deliveredCount < eventsPerRun && !signal.aborted; ) {
      const { due, vault } = await database.inCompany(company_id, async (tx) => ({
        due: await claimEvents(tx, { company_id, id }, clock.now()),
        vault: await secrets.vault(tx, company_id),
      }))
      if (due.length === 0) return false
      deliveredCount += due.length
      const began = performance.now()
      const results = await Promise.all(
        due.map(async (one): Promise<DeliveredEvent> => {
          const receiver = toReceiver(vault, one, clock.now())
          const response: WebhookResponse = await postExternal(noTransaction, receiver, toMessage(one, clock.now()), options)
          return { event: one, outcome: getWebhookOutcome(response, one.attempts) }
        }),
      )
      await database.inCompany(company_id, (tx) => saveResults(tx, company_id, clock.now(), results))
      if (performance.now() - began > slowResponseMs) return true
    }
    return true
  }

  return { everyCompany: queueAllCompanies, notify: deliver }
}

const toReceiver = (vault: Vault, one: DueWebhookEvent, now: Date) => ({
  url: openUrl(vault, one.webhook_id, one.url),
  secrets: [
    openSecret(vault, one.webhook_id, one.secret),
    ...(one.former_secret && one.former_until && one.former_until > now
      ? [openOldSecret(vault, one.webhook_id, one.former_secret)]
      : []),
  ].map((secret) => Buffer.from(secret, 'base64')),
})
const toMessage = (one: DueWebhookEvent, at: Date) => ({ id: one.id, body: buildWebhookBody(one), sentAt: at })

type WebhookRef = { readonly company_id: string; readonly id: string }

/** There is one run per webhook at a time; the lease of a server that dies expires. */
async function acquireWebhookLease(tx: Tx, { company_id, id }: WebhookRef, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook')
    .set({ leased_until: new Date(now.getTime() + maxRunMs) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('leased_until', 'is', null), isLeaseEnded('leased_until', now, maxRunMs)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const releaseWebhookLease = (tx: Tx, { company_id, id }: WebhookRef) =>
  tx.updateTable('webhook').set({ leased_until: null }).where('company_id', '=', company_id).where('id', '=', id).execute()

async function listDueWebhooks(tx: Tx, company_id: string, now: Date): Promise<string[]> {
  const rows = await tx
    .selectFrom('webhook_event')
    .select('webhook_id')
    .distinct()
    .where('company_id', '=', company_id)
    .where('status', 'in', ['waiting', 'leased'])
    .where(isDue(now))
    .execute()
  return rows.map(({ webhook_id }) => webhook_id)
}

/** Events whose lease has expired because a server died are claimed as well. */
async function claimEvents(tx: Tx, { company_id, id }: WebhookRef, now: Date): Promise<DueWebhookEvent[]> {
  const { rows } = await sql<DueWebhookEvent>`
    with due as (
      select id from webhook_event
      where company_id = ${company_id} and webhook_id = ${id} and ${isDue(now)}
        and (status = 'waiting' or (status = 'leased' and ${isLeaseEnded('lease_until', now, leaseMs)}))
      order by due_at limit ${maxConcurrent} for update skip locked),
    taken as (
      update webhook_event set status = 'leased', attempts = attempts + 1, lease_until = ${new Date(now.getTime() + leaseMs)}
      where company_id = ${company_id} and id in (select id from due)
      returning id, webhook_id, event, salary_id, batch_id, member_id, feedback_id, at, attempts)
    select taken.*, webhook.url, webhook.secret, webhook.former_secret, webhook.former_until,
      (select member.employee_no from ${memberView} where member.company_id = ${company_id} and member.id = taken.member_id),
      (select external_reference.external_id from ${externalReferenceView}
        where external_reference.company_id = ${company_id} and external_reference.member_id = taken.member_id) as employee_external_id,
      (select external_reference.external_id from ${externalReferenceView}
        where external_reference.company_id = ${company_id} and external_reference.batch_id = taken.batch_id) as batch_external_id
    from taken
    join webhook on webhook.company_id = ${company_id} and webhook.id = taken.webhook_id`.execute(tx)
  return rows
}

/** Locks the webhook before its events, as changes and deletions do; otherwise each could wait for the other. */
async function saveResults(tx: Tx, company_id: string, now: Date, results: readonly DeliveredEvent[]): Promise<void> {
  const webhookIds = [...new Set(results.map(({ event }) => event.webhook_id))]
  await tx
    .selectFrom('webhook')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', 'in', webhookIds)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  for (const { event, outcome } of results) {
    const isRetry = outcome.status === 'again'
    await tx
      .updateTable('webhook_event')
      .set({
        status: isRetry ? 'waiting' : outcome.status,
        response: outcome.response,
        lease_until: null,
        due_at: isRetry ? new Date(now.getTime() + outcome.retryInMs) : now,
        done_at: isRetry ? null : now,
      })
      .where('company_id', '=', company_id)
      .where('id', '=', event.id)
      .execute()
  }
  for (const id of webhookIds)
    await updateWebhookStatus(
      tx,
      { company_id, id, now },
      results.filter(({ event }) => event.webhook_id === id).map(({ outcome }) => outcome),
    )
  await tx
    .deleteFrom('webhook_event')
    .where('company_id', '=', company_id)
    .where('done_at', '<', new Date(now.getTime() - eventRetentionMs))
    .execute()
}

/** Updates the webhook's status: a successful delivery clears all errors; five days without success, or a 410, disable it. */
async function updateWebhookStatus(
  tx: Tx,
  { company_id, id, now }: { readonly company_id: string; readonly id: string; readonly now: Date },
  outcomes: readonly WebhookOutcome[],
): Promise<void> {
  const row = tx.updateTable('webhook').where('company_id', '=', company_id).where('id', '=', id)
  if (outcomes.some(({ status }) => status === 'taken')) {
    await row.set({ failing_since: null }).where('failing_since', 'is not', null).execute()
    return
  }
  await row.set({ failing_since: now }).where('failing_since', 'is', null).execute()
  const isDisabled = outcomes.some((outcome) => outcome.status === 'failed' && outcome.isRemoved)
  const disabled = await row
    .set({ status: 'gone' })
    .where('status', '=', 'active')
    .$if(!isDisabled, (query) => query.where('failing_since', '<=', new Date(now.getTime() - disableAfterMs)))
    .executeTakeFirst()
  if (disabled.numUpdatedRows > 0n) await failPendingEvents({ db: tx, company_id, now }, id)
}
