/** The outbox: sends messages. It knows no subject; subjects provide content and recipients. */

export {
  type AddressedMessage,
  type ChannelSender,
  type ChannelSenders,
  type CountSmsSegments,
  createChannelSender,
  createSegmentCounter,
  createSmsRenderer,
  sendRawMessage,
} from './channel-senders.ts'
export { type DeliveryReport, processReports } from './delivery-reports.ts'
export type { AttemptedRow, DispatchDecision } from './dispatch.ts'
export {
  type ClaimedRow,
  claimRows,
  countFutureInstants,
  leaseMs,
  type OutboxTable,
  recordOutcomes,
  releaseDeadLeases,
  type SettledRow,
  startAttempts,
} from './ledger.ts'
export type { LockedBatch, MessageSource } from './message-source.ts'
export {
  countSentSince,
  createMessageSource,
  createMessageTable,
  createSystemTx,
  deleteSystemMessages,
  enqueueMessages,
  getMessages,
  type MessageDeps,
  type NewMessage,
  type OutboxTx,
  registerMessageKind,
  type SendNow,
  selectFailureMessage,
} from './messages.ts'
export { composeMessage } from './rules/compose.ts'
export type { BatchSendState } from './rules/next-step.ts'
export { createSender, type SenderLimits } from './sender.ts'
