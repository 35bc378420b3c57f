/** A second administrator approves what is sent, where the company wants it: one plan, as it was frozen. Who asked sends it then. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import * as contract from '../../../contract/wage/send/approve.ts'
import { sum } from '../../../contract/words/money.ts'
import { can } from '../../../contract/words/states.ts'
import { channels } from '../../../contract/words/words.ts'
import { dayOf, isoOf } from '../../../runtime/clock.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import { type Ctx, handle, must, refuse } from '../../../runtime/handle.ts'
import { idOf } from '../../../runtime/ids.ts'
import { afterDecision, approvalIn, cancelApproval, canDecideSend, takeDown } from '../../approval/index.ts'
import { settingOf } from '../../company/index.ts'
import { notify } from '../../desk/index.ts'
import { payable } from '../../member/index.ts'
import { openContent } from '../../pay/index.ts'
import { type BatchRow, batchFor, batchOfSlips, faceOf } from '../../sheet/index.ts'
import { approvalFault, needsApproval } from '../rules/behaviour.ts'
import { mustBeMine, mustHaveLooked } from './fit.ts'
import { tellOfSplit } from './split.ts'

type Totals = { readonly net_fen: number; readonly gross_fen: number | null }
const planTotals = documentKind<Totals>({
  kind: 'totals of a plan',
  version: 1,
  schema: z.object({ net_fen: z.int(), gross_fen: z.nullable(z.int()) }),
})
const totalsPlace = (id: string) => ({ table: 'plan', row: id, column: 'totals' })
type Here = Pick<Ctx, 'db' | 'company_id'>

async function planOf({ db, company_id }: Here, plan_id: string) {
  const plan = await db
    .selectFrom('plan')
    .select(['id', 'batch_id', 'status', 'looks', 'created_at', 'created_by', 'approval_id', 'digest', 'scheduled_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .executeTakeFirst()
  if (!plan) throw refuse('not_found')
  return plan
}

/** What a plan says, in 32 bytes: of everybody his row, way and sealed figures, and how, when and with which looks they leave. */
async function digestOf(ctx: Pick<Ctx, 'db' | 'company_id' | 'vault'>, { id, batch_id }: { id: string; batch_id: string }) {
  const { db, company_id } = ctx
  const face = await faceOf(ctx, batch_id)
  const { rows } = await sql<{ digest: Buffer; people: number }>`
    select count(slip.*)::int as people, sha256(${face?.digest ?? null}::bytea || convert_to(concat_ws('|', plan.id, plan.channels::text, plan.scheduled_at::text,
        string_agg(concat_ws(',', slip.row_no, slip.member_id, slip.channel, slip.version, encode(sha256(slip.cells), 'hex'), slip.identity::text), ';'
          order by slip.row_no)), 'UTF8')) as digest
    from plan
    join salary as slip on slip.company_id = ${company_id} and slip.batch_id = plan.batch_id and slip.status = 'waiting'
    where plan.company_id = ${company_id} and plan.id = ${id} and plan.batch_id = ${batch_id}
    group by plan.id, plan.channels, plan.scheduled_at`.execute(db)
  return { ...(rows[0] ?? { digest: null, people: 0 }), face }
}
/** Whether it says now what it said when somebody was asked. */
const isSame = (now: Buffer | null, then: Buffer | null): boolean => now !== null && then !== null && now.equals(then)

export const applySend = handle(contract.applySend, async (ctx, { plan_id, looked }) => {
  const { db, company_id, me } = ctx
  const first = await planOf(ctx, plan_id)
  const batch = await batchFor(ctx, first.batch_id, 'manage')
  const { status } = batch
  must(can.send(status), { status })
  const plan = await planOf(ctx, plan_id)
  if (!me.admin_id || plan.status !== 'planned' || isStale(batch, plan))
    throw refuse('wrong_state', '这份发送安排已经失效，请重新确认后再提交', { status })
  if (plan.approval_id) throw refuse('wrong_state', '这份发送安排已经提交过审批', { status: 'waiting' })
  await mustBeMine(ctx, batch.id, status)
  await mustHaveLooked(ctx, { plan_id, looks: plan.looks, looked_at: null, status }, looked === true)
  const { digest, people } = await digestOf(ctx, plan)
  if (!needsApproval((await settingOf(ctx)).send_rule.approve_from, people))
    throw refuse('wrong_state', '这一批不需要审批，可以直接发送', { status })
  const deciders = await canDecideSend(ctx, me.admin_id)
  if (deciders.length === 0)
    throw refuse('wrong_state', '企业里没有另一位管理员可以审批，请先添加一位系统管理员，或由系统管理员关闭发送审批', { status })
  const sums = people < contract.fewest_in_a_sum ? null : await totalsOf(ctx, batch.id)
  const words = `「${batch.title_name ?? ''}」${people} 人`
  const { id, approval_no } = await takeDown(ctx, {
    kind: 'send',
    applicant_id: me.admin_id,
    member_id: null,
    account_id: null,
    words,
  })
  await db
    .updateTable('plan')
    .set({ approval_id: id, digest, totals: sums && planTotals.seal(ctx.vault, totalsPlace(plan_id), sums) })
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .execute()
  for (const admin_id of deciders)
    await notify(ctx, admin_id, { kind: 'approval', text: `${me.name} 申请发送${words}，请审批`, batch_id: null })
  ctx.about({ batch_id: batch.id, plan_id, approval_id: id, people })
  return { approval_no }
})

/** Any other moment than the plan's own: the clocks of two servers need not agree on what is later. */
const isStale = (batch: Pick<BatchRow, 'updated_at'>, plan: { readonly created_at: Date }): boolean =>
  batch.updated_at.getTime() !== plan.created_at.getTime()

/** Before a plan leaves, by whichever way: what was approved is what leaves, and nobody approved his own. The batch is held by the caller. */
export async function mustBeApproved(ctx: Ctx, { plan_id, status }: { plan_id: string; status: string }): Promise<void> {
  const { send_rule } = await settingOf(ctx)
  if (send_rule.approve_from === 0) return
  const plan = await planOf(ctx, plan_id)
  const { digest, people } = await digestOf(ctx, plan)
  if (!needsApproval(send_rule.approve_from, people))
    return tellOfSplit(ctx, { batch_id: plan.batch_id, from: send_rule.approve_from })
  const approval = plan.approval_id ? await approvalIn(ctx, plan.approval_id) : null
  const same = isSame(digest, plan.digest)
  const fault = approvalFault(
    approval && { status: approval.status, same, by_applicant: approval.decided_by === approval.applicant_id },
  )
  if (fault) throw refuse('wrong_state', fault, { status, approval: approval?.status ?? null })
}

/** What waits for a decision about plans of a batch has no object any more. */
export async function dropApprovals(ctx: Ctx, batch_id: string): Promise<void> {
  const rows = await ctx.db
    .selectFrom('plan')
    .select('approval_id')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch_id)
    .where('approval_id', 'is not', null)
    .execute()
  for (const { approval_id } of rows) if (approval_id) await cancelApproval(ctx, approval_id, '发送安排已经改变，需要重新提交')
}

/** A batch that was approved for its time leaves at that time: another one is another plan. */
export async function mustKeepItsTime(ctx: Ctx, batch_id: string, status: string): Promise<void> {
  const plan = await ctx.db
    .selectFrom('plan')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'started')
    .where('approval_id', 'is not', null)
    .executeTakeFirst()
  if (plan) throw refuse('wrong_state', '这一批是按审批时的时间定时的；要改时间，请先取消定时，重新提交审批', { status })
}

/** Whoever approved what was sent hears, once a day, that slips of it were corrected since: that they were, never what of them. */
export async function tellApprover(ctx: Ctx, batch: Pick<BatchRow, 'id' | 'title_name'>): Promise<void> {
  const { db, company_id, me, now } = ctx
  const plan = await db
    .selectFrom('plan')
    .select('approval_id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('status', '=', 'started')
    .where('approval_id', 'is not', null)
    .executeTakeFirst()
  const approval = plan?.approval_id ? await approvalIn(ctx, plan.approval_id) : null
  if (!approval?.decided_by || approval.decided_by === me.admin_id) return
  const text = `您同意发送的「${batch.title_name ?? ''}」，${me.name} 在发出后更正了其中的工资条；修改记录里有每一处`
  const id = idOf('corrected-since', company_id, batch.id, dayOf(now))
  await notify(ctx, approval.decided_by, { id, kind: 'approval', text, batch_id: null })
}

const states = { 0: 'waiting', 1: 'approved', 2: 'returned', 3: 'void' } as const

export const getSendApproval = handle(contract.getSendApproval, async (ctx, { batch_id }) => {
  const { db, company_id, me } = ctx
  const batch = await batchOfSlips(ctx, batch_id, 'view')
  const plan = await db
    .selectFrom('plan')
    .select(['id', 'status', 'approval_id', 'created_at', 'scheduled_at', 'by_channel'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('approval_id', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const approval = plan?.approval_id ? await approvalIn(ctx, plan.approval_id) : null
  if (!plan || !approval) return { approval: null }
  const over = plan.status !== 'planned' || isStale(batch, plan)
  const state = states[approval.status]
  return {
    approval: {
      approval_no: approval.approval_no,
      plan_id: plan.id,
      state: over && state !== 'returned' ? 'void' : state,
      people: sum(waysOf(plan.by_channel).map(({ count }) => count)),
      scheduled_at: plan.scheduled_at && isoOf(plan.scheduled_at),
      mine: approval.applicant_id === me.admin_id,
      asked_by: approval.applicant,
      asked_at: isoOf(approval.created_at),
      decided_by: approval.decider,
      reason: approval.status === 0 ? '' : approval.reason,
    },
  }
})

/** How many go by each way, of those that anybody goes by. */
function waysOf(by_channel: unknown) {
  const counts = new Map(Object.entries(by_channel ?? {}))
  return channels.map((channel) => ({ channel, count: Number(counts.get(channel) ?? 0) })).filter(({ count }) => count > 0)
}

export const getSendToApprove = handle(contract.getSendToApprove, async (ctx, { approval_no }) => {
  const { db, company_id, vault } = ctx
  const approval = await approvalIn(ctx, { approval_no })
  if (!approval || approval.kind !== 'send' || !approval.may_see)
    throw refuse('not_found', '没有找到这份申请，可能已被处理或不属于您')
  const plan = await db
    .selectFrom('plan')
    .select(['id', 'batch_id', 'status', 'by_channel', 'sms_needed', 'scheduled_at', 'digest', 'totals'])
    .where('company_id', '=', company_id)
    .where('approval_id', '=', approval.id)
    .executeTakeFirst()
  if (!plan) throw refuse('not_found', '这批工资条已经删除')
  const { face, digest } = await digestOf(ctx, plan)
  const ways = waysOf(plan.by_channel)
  ctx.about({ batch_id: plan.batch_id, approval_id: approval.id })
  return {
    title: face?.title ?? '',
    month: face?.month ?? null,
    asked_by: approval.applicant,
    asked_at: isoOf(approval.created_at),
    people: sum(ways.map(({ count }) => count)),
    ways,
    sms_needed: plan.sms_needed,
    scheduled_at: plan.scheduled_at && isoOf(plan.scheduled_at),
    totals: plan.totals && planTotals.open(vault, totalsPlace(plan.id), plan.totals),
    current: plan.status === 'planned' && isSame(digest, plan.digest),
  }
})

const a_page = 500
/** Added up for whoever asks, of everybody in his plan, a page at a time; null where somebody's net pay is not known. */
async function totalsOf(ctx: Ctx, batch_id: string): Promise<Totals | null> {
  let after = 0
  let net_fen = 0
  let gross_fen: number | null = 0
  for (;;) {
    const rows = await ctx.db
      .selectFrom('salary')
      .select(['id', 'version', 'cells', 'row_no'])
      .where('company_id', '=', ctx.company_id)
      .where('batch_id', '=', batch_id)
      .where('status', '=', 'waiting')
      .where('row_no', '>', after)
      .where(payable(ctx))
      .orderBy('row_no')
      .limit(a_page)
      .execute()
    for (const row of rows) {
      const content = openContent(ctx.vault, row)
      if (content.net_fen === null) return null
      net_fen += content.net_fen
      gross_fen = gross_fen === null || content.gross_fen === null ? null : gross_fen + content.gross_fen
      after = row.row_no
    }
    if (rows.length < a_page) return { net_fen, gross_fen }
  }
}

/** What a decision about a sending does: told to the approvals when the product is put together. */
export const decideSending = (): void =>
  afterDecision('send', async (ctx, { approval_no, status }) => {
    if (status !== 1) return
    const approval = await approvalIn(ctx, { approval_no })
    const plan = await ctx.db
      .selectFrom('plan')
      .select(['id', 'batch_id', 'status', 'digest', 'created_by'])
      .where('company_id', '=', ctx.company_id)
      .where('approval_id', '=', approval?.id ?? null)
      .executeTakeFirst()
    if (plan?.created_by === ctx.me.account_id) throw refuse('not_permitted', '这份发送安排是您做的，要由另一位管理员审批')
    if (plan?.status !== 'planned' || !isSame((await digestOf(ctx, plan)).digest, plan.digest))
      throw refuse('wrong_state', '申请之后工资表或发送安排又有改变，请驳回，由申请人重新提交', { status: 'changed' })
    ctx.about({ batch_id: plan.batch_id, plan_id: plan.id })
  })
