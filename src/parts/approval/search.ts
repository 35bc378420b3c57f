/** What the page of to-dos reads from the address. */
import type { ApprovalStatus } from '../../../server/contract/corp/approval.ts'
import { oneOf, type PageSearch, pageOf, textOf } from '../../ui/search.ts'

export const views = ['todo', 'approval', 'notice'] as const
export type TodoView = (typeof views)[number]
export type TodoSearch = PageSearch & { view?: TodoView | undefined; status?: ApprovalStatus | undefined }
// Written out: the routed app's first file must not bring the calls of approvals with it.
const statuses = [0, 1, 2, 3] as const satisfies readonly ApprovalStatus[]
export const todoSearchOf = (raw: Record<string, unknown>): TodoSearch => ({
  ...pageOf(raw),
  view: oneOf(raw.view, views),
  status: statuses.find((status) => String(status) === textOf(raw.status)),
})
