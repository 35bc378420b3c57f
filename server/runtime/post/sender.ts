/**
 * The sender: takes what a lot has in its book out into the world.
 *
 * Doing a turn twice, in two processes, or again after a crash at any point is harmless: a row is taken under a lease that only one
 * sender holds; every try is counted before the message leaves; a row whose last try has an unknown outcome is looked up at the
 * carrier, by its own unchanging id, before anything is repeated; and results are written only by the holder of the lease.
 * No transaction is open while a message is under way. What comes next is decided in `rules/next.ts`; here it is only done.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Outdoors } from '../data/outdoors.ts'
import type { Database } from '../db.ts'
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
import { beginTry, type Claimed, claim, type LedgerTx, mark, type Outcome, openRows, release } from './ledger.ts'
import type { CarrierLines } from './lines.ts'
import { openPace } from './pace.ts'
import { type LotState, next } from './rules/next.ts'
import { longest_rest_ms } from './rules/outcome.ts'
import type { LotGate, Subject } from './subject.ts'

export type TurnLimits = {
  /** Rows taken under a lease at once. */
  readonly chunk: number
  /** Messages under way at once, or as many as the carrier takes in a call; they are asked for again, and marked, together. */
  readonly group: number
  /** A turn ends after so long or so many messages, so that a small company waits seconds behind a large one. */
  readonly turn_ms: number
  readonly turn_messages: number
  /** A turn stays for a wait of so long. */
  readonly nap_ms: number
  /** A carrier that says nothing for so long has an unknown outcome; well within the lease. */
  readonly patience_ms: number
}
const usual: TurnLimits = { chunk: 96, group: 8, turn_ms: 2500, turn_messages: 2000, nap_ms: 1000, patience_ms: 20_000 }

export type TurnParts = {
  readonly database: Database
  readonly clock: Clock
  readonly lines: CarrierLines
  readonly limits?: Partial<TurnLimits>
}

/** What a turn has in hand between its transactions. */
type Hand = {
  ready: readonly Claimed[]
  outcomes: readonly Outcome[]
  asked: number
  errors: number
  rest_ms: number
  direct: boolean
  /** So many the pace of this line lets go, and how long it takes until the next one may. */
  line: string
  room: number
  pace_ms: number
}
type Done<Gate, Row> =
  | { readonly did: 'end'; readonly rest_ms: number | null }
  | { readonly did: 'nap'; readonly ms: number }
  | { readonly did: 'direct' | 'finish' }
  | { readonly did: 'claim'; readonly rows: Claimed[]; readonly to: ReadonlyMap<string, string>; readonly lot: LotState }
  | { readonly did: 'try'; readonly rows: Row[]; readonly gate: Gate }

/** What all turns of a process have in common. */
type Engine = CounterParts & { readonly within: TurnLimits }

/** When a turn is to end, and that no transaction is open around it. */
export type TurnContext = { readonly signal: AbortSignal; readonly outdoors: Outdoors }

/** Turns of this process. Their owners are alive: leases of anybody else belong to another node, or to the dead. */
export function openTurns({ database, clock, lines, limits }: TurnParts) {
  const within: TurnLimits = { ...usual, ...limits }
  const { sms } = lines
  // What is tried without a turn (a code) leaves by the house's own lines.
  const house = { sms, platform: null, email: null }
  const pace = openPace(database, clock)
  const parts: Omit<Engine, 'outdoors'> = { clock, lines: house, within, pace, patience_ms: within.patience_ms }
  const alive = new Set<string>()

  /** Answers how long to rest before the next turn; null when nothing is left to do. */
  async function turn<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow>(
    subject: Subject<Of, Gate, Row>,
    { signal, outdoors }: TurnContext,
  ): Promise<number | null> {
    const engine: Engine = { ...parts, outdoors }
    const owner = newId()
    alive.add(owner)
    try {
      const wait_ms = (await (subject.begin && subject.inLot(subject.begin))) ?? null
      if (wait_ms !== null) return wait_ms
      const email = await lines.mail(subject.company_id)
      const platform = await lines.platform(subject.company_id)
      return await loop({ ...engine, lines: { ...house, email, platform } }, subject, owner, signal)
    } catch (error) {
      // What we hold is free at once instead of in a minute; if even that fails, the lease runs out.
      await subject.inLot((of) => release(of, subject.book, owner)).catch(() => undefined)
      throw error
    } finally {
      alive.delete(owner)
    }
  }

  /**
   * The first try of a row that was written as begun: leased by `owner`, one try counted. It needs no turn; should this process die, the
   * next turn finds a lease that has run out, and asks the carrier. Answers as `turn` does.
   */
  async function firstTry<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow>(
    subject: Subject<Of, Gate, Row>,
    owner: string,
    { row, departure, outdoors }: { readonly row: TriedRow; readonly departure: Departure; readonly outdoors: Outdoors },
  ): Promise<number | null> {
    const engine: Engine = { ...parts, outdoors }
    const began = performance.now()
    const line = lineFor(house, row.channel)
    const allowed =
      !line || (line.description.pace ? await engine.pace.allow(line, subject.company_id, 1) : engine.pace.heard(line))
    const outcomes: Outcome[] = []
    if (allowed === true || allowed.count > 0) {
      for (const { outcome } of await tryGroup(engine, [{ row, departure }], began)) if (outcome) outcomes.push(outcome)
    } else {
      const due_at = new Date(clock.now().getTime() + allowed.wait_ms)
      outcomes.push({ id: row.id, status: 'queued', due_at, tried_at: null, uncounted: true })
    }
    await subject.inLot(async (of) => subject.settled(of, await mark(of, subject.book, owner, outcomes)))
    const [later] = outcomes.flatMap(({ due_at }) => due_at ?? [])
    return later ? Math.max(0, later.getTime() - clock.now().getTime()) : null
  }

  const owners: ReadonlySet<string> = alive
  return { turn, firstTry, alive: owners }
}

const nothing: Hand = {
  ready: [],
  outcomes: [],
  asked: 0,
  errors: 0,
  rest_ms: 0,
  direct: false,
  line: '',
  room: 0,
  pace_ms: 0,
}

async function loop<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow>(
  engine: Engine,
  subject: Subject<Of, Gate, Row>,
  owner: string,
  signal: AbortSignal,
): Promise<number | null> {
  const { within } = engine
  const ends = performance.now() + within.turn_ms
  const hand: Hand = { ...nothing, direct: Boolean(subject.direct) }
  for (;;) {
    const began = performance.now()
    const tired = signal.aborted || began > ends || hand.asked >= within.turn_messages
    if (!tired) await askPace(engine, subject.company_id, hand)
    const done = await subject.inLot((of) => perform(engine, { subject, of, owner, hand, tired }))
    hand.outcomes = []
    if (done.did === 'end') return done.rest_ms
    if (done.did === 'finish') return subject.inLot((of) => finish(subject, of))
    if (done.did === 'nap') await sleep(done.ms)
    if (done.did === 'claim') {
      if (done.rows.length === within.chunk) await subject.many?.()
      Object.assign(hand, await sortClaimed(engine, { ...done, withdrawn: subject.withdrawn }))
    }
    if (done.did === 'try') {
      const tried = groupOf(engine, hand).length
      hand.ready = hand.ready.slice(tried)
      hand.room -= tried
      const group = done.rows.map((row) => ({ row, departure: subject.departure(row, done.gate) }))
      take(hand, await tryGroup(engine, group, began))
    }
  }
}

/** The next group: of one channel, as many as go together and as the pace lets go. */
function groupOf({ within, lines }: Engine, { ready, room }: Pick<Hand, 'ready' | 'room'>): readonly Claimed[] {
  const [first] = ready
  if (!first) return []
  const size = Math.max(within.group, lineFor(lines, first.channel)?.description.at_once ?? 1)
  const other = ready.findIndex((one) => one.channel !== first.channel)
  return ready.slice(0, Math.min(size, room, other < 0 ? size : other))
}

async function askPace(engine: Engine, asker: string, hand: Hand): Promise<void> {
  hand.pace_ms = 0
  const [first] = hand.ready
  if (!first) return
  const line = lineFor(engine.lines, first.channel)
  if (hand.room > 0 && hand.line === (line?.key ?? '')) return
  const want = groupOf(engine, { ready: hand.ready, room: Number.POSITIVE_INFINITY }).length
  const { count, wait_ms } = line ? await engine.pace.allow(line, asker, want) : { count: want, wait_ms: 0 }
  Object.assign(hand, { line: line?.key ?? '', room: count, pace_ms: wait_ms })
}

type InLot<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow> = {
  readonly subject: Subject<Of, Gate, Row>
  readonly of: Of
  readonly owner: string
  readonly hand: Hand
  readonly tired: boolean
}

/** Writes what the last step came to, and does the next one as far as it belongs into the transaction. */
async function perform<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow>(
  engine: Engine,
  { subject, of, owner, hand, tired }: InLot<Of, Gate, Row>,
): Promise<Done<Gate, Row>> {
  const gate = await subject.gate(of, 'share')
  if (!gate) return { did: 'end', rest_ms: null }
  const write = async (outcomes: readonly Outcome[]) => subject.settled(of, await mark(of, subject.book, owner, outcomes))
  const sure = withoutAgain(subject.withdrawn)
  if (hand.outcomes.length > 0) await write(gate.state === 'withdrawn' ? hand.outcomes.map(sure) : hand.outcomes)
  const { ready, direct, errors, rest_ms, pace_ms } = hand
  const { nap_ms } = engine.within
  const step = next({ lot: gate.state, ready: ready.length, direct, tired, rest_ms, pace_ms, nap_ms, errors })
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
      const ids = groupOf(engine, hand).map(({ id }) => id)
      return { did: 'try', gate, rows: await beginTry(of, subject.book, owner, { ids, read: subject.read(of) }) }
    }
    case 'direct':
      hand.direct = ((await subject.direct?.(of)) ?? 0) > 0
      return { did: 'direct' }
    case 'claim': {
      const rows = await claim(of, subject.book, { owner, which: step.which, count: engine.within.chunk })
      if (rows.length === 0) return { did: 'finish' }
      const unclear = rows.filter((row) => row.attempts > 0)
      const to = unclear.length > 0 ? await subject.addresses(of, unclear) : new Map<string, string>()
      return { did: 'claim', rows, to, lot: gate.state }
    }
  }
}

/** Nothing can be taken now: either it is a matter of time, or the lot is done. */
async function finish<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow>(
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

function take(hand: Hand, results: readonly TryResult[]): void {
  hand.asked += results.length
  for (const { outcome, error, rest_ms } of results) {
    hand.rest_ms = Math.max(hand.rest_ms, rest_ms)
    hand.errors = error ? hand.errors + 1 : outcome?.status === 'accepted' ? 0 : hand.errors
  }
  hand.outcomes = results.flatMap(({ outcome }) => (outcome ? [outcome] : []))
}
