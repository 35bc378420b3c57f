/**
 * Benchmarks 10,000 payslips through a simulated chat platform: how near the documented rate, what sending adds to the
 * bare calls, and the web meanwhile.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Carrier,
  createCarrierSender,
  type OutgoingMessage,
  rejectRecalls,
  type SendOutcome,
} from '../../platform/carrier.ts'
import { renderMessage } from '../../server/contract/messages/rendering.ts'
import { getWageList } from '../../server/contract/payslips/send.ts'
import { newId } from '../../server/shared/ids.ts'
import { makeBatch, manyPeople, send, sender, untilStopped } from '../support/slips.ts'
import { startWorld } from '../support/world.ts'

export type Sent = {
  readonly people: number
  /** Share of the documented rate: 1 is all of it. */
  readonly of_rate: number
  readonly rate: number
  /**
   * The results without a rate limit, compared with a bare loop of the same calls right before it, round by round, by
   * elapsed time and by CPU time.
   */
  readonly rounds: readonly {
    readonly ratio: number
    readonly of_processor: number
    readonly bare_ms: number
    readonly full_ms: number
  }[]
  /** Latency of the wage list in milliseconds: while idle, and while sending. */
  readonly idle_p99: number
  readonly busy_p99: number
}

/**
 * Accepts messages over HTTP as a platform does, one call a message with a response that has its own id, and counts
 * them.
 */
async function platform() {
  const accepted = new Set<string>()
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { uuid } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { uuid: string }
      accepted.add(uuid)
      reply
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ code: 0, data: { message_id: `om_${uuid}` } }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/open-apis/im/v1/messages`
  return { url, accepted, close: () => new Promise<void>((done) => server.close(() => done())) }
}

const at_once = 8
/** Number of messages before the measurement. */
const warming = 2_000
/** Sends one message in one call, with the same concurrency as the sender. */
async function post(url: string, { id, to, text }: Pick<OutgoingMessage, 'id' | 'to' | 'text'>): Promise<SendOutcome> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ receive_id: to, msg_type: 'interactive', content: text, uuid: id }),
  })
  const { data } = (await answer.json()) as { data: { message_id: string } }
  return { id, result: 'accepted', ref: data.message_id }
}
const carrier = (url: string, pace: { count: number; perMs: number } | null): Carrier<null> => ({
  describe: () => ({ maxPerCall: 1, rateLimit: pace, style: 'whole', signature: '薪函', canRecall: false }),
  send: (_, messages) => Promise.all(messages.map((one) => post(url, one))),
  find: async (_, messages) => messages.map(({ id }) => ({ id, result: 'unsure' })),
  recall: (_, messages) => rejectRecalls(messages),
})

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.99)] ?? Number.NaN

export async function sending(people: number, pace: { count: number; perMs: number }): Promise<Sent> {
  const channel = await platform()
  const world = await startWorld()
  // The product's clock follows real time, because rates and leases are about real time here.
  const clock = setInterval(() => world.clock.set(new Date()), 20)
  try {
    world.clock.set(new Date())
    const corp = await world.createCompany({ provider: 'lark' })
    const clerk = await corp.person({ power: ['2'] })
    const payroll = await world.signIn(clerk)
    const list = async (times: number[]) => {
      const began = performance.now()
      await payroll.must(getWageList, {})
      times.push(performance.now() - began)
    }
    const idle: number[] = []

    /** Creates a batch for the given number of employees that is ready to send. */
    const getBatch = async (count: number): Promise<string> => {
      const batch_id = await makeBatch(world, clerk, await manyPeople(world, corp, count, { platform: true }))
      await send(payroll, batch_id, ['platform'])
      await world.database.pool.query(`delete from pgboss.job where name = 'send'`)
      return batch_id
    }
    /** Sends a batch. With `times` a user requests the wage list meanwhile. */
    const run = async (batch_id: string, count: number, limit: typeof pace | null, times?: number[]): Promise<void> => {
      const line = createCarrierSender(`bench:${newId()}`, carrier(channel.url, limit), null)
      // Requests the same list of the same batches while nothing is sent.
      if (times) for (let view = 0; view < 200; view += 1) await list(idle)
      const before = channel.accepted.size
      let rest: number | null = 0
      const one = sender({ ...world, sms: line }, line, {}, (ms) => void (rest = ms))
      const over = new AbortController()
      const watch = async (views: number[]) => {
        while (!over.signal.aborted) {
          await list(views)
          await sleep(25)
        }
      }
      const watching = times ? watch(times) : null
      while (channel.accepted.size - before < count) {
        rest = null
        await one.send({ company_id: corp.company_id, batch_id }, untilStopped)
        if (rest) await sleep(Math.min(rest, 50))
      }
      over.abort()
      await watching
    }

    const busy: number[] = []
    // A new process is slower at everything, so both sides are warmed up.
    await bareLoop(channel.url, warming)
    await run(await getBatch(warming), warming, null)
    const rounds: Sent['rounds'][number][] = []
    for (let round = 0; round < 5; round += 1) {
      // The batch is created before both measurements: its garbage counts for neither, and neither starts with
      // connections idle for seconds.
      const batch_id = await getBatch(people)
      await bareLoop(channel.url, warming)
      // For a fair comparison the bare loop has no concurrent load either.
      const bare = await timed(() => bareLoop(channel.url, people))
      const full = await timed(() => run(batch_id, people, null))
      const of_processor = full.processor_ms / bare.processor_ms
      rounds.push({ ratio: full.ms / bare.ms, of_processor, bare_ms: bare.ms, full_ms: full.ms })
    }
    await run(await getBatch(people), people, null, busy)
    const paced = Math.round(Math.min(people, (pace.count / pace.perMs) * 60_000))
    const paced_batch = await getBatch(paced)
    const { ms: paced_ms } = await timed(() => run(paced_batch, paced, pace))
    const rate = (paced / paced_ms) * 1000
    // The first message may go at once; only the gaps between messages count.
    const of_rate = ((paced - 1) / paced_ms) * (pace.perMs / pace.count)
    return { people, of_rate, rate, rounds, idle_p99: p99(idle), busy_p99: p99(busy) }
  } finally {
    clearInterval(clock)
    await world.close()
    await channel.close()
  }
}

/** Measures elapsed time and the CPU time used by this process. */
async function timed(work: () => Promise<void>): Promise<{ ms: number; processor_ms: number }> {
  const [began, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(used)
  return { ms: performance.now() - began, processor_ms: (user + system) / 1000 }
}

/** Makes the same calls with the same concurrency and nothing around them. */
async function bareLoop(url: string, count: number): Promise<void> {
  const link = 'http://127.0.0.1:8080/entry?page=/m/slip/0189'
  const text = renderMessage({ kind: 'slip', params: { corp: '某某公司', title: '2026年10月工资', link } })
  for (let from = 0; from < count; from += at_once)
    await Promise.all(
      Array.from({ length: Math.min(at_once, count - from) }, (_, at) =>
        post(url, { id: `bare-${from + at}`, to: `ou_${from + at}`, text }),
      ),
    )
}
