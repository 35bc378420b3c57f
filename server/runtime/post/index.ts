/** The post office: how messages leave the house. It knows no subject; subjects tell it what to say to whom. */
export type { Departure, TriedRow } from './counter.ts'
export { beginTry, type Claimed, claim, type LedgerBook, type LedgerTx, lease_ms, type Marked, mark, takeBack } from './ledger.ts'
export {
  type Addressed,
  type CarrierLines,
  handOverWords,
  type OutsideLine,
  outsideLine,
  pieceCounter,
  smsWriter,
} from './lines.ts'
export {
  failureOf,
  forgetOwnMessages,
  houseTx,
  letterSubject,
  type MessageParts,
  messageBook,
  messagesOf,
  type NewMessage,
  nobody,
  openKind,
  type PostNow,
  type PostTx,
  post,
  sentSince,
} from './messages.ts'
export { outboxLine } from './outbox.ts'
export { type Report, takeReports } from './reports.ts'
export { composed } from './rules/composed.ts'
export type { LotState } from './rules/next.ts'
export { openTurns, type TurnLimits } from './sender.ts'
export type { LotGate, Subject } from './subject.ts'
