/** 试发: a batch tried out before it is sent. What is shown lies in a table of its own; a slip, a charge and a figure come of it nowhere. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { OutputOf } from '../../../contract/call.ts'
import { type Slip, slip } from '../../../contract/slip/payslip.ts'
import * as contract from '../../../contract/wage/send/rehearsal.ts'
import { linkPaths, type Saying } from '../../../contract/words/messages.ts'
import { can } from '../../../contract/words/states.ts'
import { type Channel, channel } from '../../../contract/words/words.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { dayOf, isoOf } from '../../../runtime/clock.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import { type Ctx, handle, invalid, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { letterSubject, type MessageParts, messagesOf, openKind, post } from '../../../runtime/post/index.ts'
import { providerOf, settingOf } from '../../company/index.ts'
import { type BatchRow, batchFor, layoutOf, renderSlip, understoodOf } from '../../sheet/index.ts'
import { cellsToSend } from '../../sheet/ready/index.ts'
import { chooseChannel, type Permitted, type Reach } from '../rules/channel.ts'
import { cannotTest, most_a_day, sample_name, sampleCells } from '../rules/rehearsal.ts'
import { peopleOf } from '../send/identity.ts'

const life_ms = 86_400_000
const job = 'rehearse'
const tried = documentKind<Slip>({
  kind: 'rehearsal',
  version: 2,
  // Of the second version on a line may be of one of several rows of a person.
  upgrades: { 1: (older) => older },
  schema: slip,
})
const ways = z.array(channel)
const place = (id: string) => ({ table: 'rehearsal', row: id, column: 'slip' })

/** Somebody a batch is tried out on. */
type Tester = { readonly account_id: string; readonly member_id: string | null; readonly reach: Reach }

export const rehearse = handle(contract.rehearse, async (ctx, { batch_id, channels, member_ids, row }) => {
  const { me } = ctx
  const batch = await batchFor(ctx, batch_id, 'manage')
  must(can.send(batch.status), { status: batch.status })
  if (!batch.title_id) throw refuse('wrong_state', '请先填写这一批的标题和月份', { status: batch.status, field: 'title' })
  const testers = await testersOf(ctx, member_ids)
  await mustBeFew(ctx, testers.length)
  const { send_rule } = await settingOf(ctx)
  const sample = slipWith(ctx, batch, null)
  const own = row === undefined ? null : slipWith(ctx, batch, await cellsOf(ctx, batch, row))
  for (const tester of testers) {
    // Somebody's figures are for me alone, who may see them anyway.
    const real = tester.account_id === me.account_id ? own : null
    await tryOn(ctx, batch, {
      tester,
      slip: real ?? sample,
      row_no: real && row !== undefined ? row : null,
      ways: waysTo(tester.reach, channels, send_rule),
    })
  }
  ctx.about({ batch_id, people: testers.length })
  return { list: await listOf(ctx, batch_id) }
})

/** The slip with these cells; null: invented ones, of every item that is arranged, whatever of it would be left out where it is nothing. */
function slipWith(ctx: Ctx, batch: BatchRow, cells: RowCells | null): Slip {
  const understood = understoodOf(ctx, batch)
  const { columns, formula } = understood
  const layout = layoutOf(ctx, batch, understood)
  const name = columns.find(({ role }) => role === 'name')?.key
  return renderSlip({
    layout: cells ? layout : { ...layout, hide_empty: false, hide_zero: false },
    columns,
    formula,
    cells: cells ?? sampleCells(columns, formula),
    title: batch.title_name ?? '',
    month: batch.title_month,
    corp_name: ctx.me.company_name,
    name: cells ? (cells[name ?? '']?.value ?? '') : sample_name,
  })
}

async function cellsOf(ctx: Ctx, batch: BatchRow, row: number): Promise<RowCells> {
  const cells = (await cellsToSend(ctx, batch)([row])).get(row)
  if (!cells) throw refuse('not_found', '表里没有这一行，请刷新后重选')
  return cells
}

/** I first, then the others; whoever is named twice once. */
async function testersOf(ctx: Ctx, member_ids: readonly string[]): Promise<Tester[]> {
  const { me } = ctx
  const others = [...new Set(member_ids)].filter((id) => id !== me.member_id)
  const provider = await providerOf(ctx)
  const people = await peopleOf(ctx, me.member_id ? [me.member_id, ...others] : others)
  const reachOf = (id: string | null): Reach | null => {
    const person = id === null ? undefined : people.get(id)
    if (!person) return null
    const { mobile, email, status, platform_user_id } = person
    return { mobile, email, left: status === 'left', platform_user_id: provider ? platform_user_id : null }
  }
  const myself = { left: false, mobile: me.mobile, email: '', platform_user_id: null }
  // My own phone is the one I sign in with, whatever the roster says.
  const mine = { ...(reachOf(me.member_id) ?? myself), left: false, mobile: me.mobile }
  return [
    { account_id: me.account_id, member_id: me.member_id, reach: mine },
    ...others.map((id) => {
      const person = people.get(id)
      const reach = reachOf(id)
      const why = person ? cannotTest({ ...person, unconfirmed: person.unconfirmed_at !== null }) : '没有找到这个人，请刷新后重选'
      if (why !== null || !person?.account_id || !reach) throw invalid('member_ids', why ?? '没有找到这个人，请刷新后重选')
      return { account_id: person.account_id, member_id: id, reach }
    }),
  ]
}

/** Every way that is chosen and reaches him: a rehearsal shows them all, not only the first. A link has no message. */
const waysTo = (person: Reach, channels: readonly Channel[], permitted: Permitted): Exclude<Channel, 'link'>[] =>
  channels.flatMap((channel) => (channel !== 'link' && chooseChannel(person, [channel], permitted) !== null ? [channel] : []))

const startOfDay = (now: Date): Date => new Date(`${dayOf(now)}T00:00:00+08:00`)

/** It is free, so it is bounded. */
async function mustBeFew({ db, company_id, now }: Ctx, more: number): Promise<void> {
  const { count } = await db
    .selectFrom('rehearsal')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('created_at', '>=', startOfDay(now))
    .executeTakeFirstOrThrow()
  if (Number(count) + more > most_a_day)
    throw refuse('too_often', `试发不收费，所以一个企业一天最多 ${most_a_day} 人次，请明天再试`, { retry_after: 3600 })
  await db.deleteFrom('rehearsal').where('company_id', '=', company_id).where('expires_at', '<', startOfDay(now)).execute()
}

type Trial = {
  readonly tester: Tester
  readonly slip: Slip
  readonly row_no: number | null
  readonly ways: readonly Exclude<Channel, 'link'>[]
}
async function tryOn(ctx: Ctx, batch: BatchRow, { tester, slip: shown, row_no, ways }: Trial): Promise<void> {
  const { db, company_id, me, now, vault, origin } = ctx
  const id = newId()
  const message_ids = ways.map(() => newId())
  const expires_at = new Date(now.getTime() + life_ms)
  await db
    .insertInto('rehearsal')
    .values({
      company_id,
      id,
      batch_id: batch.id,
      asked_by: me.account_id,
      by_name: me.name,
      account_id: tester.account_id,
      member_id: tester.member_id,
      row_no,
      slip: tried.seal(vault, place(id), shown),
      message_ids,
      channels: [...ways],
      created_at: now,
      expires_at,
    })
    .execute()
  const to = { platform: tester.reach.platform_user_id ?? '', sms: tester.reach.mobile, email: tester.reach.email }
  const sayingOf = (link: string): Saying => ({
    kind: 'rehearsal',
    params: { corp: me.company_name, title: batch.title_name ?? '', link },
  })
  const letters = ways.map((channel, at) => ({
    id: message_ids[at] ?? newId(),
    channel,
    about: id,
    letter: { to: to[channel], saying: sayingOf(channel === 'platform' ? entryLink(origin, id) : shortLink(origin, id)) },
    expires_at,
  }))
  await post(ctx, job, letters)
}

const entryLink = (origin: string, id: string): string => `${origin}/entry?page=/m/rehearsal/${id}`
const shortLink = (origin: string, id: string): string => `${origin}${linkPaths.rehearsal}${id.replaceAll('-', '')}`

export const getRehearsalList = handle(contract.getRehearsalList, async (ctx, { batch_id }) => {
  await batchFor(ctx, batch_id, 'view')
  return { list: await listOf(ctx, batch_id) }
})

/** Those of mine that have not run out. */
async function listOf(ctx: Ctx, batch_id: string): Promise<OutputOf<typeof contract.getRehearsalList>['list']> {
  const { db, company_id, me, now, origin } = ctx
  const rows = await db
    .selectFrom('rehearsal')
    .select(['id', 'account_id', 'member_id', 'row_no', 'message_ids', 'channels', 'created_at', 'expires_at', 'opened_at'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('asked_by', '=', me.account_id)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy(sql`account_id = ${me.account_id} desc`)
    .orderBy('id')
    .limit(most_a_day)
    .execute()
  const people = await peopleOf(
    ctx,
    rows.flatMap(({ member_id }) => member_id ?? []),
  )
  const told = await messagesOf(
    ctx,
    rows.flatMap(({ message_ids }) => message_ids),
  )
  return rows.map((row) => ({
    rehearsal_id: row.id,
    name: row.account_id === me.account_id ? me.name : (people.get(row.member_id ?? '')?.name ?? ''),
    mine: row.account_id === me.account_id,
    sample: row.row_no === null,
    at: isoOf(row.created_at),
    expires_at: isoOf(row.expires_at),
    opened_at: row.opened_at && isoOf(row.opened_at),
    ways: ways.parse(row.channels).map((way, at) => {
      const { status = 'queued' as const, message = null } = told.get(row.message_ids[at] ?? '') ?? {}
      return { channel: way, status, message: message ?? '' }
    }),
    link: shortLink(origin, row.id),
  }))
}

export const getRehearsal = handle(contract.getRehearsal, async (ctx, { rehearsal_id }) => {
  const { db, company_id, me, now, vault } = ctx
  const row = await db
    .selectFrom('rehearsal')
    .select(['id', 'batch_id', 'asked_by', 'by_name', 'row_no', 'slip', 'created_at', 'expires_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', rehearsal_id)
    .where('account_id', '=', me.account_id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!row) throw refuse('not_found', '没有找到这次试发：它只有收到的人能打开，并且一天后失效')
  // Somebody's figures: only for whoever may see them still.
  if (row.row_no !== null) await mayStillSee(ctx, row)
  await db
    .updateTable('rehearsal')
    .set({ opened_at: sql`coalesce(opened_at, ${now}::timestamptz)` })
    .where('company_id', '=', company_id)
    .where('id', '=', row.id)
    .execute()
  ctx.about({ batch_id: row.batch_id, rehearsal_id: row.id })
  return {
    slip: tried.open(vault, place(row.id), row.slip),
    sample: row.row_no === null,
    by: row.by_name,
    at: isoOf(row.created_at),
    expires_at: isoOf(row.expires_at),
  }
})

async function mayStillSee(ctx: Ctx, { batch_id, asked_by }: { batch_id: string; asked_by: string }): Promise<void> {
  const { power, account_id } = ctx.me
  if (asked_by !== account_id || !(power.includes('2') || power.includes('4'))) throw refuse('not_found')
  await batchFor(ctx, batch_id, 'view')
}

/** A carrier's refusal stands in the list of the one who asked; nothing else is to be done about it. */
export function openRehearsals(parts: MessageParts & { readonly log: { error(about: object, message: string): void } }): void {
  openKind(parts, job, (company_id) =>
    letterSubject(parts, job, company_id, ({ id, code }) =>
      parts.log.error({ message_id: id, code }, 'a message of a rehearsal was refused'),
    ),
  )
}
