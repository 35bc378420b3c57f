/** What the page of to-dos reads from the address. */
import type { ApprovalStatus } from '../../../server/contract/approvals/approvals.ts'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../ui/search-params.ts'

export const todoViews = ['todo', 'approval', 'notice'] as const
export type TodoView = (typeof todoViews)[number]
export type TodoSearch = PageParams & { view?: TodoView | undefined; status?: ApprovalStatus | undefined }
// Written out: the routed app's first file must not bring the calls of approvals with it.
const approvalStatuses = [0, 1, 2, 3] as const satisfies readonly ApprovalStatus[]
export const parseTodoSearch = (raw: Record<string, unknown>): TodoSearch => ({
  ...parsePageParams(raw),
  view: parseEnum(raw.view, todoViews),
  status: approvalStatuses.find((status) => String(status) === parseText(raw.status)),
})
