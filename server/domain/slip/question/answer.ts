/** What administrators do with questions: answer one or many, end and open them, give them to somebody. */
import { sql } from 'kysely'
import * as contract from '../../../contract/slip/feedback.ts'
import { type Ctx, handle, invalid, refuse } from '../../../runtime/handle.ts'
import { notify } from '../../desk/index.ts'
import { payersCalled } from '../../member/index.ts'
import { batchOfSlips } from '../../sheet/index.ts'
import { afterAct } from '../rules/thread.ts'
import { answerIn, setThread } from './say.ts'
import { lockSlips, reachedBy, threadFor, threadsFor } from './threads.ts'

export const handleFeedback = handle(contract.handleFeedback, async (ctx, { id, action, content, pictures }) => {
  const { batch_id, salary_id } = await threadFor(ctx, id, 'manage')
  // The batch before the slip, as in `answerFeedback`: who answers tells the employee, and the batch says how.
  if (content !== '') await batchOfSlips(ctx, batch_id, 'manage')
  await lockSlips(ctx, [salary_id])
  const line = await threadFor(ctx, id, 'manage')
  if (content === '' && (action === 'reply' || pictures.length > 0)) throw invalid('content', '请填写回复内容')
  if (action === 'resolve' && line.status === 'resolved')
    throw refuse('wrong_state', '这个疑问已经处理完了', { status: line.status })
  if (action === 'reopen' && line.status === 'open') throw refuse('wrong_state', '这个疑问还在处理中', { status: line.status })
  if (content !== '') await answerIn(ctx, line, { content, pictures })
  const status = afterAct(line.status, action, content)
  await setThread(ctx, line, status, content === '' ? {} : { answered_at: ctx.now })
  ctx.about({ salary_id: line.salary_id })
  return {}
})

export const answerFeedback = handle(contract.answerFeedback, async (ctx, { ids, content, resolve }) => {
  const first = await threadsFor(ctx, ids, 'manage')
  // Batches before slips, as whoever withdraws or corrects them does.
  for (const batch_id of [...new Set(first.map((one) => one.batch_id))].toSorted()) await batchOfSlips(ctx, batch_id, 'manage')
  await lockSlips(
    ctx,
    first.map(({ salary_id }) => salary_id),
  )
  const threads = await threadsFor(ctx, ids, 'manage')
  for (const thread of threads) {
    await answerIn(ctx, thread, { content })
    await setThread(ctx, thread, afterAct(thread.status, resolve ? 'resolve' : 'reply', content), { answered_at: ctx.now })
  }
  ctx.about({ answered: threads.length })
  return { answered: threads.length }
})

/** Whoever may change the batch of a thread and pays everybody, its owner, and I. */
async function owners(ctx: Ctx, thread: { readonly id: string; readonly batch_owner: string }) {
  const { me } = ctx
  const payers = await payersCalled(ctx)
  const list: { user_id: string; name: string }[] = []
  for (const { user_id, name, whole, all } of payers) {
    const known = user_id === thread.batch_owner || user_id === me.admin_id
    if (!known && !whole) continue
    if (known || (await reachedBy(ctx, thread.id, { power: all ? ['4'] : ['2'], admin_id: user_id })))
      list.push({ user_id, name })
  }
  return list
}

export const getFeedbackOwners = handle(contract.getFeedbackOwners, async (ctx, { id }) => ({
  list: await owners(ctx, await threadFor(ctx, id, 'manage')),
}))

export const setFeedbackOwner = handle(contract.setFeedbackOwner, async (ctx, { ids, user_id }) => {
  const { db, company_id, me } = ctx
  const threads = await threadsFor(ctx, ids, 'manage')
  for (const [, [one]] of Map.groupBy(threads, ({ batch_id }) => batch_id))
    if (one && !(await owners(ctx, one)).some((owner) => owner.user_id === user_id))
      throw invalid('user_id', '这位管理员不能处理这一批的疑问，请换一位')
  await db
    .updateTable('feedback')
    .set({ owner_id: user_id })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${threads.map(({ id }) => id)}::uuid[])`)
    .execute()
  const [first] = threads
  const whose = threads.length === 1 ? `${first?.name} 的疑问` : `${threads.length} 条员工疑问`
  if (user_id !== me.admin_id)
    await notify(ctx, user_id, { kind: 'feedback', text: `${me.name} 请您处理${whose}`, batch_id: first?.batch_id ?? null })
  ctx.about({ given: threads.length })
  return {}
})
