/**
 * The job `bounces`: looks for bounced mail in the company's own mailbox as long as some may arrive, and records it in
 * the ledger. Idempotent: a message is lost only once (plan/delivery-updates.ts). Companies that send no mail are
 * skipped.
 */
import { sql } from 'kysely'
import type { Bounce } from '../../../../platform/carrier.ts'
import { type NoTransaction, requireNoTransaction } from '../../../database/no-transaction.ts'
import type { JobContext, JobQueue } from '../../../jobs/queue.ts'
import type { Clock } from '../../../shared/clock.ts'
import { deriveId } from '../../../shared/ids.ts'
import { getBounceInbox, type MailConnections, saveInboxProgress, setLastMailedAt } from '../../company/index.ts'
import type { DeliveryUpdate } from '../plan/delivery-updates.ts'
import { getNextInboxPoll } from '../rules/dispatch.ts'
import { toStartOptions } from '../send/ledger.ts'
import type { BatchTx } from '../send/message-source.ts'

type BounceJobDeps = {
  readonly jobs: JobQueue
  readonly clock: Clock
  readonly mail: MailConnections
  readonly inCompany: <T>(company_id: string, fn: (ctx: Omit<BatchTx, 'batch_id'>) => Promise<T>) => Promise<T>
  /** Writes the reports to the ledger. */
  readonly applyUpdates: (ctx: Omit<BatchTx, 'batch_id'>, updates: readonly DeliveryUpdate[]) => Promise<void>
}
type BounceJobData = { readonly company_id: string }
type PollParams = Pick<BatchTx, 'db' | 'company_id' | 'now'> & { readonly mailed_at: Date }

const inboxErrorMessages: Readonly<Record<string, string>> = {
  sign_in: '收退信的邮箱登录失败：请在邮箱的设置里开启 IMAP，并核对账号和授权码',
  encryption: '没能和收信服务器建立加密连接，请检查服务器地址、端口和加密方式',
  not_public: '收信服务器的地址不能使用，请填写公网的邮件服务器',
  unreadable: '收信服务器的答复看不懂，请检查服务器地址和端口',
}
/** Returns why bounces cannot be read, with a remedy. */
export const getInboxErrorMessage = (error: string): string =>
  inboxErrorMessages[error] ?? '连不上收信服务器，请检查服务器地址和端口；稍后会自动再试'

/** Queues the next check; if it is queued twice, it runs once. */
async function queueNextPoll(jobs: JobQueue, { db, company_id, now, mailed_at }: PollParams): Promise<void> {
  const at = getNextInboxPoll(now, mailed_at)
  if (!at) return
  const id = deriveId('bounces', company_id, at.toISOString())
  await jobs.send(db, 'bounces', { company_id }, { ...toStartOptions(at.getTime() - now.getTime()), id })
}

/** Called after a batch was sent: its mail may bounce. */
export async function queueBounceCheck({ db, company_id, batch_id, now }: BatchTx, jobs: JobQueue): Promise<void> {
  const dayAgo = new Date(now.getTime() - 86_400_000)
  const { rows } = await sql`
    select from delivery where company_id = ${company_id} and batch_id = ${batch_id} and channel = 'email' and status in ('accepted', 'unknown')
      and done_at > ${dayAgo} limit 1`.execute(db)
  if (rows.length > 0 && (await setLastMailedAt({ db, company_id, now })))
    await queueNextPoll(jobs, { db, company_id, now, mailed_at: now })
}

const toDeliveryUpdate = ({ id, result, message }: Bounce): DeliveryUpdate => ({
  id,
  ref: null,
  outcome: result === 'failed' ? 'lost' : 'delayed',
  message,
})

/** Registers the job. Returns a function that checks once during a test and returns any problem. */
export function registerBounceJob({ jobs, clock, mail: { readInbox }, inCompany, applyUpdates }: BounceJobDeps) {
  const readBounces = readInbox && requireNoTransaction(readInbox)

  /** Returns why the inbox could not be read; null if it could, or if there is nothing to read. */
  async function pollInbox(noTransaction: NoTransaction, company_id: string): Promise<{ error: string | null; more: boolean }> {
    const inbox = await inCompany(company_id, getBounceInbox)
    if (!inbox || !readBounces) return { error: null, more: false }
    const { app, from, as_of, isOwnMark } = inbox
    const pollResult = await readBounces(noTransaction, app, { from, now: clock.now() })
    await inCompany(company_id, async (companyTx) => {
      // A bounce without our mark may come from anybody and is ignored.
      const ownBounces = 'cursor' in pollResult ? pollResult.bounces.filter(({ id, mark }) => isOwnMark(id, mark)) : []
      // A final loss takes precedence over other reports of the same message, regardless of order.
      const bounces = ownBounces.toSorted((a, b) => Number(a.result === 'failed') - Number(b.result === 'failed'))
      if (bounces.length > 0)
        await applyUpdates(companyTx, [...new Map(bounces.map((one) => [one.id, toDeliveryUpdate(one)])).values()])
      await saveInboxProgress(companyTx, as_of, pollResult)
    })
    return 'cursor' in pollResult ? { error: null, more: pollResult.hasMore } : { error: pollResult.error, more: false }
  }

  async function runBounceJob({ company_id }: BounceJobData, { noTransaction, signal }: JobContext): Promise<void> {
    for (let round = 0; round < 5 && !signal.aborted; round += 1) if (!(await pollInbox(noTransaction, company_id)).more) break
    await inCompany(company_id, async (companyTx) => {
      const mailed_at = (await getBounceInbox(companyTx))?.mailed_at
      if (mailed_at) await queueNextPoll(jobs, { ...companyTx, mailed_at })
    })
  }

  // Most of the time is spent waiting for an external server.
  jobs.register<BounceJobData>('bounces', runBounceJob, { concurrency: 4, timeoutSeconds: 180, retries: 3 })
  return async (noTransaction: NoTransaction, company_id: string): Promise<string | null> =>
    (await pollInbox(noTransaction, company_id)).error
}
