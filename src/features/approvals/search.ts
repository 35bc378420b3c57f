/** Parses the search parameters of the to-do page. */
import type { ApprovalStatus } from '../../../server/contract/approvals/approvals.ts'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../components/search-params.ts'

export const todoViews = ['todo', 'approval', 'notice'] as const
export type TodoView = (typeof todoViews)[number]
export type TodoSearch = PageParams & { view?: TodoView | undefined; status?: ApprovalStatus | undefined }
// Written out because the first bundle of the routed app must not include the approval calls.
const approvalStatuses = [0, 1, 2, 3] as const satisfies readonly ApprovalStatus[]
export const parseTodoSearch = (raw: Record<string, unknown>): TodoSearch => ({
  ...parsePageParams(raw),
  view: parseEnum(raw.view, todoViews),
  status: approvalStatuses.find((status) => String(status) === parseText(raw.status)),
})
