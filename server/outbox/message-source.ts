/** The interface between the outbox and its subjects: payslips, invites, notifications. */
import type { RawBuilder } from 'kysely'
import type { CompanyTimeTx } from '../database/company-tx.ts'
import type { AttemptedRow, DispatchDecision } from './dispatch.ts'
import type { ClaimedRow, OutboxTable, SettledRow } from './ledger.ts'
import type { BatchSendState } from './rules/next-step.ts'

/** The state of a batch, locked until the transaction ends, and what its subject needs to build messages. */
export type LockedBatch = {
  readonly state: BatchSendState
  /** The batch is active, but some of its rows are due at a time that was chosen: their time is no fault of a clock. */
  readonly hasScheduledRows?: boolean
}

/** A subject's source of messages. `Tx` is its transaction, `Row` is read before a message is sent. */
export type MessageSource<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow> = {
  readonly company_id: string
  readonly table: OutboxTable
  /** The reason that an administrator sees for a message cancelled because its batch was withdrawn. */
  readonly withdrawnMessage: string
  inBatchTx<T>(fn: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Locks the batch until the transaction ends; null where there is none. `share` allows several senders to hold it at
   * once; a transaction that will change it must request `update` first, because two holders of `share` that both
   * upgrade would deadlock.
   */
  lockBatch(tx: Tx, lock: 'share' | 'update'): Promise<Batch | null>
  /** Called before anything is claimed: returns how long to wait until the batch may start; null for now. */
  start?(tx: Tx): Promise<number | null>
  /** Delivers rows that need no carrier, some at a time; returns their number. */
  sendDirect?(tx: Tx): Promise<number>
  /** Returns by id the current address of rows with an earlier attempt. */
  getAddresses(tx: Tx, rows: readonly ClaimedRow[]): Promise<ReadonlyMap<string, string>>
  /** Selects from `tried` (the rows as in the table) what decides whether and where to send. */
  selectAttempted(tx: Tx): RawBuilder<Row>
  decideDispatch(row: Row, batch: Batch): DispatchDecision
  /** Called with recorded outcomes in the transaction that records them. */
  onSettled(tx: Tx, marked: readonly SettledRow[]): Promise<void>
  /** Called when nothing is pending any more. */
  onFinished(tx: Tx): Promise<void>
  /** Called when many rows were claimed at once. */
  onManyClaimed?(): Promise<void>
}
