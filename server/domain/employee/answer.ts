/** What an employee answers to a slip: confirms it, or asks about it. */
import * as contract from '../../contract/own/employee.ts'
import { can } from '../../contract/words/states.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle, invalid, must, refuse } from '../../runtime/handle.ts'
import { adminCalled } from '../member/index.ts'
import { aboutOf, askAbout, markAnswerRead, markConfirmed, messagesOf, ownThreads, pictureIn } from '../slip/index.ts'
import { isClosed, isUnopened, mustBeOpened, mySlip, shownTo } from './my-slip.ts'
import { receiptNow } from './receipts.ts'

export const confirmSlip = handle(contract.confirmSlip, async (ctx, { slip_id, version, hash: seen, signature }) => {
  const mine = await mySlip(ctx, slip_id, { closed: 'allowed' })
  const { salary, rules } = mine
  const { status } = salary
  if (!rules.confirm) throw refuse('wrong_state', '公司没有要求确认这张工资条', { status })
  if (version !== salary.version)
    throw refuse('wrong_state', '工资条已更正，请重新查看后确认', { status, version: salary.version })
  must(can.confirm(status), { status })
  mustBeOpened(rules, salary.viewed_at)
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

/** The lines of a slip that can be asked about for the first time; none of one that has closed, or closes after a look that has not been. */
async function linesOf(ctx: Ctx, mine: Awaited<ReturnType<typeof mySlip>>) {
  const { rules, salary } = mine
  if (isUnopened(rules, salary.viewed_at) || isClosed(ctx.now, rules, salary.viewed_at)) return []
  const { slip } = await shownTo(ctx, mine)
  return slip.groups.flatMap(({ cells }) => cells.map(({ key, label }) => ({ key, label })))
}

/** What was asked about once is gone on with, also after the slip has closed. */
async function askedBefore(ctx: Ctx, slip_id: string, line: string) {
  const thread = (await ownThreads(ctx, slip_id)).find((one) => one.line === line)
  return (thread && aboutOf(ctx, thread)) ?? undefined
}

export const feedbackSlip = handle(contract.feedbackSlip, async (ctx, { slip_id, line, content, pictures }) => {
  const mine = await mySlip(ctx, slip_id, { closed: 'allowed' })
  const { salary, batch, rules } = mine
  if (!rules.feedback) throw refuse('wrong_state', '公司没有开启工资条疑问，请直接联系薪酬管理员', { status: salary.status })
  const about =
    line === undefined
      ? null
      : ((await linesOf(ctx, mine)).find(({ key }) => key === line) ?? (await askedBefore(ctx, slip_id, line)))
  if (about === undefined) throw invalid('line', '工资条上没有这一项，请刷新后重新选择')
  const slip = {
    salary_id: slip_id,
    batch_id: batch.id,
    member_id: salary.member_id,
    owner_id: batch.owner_id,
    title: batch.title_name ?? '工资条',
  }
  return { id: await askAbout(ctx, slip, { about, content, pictures }) }
})

export const getFeedback = handle(contract.getFeedback, async (ctx, { slip_id, line }) => {
  const mine = await mySlip(ctx, slip_id, { closed: 'allowed' })
  const { batch } = mine
  const threads = await ownThreads(ctx, slip_id)
  const thread = threads.find((one) => one.line === (line ?? ''))
  if (thread) await markAnswerRead(ctx, thread.id)
  const lines = await linesOf(ctx, mine)
  return {
    status: thread ? thread.status : null,
    title: batch.title_name ?? '',
    about: (thread && aboutOf(ctx, thread)) ?? lines.find(({ key }) => key === line) ?? null,
    owner: thread ? await adminCalled(ctx, thread.owner_id ?? batch.owner_id) : null,
    due_at: thread?.due_at ? isoOf(thread.due_at) : null,
    messages: thread ? await messagesOf(ctx, thread.id) : [],
    lines,
    threads: threads.map((one) => ({
      line: one.line || null,
      status: one.status,
      answer_unread: one !== thread && one.answer_unread,
    })),
  }
})

export const getFeedbackImage = handle(contract.getFeedbackImage, async (ctx, { slip_id, id }) => {
  await mySlip(ctx, slip_id, { closed: 'allowed' })
  const { picture, salary_id } = await pictureIn(ctx, id)
  if (salary_id !== slip_id) throw refuse('not_found')
  return { picture }
})
