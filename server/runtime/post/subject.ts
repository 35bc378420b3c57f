/** What the post office asks of a subject: slips, invitations, letters. */
import type { RawBuilder } from 'kysely'
import type { Departure, TriedRow } from './counter.ts'
import type { Claimed, LedgerBook, LedgerTx, Marked } from './ledger.ts'
import type { LotState } from './rules/next.ts'

/** How a lot stands, held until the transaction ends, and whatever its subject needs to say something. */
export type LotGate = { readonly state: LotState }

/** What a subject tells the post office of its messages. `Of` is a transaction of its own, `Row` what it reads before a message leaves. */
export type Subject<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow> = {
  readonly company_id: string
  readonly book: LedgerBook
  /** What an administrator reads beside a message that was cancelled because its lot was withdrawn. */
  readonly withdrawn: string
  inLot<T>(fn: (of: Of) => Promise<T>): Promise<T>
  /**
   * The lot, locked until the transaction ends; null where there is none. `share` lets several senders hold it at once; who will change
   * it says `update` at once, because two that hold it together and both want more would wait for each other for ever.
   */
  gate(of: Of, lock: 'share' | 'update'): Promise<Gate | null>
  /** Before anything is taken: answers how long to wait until the lot may begin; null for now. */
  begin?(of: Of): Promise<number | null>
  /** Hands over what needs no carrier, some at a time; answers how many. */
  direct?(of: Of): Promise<number>
  /** By id, where the person of an earlier try lives now. */
  addresses(of: Of, rows: readonly Claimed[]): Promise<ReadonlyMap<string, string>>
  /** Selects from `tried` (the rows as the book has them) what decides whether and where to. */
  read(of: Of): RawBuilder<Row>
  departure(row: Row, gate: Gate): Departure
  /** What became of messages: settled by the subject in the transaction that writes it down. */
  settled(of: Of, marked: readonly Marked[]): Promise<void>
  /** Nothing is open any more. */
  finished(of: Of): Promise<void>
  /** Many were taken at once. */
  many?(): Promise<void>
}
