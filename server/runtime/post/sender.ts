/**
 * The sender: takes what a lot has in its book out into the world.
 *
 * Doing a turn twice, in two processes, or again after a crash at any point is harmless: a row is taken under a lease that only one
 * sender holds; every try is counted before the message leaves; a row whose last try has an unknown outcome is looked up at the
 * carrier, by its own unchanging id, before anything is repeated; and results are written only by the holder of the lease.
 * No transaction is open around a message that is under way. What comes next is decided in `rules/next.ts`; here it is only done.
 */
import type { Clock } from '../clock.ts'
import type { Outdoors } from '../data/outdoors.ts'
import type { Database } from '../db.ts'
import { type Departure, lineFor, type TriedRow, tryGroup } from './counter.ts'
import type { TurnEngine, TurnLimits } from './hand.ts'
import { workTurn } from './hands.ts'
import { type LedgerTx, mark, type Outcome } from './ledger.ts'
import type { CarrierLines } from './lines.ts'
import { openPace } from './pace.ts'
import type { LotGate, Subject } from './subject.ts'

export type { TurnLimits }

const usual: TurnLimits = {
  chunk: 96,
  group: 8,
  stage: 256,
  turn_ms: 2500,
  nap_ms: 1000,
  patience_ms: 20_000,
}

export type TurnParts = {
  readonly database: Database
  readonly clock: Clock
  readonly lines: CarrierLines
  readonly limits?: Partial<TurnLimits>
}

/** When a turn is to end, and that no transaction is open around it. */
export type TurnContext = { readonly signal: AbortSignal; readonly outdoors: Outdoors }

/** Turns of this process. Their owners are alive: leases of anybody else belong to another node, or to the dead. */
export function openTurns({ database, clock, lines, limits }: TurnParts) {
  const within: TurnLimits = { ...usual, ...limits }
  const { sms } = lines
  // What is tried without a turn (a code) leaves by the house's own lines.
  const house = { sms, platform: null, email: null }
  const pace = openPace(database, clock)
  const { underWay } = database
  const parts: Omit<TurnEngine, 'outdoors'> = { clock, lines: house, within, pace, underWay, patience_ms: within.patience_ms }
  const alive = new Set<string>()

  /** Answers how long to rest before the next turn; null when nothing is left to do. */
  async function turn<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow>(
    subject: Subject<Of, Gate, Row>,
    { signal, outdoors }: TurnContext,
  ): Promise<number | null> {
    const wait_ms = (await (subject.begin && subject.inLot(subject.begin))) ?? null
    if (wait_ms !== null) return wait_ms
    const email = await lines.mail(subject.company_id)
    const platform = await lines.platform(subject.company_id)
    return workTurn({ ...parts, outdoors, lines: { ...house, email, platform } }, subject, signal, alive)
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
    const engine: TurnEngine = { ...parts, outdoors }
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
