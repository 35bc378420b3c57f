/** An employee's responses to a payslip: confirmation and feedback. */
import * as contract from '../../../contract/payslips/employee.ts'
import { can } from '../../../contract/shared/statuses.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { getAdminMemberName } from '../../directory/index.ts'
import { markAnswerRead, submitFeedback } from '../feedback/messages.ts'
import { loadFeedbackPicture } from '../feedback/pictures.ts'
import { listPayslipThreads } from '../feedback/thread-summary.ts'
import { getFeedbackSubject, listThreadMessages } from '../feedback/threads.ts'
import { markConfirmed } from '../view-and-confirm.ts'
import {
  assertBurnAfterReadOpened,
  completePayslipId,
  getOwnMemberIds,
  isBeforeOnlyView,
  isClosed,
  lockOwnPayslip,
  renderOwnPayslip,
} from './payslip-access.ts'
import { issueOwnReceipt } from './receipts.ts'

export const confirmSlip = defineHandler(contract.confirmSlip, async (ctx, { slip_id, version, hash: viewedHash, signature }) => {
  const payslip = await lockOwnPayslip(ctx, slip_id, { closed: 'allowed' })
  const { salary, rules } = payslip
  const { status } = salary
  if (!rules.confirm) throw fail('wrong_state', '公司没有要求确认这张工资条', { status })
  if (version !== salary.version) throw fail('wrong_state', '工资条已更正，请重新查看后确认', { status, version: salary.version })
  assertAllowed(can.confirm(status), { status })
  assertBurnAfterReadOpened(rules, salary.viewed_at)
  const rendered = await renderOwnPayslip(ctx, payslip)
  const { hash } = rendered
  if (viewedHash !== undefined && viewedHash !== hash)
    throw fail('wrong_state', '工资条上显示的内容刚刚有变化，请重新查看后确认', { status, version })
  if (!(await markConfirmed(ctx, slip_id, { version, hash, signature: signature ?? null })))
    throw fail('wrong_state', undefined, { status })
  ctx.addAuditDetails({ version })
  const receipt = await issueOwnReceipt(ctx, { slip_id, version, rendered, handwriting: signature ?? null })
  return { receipt, confirmed_at: toIsoTimestamp(ctx.now) }
})

/** Returns the payslip items open for new feedback; none if the payslip has closed, or closes after a first view to come. */
async function getFeedbackItems(ctx: HandlerContext, payslip: Awaited<ReturnType<typeof lockOwnPayslip>>) {
  const { rules, salary } = payslip
  if (isBeforeOnlyView(rules, salary.viewed_at) || isClosed(ctx.now, rules, salary.viewed_at)) return []
  const { slip } = await renderOwnPayslip(ctx, payslip)
  return slip.groups.flatMap(({ cells }) => cells.map(({ key, label }) => ({ key, label })))
}

/** An existing thread can be continued even after the payslip has closed. */
async function findExistingSubject(ctx: HandlerContext, slip_id: string, line: string) {
  const thread = (await listPayslipThreads(ctx, slip_id)).find((one) => one.line === line)
  return (thread && getFeedbackSubject(ctx, thread)) ?? undefined
}

export const feedbackSlip = defineHandler(contract.feedbackSlip, async (ctx, { slip_id, column_key, content, pictures }) => {
  const payslip = await lockOwnPayslip(ctx, slip_id, { closed: 'allowed' })
  const { salary, batch, rules } = payslip
  if (!rules.feedback) throw fail('wrong_state', '公司没有开启工资条反馈，请直接联系薪酬管理员', { status: salary.status })
  const subject =
    column_key === undefined
      ? null
      : ((await getFeedbackItems(ctx, payslip)).find(({ key }) => key === column_key) ??
        (await findExistingSubject(ctx, slip_id, column_key)))
  if (subject === undefined) throw invalidInput('column_key', '工资条上没有这一项，请刷新后重新选择')
  const feedbackPayslip = {
    salary_id: slip_id,
    batch_id: batch.id,
    member_id: salary.member_id,
    owner_id: batch.owner_id,
    title: batch.title_name ?? '工资条',
  }
  return { id: await submitFeedback(ctx, feedbackPayslip, { subject, content, pictures }) }
})

export const getFeedback = defineHandler(contract.getFeedback, async (ctx, { slip_id: requestedId, line }) => {
  const slip_id = await completePayslipId(ctx, getOwnMemberIds(ctx.currentUser), requestedId)
  const payslip = await lockOwnPayslip(ctx, slip_id, { closed: 'allowed' })
  const { batch } = payslip
  const threads = await listPayslipThreads(ctx, slip_id)
  const thread = threads.find((one) => one.line === (line ?? ''))
  if (thread && !ctx.isReadOnly) await markAnswerRead(ctx, thread.id)
  const items = await getFeedbackItems(ctx, payslip)
  return {
    slip_id,
    status: thread ? thread.status : null,
    title: batch.title_name ?? '',
    subject: (thread && getFeedbackSubject(ctx, thread)) ?? items.find(({ key }) => key === line) ?? null,
    owner: thread ? await getAdminMemberName(ctx, thread.owner_id ?? batch.owner_id) : null,
    due_at: thread?.due_at ? toIsoTimestamp(thread.due_at) : null,
    messages: thread ? await listThreadMessages(ctx, thread.id) : [],
    columns: items,
    threads: threads.map((one) => ({
      line: one.line || null,
      status: one.status,
      answer_unread: one.answer_unread,
    })),
  }
})

export const getFeedbackImage = defineHandler(contract.getFeedbackImage, async (ctx, { slip_id, id }) => {
  await lockOwnPayslip(ctx, slip_id, { closed: 'allowed' })
  const { picture, salary_id } = await loadFeedbackPicture(ctx, id)
  if (salary_id !== slip_id) throw fail('not_found')
  return { picture }
})
