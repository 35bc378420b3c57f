/** Applications and their decisions; authority that changes hands. Writes approval. */
export { cancelApproval, countDecidableApprovals, createApproval, listSendDeciders } from './approval-rows.ts'
export { getApproval } from './decide.ts'
export { registerDecisionHandler } from './decision-handlers.ts'
