/** Questions about slips: a thread for a slip, and one for each line of it that somebody asks about. Reads feedback, feedback_message and feedback_picture. */
import { type RawBuilder, sql } from 'kysely'
import type { FeedbackStatus } from '../../../contract/slip/feedback.ts'
import * as contract from '../../../contract/slip/feedback.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { payersCalled } from '../../member/index.ts'
import { batchOfSlips, openTitle, visibleBatches, visibleSlips } from '../../sheet/index.ts'
import { ownerOf } from '../rules/thread.ts'

export const messagePlace = (id: string) => ({ table: 'feedback_message', row: id, column: 'content' })
export const labelPlace = (id: string) => ({ table: 'feedback', row: id, column: 'line_label' })

type Line = {
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

/** Threads of the batches I may see, with the last thing said: what is due first, then the newest word first. */
async function lines(
  { db, company_id }: Ctx,
  visible: RawBuilder<boolean>,
  where: RawBuilder<boolean>,
  limit: number,
  offset: number,
) {
  const { rows } = await sql<Line & { total: number }>`
    select feedback.id, feedback.salary_id, feedback.batch_id, batch.title_id, title.name as title, title.month, member.name, feedback.status, feedback.updated_at,
      feedback.line, feedback.line_label, feedback.owner_id as given_to, batch.owner_id as batch_owner, feedback.due_at,
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
    order by feedback.due_at nulls last, feedback.updated_at desc, feedback.id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

/** Given to me, or of my batch and given to nobody who still pays people here: as `ownerOf`. */
async function isMine(ctx: Ctx): Promise<RawBuilder<boolean>> {
  const payers = (await payersCalled(ctx)).map(({ user_id }) => user_id)
  return sql<boolean>`case when feedback.owner_id = any(${payers}::uuid[]) then feedback.owner_id else batch.owner_id end = ${ctx.me.admin_id}`
}

export const aboutOf = ({ vault }: Pick<Ctx, 'vault'>, { id, line, line_label }: Pick<Line, 'id' | 'line' | 'line_label'>) =>
  line_label ? { key: line, label: vault.open<string>(labelPlace(id), line_label) } : null

/** As they are listed, each with who answers. */
async function shown(ctx: Ctx, rows: readonly Line[]) {
  if (rows.length === 0) return []
  const { vault, me, now } = ctx
  const payers = new Map((await payersCalled(ctx)).map(({ user_id, name }) => [user_id, name]))
  const ids = new Set(payers.keys())
  return rows.map((row) => {
    const owner = ownerOf(row, ids)
    return {
      id: row.id,
      salary_id: row.salary_id,
      batch_id: row.batch_id,
      month: row.month,
      name: row.name,
      title: openTitle(vault, row.title_id, row.title) ?? '',
      status: row.status,
      about: aboutOf(ctx, row),
      owner: { user_id: owner, name: payers.get(owner) ?? '' },
      mine: owner === me.admin_id,
      due_at: row.due_at && isoOf(row.due_at),
      late: row.due_at !== null && row.due_at < now,
      last: vault.open<string>(messagePlace(row.last_id), row.last),
      updated_at: isoOf(row.updated_at),
    }
  })
}

export const getFeedBackList = handle(contract.getFeedBackList, async (ctx, input) => {
  const { status, batch_id, line, mine, late, name, page, pagesize } = input
  if (batch_id) await batchOfSlips(ctx, batch_id, 'view')
  const where = sql<boolean>`true ${status ? sql`and feedback.status = ${status}` : sql``} ${batch_id ? sql`and feedback.batch_id = ${batch_id}` : sql``}
    ${batch_id && line !== undefined ? sql`and feedback.line = ${line}` : sql``} ${mine ? sql`and ${await isMine(ctx)}` : sql``}
    ${late ? sql`and feedback.due_at < ${ctx.now}` : sql``} ${name ? sql`and member.name like ${`%${name.replace(/[\\%_]/g, '\\$&')}%`}` : sql``}`
  const rows = await lines(ctx, visibleSlips(ctx), where, pagesize, (page - 1) * pagesize)
  return { list: await shown(ctx, rows), page: { page, pagesize, total: rows[0]?.total ?? 0 } }
})

/** Questions of some people, for whoever looks for a person: those that I may see. */
export async function threadsOfPeople(ctx: Ctx, member_ids: readonly string[], most: number) {
  if (member_ids.length === 0) return []
  const theirs = sql<boolean>`feedback.member_id = any(${[...member_ids]}::uuid[])`
  return shown(ctx, await lines(ctx, visibleSlips(ctx), theirs, most, 0))
}

/** Threads that I may see (or answer): all of them, or `not_found`. In the order of their slips. */
export async function threadsFor(ctx: Ctx, ids: readonly string[], need: 'view' | 'manage') {
  const wanted = [...new Set(ids)]
  const rows = await lines(ctx, visibleSlips(ctx, need), sql<boolean>`feedback.id = any(${wanted}::uuid[])`, wanted.length, 0)
  if (rows.length !== wanted.length) throw refuse('not_found')
  return rows.toSorted((a, b) => (a.salary_id < b.salary_id ? -1 : 1))
}
export async function threadFor(ctx: Ctx, id: string, need: 'view' | 'manage') {
  const [line] = await threadsFor(ctx, [id], need)
  if (!line) throw refuse('not_found')
  return line
}

/** Whoever speaks holds the slip first, as the employee does who opens it: one order, or both would wait for each other. */
export const lockSlips = ({ db, company_id }: Ctx, salary_ids: readonly string[]) =>
  db
    .selectFrom('salary')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

/** Whether another administrator could answer a thread, by his powers and what is his or shared with him. */
export const reachedBy = async (ctx: Ctx, id: string, him: Parameters<typeof visibleBatches>[0]['me']): Promise<boolean> =>
  (await lines(ctx, visibleBatches({ ...ctx, me: him }, 'manage'), sql<boolean>`feedback.id = ${id}`, 1, 0)).length > 0

export const getFeedBackDetail = handle(contract.getFeedBackDetail, async (ctx, { id }) => {
  const { batch_id, salary_id, line, ...row } = await threadFor(ctx, id, 'view')
  ctx.about({ salary_id })
  const [thread] = await shown(ctx, [{ batch_id, salary_id, line, ...row }])
  if (!thread) throw refuse('not_found')
  const same = sql<boolean>`feedback.batch_id = ${batch_id} and feedback.line = ${line} and feedback.status = 'open' and feedback.id <> ${id}`
  const [one] = await lines(ctx, visibleSlips(ctx, 'manage'), same, 1, 0)
  const [mine] = await lines(ctx, visibleSlips(ctx, 'manage'), sql<boolean>`feedback.id = ${id}`, 1, 0)
  return { ...thread, messages: await messagesOf(ctx, id), alike: one?.total ?? 0, changeable: mine !== undefined }
})

/** Of one company: whoever has questions that are due by the end of today, and how many; what is late for longer than `since` is not nagged about. */
export async function dueBy(
  { db, company_id, now }: Pick<Ctx, 'db' | 'company_id' | 'now'>,
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
    join batch on batch.company_id = feedback.company_id and batch.id = feedback.batch_id
    join salary on salary.company_id = feedback.company_id and salary.id = feedback.salary_id
    where feedback.company_id = ${company_id} and feedback.due_at <= ${until} and feedback.due_at > ${since} and salary.status <> 'withdrawn'
    group by feedback.owner_id, batch.owner_id`.execute(db)
  return rows
}

/** Everything said in a thread, oldest first. */
export async function messagesOf(ctx: Pick<Ctx, 'db' | 'company_id' | 'vault'>, feedback_id: string) {
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
    ...said(vault, row),
    pictures: pictures.flatMap(({ id, message_id }) => (message_id === row.id ? [id] : [])),
  }))
}

const most_said = 5_000
/** The threads about these slips, each with everything said in it, oldest first; `about` is the line that is asked about. */
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
    .select(['feedback.salary_id', 'feedback.id as feedback_id', 'feedback.line', 'feedback.line_label'])
    .select(['feedback_message.id', 'from_side', 'name', 'content', 'at'])
    .where('feedback.company_id', '=', company_id)
    .where('feedback.salary_id', '=', sql<string>`any(${[...salary_ids]}::uuid[])`)
    .orderBy('feedback_message.id')
    .limit(most_said)
    .execute()
  return Map.groupBy(
    rows.map(({ salary_id, feedback_id, line, line_label, ...row }) => ({
      salary_id,
      about: aboutOf({ vault }, { id: feedback_id, line, line_label })?.label ?? null,
      ...said(vault, row),
    })),
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

type OwnSlip = Pick<Ctx, 'db' | 'company_id'>
/** The threads about a slip of somebody's own, the one about the whole slip first. */
export const ownThreads = ({ db, company_id }: OwnSlip, salary_id: string) =>
  db
    .selectFrom('feedback')
    .select(['id', 'status', 'line', 'line_label', 'due_at', 'owner_id', unreadAnswer.as('answer_unread')])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .orderBy('line')
    .execute()

/** What his slip says of them together; undefined where he has asked nothing. An answer that he has not read comes first. */
export async function threadOf(here: OwnSlip, salary_id: string) {
  const threads = await ownThreads(here, salary_id)
  const answer_unread = threads.some((one) => one.answer_unread)
  const first = threads.find((one) => one.answer_unread) ?? threads.find(({ status }) => status === 'open') ?? threads[0]
  return first && { id: first.id, status: first.status, answer_unread }
}

/** For queries on `feedback`: an answer that the person has not read. */
export const unreadAnswer = sql<boolean>`(feedback.answered_at is not null and (feedback.read_at is null or feedback.read_at < feedback.answered_at))`
