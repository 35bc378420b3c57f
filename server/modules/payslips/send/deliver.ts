/** The job `send`: sends the queued deliveries of a batch through the outbox (outbox/sender.ts: why nothing is sent twice). */

import { sql } from 'kysely'
import { maxUndoSeconds } from '../../../contract/payslips/send-plan.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database, TxOptions } from '../../../database/database.ts'
import type { JobContext, JobQueue } from '../../../jobs/queue.ts'
import type { Log } from '../../../observability/log.ts'
import {
  type ChannelSenders,
  createSegmentCounter,
  createSender,
  type DeliveryReport,
  type MessageSource,
  processReports,
  type SenderLimits,
} from '../../../outbox/index.ts'
import type { Clock } from '../../../shared/clock.ts'
import { notify } from '../../notifications/index.ts'
import { setBatchStatus } from '../../sheets/index.ts'
import { queueBatchEvent } from '../../webhooks/index.ts'
import { applyDeliveryUpdates, type DeliveryUpdate } from '../plan/delivery-updates.ts'
import { queueFallbacks } from '../plan/fallback.ts'
import { formatUndeliveredMessage } from '../rules/dispatch.ts'
import { queueBounceCheck } from '../setting/bounces.ts'
import { markLateChatMessages } from './chat-status.ts'
import { toStartOptions } from './ledger.ts'
import {
  type AttemptedDelivery,
  type BatchTx,
  decideDispatch,
  deliverLinks,
  getAddresses,
  lockBatch,
  type SendBatch,
  selectAttempted,
  settleDeliveries,
} from './message-source.ts'
import { resumeSending } from './resume.ts'

export type PayslipSenderDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly clock: Clock
  readonly secrets: Secrets
  readonly senders: ChannelSenders
  readonly origin: string
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly limits?: Partial<SenderLimits>
}
const statisticsIntervalMs = 20_000

export type SendJobData = { readonly company_id: string; readonly batch_id: string }

/** Runs a function in a company's own transaction. */
const createCompanyRunner =
  ({ database, clock, secrets }: Pick<PayslipSenderDeps, 'database' | 'clock' | 'secrets'>) =>
  <T>(company_id: string, fn: (ctx: Omit<BatchTx, 'batch_id'>) => Promise<T>, options: TxOptions = {}): Promise<T> =>
    database.inCompany(
      company_id,
      async (db) => fn({ db, company_id, now: clock.now(), vault: await secrets.vault(db, company_id) }),
      options,
    )

export function createPayslipSender(deps: PayslipSenderDeps) {
  const { database, jobs, clock, secrets, senders, origin, limits = {} } = deps
  const { run: runSender, activeOwners } = createSender({ database, clock, lines: senders, limits })
  const countSegments = createSegmentCounter(senders.sms, origin)
  let statisticsUpdatedAt = Number.NEGATIVE_INFINITY

  const inCompany = createCompanyRunner(deps)

  const createSource = ({ company_id, batch_id }: SendJobData): MessageSource<BatchTx, SendBatch, AttemptedDelivery> => ({
    company_id,
    table: { table: 'delivery', inBatch: sql<boolean>`batch_id = ${batch_id}`, subjectColumn: 'salary_id' },
    withdrawnMessage: '工资条已撤回',
    inBatchTx: (fn) => inCompany(company_id, (context) => fn({ ...context, batch_id }), { preferIndexOrder: true }),
    lockBatch,
    start: startScheduled,
    sendDirect: deliverLinks,
    getAddresses,
    selectAttempted,
    decideDispatch: (row, batch) => decideDispatch(row, batch, origin),
    onSettled: async (of, marked) => {
      const sent = await settleDeliveries(of, marked, (failed) => queueFallbacks({ ...of, origin, countSegments }, failed))
      // Payslips just sent were not withdrawn meanwhile.
      const others = marked.filter(({ subject_id }) => !sent.has(subject_id))
      await markLateChatMessages({ ...of, jobs: { send: (...job) => jobs.send(of.db, ...job) } }, others)
    },
    async onFinished(of) {
      await finishBatch(of)
      await queueBounceCheck(of, jobs)
    },
    onManyClaimed: updateStatistics,
  })

  /** One run of the job; if anything is left, it queues the next one. */
  async function send(data: SendJobData, context: Pick<JobContext, 'signal' | 'noTransaction'>): Promise<void> {
    const delayMs = await runSender(createSource(data), context)
    if (delayMs !== null)
      await inCompany(data.company_id, ({ db }) => jobs.send(db, 'send', { ...data }, toStartOptions(delayMs)))
  }

  /** Updates the planner's statistics after a large batch was written; otherwise each message would scan all of them. */
  async function updateStatistics(): Promise<void> {
    if (performance.now() - statisticsUpdatedAt < statisticsIntervalMs) return
    statisticsUpdatedAt = performance.now()
    await database.withoutCompany((tx) => sql`select count_again()`.execute(tx), { timeout_ms: 20_000 })
  }

  /** Applies later reports about a company's accepted messages; lost ones continue through another channel. */
  async function applyUpdates(companyTx: Omit<BatchTx, 'batch_id'>, updates: readonly DeliveryUpdate[]): Promise<void> {
    const { db, company_id } = companyTx
    for (const batch_id of await applyDeliveryUpdates({ ...companyTx, origin, countSegments }, updates))
      await jobs.send(db, 'send', { company_id, batch_id })
  }

  /** Processes a gateway's reports about accepted messages of any company. */
  const processCarrierReports = (reports: readonly DeliveryReport[]): Promise<void> =>
    processReports(database, clock.now(), {
      reports,
      settle: async (company_id, db, own) =>
        applyUpdates(
          { db, company_id, now: clock.now(), vault: await secrets.vault(db, company_id) },
          own.map(({ id, ref, delivered, code }) => ({
            id,
            ref,
            outcome: delivered ? 'delivered' : 'lost',
            message: delivered ? null : formatUndeliveredMessage(code),
          })),
        ),
    })

  return {
    send,
    takeReports: processCarrierReports,
    notifiedOf: applyUpdates,
    inCompany,
    resumeAll: (options: { sole: boolean }) => resumeSending(deps, options, activeOwners),
  }
}

/** Starts a scheduled batch when its time has come; returns the remaining wait. */
async function startScheduled(batchTx: BatchTx): Promise<number | null> {
  const batch = await lockBatch(batchTx, 'update')
  if (batch?.status !== 'scheduled') return null
  const wait_ms = (batch.scheduled_at?.getTime() ?? 0) - batchTx.now.getTime()
  // Longer than any such period: the clock was set back since.
  const isClockSetBack = batch.undo_until !== null && wait_ms > maxUndoSeconds * 1000
  // The messages of the rest are due later, but those about a part that was sent before may be due now.
  if (wait_ms > 0 && !isClockSetBack) return batch.sent_at ? null : wait_ms
  if (await setBatchStatus(batchTx, batchTx.batch_id, ['scheduled'], 'sending')) await queueBatchEvent(batchTx, 'batch.sent')
  return null
}

async function finishBatch(batchTx: BatchTx): Promise<void> {
  const batch = await lockBatch(batchTx, 'update')
  if (!batch) return
  const { now, batch_id } = batchTx
  const isFinished = batch.status === 'sending' && (await hasOutcomeSince(batchTx, batch.finished_at))
  const closed = await setBatchStatus(batchTx, batch_id, ['sending'], 'sent', {
    sent_at: batch.sent_at ?? now,
    ...(isFinished && { finished_at: now }),
  })
  if (closed && isFinished) await queueBatchEvent(batchTx, 'batch.finished')
  if (closed) await notifyOwner(batchTx, batch)
}

/** Whether a payslip, not only a reminder or an answer, had an outcome since then. */
async function hasOutcomeSince({ db, company_id, batch_id }: BatchTx, since: Date | null): Promise<boolean> {
  const row = await db
    .selectFrom('delivery')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('purpose', '=', 'slip')
    .where('status', 'in', ['accepted', 'failed', 'unknown'])
    .$if(since !== null, (query) => query.where('done_at', '>', since))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function notifyOwner(batchTx: BatchTx, batch: SendBatch): Promise<void> {
  const { db, company_id, batch_id } = batchTx
  const rows = await db
    .selectFrom('payslip')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .groupBy('status')
    .execute()
  const count = (...statuses: string[]) =>
    rows.filter((row) => statuses.includes(row.status)).reduce((sum, row) => sum + Number(row.count), 0)
  const failed = count('failed')
  const sent = count('sent', 'viewed', 'confirmed')
  const text =
    failed > 0
      ? `「${batch.title}」已发送 ${sent} 人，${failed} 人发送失败，请查看原因后重发`
      : `「${batch.title}」已发送给 ${sent} 人`
  await notify(batchTx, batch.owner_id, { kind: failed > 0 ? 'failed' : 'sent', text, batch_id })
}
