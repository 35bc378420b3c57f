/**
 * Feedback on payslips: a thread about the payslip as a whole, and one for each item in question. Reads feedback,
 * feedback_message and feedback_picture.
 */

import { type RawBuilder, sql } from 'kysely'
import type { FeedbackStatus } from '../../../contract/payslips/feedback.ts'
import * as contract from '../../../contract/payslips/feedback.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { listNamedPayrollAdmins } from '../../directory/index.ts'
import { memberView } from '../../directory/read-model.ts'
import { openTitle } from '../../sheets/display/index.ts'
import { requireBatchForPayslips, visibleBatches, visiblePayslips } from '../../sheets/index.ts'
import { batchView, titleView } from '../../sheets/read-model.ts'
import { getThreadOwner } from '../rules/feedback.ts'

export const getMessagePosition = (id: string) => ({ table: 'feedback_message', row: id, column: 'content' })
export const getLabelPosition = (id: string) => ({ table: 'feedback', row: id, column: 'line_label' })

type ThreadRow = {
  id: string
  salary_id: string
  batch_id: string
  title_id: string | null
  title: Buffer | null
  month: string | null
  name: string
  status: FeedbackStatus
  line: string
  line_label: Buffer | null
  given_to: string | null
  batch_owner: string
  due_at: Date | null
  updated_at: Date
  last_id: string
  last: Buffer
}

/** Selects threads of the batches visible to the user with their latest message: by due date, then newest message first. */
async function selectThreads(
  { db, company_id }: HandlerContext,
  visible: RawBuilder<boolean>,
  where: RawBuilder<boolean>,
  limit: number,
  offset: number,
) {
  const { rows } = await sql<ThreadRow & { total: number }>`
    select feedback.id, feedback.salary_id, feedback.batch_id, batch.title_id, title.name as title, title.month, member.name, feedback.status, feedback.updated_at,
      feedback.line, feedback.line_label, feedback.owner_id as given_to, batch.owner_id as batch_owner, feedback.due_at,
      said.id as last_id, said.content as last, (count(*) over ())::int as total
    from feedback
    join payslip on payslip.company_id = feedback.company_id and payslip.id = feedback.salary_id
    join ${batchView} on batch.company_id = feedback.company_id and batch.id = feedback.batch_id
    left join ${titleView} on title.company_id = batch.company_id and title.id = batch.title_id
    join ${memberView} on member.company_id = feedback.company_id and member.id = feedback.member_id
    join lateral (
      select id, content from feedback_message
      where feedback_message.company_id = ${company_id} and feedback_message.feedback_id = feedback.id order by id desc limit 1) as said on true
    where feedback.company_id = ${company_id} and ${visible} and ${where}
    order by feedback.due_at nulls last, feedback.updated_at desc, feedback.id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

/** SQL condition: assigned to the user, or in their batch and assigned to nobody who still pays members, as `getThreadOwner`. */
async function isAssignedToCurrentUser(ctx: HandlerContext): Promise<RawBuilder<boolean>> {
  const payers = (await listNamedPayrollAdmins(ctx)).map(({ user_id }) => user_id)
  return sql<boolean>`case when feedback.owner_id = any(${payers}::uuid[]) then feedback.owner_id else batch.owner_id end = ${ctx.currentUser.admin_id}`
}

export const getFeedbackSubject = (
  { vault }: Pick<HandlerContext, 'vault'>,
  { id, line, line_label }: Pick<ThreadRow, 'id' | 'line' | 'line_label'>,
) => (line_label ? { key: line, label: vault.open<string>(getLabelPosition(id), line_label) } : null)

/** Converts rows for the list, each with its responsible administrator. */
async function toThreadViews(ctx: HandlerContext, rows: readonly ThreadRow[]) {
  if (rows.length === 0) return []
  const { vault, currentUser, now } = ctx
  const payers = new Map((await listNamedPayrollAdmins(ctx)).map(({ user_id, name }) => [user_id, name]))
  const ids = new Set(payers.keys())
  return rows.map((row) => {
    const owner = getThreadOwner(row, ids)
    return {
      id: row.id,
      salary_id: row.salary_id,
      batch_id: row.batch_id,
      month: row.month,
      name: row.name,
      title: openTitle(vault, row.title_id, row.title) ?? '',
      status: row.status,
      about: getFeedbackSubject(ctx, row),
      owner: { user_id: owner, name: payers.get(owner) ?? '' },
      assigned_to_me: owner === currentUser.admin_id,
      due_at: row.due_at && toIsoTimestamp(row.due_at),
      is_overdue: row.due_at !== null && row.due_at < now,
      last_message: vault.open<string>(getMessagePosition(row.last_id), row.last),
      updated_at: toIsoTimestamp(row.updated_at),
    }
  })
}

export const getFeedBackList = defineHandler(contract.getFeedBackList, async (ctx, input) => {
  const { status, batch_id, line, assigned_to_me, overdue_only, name, page, pagesize } = input
  if (batch_id) await requireBatchForPayslips(ctx, batch_id, 'view')
  const where = sql<boolean>`true ${status ? sql`and feedback.status = ${status}` : sql``} ${batch_id ? sql`and feedback.batch_id = ${batch_id}` : sql``}
    ${batch_id && line !== undefined ? sql`and feedback.line = ${line}` : sql``} ${assigned_to_me ? sql`and ${await isAssignedToCurrentUser(ctx)}` : sql``}
    ${overdue_only ? sql`and feedback.due_at < ${ctx.now}` : sql``} ${name ? sql`and member.name like ${`%${name.replace(/[\\%_]/g, '\\$&')}%`}` : sql``}`
  const rows = await selectThreads(ctx, visiblePayslips(ctx), where, pagesize, (page - 1) * pagesize)
  return { list: await toThreadViews(ctx, rows), page: { page, pagesize, total: rows[0]?.total ?? 0 } }
})

/** Lists the feedback of some members, as far as visible to the user, for the page about a member. */
export async function listMemberThreads(ctx: HandlerContext, member_ids: readonly string[], limit: number) {
  if (member_ids.length === 0) return []
  const isOfMembers = sql<boolean>`feedback.member_id = any(${[...member_ids]}::uuid[])`
  return toThreadViews(ctx, await selectThreads(ctx, visiblePayslips(ctx), isOfMembers, limit, 0))
}

/** Returns the threads in payslip order if the user may view (or answer) all of them, otherwise throws `not_found`. */
export async function getThreads(ctx: HandlerContext, ids: readonly string[], need: 'view' | 'manage') {
  const uniqueIds = [...new Set(ids)]
  const rows = await selectThreads(
    ctx,
    visiblePayslips(ctx, need),
    sql<boolean>`feedback.id = any(${uniqueIds}::uuid[])`,
    uniqueIds.length,
    0,
  )
  if (rows.length !== uniqueIds.length) throw fail('not_found')
  return rows.toSorted((a, b) => (a.salary_id < b.salary_id ? -1 : 1))
}
export async function getThread(ctx: HandlerContext, id: string, need: 'view' | 'manage') {
  const [thread] = await getThreads(ctx, [id], need)
  if (!thread) throw fail('not_found')
  return thread
}

/** Locks payslips before a message is written, in the same order as an employee's view: a single order prevents deadlocks. */
export const lockPayslips = ({ db, company_id }: HandlerContext, salary_ids: readonly string[]) =>
  db
    .selectFrom('payslip')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

/** Whether another administrator could answer a thread, by their powers and the batches they own or that are shared with them. */
export const canAdminViewThread = async (
  ctx: HandlerContext,
  id: string,
  admin: Parameters<typeof visibleBatches>[0]['currentUser'],
): Promise<boolean> =>
  (await selectThreads(ctx, visibleBatches({ ...ctx, currentUser: admin }, 'manage'), sql<boolean>`feedback.id = ${id}`, 1, 0))
    .length > 0

export const getFeedBackDetail = defineHandler(contract.getFeedBackDetail, async (ctx, { id }) => {
  const { batch_id, salary_id, line, ...row } = await getThread(ctx, id, 'view')
  ctx.addAuditDetails({ salary_id })
  const [thread] = await toThreadViews(ctx, [{ batch_id, salary_id, line, ...row }])
  if (!thread) throw fail('not_found')
  const isSimilar = sql<boolean>`feedback.batch_id = ${batch_id} and feedback.line = ${line} and feedback.status = 'open' and feedback.id <> ${id}`
  const [similar] = await selectThreads(ctx, visiblePayslips(ctx, 'manage'), isSimilar, 1, 0)
  const [manageable] = await selectThreads(ctx, visiblePayslips(ctx, 'manage'), sql<boolean>`feedback.id = ${id}`, 1, 0)
  return {
    ...thread,
    messages: await listThreadMessages(ctx, id),
    similar_count: similar?.total ?? 0,
    can_answer: manageable !== undefined,
  }
})

/**
 * Counts, for one company, the feedback due by the end of today per responsible administrator; feedback overdue since
 * before `since` is left out.
 */
export async function countDueByOwner(
  { db, company_id, now }: Pick<HandlerContext, 'db' | 'company_id' | 'now'>,
  until: Date,
  since: Date,
): Promise<{ given_to: string | null; batch_owner: string; today: number; late: number; batch_id: string | null }[]> {
  const { rows } = await sql<{
    given_to: string | null
    batch_owner: string
    today: number
    late: number
    batch_id: string | null
  }>`
    select feedback.owner_id as given_to, batch.owner_id as batch_owner, (count(*) filter (where feedback.due_at >= ${now}))::int as today,
      (count(*) filter (where feedback.due_at < ${now}))::int as late, case when count(distinct batch.id) = 1 then min(batch.id::text) end as batch_id
    from feedback
    join ${batchView} on batch.company_id = feedback.company_id and batch.id = feedback.batch_id
    join payslip on payslip.company_id = feedback.company_id and payslip.id = feedback.salary_id
    where feedback.company_id = ${company_id} and feedback.due_at <= ${until} and feedback.due_at > ${since} and payslip.status <> 'withdrawn'
    group by feedback.owner_id, batch.owner_id`.execute(db)
  return rows
}

/** Lists all messages of a thread, oldest first. */
export async function listThreadMessages(ctx: Pick<HandlerContext, 'db' | 'company_id' | 'vault'>, feedback_id: string) {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('feedback_message')
    .select(['id', 'from_side', 'name', 'content', 'at'])
    .where('company_id', '=', company_id)
    .where('feedback_id', '=', feedback_id)
    .orderBy('id')
    .limit(500)
    .execute()
  const pictures = await db
    .selectFrom('feedback_picture')
    .select(['id', 'message_id'])
    .where('company_id', '=', company_id)
    .where('feedback_id', '=', feedback_id)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    ...toMessageView(vault, row),
    pictures: pictures.flatMap(({ id, message_id }) => (message_id === row.id ? [id] : [])),
  }))
}

const maxMessages = 5_000
/** Lists the threads of these payslips with all messages, oldest first; `about` is the item in question. */
export async function listMessagesByPayslip(
  { db, company_id, vault }: Pick<HandlerContext, 'db' | 'company_id' | 'vault'>,
  salary_ids: readonly string[],
) {
  const rows = await db
    .selectFrom('feedback')
    .innerJoin('feedback_message', (join) =>
      join
        .onRef('feedback_message.company_id', '=', 'feedback.company_id')
        .onRef('feedback_message.feedback_id', '=', 'feedback.id'),
    )
    .select(['feedback.salary_id', 'feedback.id as feedback_id', 'feedback.line', 'feedback.line_label'])
    .select(['feedback_message.id', 'from_side', 'name', 'content', 'at'])
    .where('feedback.company_id', '=', company_id)
    .where('feedback.salary_id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .orderBy('feedback_message.id')
    .limit(maxMessages)
    .execute()
  return Map.groupBy(
    rows.map(({ salary_id, feedback_id, line, line_label, ...row }) => ({
      salary_id,
      about: getFeedbackSubject({ vault }, { id: feedback_id, line, line_label })?.label ?? null,
      ...toMessageView(vault, row),
    })),
    ({ salary_id }) => salary_id,
  )
}
type MessageRow = {
  readonly id: string
  readonly at: Date
  readonly from_side: 'employee' | 'admin'
  readonly name: string
  readonly content: Buffer
}
const toMessageView = (vault: HandlerContext['vault'], row: MessageRow) => ({
  at: toIsoTimestamp(row.at),
  from: row.from_side,
  name: row.name,
  content: vault.open<string>(getMessagePosition(row.id), row.content),
})
