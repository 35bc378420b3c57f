/** What would be sent: who gets his slip by which way, what it costs, whom nothing reaches. Worked out alike for whoever only looks and for a plan. */
import type { InputOf } from '../../../contract/call.ts'
import type * as contract from '../../../contract/slip/slip.ts'
import { can } from '../../../contract/words/states.ts'
import type { Channel } from '../../../contract/words/words.ts'
import { type Ctx, invalid, must, refuse } from '../../../runtime/handle.ts'
import { meansOf, type Setting, settingOf } from '../../company/index.ts'
import { type BatchRow } from '../../sheet/index.ts'
import { type ReadyRow, readyRows } from '../../sheet/ready/index.ts'
import { needsApproval } from '../rules/behaviour.ts'
import { type Permitted, shareOut } from '../rules/channel.ts'
import { stopOf } from '../rules/identity.ts'
import { type Look, looksOf } from '../rules/looks.ts'
import { piecesFor, shownOf } from '../send/claims.ts'
import { type PersonRow, peopleOf, presentOf, sayStop } from '../send/identity.ts'
import { platformToday } from './quota.ts'

const furthest_ms = 92 * 86_400_000

type Person = Awaited<ReturnType<typeof peopleOf>> extends Map<string, infer P> ? P : never
type Somebody = { row: number; name: string }
type Going = { readonly row: ReadyRow; readonly channel: Channel; readonly person: PersonRow }

/** The time of a schedule, where it can be one. */
export function timeOf(when: string, now: Date): Date {
  const at = new Date(when)
  if (at <= now) throw invalid('when', '定时发送的时间要晚于现在')
  if (at.getTime() - now.getTime() > furthest_ms) throw invalid('when', '定时发送最多提前三个月')
  return at
}

/** The people who are sent something, and the others with the reason why not. */
function parted(
  chosen: readonly ReadyRow[],
  people: ReadonlyMap<string, Person>,
  waysOf: (people: Person[]) => ReturnType<typeof shareOut>,
) {
  const by_channel: Record<Channel, number> = { platform: 0, sms: 0, email: 0, link: 0 }
  const unreachable: Somebody[] = []
  const without_sms: Somebody[] = []
  const stopped: (Somebody & { why: string })[] = []
  const going: Going[] = []
  const open: { row: ReadyRow; person: Person }[] = []
  for (const row of chosen) {
    const person = people.get(row.member_id)
    const stop = person ? stopOf(null, presentOf('', person)) : null
    if (!person) unreachable.push({ row: row.row, name: '' })
    else if (stop) stopped.push({ row: row.row, name: person.name, why: sayStop(stop) })
    else open.push({ row, person })
  }
  const ways = waysOf(open.map(({ person }) => person))
  for (const [at, { row, person }] of open.entries()) {
    const channel = ways[at] ?? null
    if (channel === null || channel === 'short') (channel ? without_sms : unreachable).push({ row: row.row, name: person.name })
    else {
      by_channel[channel] += 1
      going.push({ row, channel, person })
    }
  }
  return { by_channel, unreachable, without_sms, stopped, going }
}

type Wish = InputOf<typeof contract.getSendPlan>

/** Refuses what cannot be sent at all. `settled`: it is about to be sent, so what was decided for the sheet is remembered. */
export async function workOut(ctx: Ctx, batch: BatchRow, { rows, channels, when }: Wish, settled: boolean) {
  const { status } = batch
  must(can.send(status), { status })
  if (!batch.title_id) throw refuse('wrong_state', '请先填写这一批的标题和月份', { status, field: 'title' })
  const scheduled_at = when === undefined ? null : timeOf(when, ctx.now)
  const all = await readyRows(ctx, batch, settled)
  const asked = rows ? new Set(rows) : null
  const chosen = asked ? all.filter((one) => asked.has(one.row)) : all
  if (asked && chosen.length !== asked.size) throw invalid('rows', '选中的人里有的不在这张工资表中，请刷新后重新选择')

  const setting = await settingOf(ctx)
  const { provider, sms_left } = await meansOf(ctx)
  const sms_each = await piecesFor(ctx, batch.id, 'slip')
  const people = await peopleOf(
    ctx,
    chosen.map((one) => one.member_id),
  )
  const { going, by_channel, ...others } = parted(chosen, people, (open) =>
    shareOut(
      open.map((person) => ({
        mobile: person.mobile,
        email: person.email,
        left: person.status === 'left',
        platform_user_id: provider ? person.platform_user_id : null,
      })),
      channels,
      setting.send_rule,
      { left: sms_left, each: sms_each },
    ),
  )
  const looks = looksOf(going.map(({ row }) => row))
  const sms_more = mayNeedSms(going, channels, setting.send_rule) * sms_each
  const ways = channels.filter((way) => way !== 'link').filter((way) => by_channel[way] > 0 || (way === 'sms' && sms_more > 0))
  const told = {
    count: going.length,
    by_channel,
    sms_needed: by_channel.sms * sms_each,
    sms_each,
    sms_left,
    sms_more,
    shown: await shownOf(ctx, batch.id, ways),
    ...others,
    looks: shownLooks(looks, going, people),
    platform_today: await platformToday(
      ctx,
      provider,
      going.filter(({ channel }) => channel === 'platform').map(({ row }) => row.member_id),
    ),
    name_only: going.filter(({ row }) => row.name_only).length,
    undo_seconds: scheduled_at ? 0 : setting.send_rule.undo_seconds,
    needs_approval: needsApproval(setting.send_rule.approve_from, going.length),
  }
  return { told, all, going, looks, setting, scheduled_at }
}

/** How many of these would go on by SMS if the way before it did not reach them. */
function mayNeedSms(going: readonly Going[], order: readonly Channel[], permitted: Permitted): number {
  const at = order.indexOf('sms')
  if (at < 0 || !permitted.sms) return 0
  // Whoever has only the link cannot be missed by it, and whoever comes to it goes no further.
  const comesTo = (from: number) => from < at && !order.slice(from, at).includes('link')
  return going.filter(({ channel, person }) => comesTo(order.indexOf(channel)) && person.mobile !== '').length
}

/** How the company's slips behave where the plan says nothing else. */
export const usualRules = ({ confirm, feedback, send_rule }: Setting) => ({
  confirm,
  feedback,
  view_password: send_rule.view_password,
  burn_after_minutes: send_rule.burn_after_minutes,
  watermark: send_rule.watermark,
})

/** Those who must be looked at, as the roster has them. */
function shownLooks(
  looks: readonly Look[],
  going: readonly Going[],
  people: ReadonlyMap<string, { readonly name: string; readonly mobile: string }>,
) {
  const rows = new Map(going.map(({ row }) => [row.row, row]))
  return looks.map(({ row, why }) => {
    const one = rows.get(row)
    const { name = '', mobile = '' } = people.get(one?.member_id ?? '') ?? {}
    return {
      row,
      why,
      name,
      mobile_masked: `${mobile.slice(0, 3)}****${mobile.slice(-4)}`,
      departments: one?.departments ?? '',
      net_fen: one?.net_fen ?? null,
    }
  })
}

/** Who stands where in the roster; somebody of two departments in both. */
export function departmentsOf(all: readonly ReadyRow[]): { name: string; rows: number[] }[] {
  const rows = new Map<string, number[]>()
  for (const { row, departments } of all)
    for (const name of departments ? departments.split('、') : ['']) {
      const known = rows.get(name)
      if (known) known.push(row)
      else rows.set(name, [row])
    }
  return [...rows].map(([name, of]) => ({ name, rows: of })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
