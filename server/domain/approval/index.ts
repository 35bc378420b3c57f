/** Applications and their decisions; authority that changes hands. Writes approval. */
export { takeDown, waitingForMe } from './applications.ts'
export { afterDecision } from './decided.ts'
