/**
 * A random history of a company that sends: actions of its payroll administrator, behaviour of its gateway, deaths of
 * its server, and passing time, all derived from a seed. At its end the invariants are checked (`check`).
 */
import { MessageRejectedError, RateLimitedError } from '../../../../platform/carrier.ts'
import type { Call, CallRequest } from '../../../../server/contract/call.ts'
import * as slip from '../../../../server/contract/payslips/send.ts'
import type { Database } from '../../../../server/database/database.ts'
import { type Random, seeded } from '../../random.ts'
import { deliveries, getGateway, makeBatch, manyPeople, salaries, sender, smsLeft, untilStopped } from '../../slips.ts'
import type { Caller, Corp, Person, World } from '../../world.ts'

export const commands = 30
const sms_at_first = 10_000

/**
 * The life of a process until it is killed: the remaining numbers of transactions or messages. After that nothing it
 * does counts.
 */
type Life = { transactions: number; messages: number; dead: boolean }
const immortal = (): Life => ({ transactions: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY, dead: false })
class Killed extends Error {}

/** A database as seen by a process that is killed before a commit or right after one. */
function viewedBy(life: Life, database: Database, after: () => boolean): Database {
  const within =
    <A extends unknown[], T>(run: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const done = await run(...args)
      if (life.dead) throw new Killed()
      return done
    }
  const dying = async <T>(run: (last: boolean) => Promise<T>): Promise<T> => {
    if (life.dead) throw new Killed()
    life.transactions -= 1
    const isLast = life.transactions < 0
    const afterwards = isLast && after()
    const done = await run(isLast && !afterwards)
    if (isLast) life.dead = true
    if (isLast) throw new Killed()
    return done
  }
  const work =
    <T>(fn: (tx: never) => Promise<T>, last: boolean) =>
    async (tx: never): Promise<T> => {
      const done = await within(fn)(tx)
      if (!last) return done
      // The process is killed before its commit, as if none of it had happened.
      life.dead = true
      throw new Killed()
    }
  return {
    ...database,
    inCompany: (company_id, fn, options) =>
      dying((last) => database.inCompany(company_id, work(fn as never, last) as never, options)),
    withoutCompany: (fn, options) => dying((last) => database.withoutCompany(work(fn as never, last) as never, options)),
    asSystem: (fn, options) => dying((last) => database.asSystem(work(fn as never, last) as never, options)),
  }
}

type Row = Awaited<ReturnType<typeof deliveries>>[number]
/** The response of a withdrawal: what had been accepted by then, and how many more it named. */
type Ack = { readonly ids: ReadonlySet<string>; readonly accepted: number; readonly named: number; readonly what: string }

/**
 * Returns whether the payslip was withdrawn when this message had been requested. `past`: the payslip's record of its
 * versions.
 */
const wasWithdrawn = (past: unknown, { version, created_at }: Row): boolean =>
  (past as { version: number; withdrawn_at: string | null }[]).some(
    (one) => one.version >= version && one.withdrawn_at !== null && new Date(one.withdrawn_at) >= created_at,
  )

export class History {
  readonly messages: string[] = []
  readonly #random: Random
  readonly #world: World
  readonly #corp: Corp
  readonly #clerk: Person
  #caller: Caller
  #life: Life = immortal()
  #calm = false
  readonly #batches: string[] = []
  readonly #again = new Map<string, number>()
  readonly #acks: Ack[] = []
  /** Called while messages are in transit. */
  #meanwhile: (() => Promise<unknown>) | null = null
  readonly #gateway

  static async begin(world: World, seed: number): Promise<History> {
    const corp = await world.createCompany({ sms_left: sms_at_first })
    const clerk = await corp.person({ power: ['2'] })
    return new History(world, { seed, corp, clerk, caller: await world.signIn(clerk) })
  }

  private constructor(world: World, { seed, corp, clerk, caller }: { seed: number; corp: Corp; clerk: Person; caller: Caller }) {
    this.#world = world
    this.#random = seeded(seed)
    this.#corp = corp
    this.#clerk = clerk
    this.#caller = caller
    this.#gateway = getGateway({ before: (id) => this.#before(id), after: () => this.#after() })
  }

  /** The function runs on the way to the gateway. */
  async #before(_id: string): Promise<void> {
    const meanwhile = this.#meanwhile
    this.#meanwhile = null
    await meanwhile?.()
    if (this.#calm) return
    this.#life.messages -= 1
    // Half of the processes killed here have already transferred the message, and never learn of it.
    if (this.#life.messages < 0 && this.#random.chance(0.5)) this.#die()
    const at = this.#random.next()
    if (at < 0.08) throw new Error('ECONNRESET')
    if (at < 0.14) throw new MessageRejectedError('MOBILE_BLACK', '在黑名单中')
    if (at < 0.18) throw new RateLimitedError(20)
  }
  #after(): void {
    if (this.#calm) return
    if (this.#life.messages < 0) this.#die()
    if (this.#random.chance(0.1)) throw new Error('socket hang up')
  }
  #die(): never {
    this.#life.dead = true
    throw new Killed()
  }

  readonly #rows = async (): Promise<Row[]> =>
    (await Promise.all(this.#batches.map((batch_id) => deliveries(this.#world, this.#corp, batch_id)))).flat()
  readonly #taken = (ids: ReadonlySet<string>) => this.#gateway.accepted.filter(({ id }) => ids.has(id)).length

  async #ask<C extends Call>(call: C, input: CallRequest<C>) {
    const answer = await this.#caller.call(call, input)
    // An error code is a valid response; a server error is not.
    if (answer.status >= 500) throw new Error(`${call.route}: ${answer.status} ${answer.message}`)
    return answer
  }

  async #turn(batch_id: string, life: Life = immortal()): Promise<void> {
    this.#life = life
    const world = { ...this.#world, database: viewedBy(life, this.#world.database, () => this.#random.chance(0.5)) }
    const slot = sender(world, this.#gateway, { maxInlineWaitMs: 0 }).send(
      { company_id: this.#corp.company_id, batch_id },
      untilStopped,
    )
    await slot.catch((error: unknown) => {
      if (!life.dead) throw error
    })
    this.#life = immortal()
    await this.#look(batch_id)
  }

  async #withdraw(batch_id: string, one: string | null): Promise<void> {
    const current = (await this.#rows()).filter((row) => (one ? row.salary_id === one : row.batch_id === batch_id))
    const ids = new Set(current.map(({ id }) => id))
    const answer = one
      ? await this.#ask(slip.withdrawSingleSalary, { salary_id: one, reason: '算错了' })
      : await this.#ask(slip.withdrawBatchPaySheet, { batch_id, reason: '算错了' })
    if (answer.code !== 0) return
    this.#acks.push({ ids, accepted: this.#taken(ids), named: answer.data.in_flight, what: one ? 'one slip' : 'a batch' })
  }

  async #sendUnknown(batch_id: string): Promise<void> {
    const before = (await deliveries(this.#world, this.#corp, batch_id)).filter((row) => row.status === 'unknown')
    await this.#ask(slip.resolveUnknownDeliveries, { batch_id, resolution: 'again' })
    const after = new Map((await deliveries(this.#world, this.#corp, batch_id)).map((row) => [row.id, row.status]))
    for (const { id } of before) if (after.get(id) !== 'unknown') this.#again.set(id, (this.#again.get(id) ?? 0) + 1)
  }

  async #pressOne(batch_id: string): Promise<void> {
    const random = this.#random
    const slips = await salaries(this.#world, this.#corp, batch_id)
    if (slips.length === 0) return
    const { id: salary_id } = random.pick(slips)
    const what = random.below(4)
    if (what === 0) return this.#withdraw(batch_id, salary_id)
    if (what === 1)
      await this.#ask(slip.editSalaryDetail, {
        salary_id,
        cells: [{ key: 'c3', value: String(random.below(100)) }],
        reason: '更正',
      })
    if (what === 2) await this.#ask(slip.sendSingle, { salary_id })
    if (what === 3) await this.#ask(slip.sendBatch, { batch_id, only: 'withdrawn', salary_ids: [salary_id] })
  }

  async #press(batch_id: string): Promise<void> {
    const what = this.#random.below(9)
    if (what < 2) return this.#pressOne(batch_id)
    if (what === 2) return this.#withdraw(batch_id, null)
    if (what === 3) return this.#sendUnknown(batch_id)
    if (what === 4) await this.#ask(slip.resolveUnknownDeliveries, { batch_id, resolution: 'sent' })
    if (what === 5) await this.#ask(slip.pauseSend, { batch_id })
    if (what === 6) await this.#ask(slip.resumeSend, { batch_id })
    if (what === 7) await this.#ask(slip.sendBatch, { batch_id, only: 'failed' })
    if (what === 8) await this.#ask(slip.sendBatch, { batch_id, only: 'unviewed' })
  }

  async #begin(): Promise<void> {
    const people = await manyPeople(this.#world, this.#corp, 1 + this.#random.below(3))
    const batch_id = await makeBatch(this.#world, this.#clerk, people, { month: '2026-09' })
    const plan = await this.#caller.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    await this.#caller.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
    this.#batches.push(batch_id)
  }

  async #resume(): Promise<void> {
    await sender(this.#world, this.#gateway).resumeAll({ sole: true })
  }
  async #pass(seconds: number): Promise<void> {
    this.#world.clock.advance(seconds * 1000)
    if (seconds > 600) this.#caller = await this.#world.signIn(this.#clerk)
  }

  async command(): Promise<void> {
    const random = this.#random
    if (this.#batches.length === 0 || (this.#batches.length < 3 && random.chance(0.05)))
      return this.#do('begin', () => this.#begin())
    const batch_id = random.pick(this.#batches)
    const at = random.next()
    if (at < 0.25) return this.#do('turn', () => this.#turn(batch_id))
    if (at < 0.35) {
      const life = random.chance(0.5)
        ? { ...immortal(), transactions: random.below(6) }
        : { ...immortal(), messages: random.below(3) }
      return this.#do(`turn, killed after ${life.transactions} transactions or ${life.messages} messages`, () =>
        this.#turn(batch_id, life),
      )
    }
    if (at < 0.45) {
      this.#meanwhile = async () => {
        this.#pressed = this.#press(batch_id)
      }
      return this.#do('turn, something pressed meanwhile', async () => {
        await this.#turn(batch_id)
        await this.#pressed
        this.#meanwhile = null
      })
    }
    if (at < 0.6) return this.#do('time', () => this.#pass(random.pick([1, 6, 21, 61, 130, 700, 7_200])))
    if (at < 0.65) return this.#do('start', () => this.#resume())
    return this.#do('press', () => this.#press(batch_id))
  }
  #pressed: Promise<void> = Promise.resolve()

  async #do(what: string, work: () => Promise<void>): Promise<void> {
    this.messages.push(what)
    await work()
  }
  /** Checks that the figures add up at any moment. */
  async #look(batch_id: string): Promise<void> {
    const { data } = await this.#ask(slip.getSendInfo, { batch_id })
    const sum = data.queued + data.sent + data.failed + data.unknown + data.withdrawn
    if (sum !== data.total) throw new Error(`the figures add up to ${sum} of ${data.total}`)
  }

  /** Lets the gateway recover and time pass without actions until nothing is open. */
  async #settle(): Promise<void> {
    this.#calm = true
    for (const batch_id of this.#batches) await this.#ask(slip.resumeSend, { batch_id })
    for (let round = 0; round < 60; round += 1) {
      await this.#resume()
      for (const batch_id of this.#batches) await this.#turn(batch_id)
      if (!(await this.#rows()).some(({ status }) => status === 'queued' || status === 'leased')) return
      await this.#pass(61 + round * 10)
    }
    throw new Error('it never came to an end')
  }

  /** Returns the violated invariants; none if the product is correct. */
  async check(): Promise<string[]> {
    await this.#settle()
    const wrong: string[] = []
    const rows = await this.#rows()
    const accepted = Map.groupBy(this.#gateway.accepted, ({ id }) => id)
    let paid = 0
    for (const { id, status, code, purpose, segments } of rows) {
      const times = accepted.get(id)?.length ?? 0
      const allowed = 1 + (this.#again.get(id) ?? 0)
      if (times > allowed) wrong.push(`a message (${purpose}) was taken ${times} times`)
      if (status === 'accepted' && code !== 'settled' && times === 0)
        wrong.push(`a message (${purpose}) is called sent and was never taken`)
      if ((status === 'failed' || status === 'cancelled') && times >= allowed)
        wrong.push(`a message (${purpose}) is called ${status} and was taken`)
      if (status === 'accepted' || status === 'unknown') paid += segments
      // 再发一次 charges the first message, too.
      paid += (this.#again.get(id) ?? 0) * segments
    }
    const own = new Set(rows.map(({ id }) => id))
    if (this.#gateway.accepted.some(({ id }) => !own.has(id))) wrong.push('a message is in no book')
    for (const { ids, accepted: before, named, what } of this.#acks)
      if (this.#taken(ids) - before > named)
        wrong.push(`${this.#taken(ids) - before} messages of ${what} left after its withdrawal, which named ${named}`)
    const left = await smsLeft(this.#world, this.#corp)
    if (sms_at_first - left !== paid) wrong.push(`${sms_at_first - left} segments were paid, ${paid} sent`)
    for (const batch_id of this.#batches) wrong.push(...(await this.#slipsOf(batch_id, rows)))
    return wrong
  }

  /** Checks that a payslip is open exactly if its employee was notified. */
  async #slipsOf(batch_id: string, rows: readonly Row[]): Promise<string[]> {
    const info = await this.#caller.must(slip.getSendInfo, { batch_id })
    const slips = await salaries(this.#world, this.#corp, batch_id)
    const wrong = slips.flatMap(({ id, status, past }) => {
      const own = rows.filter((row) => row.salary_id === id && row.purpose === 'slip')
      const isNotified = own.some((row) => row.status === 'accepted' || row.status === 'unknown')
      if ((status === 'sent' || status === 'viewed' || status === 'confirmed') && !isNotified)
        return ['a slip is open of which nobody was told']
      if (status === 'queued') return ['a slip waits, and no message of it']
      // A payslip that was withdrawn and sent again has a new message; the former one arrived and leads nowhere.
      // Without a later withdrawal that is an error.
      const newest = Math.max(...own.map(({ version }) => version))
      const arrived = own.filter((row) => row.status === 'accepted')
      const excused = arrived.filter((row) => row.version < newest && wasWithdrawn(past, row))
      return status === 'failed' && arrived.length > excused.length ? ['a slip is called failed, and its message arrived'] : []
    })
    if (info.status === 'withdrawn' && slips.some(({ status }) => status !== 'withdrawn'))
      wrong.push('a withdrawn batch has an open slip')
    if (info.status === 'sending') wrong.push('nothing is open, and the batch is still being sent')
    return wrong
  }
}
