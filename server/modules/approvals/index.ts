/** Applications and their decisions; transfers of authority. Writes approval. */
export { cancelApproval, countDecidableApprovals, createApproval, listSendDeciders } from './approval-rows.ts'
export { getApproval } from './decide.ts'
export { registerDecisionHandler } from './decision-handlers.ts'
