/** The outbox's message source for payslips: the state of their batch, recipients, content, and the effects of an outcome. */

import { type RawBuilder, sql } from 'kysely'
import type { BatchStatus, Channel, MemberStatus, PayslipStatus } from '../../../contract/shared/schemas.ts'
import type { Vault } from '../../../crypto/secrets.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { type BatchSendState, type ClaimedRow, type DispatchDecision, type SettledRow } from '../../../outbox/index.ts'
import { toShanghaiMonth } from '../../../shared/clock.ts'
import { deriveId, newId } from '../../../shared/ids.ts'
import { refundSms } from '../../billing/index.ts'
import { companyView } from '../../company/read-model.ts'
import { memberView } from '../../directory/read-model.ts'
import { openTitle } from '../../sheets/display/index.ts'
import { titleView } from '../../sheets/read-model.ts'
import { hasSubscriber, type PayslipRef, queueWebhookEvents } from '../../webhooks/index.ts'
import { checkDispatch, left_after_plan } from '../rules/dispatch.ts'
import { getSendBlock, type IdentityDigests } from '../rules/identity.ts'
import { createMessageContent, getChatLink, getShortLink, maskName, sumSmsSegments } from '../rules/message.ts'
import {
  formatSendBlock,
  getCurrentIdentity,
  isPlannedForLeaver,
  joinAccountPhone,
  memberColumns,
  type RecipientRow,
  recipientColumns,
} from './identity.ts'
import type { CompanyTx } from './ledger.ts'

export type BatchTx = CompanyTx & { readonly batch_id: string; readonly vault: Vault }

/** A batch as needed for sending. */
export type SendBatch = {
  readonly state: BatchSendState
  /** The rest of the batch is scheduled, while messages about the part that was sent go out. */
  readonly hasScheduledRows: boolean
  readonly status: BatchStatus
  readonly owner_id: string
  readonly title: string
  readonly corp_name: string
  readonly scheduled_at: Date | null
  /** The wait is the period in which sending can be undone; null for a scheduled time. */
  readonly undo_until: Date | null
  readonly sent_at: Date | null
  /** When every payslip last had an outcome. */
  readonly finished_at: Date | null
}

/** While the rest of a batch is scheduled, messages about the part that was sent are still sent. */
const toSendState = ({ status, sent_at }: Pick<SendBatch, 'status' | 'sent_at'>): BatchSendState =>
  status === 'sending' || status === 'sent' || (status === 'scheduled' && sent_at !== null)
    ? 'active'
    : status === 'withdrawn'
      ? 'withdrawn'
      : 'held'

const lockClauses = { share: sql`for share of batch`, update: sql`for no key update of batch`, none: sql`` }

/**
 * Returns the current batch, locked until the transaction ends: a pause or withdrawal waits for it, and after it no
 * sender passes this point. `share` allows several senders at once; a transaction that will change the batch requests
 * `update` immediately, because two holders of the shared lock that both need more would deadlock.
 */
export async function lockBatch(
  { db, company_id, batch_id, vault }: BatchTx,
  lockMode: 'share' | 'update' | 'none',
): Promise<SendBatch | null> {
  const { rows } = await sql<
    Omit<SendBatch, 'title' | 'state' | 'hasScheduledRows'> & { title_id: string | null; title: Buffer | null }
  >`
    select batch.status, batch.owner_id, batch.title_id, title.name as title, company.name as corp_name, batch.scheduled_at, batch.undo_until, batch.sent_at, batch.finished_at
    from batch
    join ${companyView} on company.id = batch.company_id
    left join ${titleView} on title.company_id = batch.company_id and title.id = batch.title_id
    where batch.company_id = ${company_id} and batch.id = ${batch_id}
    ${lockClauses[lockMode]}`.execute(db)
  const [row] = rows
  return row
    ? {
        ...row,
        state: toSendState(row),
        hasScheduledRows: row.status === 'scheduled',
        title: openTitle(vault, row.title_id, row.title) ?? '',
      }
    : null
}

/** Builds the notification for one delivery in its channel. */
function buildMessage(
  row: { readonly channel: Channel; readonly salary_id: string; readonly version: number; readonly purpose: string },
  { corp_name, title }: Pick<SendBatch, 'corp_name' | 'title'>,
  origin: string,
) {
  const link = row.channel === 'platform' ? getChatLink(origin, row) : getShortLink(origin, row)
  return createMessageContent({ corp_name, title, purpose: row.purpose, link })
}

const placeholderPayslipId = deriveId('the slip of nobody')
type MessageRequest<RequestedChannel extends Channel> = {
  readonly purpose: string
  readonly channels: readonly RequestedChannel[]
}
/** Builds the messages of these channels for a fictitious payslip of a batch with this title. */
function buildSampleMessages<RequestedChannel extends Channel>(
  { origin }: Pick<HandlerContext, 'origin'>,
  batch: Pick<SendBatch, 'corp_name' | 'title'>,
  { purpose, channels }: MessageRequest<RequestedChannel>,
) {
  const samplePayslip = { salary_id: placeholderPayslipId, version: 1, purpose }
  return channels.map((channel) => ({ channel, message: buildMessage({ ...samplePayslip, channel }, batch, origin) }))
}
async function buildBatchMessages<RequestedChannel extends Channel>(
  ctx: CompanyTx & Pick<HandlerContext, 'vault' | 'origin'>,
  batch_id: string,
  request: MessageRequest<RequestedChannel>,
) {
  const { corp_name = '', title = '' } = (await lockBatch({ ...ctx, batch_id }, 'none')) ?? {}
  return buildSampleMessages(ctx, { corp_name, title }, request)
}

/** Returns the SMS segments charged per message of a batch: links have equal lengths, so it is the same for all recipients. */
export async function getSegmentCount(
  ctx: CompanyTx & Pick<HandlerContext, 'vault' | 'origin' | 'countSegments'>,
  batch_id: string,
  purpose: string,
): Promise<number> {
  const [sms] = await buildBatchMessages(ctx, batch_id, { purpose, channels: ['sms'] })
  return sms ? ctx.countSegments(sms.message) : 1
}

/** Returns what a locked phone shows of the message about a payslip, per channel. */
export async function previewMessages(
  ctx: CompanyTx & Pick<HandlerContext, 'vault' | 'origin' | 'previewMessage'>,
  batch_id: string,
  channels: readonly Exclude<Channel, 'link'>[],
) {
  const messages = await buildBatchMessages(ctx, batch_id, { purpose: 'slip', channels })
  return messages.map(({ channel, message: content }) => ({ channel, ...ctx.previewMessage(channel, content) }))
}

const lockScreenChannels = ['platform', 'sms', 'email'] as const
/** Previews the messages of all channels for a batch that does not exist yet, with this month's default title. */
export const previewExampleMessages = (ctx: Pick<HandlerContext, 'origin' | 'previewMessage' | 'now'>, corp_name: string) => {
  const title = `${toShanghaiMonth(ctx.now).replace('-', '年')}月工资`
  const messages = buildSampleMessages(ctx, { corp_name, title }, { purpose: 'slip', channels: lockScreenChannels })
  return messages.map(({ channel, message: content }) => ({ channel, ...ctx.previewMessage(channel, content) }))
}

/** Returns the recipients' current addresses by delivery. */
export async function getAddresses({ db, company_id }: BatchTx, claimed: readonly ClaimedRow[]): Promise<Map<string, string>> {
  const salary_ids = claimed.map((row) => row.subject_id)
  const { rows } = await sql<{ id: string; sms: string; platform: string; email: string }>`
    select slip.id, person.mobile as sms, person.email, coalesce(person.platform_user_id, '') as platform
    from unnest(${salary_ids}::uuid[]) as wanted (id)
    join lateral (select id, member_id from payslip where company_id = ${company_id} and id = wanted.id limit 1) as slip on true
    join lateral (
      select mobile, email, platform_user_id from ${memberView} where company_id = ${company_id} and id = slip.member_id limit 1) as person on true`.execute(
    db,
  )
  const contactById = new Map(rows.map(({ id, ...row }) => [id, { ...row, link: '' }]))
  return new Map(claimed.map(({ id, subject_id, channel }) => [id, contactById.get(subject_id)?.[channel] ?? '']))
}

export type AttemptedDelivery = RecipientRow & {
  readonly id: string
  readonly salary_id: string
  readonly version: number
  readonly channel: Channel
  readonly purpose: string
  readonly attempts: number
  readonly salary_status: PayslipStatus
  readonly salary_version: number
  readonly member_status: MemberStatus
  readonly mobile: string
  readonly platform_user_id: string | null
  readonly name: string
  readonly identity: IdentityDigests | null
}
/** Returns why the recipient is not the one frozen in the plan; null if they are. */
const getBlockMessage = (salary_id: string, { identity, ...recipient }: IdentityRow): string | null => {
  const block = getSendBlock(identity, getCurrentIdentity(salary_id, recipient))
  return block && formatSendBlock(block)
}
type IdentityRow = RecipientRow & { readonly identity: IdentityDigests | null }

/** `limit 1` keeps the join order: first these few rows, then one payslip and one member for each. */
export const selectAttempted = ({ company_id }: BatchTx): RawBuilder<AttemptedDelivery> => sql<AttemptedDelivery>`
  select tried.id, tried.salary_id, tried.version, tried.channel, tried.purpose, tried.attempts,
    slip.status as salary_status, slip.version as salary_version, slip.identity, person.status as member_status, ${recipientColumns}
  from tried
  join lateral (
    select status, version, member_id, identity from payslip where company_id = ${company_id} and id = tried.salary_id limit 1) as slip on true
  join lateral (
    select ${memberColumns} from ${memberView} where company_id = ${company_id} and id = slip.member_id limit 1) as person on true
  ${joinAccountPhone}`

/** Decides right before a message is sent whether to send it. */
export function decideDispatch(
  row: AttemptedDelivery,
  { corp_name, title }: Pick<SendBatch, 'corp_name' | 'title'>,
  origin: string,
): DispatchDecision {
  const check = checkDispatch({
    ...row,
    is_for_leaver: isPlannedForLeaver(row.identity),
    blockMessage: getBlockMessage(row.salary_id, row),
  })
  if (!check.send) return check
  const content = buildMessage(row, { corp_name, title }, origin)
  return { send: true, to: check.to, message: content, name: maskName(row.name), maskedPhone: row.mobile }
}

/**
 * Settles deliveries: the payslip becomes readable together with the message that announces it, in the same
 * transaction; unsent SMS are refunded, and failed recipients continue through the next channel. Returns whose payslips
 * were sent by this.
 */
export async function settleDeliveries(
  batchTx: BatchTx,
  settledRows: readonly SettledRow[],
  /** Returns those of the failed payslips that continue through another channel. */
  queueFallbacks: (failed: readonly SettledRow[]) => Promise<ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const payslipRows = settledRows.filter((row) => row.purpose === 'slip')
  const delivered = payslipRows.filter((row) => row.status === 'accepted' || row.status === 'unknown')
  const sent = await settlePayslips(
    batchTx,
    delivered.map((row) => row.subject_id),
    'sent',
  )
  const failed = payslipRows.filter((row) => row.status === 'failed')
  const fallbackIds = await queueFallbacks(failed)
  await settlePayslips(
    batchTx,
    failed.map((row) => row.subject_id).filter((id) => !fallbackIds.has(id)),
    'failed',
  )
  const unsent = settledRows.filter((row) => row.status === 'failed' || row.status === 'cancelled')
  await refundSms(batchTx, sumSmsSegments(unsent), 'unsent', { id: newId(), batch_id: batchTx.batch_id })
  return new Set(sent)
}

const toPayslipRef = ({ salary_id, batch_id, member_id }: PayslipRef): PayslipRef => ({ salary_id, batch_id, member_id })

/** Returns which payslips were waiting until now. */
async function settlePayslips(
  { db, company_id, now }: BatchTx,
  salary_ids: readonly string[],
  status: 'sent' | 'failed',
): Promise<string[]> {
  if (salary_ids.length === 0) return []
  const event = status === 'sent' ? 'slip.sent' : 'payslip.failed'
  const settled = await db
    .updateTable('payslip')
    .set(status === 'sent' ? { status, sent_at: now } : { status })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .where('status', '=', 'queued')
    .returning(['id as salary_id', 'batch_id', 'member_id', hasSubscriber(company_id, event).as('heard')])
    .execute()
  const webhookRows = settled.filter((one) => one.heard)
  await queueWebhookEvents({ db, company_id, now }, event, webhookRows.map(toPayslipRef))
  return settled.map(({ salary_id }) => salary_id)
}

/** Delivers payslips without a message immediately, up to 500 per statement. Returns their number. */
export async function deliverLinks({ db, company_id, batch_id, now }: BatchTx): Promise<number> {
  type Picked = IdentityRow & { id: string; salary_id: string; purpose: string; gone: boolean; withdrawn: boolean }
  const { rows } = await sql<Picked>`
    with picked as (
      select id, salary_id, purpose from delivery
      where company_id = ${company_id} and batch_id = ${batch_id} and channel = 'link' and status = 'queued' and due_at <= ${now}
      limit 500 for update skip locked)
    select picked.*, slip.status = 'withdrawn' as withdrawn, slip.identity, person.status = 'left' as gone, ${recipientColumns}
    from picked
    join lateral (
      select status, member_id, identity from payslip where company_id = ${company_id} and id = picked.salary_id limit 1) as slip on true
    join lateral (
      select ${memberColumns} from ${memberView} where company_id = ${company_id} and id = slip.member_id limit 1) as person on true
    ${joinAccountPhone}`.execute(db)
  if (rows.length === 0) return 0
  const due = rows.map((row) => ({ ...row, ...decideLinkDelivery(row) }))
  const mapDue = <T>(getValue: (one: (typeof due)[number]) => T) => due.map(getValue)
  const settled = await sql<PayslipRef & { status: PayslipStatus }>`
    with due as (
      select * from unnest(${mapDue((one) => one.id)}::uuid[], ${mapDue((one) => one.salary_id)}::uuid[], ${mapDue((one) => one.purpose)}::text[],
        ${mapDue((one) => one.result)}::text[], ${mapDue((one) => one.code)}::text[], ${mapDue((one) => one.message)}::text[])
        as one (id, salary_id, purpose, verdict, code, message)),
    told as (
      update delivery set status = due.verdict, attempts = attempts + 1, code = due.code, message = due.message, done_at = ${now}
      from due where delivery.company_id = ${company_id} and delivery.id = due.id)
    update payslip set status = case when due.verdict = 'failed' then 'failed' else 'sent' end,
      sent_at = case when due.verdict = 'failed' then null else ${now}::timestamptz end
    from due where payslip.company_id = ${company_id} and payslip.id = due.salary_id and due.purpose = 'slip' and payslip.status = 'queued'
    returning payslip.id as salary_id, payslip.batch_id, payslip.member_id, payslip.status`.execute(db)
  for (const [status, event] of [
    ['sent', 'slip.sent'],
    ['failed', 'payslip.failed'],
  ] as const)
    await queueWebhookEvents(
      { db, company_id, now },
      event,
      settled.rows.filter((row) => row.status === status).map(toPayslipRef),
    )
  return rows.length
}

function decideLinkDelivery(row: IdentityRow & { salary_id: string; gone: boolean; withdrawn: boolean }) {
  if (row.withdrawn) return { result: 'cancelled', code: null, message: null }
  if (row.gone && !isPlannedForLeaver(row.identity)) return { result: 'failed', code: 'left', message: left_after_plan }
  const stop = getBlockMessage(row.salary_id, row)
  return stop ? { result: 'failed', code: 'identity', message: stop } : { result: 'accepted', code: null, message: null }
}

/** Counts all platform messages since then, and the maximum received by one of these recipients. */
export async function countPlatformMessagesSince(
  { db, company_id }: Pick<BatchTx, 'db' | 'company_id'>,
  since: Date,
  member_ids: readonly string[],
): Promise<{ used: number; most_of_one: number }> {
  const { rows } = await sql<{ used: number; most_of_one: number }>`
    with sent as (
      select payslip.member_id, count(*)::int as count
      from delivery join payslip on payslip.company_id = delivery.company_id and payslip.id = delivery.salary_id
      where delivery.company_id = ${company_id} and delivery.channel = 'platform' and delivery.done_at >= ${since}
        and delivery.status in ('accepted', 'unknown')
      group by payslip.member_id)
    select coalesce(sum(count), 0)::int as used,
      coalesce(max(count) filter (where member_id = any(${[...member_ids]}::uuid[])), 0)::int as most_of_one
    from sent`.execute(db)
  return rows[0] ?? { used: 0, most_of_one: 0 }
}
