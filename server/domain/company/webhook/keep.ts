/** The addresses of a company: kept, changed, tried, and what they were told. */
import type { Selectable } from 'kysely'
import * as contract from '../../../contract/wage/webhook.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, invalid, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Tables } from '../../../runtime/postgres/tables.ts'
import { addressFault, overlap_ms } from '../rules/webhook.ts'
import { newSecret, openSecret, openUrl, sealFormer, sealSecret, sealUrl, written } from './secrets.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>
type Kept = Selectable<Tables['webhook']>

const gone = () => refuse('not_found', '这个接收地址已被删除')
const kept = ({ db, company_id }: Here, webhook_id: string) =>
  db.selectFrom('webhook').selectAll().where('company_id', '=', company_id).where('id', '=', webhook_id)

/** Held until the transaction ends: two changes come one after the other. Always before its events. */
async function mine(ctx: Here, webhook_id: string): Promise<Kept> {
  const row = await kept(ctx, webhook_id).forUpdate().executeTakeFirst()
  if (!row) throw gone()
  return row
}

/** What waited for an address that is told nothing any more has failed; it can be told again by hand. */
export async function giveUp({ db, company_id, now }: Here & Pick<Ctx, 'now'>, webhook_id: string): Promise<void> {
  await db
    .updateTable('webhook_event')
    .set({ status: 'failed', done_at: now })
    .where('company_id', '=', company_id)
    .where('webhook_id', '=', webhook_id)
    .where('status', '=', 'waiting')
    .execute()
}

const getWebhooks = handle(contract.getWebhooks, async ({ db, company_id, vault }) => {
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
      failing_since: row.failing_since && isoOf(row.failing_since),
      waiting: Number(row.waiting),
      former_until: row.former_until && isoOf(row.former_until),
    })),
  }
})

/** `private_hosts`: whether an address inside this installation's own network may be told. */
const saveWebhook = (private_hosts: boolean) =>
  handle(contract.saveWebhook, async (ctx, { webhook_id, url, events, active }) => {
    const { db, company_id, now, vault } = ctx
    const fault = addressFault(url, { private_hosts })
    if (fault) throw invalid('url', fault)
    const status = active ? ('active' as const) : ('paused' as const)
    if (webhook_id) {
      await mine(ctx, webhook_id)
      await db
        .updateTable('webhook')
        .set({ url: sealUrl(vault, webhook_id, url), events, status, failing_since: null })
        .where('company_id', '=', company_id)
        .where('id', '=', webhook_id)
        .execute()
      if (!active) await giveUp(ctx, webhook_id)
      return { webhook_id, secret: null }
    }
    // Two that come at once may both be the last: one address more harms nobody.
    const { count } = await db
      .selectFrom('webhook')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('company_id', '=', company_id)
      .executeTakeFirstOrThrow()
    if (Number(count) >= contract.most_webhooks)
      throw refuse('wrong_state', `最多 ${contract.most_webhooks} 个接收地址，请先删除不用的`)
    const [id, secret] = [newId(), newSecret()]
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
    return { webhook_id: id, secret: written(secret) }
  })

const rotateWebhookSecret = handle(contract.rotateWebhookSecret, async (ctx, { webhook_id }) => {
  const { db, company_id, now, vault } = ctx
  const row = await mine(ctx, webhook_id)
  const [secret, former_until] = [newSecret(), new Date(now.getTime() + overlap_ms)]
  await db
    .updateTable('webhook')
    .set({
      secret: sealSecret(vault, webhook_id, secret),
      former_secret: sealFormer(vault, webhook_id, openSecret(vault, webhook_id, row.secret)),
      former_until,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', webhook_id)
    .execute()
  return { secret: written(secret), former_until: isoOf(former_until) }
})

const dropWebhook = handle(contract.dropWebhook, async (ctx, { webhook_id }) => {
  await mine(ctx, webhook_id)
  await ctx.db.deleteFrom('webhook').where('company_id', '=', ctx.company_id).where('id', '=', webhook_id).execute()
  return {}
})

const testWebhook = handle(contract.testWebhook, async (ctx, { webhook_id }) => {
  const { db, company_id, now } = ctx
  if ((await mine(ctx, webhook_id)).status !== 'active') throw refuse('wrong_state', '这个接收地址已停用，启用后再测试')
  const event_id = newId()
  await db
    .insertInto('webhook_event')
    .values({ company_id, id: event_id, webhook_id, event: 'webhook.test', at: now, due_at: now })
    .execute()
  await ctx.jobs.send('webhook', { company_id })
  return { event_id }
})

const getWebhookLog = handle(contract.getWebhookLog, async (ctx, { webhook_id, page, pagesize }) => {
  const { db, company_id } = ctx
  if (!(await kept(ctx, webhook_id).executeTakeFirst())) throw gone()
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
    list: rows.map(({ id, event, at, status, tries, due_at, answer }) => ({
      event_id: id,
      event: contract.webhookEvents.find((one) => one === event) ?? ('webhook.test' as const),
      at: isoOf(at),
      status,
      tries,
      due_at: status === 'waiting' && tries > 0 ? isoOf(due_at) : null,
      answer,
    })),
    page: { page, pagesize, total: Number(count) },
  }
})

const redeliverWebhook = handle(contract.redeliverWebhook, async (ctx, { event_id }) => {
  const { db, company_id, now } = ctx
  const event = db
    .selectFrom('webhook_event')
    .select(['status', 'webhook_id'])
    .where('company_id', '=', company_id)
    .where('id', '=', event_id)
  const found = await event.executeTakeFirst()
  if (!found) throw refuse('not_found')
  if ((await mine(ctx, found.webhook_id)).status !== 'active') throw refuse('wrong_state', '这个接收地址已停用，启用后再重发')
  const held = await event.forUpdate().executeTakeFirst()
  if (!held) throw refuse('not_found')
  if (held.status === 'leased') throw refuse('wrong_state', '正在发送，请稍后再看结果')
  await db
    .updateTable('webhook_event')
    .set({ status: 'waiting', tries: 0, due_at: now, done_at: null })
    .where('company_id', '=', company_id)
    .where('id', '=', event_id)
    .execute()
  await ctx.jobs.send('webhook', { company_id })
  return {}
})

export const webhookCalls = (private_hosts: boolean) => ({
  getWebhooks,
  saveWebhook: saveWebhook(private_hosts),
  rotateWebhookSecret,
  dropWebhook,
  testWebhook,
  getWebhookLog,
  redeliverWebhook,
})
