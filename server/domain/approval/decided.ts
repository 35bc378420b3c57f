/** What a decision does, told by the subject that it is about: approvals know none of them. */
import type { ApprovalKind, ApprovalStatus } from '../../contract/corp/approval.ts'
import type { RightsCtx } from '../../runtime/handle.ts'

type Decided = { readonly approval_no: string; readonly status: Exclude<ApprovalStatus, 0> }
type Deed = (ctx: RightsCtx, decided: Decided) => Promise<void>
const deeds = new Map<ApprovalKind, Deed>()

/** In the transaction of the decision; what it refuses is not decided. */
export const afterDecision = (kind: ApprovalKind, deed: Deed): void => void deeds.set(kind, deed)
export const decided = async (ctx: RightsCtx, kind: ApprovalKind, one: Decided): Promise<void> => deeds.get(kind)?.(ctx, one)
