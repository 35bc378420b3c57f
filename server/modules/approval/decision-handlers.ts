/** What a decision does, told by the subject that it is about: approvals know none of them. */
import type { ApprovalKind, ApprovalStatus } from '../../contract/approvals/approvals.ts'
import type { AccessContext } from '../../http/handler.ts'

type ApprovalDecision = { readonly approval_no: string; readonly status: Exclude<ApprovalStatus, 0> }
type DecisionHandler = (ctx: AccessContext, decided: ApprovalDecision) => Promise<void>
const decisionHandlers = new Map<ApprovalKind, DecisionHandler>()

/** In the transaction of the decision; what it refuses is not decided. */
export const registerDecisionHandler = (kind: ApprovalKind, handler: DecisionHandler): void =>
  void decisionHandlers.set(kind, handler)
export const runDecisionHandler = async (ctx: AccessContext, kind: ApprovalKind, decision: ApprovalDecision): Promise<void> =>
  decisionHandlers.get(kind)?.(ctx, decision)
