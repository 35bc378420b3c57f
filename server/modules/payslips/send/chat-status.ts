/**
 * Chat cards show the status of their payslips: viewed, confirmed, withdrawn. The requested status is stored in the
 * transaction of the action, and a job sends it to the platform. Idempotent: the same text on the same card. Writes
 * delivery.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { OutdatedMessage } from '../../../../platform/carrier.ts'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import type { JobContext } from '../../../jobs/queue.ts'
import { type ChannelSender, composeMessage, type SettledRow } from '../../../outbox/index.ts'
import type { CompanyJobData, ReminderJobDeps } from '../reminders/job.ts'
import {
  type ChatStatus,
  type ChatUpdateStep,
  chatStatusLabels,
  decideAfterRecall,
  decideAfterUpdate,
  decideFirstStep,
} from '../rules/chat-status.ts'
import { createMessageContent, getChatLink } from '../rules/message.ts'
import { toStartOptions } from './ledger.ts'
import { lockBatch } from './message-source.ts'
import { type CompanyJobTx, chatStatusJob, requestChatStatus } from './request-chat-status.ts'

/** The lease of a worker that dies expires after this time. */
const leaseMs = 120_000
const maxRunMs = 20_000
const claimSize = 20

/** Marks messages that arrived although their payslip was withdrawn during delivery. */
export async function markLateChatMessages(
  companyTx: CompanyJobTx,
  settledRows: readonly Pick<SettledRow, 'subject_id' | 'channel' | 'status'>[],
): Promise<void> {
  const arrived = settledRows
    .filter(({ channel, status }) => channel === 'platform' && status === 'accepted')
    .map(({ subject_id }) => subject_id)
  if (arrived.length === 0) return
  const late = await companyTx.db
    .selectFrom('payslip')
    .select('id')
    .where('company_id', '=', companyTx.company_id)
    .where('id', '=', sql<string>`any(${arrived}::uuid[])`)
    .where('status', '=', 'withdrawn')
    .execute()
  await requestChatStatus(
    companyTx,
    'withdrawn',
    late.map(({ id }) => id),
  )
}

type ChatMessage = {
  readonly id: string
  readonly batch_id: string
  readonly salary_id: string
  readonly version: number
  readonly purpose: string
  readonly ref: string
  readonly at: Date
  readonly wanted: ChatStatus
  readonly tries: number
}
async function claimChatMessages({ db, company_id, now }: CompanyTimeTx): Promise<ChatMessage[]> {
  const { rows } = await sql<ChatMessage>`
    update delivery set card_attempts = card_attempts + 1, card_due = ${new Date(now.getTime() + leaseMs)}
    where company_id = ${company_id} and id = any(array(
      select id from delivery where company_id = ${company_id} and card_requested is not null and card_due <= ${now}
      order by card_due, id limit ${claimSize} for update skip locked))
    returning id, batch_id, salary_id, version, purpose, provider_ref as ref, coalesce(done_at, created_at) as at, card_requested as wanted,
      card_attempts as tries`.execute(db)
  return rows
}

/** Rows being written by another transaction (a withdrawal, a view) are skipped; they are claimed again when due. */
async function saveSteps(
  { db, company_id, now }: CompanyTimeTx,
  steps: readonly { readonly card: ChatMessage; readonly step: ChatUpdateStep }[],
) {
  const rows = await db
    .selectFrom('delivery')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${steps.map(({ card: chatMessage }) => chatMessage.id)}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .skipLocked()
    .execute()
  const unlockedIds = new Set(rows.map(({ id }) => id))
  for (const { card: chatMessage, step } of steps) {
    if (!unlockedIds.has(chatMessage.id)) continue
    const next =
      step.step === 'done'
        ? {
            card_requested: null,
            card_due: null,
            card_failure: step.failure,
            ...(step.displayedStatus ? { card_state: step.displayedStatus } : {}),
          }
        : { card_due: new Date(now.getTime() + (step.step === 'again' ? step.delayMs : 0)) }
    await db
      .updateTable('delivery')
      .set(next)
      .where('company_id', '=', company_id)
      .where('id', '=', chatMessage.id)
      // A newer status was requested meanwhile: it still has to be sent.
      .where('card_requested', '=', chatMessage.wanted)
      .execute()
  }
}

type ChatUpdate = { readonly chatMessage: ChatMessage; readonly message: OutdatedMessage }

/** Sends updates to the platform and returns the next step for each. */
async function updateChatMessages(
  sender: ChannelSender | null,
  noTransaction: JobContext['noTransaction'],
  updates: readonly ChatUpdate[],
) {
  const description = sender?.description ?? null
  const steps = new Map<string, ChatUpdateStep>(
    updates.map(({ chatMessage }) => [chatMessage.id, decideFirstStep(chatMessage.wanted, description)]),
  )
  const selectByStep = (step: ChatUpdateStep['step']) =>
    updates.filter(({ chatMessage }) => steps.get(chatMessage.id)?.step === step)
  const toUnclearResults = (failedUpdates: readonly ChatUpdate[]) =>
    failedUpdates.map(({ chatMessage: { id } }) => ({ id, result: 'unclear' as const }))
  const updated = selectByStep('amend')
  if (sender && updated.length > 0) {
    const messages = updated.map(({ message }) => message)
    const outcomes = new Map(
      (await sender.updateMessage(noTransaction, messages).catch(() => toUnclearResults(updated))).map((one) => [
        one.id,
        one.result,
      ]),
    )
    for (const { chatMessage } of updated)
      steps.set(
        chatMessage.id,
        decideAfterUpdate(chatMessage.wanted, outcomes.get(chatMessage.id) ?? 'unclear', chatMessage.tries, description),
      )
  }
  const recalled = selectByStep('recall')
  if (sender && recalled.length > 0) {
    const messages = recalled.map(({ message }) => message)
    const outcomes = new Map(
      (await sender.recall(noTransaction, messages).catch(() => toUnclearResults(recalled))).map((one) => [one.id, one.result]),
    )
    for (const { chatMessage } of recalled)
      steps.set(chatMessage.id, decideAfterRecall(outcomes.get(chatMessage.id) ?? 'unclear', chatMessage.tries))
  }
  return updates.map(({ chatMessage }) => ({
    card: chatMessage,
    step: steps.get(chatMessage.id) ?? ({ step: 'again', delayMs: 60_000 } as const),
  }))
}

/** Registers the job. */
export function registerChatStatusJob({ database, jobs, clock, secrets, senders, origin }: ReminderJobDeps) {
  const inCompany = <T>(company_id: string, run: (ctx: CompanyTimeTx) => Promise<T>): Promise<T> =>
    database.inCompany(company_id, (db) => run({ db, company_id, now: clock.now() }))

  /** Includes the message as sent, for platforms that require the whole card again. */
  const claimUpdates = (company_id: string): Promise<ChatUpdate[]> =>
    inCompany(company_id, async (companyTx) => {
      const cards = await claimChatMessages(companyTx)
      const batches = new Map<string, Awaited<ReturnType<typeof lockBatch>>>()
      const vault = await secrets.vault(companyTx.db, company_id)
      for (const { batch_id } of cards)
        if (!batches.has(batch_id)) batches.set(batch_id, await lockBatch({ ...companyTx, batch_id, vault }, 'none'))
      return cards.map((chatMessage) => {
        const { corp_name = '', title = '' } = batches.get(chatMessage.batch_id) ?? {}
        const link = getChatLink(origin, chatMessage)
        const message = composeMessage(createMessageContent({ corp_name, title, purpose: chatMessage.purpose, link }), {
          style: 'whole',
          signature: '',
        })
        const { id, ref, at, wanted: requestedStatus } = chatMessage
        const hasLink = requestedStatus !== 'withdrawn'
        return {
          chatMessage,
          message: {
            id,
            to: '',
            ref,
            at,
            text: message?.text ?? '',
            link,
            statusText: chatStatusLabels[requestedStatus],
            hasLink,
          },
        }
      })
    })
  const queueNextRun = (company_id: string, delayMs: number) =>
    inCompany(company_id, ({ db }) => jobs.send(db, chatStatusJob, { company_id }, toStartOptions(delayMs)))

  async function runChatStatus(
    { company_id }: CompanyJobData,
    { signal, noTransaction }: Pick<JobContext, 'signal' | 'noTransaction'>,
  ): Promise<void> {
    const endsAt = performance.now() + maxRunMs
    const sender = await senders.getPlatformSender(company_id)
    const { count = 1, perMs = 0 } = sender?.description.rateLimit ?? {}
    for (;;) {
      const updates = await claimUpdates(company_id)
      if (updates.length === 0) break
      const steps = await updateChatMessages(sender, noTransaction, updates)
      await inCompany(company_id, (companyTx) => saveSteps(companyTx, steps))
      if (signal.aborted || performance.now() > endsAt) return queueNextRun(company_id, 0)
      await sleep((updates.length * perMs) / count, undefined, { signal }).catch(() => undefined)
    }
    const next = await inCompany(company_id, ({ db }) =>
      db
        .selectFrom('delivery')
        .select(({ fn }) => fn.min('card_due').as('due'))
        .where('company_id', '=', company_id)
        .where('card_requested', 'is not', null)
        .executeTakeFirst(),
    )
    if (next?.due) await queueNextRun(company_id, Math.max(1_000, next.due.getTime() - clock.now().getTime()))
  }
  jobs.register<CompanyJobData>(chatStatusJob, runChatStatus, { timeoutSeconds: 300 })
  return { cards: runChatStatus }
}
