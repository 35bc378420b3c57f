/** Applications and their decisions; authority that changes hands. Writes approval. */
export { cancelApproval, canDecideSend, takeDown, waitingForMe } from './applications.ts'
export { approvalIn } from './decide.ts'
export { afterDecision } from './decided.ts'
