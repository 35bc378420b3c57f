/** Effects of a decision, registered by the subject modules: approvals know none of them. */
import type { ApprovalKind, ApprovalStatus } from '../../contract/approvals/approvals.ts'
import type { AccessContext } from '../../http/handler.ts'

type ApprovalDecision = { readonly approval_no: string; readonly status: Exclude<ApprovalStatus, 0> }
type DecisionHandler = (ctx: AccessContext, decided: ApprovalDecision) => Promise<void>
const decisionHandlers = new Map<ApprovalKind, DecisionHandler>()

/** The handler runs in the transaction of the decision; if it throws, the application stays undecided. */
export const registerDecisionHandler = (kind: ApprovalKind, handler: DecisionHandler): void =>
  void decisionHandlers.set(kind, handler)
export const runDecisionHandler = async (ctx: AccessContext, kind: ApprovalKind, decision: ApprovalDecision): Promise<void> =>
  decisionHandlers.get(kind)?.(ctx, decision)
