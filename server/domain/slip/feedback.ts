/** Questions about slips: a thread a slip. Writes feedback and feedback_message, and the flag beside the salary. */
import { type RawBuilder, sql } from 'kysely'
import type { FeedbackStatus } from '../../contract/feedback.ts'
import * as contract from '../../contract/feedback.ts'
import { readable } from '../../contract/states.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle, invalid, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { tellWebhooks } from '../company/index.ts'
import { notify } from '../desk/index.ts'
import { batchOfSlips, openTitle, visibleSlips } from '../sheet/index.ts'
import { piecesFor } from './claims.ts'
import { announce, lockedSalary } from './ledger.ts'
import { answerPurpose } from './rules/outcome.ts'
import { afterAct } from './rules/thread.ts'

const messagePlace = (id: string) => ({ table: 'feedback_message', row: id, column: 'content' })

type Line = {
  id: string
  salary_id: string
  batch_id: string
  title_id: string | null
  title: Buffer | null
  month: string | null
  name: string
  status: FeedbackStatus
  updated_at: Date
  last_id: string
  last: Buffer
}

/** Threads of the batches I may see, with the last thing said. */
async function lines(
  { db, company_id }: Ctx,
  visible: RawBuilder<boolean>,
  where: RawBuilder<boolean>,
  limit: number,
  offset: number,
) {
  const { rows } = await sql<Line & { total: number }>`
    select feedback.id, feedback.salary_id, feedback.batch_id, batch.title_id, title.name as title, title.month, member.name, feedback.status, feedback.updated_at,
      said.id as last_id, said.content as last, (count(*) over ())::int as total
    from feedback
    join salary on salary.company_id = feedback.company_id and salary.id = feedback.salary_id
    join batch on batch.company_id = feedback.company_id and batch.id = feedback.batch_id
    left join title on title.company_id = batch.company_id and title.id = batch.title_id
    join member on member.company_id = feedback.company_id and member.id = feedback.member_id
    join lateral (
      select id, content from feedback_message
      where feedback_message.company_id = ${company_id} and feedback_message.feedback_id = feedback.id order by id desc limit 1) as said on true
    where feedback.company_id = ${company_id} and ${visible} and ${where}
    order by feedback.updated_at desc, feedback.id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

const shown = ({ vault }: Ctx, { last, last_id, updated_at, title, title_id, status, ...line }: Line) => ({
  id: line.id,
  salary_id: line.salary_id,
  batch_id: line.batch_id,
  month: line.month,
  name: line.name,
  title: openTitle(vault, title_id, title) ?? '',
  status,
  last: vault.open<string>(messagePlace(last_id), last),
  updated_at: isoOf(updated_at),
})

export const getFeedBackList = handle(contract.getFeedBackList, async (ctx, { status, batch_id, name, page, pagesize }) => {
  if (batch_id) await batchOfSlips(ctx, batch_id, 'view')
  const where = sql<boolean>`true ${status ? sql`and feedback.status = ${status}` : sql``} ${batch_id ? sql`and feedback.batch_id = ${batch_id}` : sql``}
    ${name ? sql`and member.name like ${`%${name.replace(/[\\%_]/g, '\\$&')}%`}` : sql``}`
  const rows = await lines(ctx, visibleSlips(ctx), where, pagesize, (page - 1) * pagesize)
  return { list: rows.map((row) => shown(ctx, row)), page: { page, pagesize, total: rows[0]?.total ?? 0 } }
})

/** Questions of some people, for whoever looks for a person: those that I may see, the newest first. */
export async function threadsOfPeople(ctx: Ctx, member_ids: readonly string[], most: number) {
  if (member_ids.length === 0) return []
  const theirs = sql<boolean>`feedback.member_id = any(${[...member_ids]}::uuid[])`
  return (await lines(ctx, visibleSlips(ctx), theirs, most, 0)).map((row) => shown(ctx, row))
}

async function threadFor(ctx: Ctx, id: string, need: 'view' | 'manage') {
  const [line] = await lines(ctx, visibleSlips(ctx, need), sql<boolean>`feedback.id = ${id}`, 1, 0)
  if (!line) throw refuse('not_found')
  return line
}

/** Whoever speaks holds the slip first, as the employee does who opens it: one order, or both would wait for each other. */
const lockSlip = ({ db, company_id }: Ctx, salary_id: string) =>
  db.selectFrom('salary').select('id').where('company_id', '=', company_id).where('id', '=', salary_id).forNoKeyUpdate().execute()

export const getFeedBackDetail = handle(contract.getFeedBackDetail, async (ctx, { id }) => {
  const line = await threadFor(ctx, id, 'view')
  ctx.about({ salary_id: line.salary_id })
  return { ...shown(ctx, line), messages: await messagesOf(ctx, id) }
})

export const handleFeedback = handle(contract.handleFeedback, async (ctx, { id, action, content }) => {
  await lockSlip(ctx, (await threadFor(ctx, id, 'manage')).salary_id)
  const line = await threadFor(ctx, id, 'manage')
  if (action === 'reply' && content === '') throw invalid('content', '请填写回复内容')
  if (action === 'resolve' && line.status === 'resolved')
    throw refuse('wrong_state', '这个疑问已经处理完了', { status: line.status })
  if (action === 'reopen' && line.status === 'open') throw refuse('wrong_state', '这个疑问还在处理中', { status: line.status })
  const { salary_id } = line
  if (content !== '') {
    // Further words to somebody who has an answer already are no reason to ring his phone again.
    const waits = await waitsForAnswer(ctx, id)
    const said = await say(ctx, id, 'admin', content)
    if (waits) await tellAnswer(ctx, salary_id, said)
  }
  const status = afterAct(line.status, action, content)
  await setThread(ctx, { id, salary_id }, status, content === '' ? {} : { answered_at: ctx.now })
  ctx.about({ salary_id: line.salary_id })
  return {}
})

/** Everything said in a thread, oldest first. */
export async function messagesOf({ db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>, feedback_id: string) {
  const rows = await db
    .selectFrom('feedback_message')
    .select(['id', 'from_side', 'name', 'content', 'at'])
    .where('company_id', '=', company_id)
    .where('feedback_id', '=', feedback_id)
    .orderBy('id')
    .limit(500)
    .execute()
  return rows.map((row) => said(vault, row))
}

const most_said = 5_000
/** The threads about these slips, each with everything said in it, oldest first. */
export async function threadsOf(
  { db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  salary_ids: readonly string[],
) {
  const rows = await db
    .selectFrom('feedback')
    .innerJoin('feedback_message', (join) =>
      join
        .onRef('feedback_message.company_id', '=', 'feedback.company_id')
        .onRef('feedback_message.feedback_id', '=', 'feedback.id'),
    )
    .select(['feedback.salary_id', 'feedback_message.id', 'from_side', 'name', 'content', 'at'])
    .where('feedback.company_id', '=', company_id)
    .where('feedback.salary_id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .orderBy('feedback_message.id')
    .limit(most_said)
    .execute()
  return Map.groupBy(
    rows.map((row) => ({ salary_id: row.salary_id, ...said(vault, row) })),
    ({ salary_id }) => salary_id,
  )
}
type Message = {
  readonly id: string
  readonly at: Date
  readonly from_side: 'employee' | 'admin'
  readonly name: string
  readonly content: Buffer
}
const said = (vault: Ctx['vault'], row: Message) => ({
  at: isoOf(row.at),
  from: row.from_side,
  name: row.name,
  content: vault.open<string>(messagePlace(row.id), row.content),
})

/** Sealed: people write amounts into their questions. */
async function say(
  { db, company_id, vault, me, now }: Ctx,
  feedback_id: string,
  from_side: 'employee' | 'admin',
  content: string,
): Promise<string> {
  const id = newId()
  await db
    .insertInto('feedback_message')
    .values({ company_id, id, feedback_id, from_side, name: me.name, content: vault.seal(messagePlace(id), content), at: now })
    .execute()
  return id
}

/** Whether the last word is the person's. */
async function waitsForAnswer({ db, company_id }: Ctx, feedback_id: string): Promise<boolean> {
  const last = await db
    .selectFrom('feedback_message')
    .select('from_side')
    .where('company_id', '=', company_id)
    .where('feedback_id', '=', feedback_id)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return last?.from_side === 'employee'
}

/** The person hears that there is an answer, by the way his slip came. */
async function tellAnswer(ctx: Ctx, salary_id: string, message_id: string): Promise<void> {
  const { salary, batch } = await lockedSalary(ctx, salary_id)
  if (readable.includes(salary.status)) {
    const purpose = answerPurpose(message_id)
    await announce(ctx, batch, salary, { purpose, pieces: await piecesFor(ctx, batch.id, purpose) })
  }
}

/** The thread about a slip of somebody's own. */
export const threadOf = ({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, salary_id: string) =>
  db
    .selectFrom('feedback')
    .select(['id', 'status', unreadAnswer.as('answer_unread')])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .executeTakeFirst()

/** The person has the thread before him. */
export async function markAnswerRead({ db, company_id, now }: Ctx, feedback_id: string): Promise<void> {
  await db
    .updateTable('feedback')
    .set({ read_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', feedback_id)
    .where(unreadAnswer)
    .execute()
}
/** For queries on `feedback`: an answer that the person has not read. */
export const unreadAnswer = sql<boolean>`(feedback.answered_at is not null and (feedback.read_at is null or feedback.read_at < feedback.answered_at))`

async function setThread(
  { db, company_id, now }: Ctx,
  thread: { id: string; salary_id: string },
  status: FeedbackStatus,
  more: { answered_at?: Date } = {},
): Promise<void> {
  await db
    .updateTable('feedback')
    .set({ status, updated_at: now, ...more })
    .where('company_id', '=', company_id)
    .where('id', '=', thread.id)
    .execute()
  await db
    .updateTable('salary')
    .set({ has_feedback: status === 'open' })
    .where('company_id', '=', company_id)
    .where('id', '=', thread.salary_id)
    .execute()
}

/** An employee asks about his slip: a new thread, or a further word in the one there is, which is open again. Tells the batch's owner. */
export async function askAbout(
  ctx: Ctx,
  slip: {
    readonly salary_id: string
    readonly batch_id: string
    readonly member_id: string
    readonly owner_id: string
    readonly title: string
  },
  content: string,
): Promise<string> {
  const { db, company_id, now, me } = ctx
  const { salary_id, batch_id, member_id } = slip
  const thread = await db
    .insertInto('feedback')
    .values({ company_id, id: newId(), salary_id, batch_id, member_id, status: 'open', updated_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'salary_id']).doUpdateSet({ updated_at: now }))
    .returning('id')
    .executeTakeFirstOrThrow()
  await say(ctx, thread.id, 'employee', content)
  await setThread(ctx, { id: thread.id, salary_id }, 'open')
  await tellWebhooks(ctx, 'slip.disputed', [{ salary_id, batch_id }])
  await notify(ctx, slip.owner_id, { kind: 'feedback', text: `${me.name} 对「${slip.title}」提出了疑问，请查看并回复`, batch_id })
  return thread.id
}
