/** What an employee answers to a slip: confirms it, or asks about it. */
import * as contract from '../../contract/employee.ts'
import { can } from '../../contract/states.ts'
import { isoOf } from '../../runtime/clock.ts'
import { handle, must, refuse } from '../../runtime/handle.ts'
import { askAbout, markAnswerRead, markConfirmed, messagesOf, threadOf } from '../slip/index.ts'
import { mySlip, shownTo } from './my-slip.ts'
import { receiptNow } from './receipts.ts'

export const confirmSlip = handle(contract.confirmSlip, async (ctx, { slip_id, version, hash: seen, signature }) => {
  const mine = await mySlip(ctx, slip_id, { closed: 'allowed' })
  const { salary, rules } = mine
  const { status } = salary
  if (!rules.confirm) throw refuse('wrong_state', '公司没有要求确认这张工资条', { status })
  if (version !== salary.version)
    throw refuse('wrong_state', '工资条已更正，请重新查看后确认', { status, version: salary.version })
  must(can.confirm(status), { status })
  const shown = await shownTo(ctx, mine)
  const { hash } = shown
  if (seen !== undefined && seen !== hash)
    throw refuse('wrong_state', '工资条上显示的内容刚刚有变化，请重新查看后确认', { status, version })
  if (!(await markConfirmed(ctx, slip_id, { version, hash, signature: signature ?? null })))
    throw refuse('wrong_state', undefined, { status })
  ctx.about({ version })
  const receipt = await receiptNow(ctx, { slip_id, version, shown, handwriting: signature ?? null })
  return { receipt, confirmed_at: isoOf(ctx.now) }
})

export const feedbackSlip = handle(contract.feedbackSlip, async (ctx, { slip_id, content }) => {
  const { salary, batch, rules } = await mySlip(ctx, slip_id, { closed: 'allowed' })
  if (!rules.feedback) throw refuse('wrong_state', '公司没有开启工资条疑问，请直接联系薪酬管理员', { status: salary.status })
  const slip = {
    salary_id: slip_id,
    batch_id: batch.id,
    member_id: salary.member_id,
    owner_id: batch.owner_id,
    title: batch.title_name ?? '工资条',
  }
  return { id: await askAbout(ctx, slip, content) }
})

export const getFeedback = handle(contract.getFeedback, async (ctx, { slip_id }) => {
  const { batch } = await mySlip(ctx, slip_id, { closed: 'allowed' })
  const thread = await threadOf(ctx, slip_id)
  if (thread) await markAnswerRead(ctx, thread.id)
  return {
    status: thread ? thread.status : null,
    title: batch.title_name ?? '',
    messages: thread ? await messagesOf(ctx, thread.id) : [],
  }
})
