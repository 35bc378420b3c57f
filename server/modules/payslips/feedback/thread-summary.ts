/** What a payslip shows of its feedback threads. */
import { sql } from 'kysely'
import type { HandlerContext } from '../../../http/handler.ts'

export type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>

/** Lists the threads of one payslip, the one about the whole payslip first. */
export const listPayslipThreads = ({ db, company_id }: CompanyTx, salary_id: string) =>
  db
    .selectFrom('feedback')
    .select(['id', 'status', 'line', 'line_label', 'due_at', 'owner_id', hasUnreadAnswer.as('answer_unread')])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .orderBy('line')
    .execute()

/** Summarizes the threads for the payslip; undefined without feedback. Threads with an unread answer come first. */
export async function getThreadSummary(companyTx: CompanyTx, salary_id: string) {
  const threads = await listPayslipThreads(companyTx, salary_id)
  const answer_unread = threads.some((one) => one.answer_unread)
  const first = threads.find((one) => one.answer_unread) ?? threads.find(({ status }) => status === 'open') ?? threads[0]
  return first && { id: first.id, status: first.status, answer_unread }
}

/** SQL condition for `feedback`: the employee has not read the answer. */
export const hasUnreadAnswer = sql<boolean>`(feedback.answered_at is not null and (feedback.read_at is null or feedback.read_at < feedback.answered_at))`
