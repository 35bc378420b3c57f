/** Who gets a slip, by which way, at what cost: frozen first (`sendPaySheet`), set going by a second call (`doSend`). */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as contract from '../../contract/slip.ts'
import { can } from '../../contract/states.ts'
import type { BatchStatus, Channel } from '../../contract/words.ts'
import { type Ctx, handle, invalid, must, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { settingOf, takeSms } from '../company/index.ts'
import { payable } from '../member/index.ts'
import { batchFor, type ReadyRow, readyRows, setBatchStatus } from '../sheet/index.ts'
import { identityOf, type PersonRow, peopleOf, presentOf, sayStop } from './identity.ts'
import { askFor, contentPlace, type SlipContent, startIn } from './ledger.ts'
import { chooseChannel } from './rules/channel.ts'
import { stopOf } from './rules/identity.ts'
import { type Look, looksOf } from './rules/looks.ts'

const rows_a_statement = 300
const furthest_ms = 92 * 86_400_000

type Chosen = Awaited<ReturnType<typeof readyRows>>[number]
type Person = Awaited<ReturnType<typeof peopleOf>> extends Map<string, infer P> ? P : never

/** Who is sent his slip by which way, whom nothing reaches, and who waits until it is clear who he is. */
function waysTo(
  chosen: readonly Chosen[],
  people: ReadonlyMap<string, Person>,
  wayOf: (person: Person & { left: boolean }) => Channel | null,
) {
  const by_channel: Record<Channel, number> = { platform: 0, sms: 0, link: 0 }
  const unreachable: { row: number; name: string }[] = []
  const stopped: { row: number; name: string; why: string }[] = []
  const going: { row: Chosen; channel: Channel; person: PersonRow }[] = []
  for (const row of chosen) {
    const person = people.get(row.member_id)
    const stop = person ? stopOf(null, presentOf('', person)) : null
    const channel = person ? wayOf({ ...person, left: person.status === 'left' }) : null
    if (person && stop) stopped.push({ row: row.row, name: person.name, why: sayStop(stop) })
    else if (channel === null || !person) unreachable.push({ row: row.row, name: person?.name ?? '' })
    else {
      by_channel[channel] += 1
      going.push({ row, channel, person })
    }
  }
  return { by_channel, unreachable, stopped, going }
}

export const sendPaySheet = handle(contract.sendPaySheet, async (ctx, input) => {
  const { db, company_id, now, vault } = ctx
  const batch = await batchFor(ctx, input.batch_id, 'manage')
  const { status } = batch
  must(can.send(status), { status })
  if (!batch.title_id) throw refuse('wrong_state', '请先填写这一批的标题和月份', { status, field: 'title' })
  const when = input.when === undefined ? null : new Date(input.when)
  if (when && when <= now) throw invalid('when', '定时发送的时间要晚于现在')
  if (when && when.getTime() - now.getTime() > furthest_ms) throw invalid('when', '定时发送最多提前三个月')

  const all = await readyRows(ctx, batch)
  const asked = input.rows ? new Set(input.rows) : null
  const chosen = asked ? all.filter((one) => asked.has(one.row)) : all
  if (asked && chosen.length !== asked.size) throw invalid('rows', '选中的人里有的不在这张工资表中，请刷新后重新选择')

  const setting = await settingOf(ctx)
  const company = await db
    .selectFrom('company')
    .select(['provider', 'sms_left'])
    .where('id', '=', company_id)
    .executeTakeFirstOrThrow()
  const people = await peopleOf(
    ctx,
    chosen.map((one) => one.member_id),
  )

  const { by_channel, unreachable, stopped, going } = waysTo(chosen, people, (person) =>
    chooseChannel(
      { ...person, platform_user_id: company.provider ? person.platform_user_id : null },
      input.channels,
      setting.send_rule,
    ),
  )
  if (going.length === 0 && stopped[0]) throw refuse('wrong_state', `${stopped[0].name}：${stopped[0].why}`, { status })
  if (going.length === 0) throw refuse('wrong_state', '选中的渠道联系不到任何人，请换一个渠道或检查员工的手机号', { status })

  const rules = { ...rulesOf(setting), ...input.rules }
  if (!(await setBatchStatus(ctx, batch.id, ['draft', 'checked'], 'checked', { rules: JSON.stringify(rules) })))
    throw refuse('wrong_state', undefined, { status })

  await voidPlans(ctx, batch.id)
  for (let from = 0; from < going.length; from += rows_a_statement) {
    const values = going.slice(from, from + rows_a_statement).map(({ row, channel, person }) => {
      const id = newId()
      const content: SlipContent = { cells: row.cells, net_fen: row.net_fen, gross_fen: row.gross_fen, tax_fen: row.tax_fen }
      return {
        company_id,
        id,
        batch_id: batch.id,
        member_id: row.member_id,
        row_no: row.row,
        channel,
        cells: vault.seal(contentPlace(id, 1), content),
        identity: JSON.stringify(identityOf(id, person)),
      }
    })
    await db.insertInto('salary').values(values).execute()
    await setImmediate()
  }
  const plan_id = newId()
  const looks = looksOf(going.map(({ row }) => row))
  await db
    .insertInto('plan')
    .values({
      company_id,
      id: plan_id,
      batch_id: batch.id,
      channels: [...input.channels],
      by_channel: JSON.stringify(by_channel),
      sms_needed: by_channel.sms,
      scheduled_at: when,
      looks: JSON.stringify(looks),
      created_by: ctx.me.account_id,
      created_at: now,
    })
    .execute()
  ctx.about({ batch_id: batch.id, plan_id, people: going.length })
  return {
    plan_id,
    count: going.length,
    by_channel,
    sms_needed: by_channel.sms,
    sms_left: company.sms_left,
    unreachable,
    stopped,
    looks: shownLooks(looks, going, people),
    name_only: going.filter(({ row }) => row.name_only).length,
  }
})

/** How the company's slips behave where the plan says nothing else. */
const rulesOf = ({ confirm, feedback, send_rule }: Awaited<ReturnType<typeof settingOf>>) => ({
  confirm,
  feedback,
  view_password: send_rule.view_password,
  burn_after_minutes: send_rule.burn_after_minutes,
  watermark: send_rule.watermark,
})

/** Those who must be looked at, as the roster has them. */
function shownLooks(
  looks: readonly Look[],
  going: readonly { readonly row: ReadyRow }[],
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

/** An older plan can no longer be started, and what it had frozen is forgotten. */
async function voidPlans({ db, company_id }: Ctx, batch_id: string): Promise<void> {
  await db
    .updateTable('plan')
    .set({ status: 'void' })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '<>', 'void')
    .execute()
  await db
    .deleteFrom('salary')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'waiting')
    .execute()
}

/** Frozen by somebody with a larger scope, or by me before mine was cut. */
async function mustBeMine(ctx: Ctx, batch_id: string, status: BatchStatus): Promise<void> {
  const foreign = await ctx.db
    .selectFrom('salary')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'waiting')
    .where(sql<boolean>`not ${payable(ctx)}`)
    .limit(1)
    .executeTakeFirst()
  if (foreign)
    throw refuse('wrong_state', '这份安排里有您已不管理的部门的员工，请回到「核对」跳过他们，再重新安排发送', { status })
}

/** Refuses a plan whose `looks` nobody has looked at; keeps who says that he has. Answers how many there were. */
async function mustHaveLooked(
  ctx: Ctx,
  { plan_id, looks, status }: { plan_id: string; looks: unknown; status: BatchStatus },
  looked: boolean,
): Promise<number> {
  const count = Array.isArray(looks) ? looks.length : 0
  if (count === 0) return 0
  if (!looked)
    throw refuse('wrong_state', `请先看过列出的 ${count} 位员工的工资条，确认姓名和金额是本人的，再发送`, {
      status,
      looks: count,
    })
  await ctx.db
    .updateTable('plan')
    .set({ looked_by: ctx.me.account_id, looked_at: ctx.now })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', plan_id)
    .execute()
  return count
}

export const doSend = handle(contract.doSend, async (ctx, { plan_id, looked }) => {
  const { db, company_id, now } = ctx
  const found = await db
    .selectFrom('plan')
    .select(['batch_id', 'scheduled_at', 'sms_needed', 'created_at', 'looks'])
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .executeTakeFirst()
  if (!found) throw refuse('not_found')
  // Everybody who presses the button stands in line here, at the batch; the first one sends, the others read what he did.
  const batch = await batchFor(ctx, found.batch_id, 'manage')
  const { status } = batch
  const started = await db
    .updateTable('plan')
    .set({ status: 'started' })
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .where('status', '=', 'planned')
    .executeTakeFirst()
  if (started.numUpdatedRows === 0n) {
    const plan = await db
      .selectFrom('plan')
      .select('status')
      .where('company_id', '=', company_id)
      .where('id', '=', plan_id)
      .executeTakeFirst()
    if (plan?.status !== 'started') throw refuse('wrong_state', '这份发送安排已经失效，请重新确认后再发送', { status })
    return { status }
  }
  must(can.send(status), { status })
  // Any other moment than the plan's own: the clocks of two servers need not agree on what is later.
  if (batch.updated_at.getTime() !== found.created_at.getTime())
    throw refuse('wrong_state', '确认之后工资表又有修改，请重新核对再发送', { status })
  await mustBeMine(ctx, batch.id, status)
  const looks = await mustHaveLooked(ctx, { plan_id, looks: found.looks, status }, looked === true)

  const wait_ms = found.scheduled_at ? found.scheduled_at.getTime() - now.getTime() : 0
  const next: BatchStatus = wait_ms > 0 ? 'scheduled' : 'sending'
  await db
    .updateTable('salary')
    .set({ status: 'queued' })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('status', '=', 'waiting')
    .execute()
  const asked = await askFor(
    ctx,
    batch.id,
    sql<boolean>`salary.status = 'queued'`,
    sql<string>`'slip'`,
    wait_ms > 0 ? (found.scheduled_at ?? now) : now,
  )
  await takeSms(ctx, found.sms_needed, 'plan', plan_id)
  if (!(await setBatchStatus(ctx, batch.id, ['checked'], next, { scheduled_at: wait_ms > 0 ? found.scheduled_at : null })))
    throw refuse('wrong_state', undefined, { status })
  await ctx.jobs.send('send', { company_id, batch_id: batch.id }, startIn(wait_ms))
  ctx.about({ batch_id: batch.id, people: asked.count, looked: looks })
  return { status: next }
})
