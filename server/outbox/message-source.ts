/** What the post office asks of a subject: slips, invitations, letters. */
import type { RawBuilder } from 'kysely'
import type { AttemptedRow, DispatchDecision } from './dispatch.ts'
import type { ClaimedRow, CompanyTx, OutboxTable, SettledRow } from './ledger.ts'
import type { BatchSendState } from './rules/next-step.ts'

/** How a lot stands, held until the transaction ends, and whatever its subject needs to say something. */
export type LockedBatch = { readonly state: BatchSendState }

/** What a subject tells the post office of its messages. `Of` is a transaction of its own, `Row` what it reads before a message leaves. */
export type MessageSource<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow> = {
  readonly company_id: string
  readonly table: OutboxTable
  /** What an administrator reads beside a message that was cancelled because its lot was withdrawn. */
  readonly withdrawnMessage: string
  inBatchTx<T>(fn: (of: Of) => Promise<T>): Promise<T>
  /**
   * The lot, locked until the transaction ends; null where there is none. `share` lets several senders hold it at once; who will change
   * it says `update` at once, because two that hold it together and both want more would wait for each other for ever.
   */
  lockBatch(of: Of, lock: 'share' | 'update'): Promise<Gate | null>
  /** Before anything is taken: answers how long to wait until the lot may begin; null for now. */
  start?(of: Of): Promise<number | null>
  /** Hands over what needs no carrier, some at a time; answers how many. */
  sendDirect?(of: Of): Promise<number>
  /** By id, where the person of an earlier try lives now. */
  getAddresses(of: Of, rows: readonly ClaimedRow[]): Promise<ReadonlyMap<string, string>>
  /** Selects from `tried` (the rows as the book has them) what decides whether and where to. */
  selectAttempted(of: Of): RawBuilder<Row>
  decideDispatch(row: Row, gate: Gate): DispatchDecision
  /** What became of messages: settled by the subject in the transaction that writes it down. */
  onSettled(of: Of, marked: readonly SettledRow[]): Promise<void>
  /** Nothing is open any more. */
  onFinished(of: Of): Promise<void>
  /** Many were taken at once. */
  onManyClaimed?(): Promise<void>
}
