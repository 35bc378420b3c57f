/** What the page of to-dos reads from the address. */
import { type ApprovalStatus, approvalStatuses } from '../../../server/contract/approval.ts'
import { oneOf, type PageSearch, pageOf, textOf } from '../../ui/search.ts'

export const views = ['todo', 'approval', 'notice'] as const
export type View = (typeof views)[number]
export type TodoSearch = PageSearch & { view?: View | undefined; status?: ApprovalStatus | undefined }
export const todoSearchOf = (raw: Record<string, unknown>): TodoSearch => ({
  ...pageOf(raw),
  view: oneOf(raw.view, views),
  status: approvalStatuses.find((status) => String(status) === textOf(raw.status)),
})
