/**
 * G1: the sending process and its database are killed with -9 again and again, while the gateway loses replies, asks
 * for backoff and fails after accepting a message. The gateway's own records count: nobody is lost, nobody receives two
 * messages. The same with one protection removed shows that the trial can fail.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import * as slip from '../../../server/contract/payslips/send.ts'
import { connectDatabase, type Database } from '../../../server/database/database.ts'
import { startPostgres } from '../../../server/database/postgres/start.ts'
import { bundleNode, bundles } from '../../support/outside/sending/bundle.ts'
import type { NodeOptions } from '../../support/outside/sending/node.ts'
import { type Protection, protections } from '../../support/outside/sending/protections.ts'
import { startSmsGateway } from '../../support/outside/sms-gateway.ts'
import type { Mischief } from '../../support/outside/sms-simulator.ts'
import type { Random } from '../../support/random.ts'
import { isFull, trial } from '../../support/run/trial.ts'
import { makeBatch, manyPeople, send, slip_segments } from '../../support/slips.ts'
import { startWorld } from '../../support/world.ts'

const scratch = mkdtempSync(join(tmpdir(), 'xinhan-sending-'))
chmodSync(scratch, 0o711)
let postgres: Awaited<ReturnType<typeof startPostgres>>
beforeAll(async () => {
  postgres = await startPostgres({ dir: join(scratch, 'postgres'), log: () => undefined })
}, 180_000)
afterAll(async () => {
  await postgres.close()
  for (const one of [scratch, bundles]) rmSync(one, { recursive: true, force: true })
})

const busy_s = 1
/**
 * Of the requests to the gateway, five in a hundred lose their reply (before or after the message was accepted), one
 * fails after acceptance, and two ask for backoff. A backoff also defers everything requested within its second, so its
 * number grows with the requests in progress.
 */
function mischiefs(random: Random) {
  let requested = 0
  let pleas = 0
  let busy_until = 0
  const plead = (): Mischief => {
    pleas += 1
    return 'busy'
  }
  return {
    share: () => pleas / requested,
    next(): Mischief | undefined {
      requested += 1
      const now = performance.now()
      if (now < busy_until) return plead()
      const at = random.next()
      if (at < 0.025) return 'lose'
      if (at < 0.05) return 'take and lose'
      if (at < 0.06) return 'take and fail'
      if (at > 0.1 || pleas > 0.02 * requested) return undefined
      busy_until = now + busy_s * 1000
      return plead()
    },
  }
}

type Node = { readonly child: ChildProcess; readonly sending: Promise<boolean> }
/** Nodes with the next ones already started: process start-up is not under test and takes most of the time. */
function getNodes(file: string, options: NodeOptions) {
  const env = { ...process.env, XINHAN_NODE: JSON.stringify(options), NODE_COMPILE_CACHE: join(scratch, 'compiled') }
  const make = () => {
    const child = spawn(process.execPath, [file], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    // The process was killed before it was told to start.
    child.stdin.on('error', () => undefined)
    return child
  }
  const ready = [make(), make()]
  return {
    /** `sole`: no other node is alive, so the leases of the dead ones are free at once. */
    start(sole: boolean): Node {
      ready.push(make())
      const child = ready.shift() ?? make()
      const sending = new Promise<boolean>((done) => {
        child.stdout.once('data', () => done(true))
        child.once('exit', () => done(false))
      })
      child.stdin.write(sole ? 'sole' : 'beside')
      return { child, sending }
    },
    close: () => void ready.map((child) => child.kill('SIGKILL')),
  }
}
async function kill({ child, sending }: Node): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done))
  await sending
}

/** Retries while the database recovers. */
async function until<T>(call: () => Promise<T | null>, every_ms = 50): Promise<T> {
  const ends = performance.now() + 1_800_000
  for (;;) {
    const got = await call().catch((error: unknown) => {
      if (error instanceof Error && error.name === 'AssertionError') throw error
      return null
    })
    if (got !== null) return got
    if (performance.now() > ends) throw new Error('it never came to an end')
    await sleep(every_ms)
  }
}

/** Simulates a power cut; the process that started the database starts it again. */
async function killDatabase(database: Database): Promise<void> {
  const client = new Client(postgres.owner)
  await client.connect()
  client.on('error', () => undefined)
  const { rows } = await client.query<{ note: string }>(`select pg_read_file('postmaster.pid') as note`)
  process.kill(Number(rows[0]?.note.split('\n')[0]), 'SIGKILL')
  await client.end().catch(() => undefined)
  await until(() => database.withoutCompany((tx) => tx.selectFrom('outbox').select('at').limit(1).execute()))
}

type Fight = { readonly people: number; readonly kills: number; readonly random: Random; readonly without?: Protection }

async function fight({ people: count, kills, random, without }: Fight) {
  const app_password = 'only-for-tests'
  const name = `trial_${random.below(1_000_000_000)}`
  const first = new Client(postgres.owner)
  await first.connect()
  await first.query(`create database ${name}`)
  await first.end()
  const owner = { ...postgres.owner, database: name }
  const database = Object.assign(await connectDatabase({ owner, app_password, max: 6 }), { owner })
  const world = await startWorld({ database, now: new Date().toISOString() })
  const gateway = await startSmsGateway('aliyun', () => new Date(), { busy_s })
  const { simulator } = gateway
  const mischief = mischiefs(random)
  simulator.behave(({ action }) => (action === 'SendSms' ? mischief.next() : undefined))
  const corp = await world.createCompany({ sms_left: slip_segments * count })
  const clerk = await corp.person({ power: ['2'] })
  const batch_id = await makeBatch(world, clerk, await manyPeople(world, corp, count))
  const caller = await world.signIn(clerk)
  await send(caller, batch_id)
  const info = () => caller.must(slip.getSendInfo, { batch_id })
  const file = await bundleNode(name, without)
  const options = { owner, app_password, master: Buffer.alloc(32, 7).toString('hex'), sms: gateway.settings }
  const nodes = getNodes(file, options)

  const getTwice = () =>
    [...Map.groupBy(simulator.accepted, ({ mobile }) => mobile).values()].filter(({ length }) => length > 1).length
  // The failure to be demonstrated has occurred: members received two messages.
  const isVisible = () => without?.people === 'twice' && getTwice() > 0
  const began = performance.now()
  let databases = 0
  for (let round = 1; round <= kills && !isVisible(); round += 1) {
    const living = [nodes.start(true)]
    // Some nodes die during their start; the first and then every fourth has a second node in parallel while there is
    // work for both.
    if (random.chance(0.1)) await sleep(random.below(400))
    else await living[0]?.sending
    if (round % 4 === 1) living.push(nodes.start(false))
    await Promise.race([living[1]?.sending, sleep(2_000)])
    const enough = simulator.requested.length + 1 + random.below(Math.ceil((3.2 * count) / kills))
    const patience = performance.now() + 500
    while (simulator.requested.length < enough && performance.now() < patience) await sleep(2)
    if (round % 20 === 5) {
      databases += 1
      await killDatabase(database)
    }
    await Promise.all(living.map(kill))
  }
  const killed_s = (performance.now() - began) / 1000
  const early = simulator.accepted.length
  const last = nodes.start(true)
  const end = await until(async () => {
    const now = await info()
    expect(now.queued + now.sent + now.failed + now.unknown + now.withdrawn).toBe(count)
    return isVisible() || now.status === 'sent' ? now : null
  }, 500)
  await kill(last)
  nodes.close()
  const seconds = (performance.now() - began) / 1000
  const messages = simulator.accepted.length
  const reached = new Set(simulator.accepted.map(({ mobile }) => mobile)).size
  const left = await database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('company').select('sms_left').executeTakeFirstOrThrow(),
  )
  await world.close()
  await simulator.close()
  // Messages reported as unknown are not lost: an administrator can act on them.
  const lost = Math.max(0, count - reached - end.unknown)
  const requested = simulator.requested.length
  const pleas = mischief.share()
  return {
    end,
    count,
    messages,
    twice: getTwice(),
    lost,
    left: left.sms_left,
    seconds,
    killed_s,
    databases,
    requested,
    pleas,
    early,
  }
}

// A message with an unknown outcome after a kill is queried for a minute, longer than a sample may take.
const killing = { full: 200, sample: 0, of: 'kills', goal: 'G1' }
trial(
  'sending-killed',
  'loses and duplicates no message when the server and its database are killed among lost replies, 429s and late failures',
  killing,
  async ({ size: kills, random, says }) => {
    const it = await fight({ people: kills * 50, kills, random })
    const times = `${Math.round(it.killed_s)} s of kills, ${Math.round(it.seconds)} s in all`
    says(
      `${it.count} slips, ${it.databases} kills of the database; the gateway was asked ${it.requested} times and took ${it.messages} messages, ${it.early} of them among the kills, and put off ${(100 * it.pleas).toFixed(1)} in a hundred: ${it.lost} lost, ${it.twice} twice, ${it.end.unknown} unknown; ${times}`,
    )
    expect([it.lost, it.twice]).toEqual([0, 0])
    expect(it.end).toMatchObject({ total: it.count, failed: 0, queued: 0, withdrawn: 0 })
    expect(it.left).toBe(0)
    expect(it.pleas).toBeGreaterThan(0.019)
    if (isFull) expect(it.seconds).toBeLessThan(360)
  },
)

trial(
  'sending-bare',
  'sends messages twice or never if one of its protections is removed',
  { full: protections.length, sample: 0, of: 'protections', goal: 'G1' },
  async ({ random, says }) => {
    for (const without of protections) {
      const it = await fight({ people: 300, kills: 12, random, without })
      says(`${without.name}: ${it.twice} of ${it.count} twice, ${it.lost} lost`)
      expect(it[without.people], without.what).toBeGreaterThan(0)
    }
  },
)
