/** Messages in threads and their effects. Writes feedback, feedback_message, feedback_picture, the payslip's feedback flag. */

import { sql } from 'kysely'
import type { FeedbackStatus } from '../../../contract/payslips/feedback.ts'
import { readableStatuses } from '../../../contract/shared/statuses.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { getAnswerDays } from '../../company/settings/index.ts'
import { listNamedPayrollAdmins } from '../../directory/index.ts'
import { isWorkday, notify } from '../../notifications/index.ts'
import { queueWebhookEvents } from '../../webhooks/index.ts'
import { toAnswerPurpose } from '../rules/dispatch.ts'
import { getDueDate, getNextDueDate, getThreadOwner } from '../rules/feedback.ts'
import { lockPayslip, queueFollowUp } from '../send/ledger.ts'
import { getSegmentCount } from '../send/message-source.ts'
import { addPictures } from './pictures.ts'
import { hasUnreadAnswer } from './thread-summary.ts'
import { getLabelPosition, getMessagePosition } from './threads.ts'

type MessageInput = { readonly content: string; readonly pictures?: readonly string[] }
/** The text is encrypted because employees write amounts in their feedback. */
async function insertMessage(
  ctx: HandlerContext,
  feedback_id: string,
  from_side: 'employee' | 'admin',
  { content, pictures = [] }: MessageInput,
) {
  const { db, company_id, vault, currentUser, now } = ctx
  const id = newId()
  await db
    .insertInto('feedback_message')
    .values({
      company_id,
      id,
      feedback_id,
      from_side,
      name: currentUser.name,
      content: vault.seal(getMessagePosition(id), content),
      at: now,
    })
    .execute()
  await addPictures(ctx, { feedback_id, message_id: id }, pictures)
  return id
}

/** Whether the latest message is the employee's. */
async function isAwaitingAnswer({ db, company_id }: HandlerContext, feedback_id: string): Promise<boolean> {
  const last = await db
    .selectFrom('feedback_message')
    .select('from_side')
    .where('company_id', '=', company_id)
    .where('feedback_id', '=', feedback_id)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return last?.from_side === 'employee'
}

/** Adds an administrator's answer. Further messages to an employee who already has an answer send no other notification. */
export async function addAnswer(
  ctx: HandlerContext,
  thread: { readonly id: string; readonly salary_id: string },
  input: MessageInput,
): Promise<void> {
  const isAwaiting = await isAwaitingAnswer(ctx, thread.id)
  const messageId = await insertMessage(ctx, thread.id, 'admin', input)
  if (isAwaiting) await notifyAnswer(ctx, thread.salary_id, messageId)
}

/** Notifies the employee of the answer, through the channel of their payslip. */
async function notifyAnswer(ctx: HandlerContext, salary_id: string, message_id: string): Promise<void> {
  const { salary, batch } = await lockPayslip(ctx, salary_id)
  if (readableStatuses.includes(salary.status)) {
    const purpose = toAnswerPurpose(message_id)
    await queueFollowUp(ctx, batch, salary, { purpose, segments: await getSegmentCount(ctx, batch.id, purpose) })
  }
}

/** Records that the employee has opened the thread. */
export async function markAnswerRead({ db, company_id, now }: HandlerContext, feedback_id: string): Promise<void> {
  await db
    .updateTable('feedback')
    .set({ read_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', feedback_id)
    .where(hasUnreadAnswer)
    .execute()
}

type ThreadState = { readonly id: string; readonly salary_id: string; readonly due_at: Date | null }
/** Updates the thread's status, and the summary of all its threads on the payslip. */
export async function updateThread(
  ctx: HandlerContext,
  { id, salary_id, due_at }: ThreadState,
  status: FeedbackStatus,
  more: { answered_at?: Date } = {},
): Promise<void> {
  const { db, company_id, now } = ctx
  const days = await getAnswerDays(ctx)
  const due = getNextDueDate(status, due_at, () => getDueDate(now, days, isWorkday))
  await db
    .updateTable('feedback')
    .set({ status, updated_at: now, due_at: due, ...more })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .execute()
  const open = sql`from feedback where feedback.company_id = ${company_id} and feedback.salary_id = payslip.id and feedback.status = 'open'`
  await db
    .updateTable('payslip')
    .set({
      has_feedback: sql<boolean>`exists (select ${open})`,
      answer_due: sql<Date | null>`(select min(feedback.due_at) ${open})`,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .execute()
}

type FeedbackPayslip = {
  readonly salary_id: string
  readonly batch_id: string
  readonly member_id: string
  readonly owner_id: string
  readonly title: string
}
type FeedbackInput = MessageInput & { readonly subject: { readonly key: string; readonly label: string } | null }

/**
 * Submits an employee's feedback on a payslip or one of its items: creates a thread, or adds a message to the existing
 * one and reopens it. Notifies the responsible administrator.
 */
export async function submitFeedback(
  ctx: HandlerContext,
  slip: FeedbackPayslip,
  { subject, ...input }: FeedbackInput,
): Promise<string> {
  const { db, company_id, now, currentUser, vault } = ctx
  const { salary_id, batch_id, member_id } = slip
  const id = newId()
  const line_label = subject && vault.seal(getLabelPosition(id), subject.label)
  const thread = await db
    .insertInto('feedback')
    .values({
      company_id,
      id,
      salary_id,
      batch_id,
      member_id,
      status: 'open',
      updated_at: now,
      line: subject?.key ?? '',
      line_label,
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'salary_id', 'line']).doUpdateSet({ updated_at: now }))
    .returning(['id', 'owner_id', 'due_at'])
    .executeTakeFirstOrThrow()
  await insertMessage(ctx, thread.id, 'employee', input)
  await updateThread(ctx, { id: thread.id, salary_id, due_at: thread.due_at }, 'open')
  const payslip = { salary_id, batch_id, member_id }
  await queueWebhookEvents(ctx, 'slip.disputed', [payslip])
  if (thread.id === id) await queueWebhookEvents(ctx, 'feedback.created', [{ ...payslip, feedback_id: id }])
  const payers = new Set(thread.owner_id ? (await listNamedPayrollAdmins(ctx)).map(({ user_id }) => user_id) : [])
  const owner = getThreadOwner({ given_to: thread.owner_id, batch_owner: slip.owner_id }, payers)
  const itemText = subject ? `的「${subject.label}」` : ''
  await notify(ctx, owner, {
    kind: 'feedback',
    text: `${currentUser.name} 对「${slip.title}」${itemText}提交了反馈，请查看并回复`,
    batch_id,
  })
  return thread.id
}
