/** Applications and their decisions; authority that changes hands. Writes approval. */
export { waitingForMe } from './applications.ts'
