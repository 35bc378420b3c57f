/** Ten thousand slips by a simulated chat platform: how near the documented pace, what the sending adds to the bare calls, and the web meanwhile. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Carrier, lineOf, neverRecalled, type OutgoingMessage, type SendOutcome } from '../../platform/carrier.ts'
import { getWageList } from '../../server/contract/slip.ts'
import { newId } from '../../server/runtime/ids.ts'
import { makeBatch, manyPeople, send, sender, untilStopped } from '../kit/slips.ts'
import { startWorld } from '../kit/world.ts'

export type Sent = {
  readonly people: number
  /** Of the documented rate: 1 is all of it. */
  readonly of_rate: number
  readonly rate: number
  /** Without a limit: against a bare loop of the same calls right before it, round by round, each as long as it took. */
  readonly rounds: readonly { readonly ratio: number; readonly bare_ms: number; readonly whole_ms: number }[]
  /** Of the wage list, milliseconds: while nothing is sent, and meanwhile. */
  readonly idle_p99: number
  readonly busy_p99: number
}

/** Takes messages over HTTP, as a platform does: one call a message, an answer with its own id. Counts what it took. */
async function platform() {
  const taken = new Set<string>()
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { uuid } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { uuid: string }
      taken.add(uuid)
      reply
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ code: 0, data: { message_id: `om_${uuid}` } }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/open-apis/im/v1/messages`
  return { url, taken, close: () => new Promise<void>((done) => server.close(() => done())) }
}

const at_once = 8
/** So many before anything is measured. */
const warming = 2_000
/** One message in one call, as many at once as the sender has under way. */
async function post(url: string, { id, to, text }: Pick<OutgoingMessage, 'id' | 'to' | 'text'>): Promise<SendOutcome> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ receive_id: to, msg_type: 'interactive', content: text, uuid: id }),
  })
  const { data } = (await answer.json()) as { data: { message_id: string } }
  return { id, result: 'accepted', ref: data.message_id }
}
const carrier = (url: string, pace: { count: number; per_ms: number } | null): Carrier<null> => ({
  describe: () => ({ at_once: 1, pace, texts: 'whole', signature: '薪函', recalls: false }),
  send: (_, messages) => Promise.all(messages.map((one) => post(url, one))),
  lookup: async (_, messages) => messages.map(({ id }) => ({ id, result: 'unsure' })),
  recall: (_, messages) => neverRecalled(messages),
})

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.99)] ?? Number.NaN

export async function sending(people: number, pace: { count: number; per_ms: number }): Promise<Sent> {
  const way = await platform()
  const world = await startWorld()
  // The product's clock runs as the machine's does: paces and leases are about real time here.
  const clock = setInterval(() => world.clock.set(new Date()), 20)
  try {
    world.clock.set(new Date())
    const corp = await world.found({ provider: 'lark' })
    const clerk = await corp.person({ power: ['2'] })
    const payroll = await world.signIn(clerk)
    const list = async (times: number[]) => {
      const began = performance.now()
      await payroll.must(getWageList, {})
      times.push(performance.now() - began)
    }
    const idle: number[] = []

    /** Sends as many people as told; with `times` somebody looks at the wage list meanwhile. Answers how long it took. */
    const run = async (count: number, limit: typeof pace | null, times?: number[]): Promise<number> => {
      const line = lineOf(`bench:${newId()}`, carrier(way.url, limit), null)
      const batch_id = await makeBatch(world, clerk, await manyPeople(world, corp, count, { platform: true }))
      await send(payroll, batch_id, ['platform'])
      await world.database.pool.query(`delete from pgboss.job where name = 'send'`)
      // The same list of the same batches, while nothing of them is sent.
      if (times) for (let look = 0; look < 200; look += 1) await list(idle)
      const before = way.taken.size
      let rest: number | null = 0
      const one = sender({ ...world, sms: line }, line, {}, (ms) => void (rest = ms))
      const began = performance.now()
      const over = new AbortController()
      const watch = async (looks: number[]) => {
        while (!over.signal.aborted) {
          await list(looks)
          await sleep(25)
        }
      }
      const watching = times ? watch(times) : null
      while (way.taken.size - before < count) {
        rest = null
        await one.send({ company_id: corp.company_id, batch_id }, untilStopped)
        if (rest) await sleep(Math.min(rest, 50))
      }
      const took = performance.now() - began
      over.abort()
      await watching
      return took
    }

    const busy: number[] = []
    // A process that has just begun does everything slower: both are warm.
    await bareLoop(way.url, warming)
    await run(warming, null)
    const rounds: Sent['rounds'][number][] = []
    for (let round = 0; round < 3; round += 1) {
      // Like with like: the bare loop has nobody beside it either.
      const bare_ms = await bareLoop(way.url, people)
      const whole_ms = await run(people, null)
      rounds.push({ ratio: whole_ms / bare_ms, bare_ms, whole_ms })
    }
    await run(people, null, busy)
    const paced = Math.round(Math.min(people, (pace.count / pace.per_ms) * 60_000))
    const paced_ms = await run(paced, pace)
    const rate = (paced / paced_ms) * 1000
    // The first of a pace may go at once; what counts is the gaps between.
    const of_rate = ((paced - 1) / paced_ms) * (pace.per_ms / pace.count)
    return { people, of_rate, rate, rounds, idle_p99: p99(idle), busy_p99: p99(busy) }
  } finally {
    clearInterval(clock)
    await world.close()
    await way.close()
  }
}

/** The same calls, as many at once, and nothing around them. */
async function bareLoop(url: string, count: number): Promise<number> {
  const text = '【薪函】某某公司：您的2026年10月工资已发放，请登录查看：http://127.0.0.1:8080/entry?page=/m/slip/0189'
  const began = performance.now()
  for (let from = 0; from < count; from += at_once)
    await Promise.all(
      Array.from({ length: Math.min(at_once, count - from) }, (_, at) =>
        post(url, { id: `bare-${from + at}`, to: `ou_${from + at}`, text }),
      ),
    )
  return performance.now() - began
}
