/** Administrators' actions on feedback: answering one or many threads, closing, reopening and assigning them. */

import { sql } from 'kysely'
import * as contract from '../../../contract/payslips/feedback.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { listNamedPayrollAdmins } from '../../directory/index.ts'
import { notify } from '../../notifications/index.ts'
import { requireBatchForPayslips } from '../../sheets/index.ts'
import { getStatusAfterAction } from '../rules/feedback.ts'
import { addAnswer, updateThread } from './messages.ts'
import { canAdminViewThread, getThread, getThreads, lockPayslips } from './threads.ts'

export const handleFeedback = defineHandler(contract.handleFeedback, async (ctx, { id, action, content, pictures }) => {
  const { batch_id, salary_id } = await getThread(ctx, id, 'manage')
  // Locks the batch before the payslip, as in `answerFeedback`: an answer notifies the employee through the batch's
  // channel.
  if (content !== '') await requireBatchForPayslips(ctx, batch_id, 'manage')
  await lockPayslips(ctx, [salary_id])
  const thread = await getThread(ctx, id, 'manage')
  if (content === '' && (action === 'reply' || pictures.length > 0)) throw invalidInput('content', '请填写回复内容')
  if (action === 'resolve' && thread.status === 'resolved')
    throw fail('wrong_state', '这条反馈已经处理完了', { status: thread.status })
  if (action === 'reopen' && thread.status === 'open') throw fail('wrong_state', '这条反馈还在处理中', { status: thread.status })
  if (content !== '') await addAnswer(ctx, thread, { content, pictures })
  const status = getStatusAfterAction(thread.status, action, content)
  await updateThread(ctx, thread, status, content === '' ? {} : { answered_at: ctx.now })
  ctx.addAuditDetails({ salary_id: thread.salary_id })
  return {}
})

export const answerFeedback = defineHandler(contract.answerFeedback, async (ctx, { ids, content, resolve }) => {
  const unlockedThreads = await getThreads(ctx, ids, 'manage')
  // Locks batches before payslips, as withdrawals and corrections do.
  for (const batch_id of [...new Set(unlockedThreads.map((one) => one.batch_id))].toSorted())
    await requireBatchForPayslips(ctx, batch_id, 'manage')
  await lockPayslips(
    ctx,
    unlockedThreads.map(({ salary_id }) => salary_id),
  )
  const threads = await getThreads(ctx, ids, 'manage')
  for (const thread of threads) {
    await addAnswer(ctx, thread, { content })
    await updateThread(ctx, thread, getStatusAfterAction(thread.status, resolve ? 'resolve' : 'reply', content), {
      answered_at: ctx.now,
    })
  }
  ctx.addAuditDetails({ answered: threads.length })
  return { answered: threads.length }
})

/** Lists the administrators who may change the thread's batch: those who pay all members, its owner, and the current user. */
async function listPossibleOwners(ctx: HandlerContext, thread: { readonly id: string; readonly batch_owner: string }) {
  const { currentUser } = ctx
  const payers = await listNamedPayrollAdmins(ctx)
  const list: { user_id: string; name: string }[] = []
  for (const { user_id, name, isFull: sees_everyone, all } of payers) {
    const isCurrentOwner = user_id === thread.batch_owner || user_id === currentUser.admin_id
    if (!isCurrentOwner && !sees_everyone) continue
    if (isCurrentOwner || (await canAdminViewThread(ctx, thread.id, { power: all ? ['4'] : ['2'], admin_id: user_id })))
      list.push({ user_id, name })
  }
  return list
}

export const getFeedbackOwners = defineHandler(contract.getFeedbackOwners, async (ctx, { id }) => ({
  list: await listPossibleOwners(ctx, await getThread(ctx, id, 'manage')),
}))

export const setFeedbackOwner = defineHandler(contract.setFeedbackOwner, async (ctx, { ids, user_id }) => {
  const { db, company_id, currentUser } = ctx
  const threads = await getThreads(ctx, ids, 'manage')
  for (const [, [one]] of Map.groupBy(threads, ({ batch_id }) => batch_id))
    if (one && !(await listPossibleOwners(ctx, one)).some((owner) => owner.user_id === user_id))
      throw invalidInput('user_id', '这位管理员不能处理这一批的反馈，请换一位')
  await db
    .updateTable('feedback')
    .set({ owner_id: user_id })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${threads.map(({ id }) => id)}::uuid[])`)
    .execute()
  const [first] = threads
  const subject = threads.length === 1 ? `${first?.name} 的反馈` : `${threads.length} 条员工反馈`
  if (user_id !== currentUser.admin_id)
    await notify(ctx, user_id, {
      kind: 'feedback',
      text: `${currentUser.name} 请您处理${subject}`,
      batch_id: first?.batch_id ?? null,
    })
  ctx.addAuditDetails({ given: threads.length })
  return {}
})
