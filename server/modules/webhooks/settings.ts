/** The webhooks of a company: saved, changed, tested, with their delivery log. */
import { type Selectable, sql } from 'kysely'
import * as contract from '../../contract/webhooks/webhooks.ts'
import type { CompanyTx } from '../../database/company-tx.ts'
import type { Tables } from '../../database/tables.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { secretOverlapMs, validateWebhookUrl } from './rules/webhook.ts'
import { formatWebhookSecret, generateWebhookSecret, openSecret, openUrl, sealOldSecret, sealSecret, sealUrl } from './secrets.ts'

type WebhookRow = Selectable<Tables['webhook']>

const createWebhookNotFoundError = () => fail('not_found', '这个接收地址已被删除')
const selectWebhook = ({ db, company_id }: CompanyTx, webhook_id: string) =>
  db.selectFrom('webhook').selectAll().where('company_id', '=', company_id).where('id', '=', webhook_id)

/** Locked until the transaction ends: two changes are serialized. Always locked before its events. */
async function lockWebhook(ctx: CompanyTx, webhook_id: string): Promise<WebhookRow> {
  const row = await selectWebhook(ctx, webhook_id).forUpdate().executeTakeFirst()
  if (!row) throw createWebhookNotFoundError()
  return row
}

/** Marks the pending events of a disabled webhook as failed; they can be resent manually. */
export async function failPendingEvents(
  { db, company_id, now }: CompanyTx & Pick<HandlerContext, 'now'>,
  webhook_id: string,
): Promise<void> {
  await db
    .updateTable('webhook_event')
    .set({ status: 'failed', done_at: now })
    .where('company_id', '=', company_id)
    .where('webhook_id', '=', webhook_id)
    .where('status', '=', 'waiting')
    .execute()
}

const getWebhooks = defineHandler(contract.getWebhooks, async ({ db, company_id, vault }) => {
  const rows = await db
    .selectFrom('webhook')
    .selectAll()
    .select(({ selectFrom, fn }) =>
      selectFrom('webhook_event')
        .select(fn.countAll<string>().as('count'))
        .where('webhook_event.company_id', '=', company_id)
        .whereRef('webhook_event.webhook_id', '=', 'webhook.id')
        .where('webhook_event.status', 'in', ['waiting', 'leased'])
        .as('waiting'),
    )
    .where('company_id', '=', company_id)
    .orderBy('created_at')
    .execute()
  return {
    list: rows.map((row) => ({
      webhook_id: row.id,
      url: openUrl(vault, row.id, row.url),
      events: contract.webhookEvents.filter((event) => row.events.includes(event)),
      status: row.status,
      failing_since: row.failing_since && toIsoTimestamp(row.failing_since),
      waiting: Number(row.waiting),
      former_until: row.former_until && toIsoTimestamp(row.former_until),
    })),
  }
})

/** `private_hosts`: whether a URL inside this installation's own network is allowed. */
const defineSaveWebhookHandler = (private_hosts: boolean) =>
  defineHandler(contract.saveWebhook, async (ctx, { webhook_id, url, events, active }) => {
    const { db, company_id, now, vault } = ctx
    const error = validateWebhookUrl(url, { private_hosts })
    if (error) throw invalidInput('url', error)
    const status = active ? ('active' as const) : ('paused' as const)
    if (webhook_id) {
      await lockWebhook(ctx, webhook_id)
      await db
        .updateTable('webhook')
        .set({ url: sealUrl(vault, webhook_id, url), events, status, failing_since: null })
        .where('company_id', '=', company_id)
        .where('id', '=', webhook_id)
        .execute()
      if (!active) await failPendingEvents(ctx, webhook_id)
      return { webhook_id, secret: null }
    }
    // Two concurrent requests may both take the last slot: one webhook more is harmless.
    const { count } = await db
      .selectFrom('webhook')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('company_id', '=', company_id)
      .executeTakeFirstOrThrow()
    if (Number(count) >= contract.maxWebhooks)
      throw fail('wrong_state', `最多 ${contract.maxWebhooks} 个接收地址，请先删除不用的`)
    const [id, secret] = [newId(), generateWebhookSecret()]
    await db
      .insertInto('webhook')
      .values({
        company_id,
        id,
        url: sealUrl(vault, id, url),
        secret: sealSecret(vault, id, secret),
        events,
        status,
        created_at: now,
      })
      .execute()
    return { webhook_id: id, secret: formatWebhookSecret(secret) }
  })

const rotateWebhookSecret = defineHandler(contract.rotateWebhookSecret, async (ctx, { webhook_id }) => {
  const { db, company_id, now, vault } = ctx
  const row = await lockWebhook(ctx, webhook_id)
  const [secret, former_until] = [generateWebhookSecret(), new Date(now.getTime() + secretOverlapMs)]
  await db
    .updateTable('webhook')
    .set({
      secret: sealSecret(vault, webhook_id, secret),
      former_secret: sealOldSecret(vault, webhook_id, openSecret(vault, webhook_id, row.secret)),
      former_until,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', webhook_id)
    .execute()
  return { secret: formatWebhookSecret(secret), old_secret_until: toIsoTimestamp(former_until) }
})

const deleteWebhook = defineHandler(contract.deleteWebhook, async (ctx, { webhook_id }) => {
  await lockWebhook(ctx, webhook_id)
  await ctx.db.deleteFrom('webhook').where('company_id', '=', ctx.company_id).where('id', '=', webhook_id).execute()
  return {}
})

const testWebhook = defineHandler(contract.testWebhook, async (ctx, { webhook_id }) => {
  const { db, company_id, now } = ctx
  if ((await lockWebhook(ctx, webhook_id)).status !== 'active') throw fail('wrong_state', '这个接收地址已停用，启用后再测试')
  const event_id = newId()
  await db
    .insertInto('webhook_event')
    .values({ company_id, id: event_id, webhook_id, event: 'webhook.test', at: now, due_at: now })
    .execute()
  await ctx.jobs.send('webhook', { company_id })
  return { event_id }
})

const getWebhookLog = defineHandler(contract.getWebhookLog, async (ctx, { webhook_id, page, pagesize }) => {
  const { db, company_id } = ctx
  if (!(await selectWebhook(ctx, webhook_id).executeTakeFirst())) throw createWebhookNotFoundError()
  const all = db.selectFrom('webhook_event').where('company_id', '=', company_id).where('webhook_id', '=', webhook_id)
  const { count } = await all.select(({ fn }) => fn.countAll<string>().as('count')).executeTakeFirstOrThrow()
  const rows = await all
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map(({ id, event, at, status, attempts, due_at, response }) => ({
      event_id: id,
      event: contract.webhookEvents.find((one) => one === event) ?? ('webhook.test' as const),
      at: toIsoTimestamp(at),
      status,
      attempts,
      due_at: status === 'waiting' && attempts > 0 ? toIsoTimestamp(due_at) : null,
      response,
    })),
    page: { page, pagesize, total: Number(count) },
  }
})

const redeliverWebhook = defineHandler(contract.redeliverWebhook, async (ctx, { event_id }) => {
  const { db, company_id, now } = ctx
  const event = db
    .selectFrom('webhook_event')
    .select(['status', 'webhook_id'])
    .where('company_id', '=', company_id)
    .where('id', '=', event_id)
  const pending = await event.executeTakeFirst()
  if (!pending) throw fail('not_found')
  if ((await lockWebhook(ctx, pending.webhook_id)).status !== 'active')
    throw fail('wrong_state', '这个接收地址已停用，启用后再重发')
  const locked = await event.forUpdate().executeTakeFirst()
  if (!locked) throw fail('not_found')
  if (locked.status === 'leased') throw fail('wrong_state', '正在发送，请稍后再看结果')
  await db
    .updateTable('webhook_event')
    .set({ status: 'waiting', attempts: 0, due_at: now, done_at: null })
    .where('company_id', '=', company_id)
    .where('id', '=', event_id)
    .execute()
  await ctx.jobs.send('webhook', { company_id })
  return {}
})

/** Events in flight, and those that wait already, are left as they are. Tests are not repeated. */
const replayWebhookEvents = defineHandler(contract.replayWebhookEvents, async (ctx, { webhook_id, from, to }) => {
  const { db, company_id, now } = ctx
  const [start, end] = [new Date(from), new Date(to)]
  if (start >= end) throw invalidInput('to', '结束时间应晚于开始时间')
  if ((await lockWebhook(ctx, webhook_id)).status !== 'active') throw fail('wrong_state', '这个接收地址已停用，启用后再补发')
  const events = await db
    .selectFrom('webhook_event')
    .select('id')
    .where('company_id', '=', company_id)
    .where('webhook_id', '=', webhook_id)
    .where('event', '<>', 'webhook.test')
    .where('at', '>=', start)
    .where('at', '<', end)
    .where('status', 'in', ['taken', 'failed'])
    .orderBy('id')
    .limit(contract.maxReplayedEvents + 1)
    .forUpdate()
    .execute()
  if (events.length > contract.maxReplayedEvents)
    throw fail('wrong_state', `这段时间的通知超过 ${contract.maxReplayedEvents} 条，请缩短时间，分几次补发`)
  if (events.length === 0) return { count: 0 }
  await db
    .updateTable('webhook_event')
    .set({ status: 'waiting', attempts: 0, due_at: now, done_at: null })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${events.map(({ id }) => id)}::uuid[])`)
    .execute()
  ctx.addAuditDetails({ replayed: events.length })
  await ctx.jobs.send('webhook', { company_id })
  return { count: events.length }
})

export const createWebhookHandlers = (private_hosts: boolean) => ({
  getWebhooks,
  saveWebhook: defineSaveWebhookHandler(private_hosts),
  rotateWebhookSecret,
  deleteWebhook,
  testWebhook,
  getWebhookLog,
  redeliverWebhook,
  replayWebhookEvents,
})
