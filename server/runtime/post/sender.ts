/**
 * The sender: takes what a lot has in its book out into the world.
 *
 * Doing a turn twice, in two processes, or again after a crash at any point is harmless: a row is taken under a lease that only one
 * sender holds; every try is counted before the message leaves; a row whose last try has an unknown outcome is looked up at the
 * carrier, by its own unchanging id, before anything is repeated; and results are written only by the holder of the lease.
 * No transaction is open while a message is under way. What comes next is decided in `rules/next.ts`; here it is only done.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import {
  type CounterParts,
  cancelled,
  type Departure,
  lineFor,
  sortClaimed,
  type TriedRow,
  type TryResult,
  tryGroup,
  withoutAgain,
} from './counter.ts'
import {
  type Book,
  beginTry,
  type Claimed,
  claim,
  type Here,
  type Marked,
  mark,
  type Outcome,
  openRows,
  release,
} from './ledger.ts'
import type { CarrierLines } from './lines.ts'
import { type LotState, next, type TurnState } from './rules/next.ts'
import { longest_rest_ms } from './rules/outcome.ts'

export type TurnLimits = {
  /** Rows taken under a lease at once. */
  readonly chunk: number
  /** Messages under way at once, or as many as the carrier takes in a call; they are asked for again, and marked, together. */
  readonly group: number
  /** A turn ends after so long or so many messages, so that a small company waits seconds behind a large one. */
  readonly turn_ms: number
  readonly turn_messages: number
  /** A carrier that says nothing for so long has an unknown outcome; well within the lease. */
  readonly patience_ms: number
}
const usual: TurnLimits = { chunk: 96, group: 8, turn_ms: 2500, turn_messages: 2000, patience_ms: 20_000 }

/** How a lot stands, held until the transaction ends, and whatever its subject needs to say something. */
export type LotGate = { readonly state: LotState }

/** What a subject tells the post office of its messages. `Of` is a transaction of its own, `Row` what it reads before a message leaves. */
export type Subject<Of extends Here, Gate extends LotGate, Row extends TriedRow> = {
  readonly company_id: string
  readonly book: Book
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

export type TurnParts = {
  readonly clock: Clock
  readonly lines: CarrierLines
  readonly limits?: Partial<TurnLimits>
}

/** What a turn has in hand between its transactions. */
type Hand = {
  ready: Claimed[]
  outcomes: Outcome[]
  asked: number
  errors: number
  rest_ms: number
  direct: boolean
}
type Done<Gate, Row> =
  | { readonly did: 'end'; readonly rest_ms: number | null }
  | { readonly did: 'nap'; readonly ms: number }
  | { readonly did: 'direct' | 'finish' }
  | { readonly did: 'claim'; readonly rows: Claimed[]; readonly to: ReadonlyMap<string, string>; readonly lot: LotState }
  | { readonly did: 'try'; readonly rows: Row[]; readonly gate: Gate }

/** Turns of this process. Their owners are alive: leases of anybody else belong to another node, or to the dead. */
export function openTurns({ clock, lines, limits }: TurnParts) {
  const within: TurnLimits = { ...usual, ...limits }
  const counter: CounterParts = { clock, lines, patience_ms: within.patience_ms }
  const alive = new Set<string>()

  /** Answers how long to rest before the next turn; null when nothing is left to do. */
  async function turn<Of extends Here, Gate extends LotGate, Row extends TriedRow>(
    subject: Subject<Of, Gate, Row>,
    signal: AbortSignal,
  ): Promise<number | null> {
    const owner = newId()
    alive.add(owner)
    try {
      const wait_ms = (await (subject.begin && subject.inLot(subject.begin))) ?? null
      return wait_ms ?? (await loop(subject, owner, signal))
    } catch (error) {
      // What we hold is free at once instead of in a minute; if even that fails, the lease runs out.
      await subject.inLot((of) => release(of, subject.book, owner)).catch(() => undefined)
      throw error
    } finally {
      alive.delete(owner)
    }
  }

  async function loop<Of extends Here, Gate extends LotGate, Row extends TriedRow>(
    subject: Subject<Of, Gate, Row>,
    owner: string,
    signal: AbortSignal,
  ): Promise<number | null> {
    const ends = performance.now() + within.turn_ms
    const hand: Hand = { ready: [], outcomes: [], asked: 0, errors: 0, rest_ms: 0, direct: Boolean(subject.direct) }
    for (;;) {
      const began = performance.now()
      const tired = signal.aborted || began > ends || hand.asked >= within.turn_messages
      const done = await subject.inLot((of) => perform({ subject, of, owner, hand, tired }))
      hand.outcomes = []
      if (done.did === 'end') return done.rest_ms
      if (done.did === 'finish') return subject.inLot((of) => finish(subject, of))
      if (done.did === 'nap') await sleep(done.ms)
      if (done.did === 'claim') {
        if (done.rows.length === within.chunk) await subject.many?.()
        const { ready, outcomes } = await sortClaimed(counter, { ...done, withdrawn: subject.withdrawn })
        Object.assign(hand, { ready, outcomes })
      }
      if (done.did === 'try') {
        hand.ready = hand.ready.slice(groupOf(hand.ready).length)
        const group = done.rows.map((row) => ({ row, departure: subject.departure(row, done.gate) }))
        take(hand, await tryGroup(counter, group, began))
      }
    }
  }

  /** The next group: of one channel, as many as go together. */
  function groupOf(ready: readonly Claimed[]): Claimed[] {
    const [first] = ready
    if (!first) return []
    const size = Math.max(within.group, lineFor(lines, first.channel)?.description.at_once ?? 1)
    const other = ready.findIndex((one) => one.channel !== first.channel)
    return ready.slice(0, other < 0 ? size : Math.min(size, other))
  }

  /** Does the next step as far as it belongs into the transaction. */
  async function perform<Of extends Here, Gate extends LotGate, Row extends TriedRow>(at: {
    readonly subject: Subject<Of, Gate, Row>
    readonly of: Of
    readonly owner: string
    readonly hand: Hand
    readonly tired: boolean
  }): Promise<Done<Gate, Row>> {
    const { subject, of, owner, hand, tired } = at
    const gate = await subject.gate(of, 'share')
    if (!gate) return { did: 'end', rest_ms: null }
    const write = async (outcomes: readonly Outcome[]) => subject.settled(of, await mark(of, subject.book, owner, outcomes))
    if (hand.outcomes.length > 0)
      await write(gate.state === 'withdrawn' ? hand.outcomes.map(withoutAgain(subject.withdrawn)) : hand.outcomes)
    const { ready, direct, errors, rest_ms } = hand
    const state: TurnState = { lot: gate.state, ready: ready.length, direct, tired, rest_ms, pace_ms: 0, errors }
    const step = next(state)
    switch (step.step) {
      case 'stop':
        return { did: 'end', rest_ms: null }
      case 'rest':
        if (step.cancel) await write(ready.map(({ id }) => cancelled(id, subject.withdrawn)))
        await release(of, subject.book, owner)
        return { did: 'end', rest_ms: step.ms }
      case 'nap':
        return { did: 'nap', ms: step.ms }
      case 'try': {
        const ids = groupOf(ready).map(({ id }) => id)
        return { did: 'try', gate, rows: await beginTry(of, subject.book, owner, { ids, read: subject.read(of) }) }
      }
      case 'direct':
        hand.direct = ((await subject.direct?.(of)) ?? 0) > 0
        return { did: 'direct' }
      case 'claim': {
        const rows = await claim(of, subject.book, { owner, settle: step.settle, count: within.chunk })
        if (rows.length === 0) return { did: 'finish' }
        const unclear = rows.filter((row) => row.attempts > 0)
        const to = unclear.length > 0 ? await subject.addresses(of, unclear) : new Map<string, string>()
        return { did: 'claim', rows, to, lot: gate.state }
      }
    }
  }

  /** Nothing can be taken now: either it is a matter of time, or the lot is done. */
  async function finish<Of extends Here, Gate extends LotGate, Row extends TriedRow>(
    subject: Subject<Of, Gate, Row>,
    of: Of,
  ): Promise<number | null> {
    const gate = await subject.gate(of, 'update')
    if (!gate) return null
    const active = gate.state === 'active'
    const open = await openRows(of, subject.book, active)
    if (open.count > 0) return Math.min(longest_rest_ms, Math.max(1000, (open.next?.getTime() ?? 0) - of.now.getTime()))
    if (active) await subject.finished(of)
    return null
  }

  return { turn, alive: alive as ReadonlySet<string> }
}

function take(hand: Hand, results: readonly TryResult[]): void {
  hand.asked += results.length
  for (const { outcome, error, rest_ms } of results) {
    hand.rest_ms = Math.max(hand.rest_ms, rest_ms)
    hand.errors = error ? hand.errors + 1 : outcome?.status === 'accepted' ? 0 : hand.errors
    if (outcome) hand.outcomes.push(outcome)
  }
}
