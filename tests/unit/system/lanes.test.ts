/**
 * Load shedding: concurrency limits that reject requests at once, and request bodies that are inspected before they are
 * parsed.
 */
import { describe, expect, it } from 'vitest'
import { allCalls } from '../../../server/contract/index.ts'
import { isTooDeep } from '../../../server/http/json-body.ts'
import { ConcurrencyLimiter, getConcurrencyClass, OverloadedError } from '../../../server/http/limits/concurrency.ts'
import { type ConcurrencyLimits, concurrencyLimits } from '../../../server/http/limits/config.ts'

const rules: ConcurrencyLimits = {
  maxRunning: 2,
  maxRunningPerOwner: 1,
  maxQueued: 3,
  maxQueuedPerOwner: 2,
  maxExpectedWaitMs: 60_000,
  maxSustainedWaitMs: 60_000,
  queueTimeoutMs: 60_000,
  retryAfterSeconds: 7,
}

function stage(own: Partial<ConcurrencyLimits> = {}, now?: () => number) {
  const lane = new ConcurrencyLimiter({ ...rules, ...own }, now)
  const heard: string[] = []
  const ends = new Map<string, () => void>()
  const settle = () => new Promise<void>((done) => setImmediate(done))
  return {
    heard,
    async come(...names: string[]) {
      for (const name of names)
        void (async () => {
          try {
            ends.set(name, await lane.acquire(name.charAt(0)))
            heard.push(name)
          } catch (error) {
            heard.push(`${name} refused, ${(error as OverloadedError).retry_after_s} s`)
          }
        })()
      await settle()
    },
    async end(name: string) {
      ends.get(name)?.()
      await settle()
    },
  }
}

describe('concurrency limiter', () => {
  it('runs a few requests, one per owner, and lets another owner pass a waiting request of the same owner', async () => {
    const { come, end, heard } = stage()
    await come('a1', 'a2', 'b1')
    expect(heard).toEqual(['a1', 'b1'])
    await end('a1')
    expect(heard.at(-1)).toBe('a2')
  })

  it('rejects requests beyond the total or per-owner limit at once, with a retry time', async () => {
    const { come, heard } = stage()
    await come('a1', 'b1', 'a2', 'a3', 'a4', 'c1', 'd1')
    expect(heard).toEqual(['a1', 'b1', 'a4 refused, 7 s', 'd1 refused, 7 s'])
  })

  it('serves the owner with the fewest running requests next', async () => {
    const { come, end, heard } = stage({ maxRunning: 3, maxRunningPerOwner: 3, maxQueued: 9, maxQueuedPerOwner: 9 })
    await come('a1', 'a2', 'a3', 'a4', 'b1')
    await end('a1')
    expect(heard.at(-1)).toBe('b1')
    await end('a2')
    expect(heard.at(-1)).toBe('a4')
  })

  it('rejects a request that waits too long and frees its place', async () => {
    const { come, end, heard } = stage({ queueTimeoutMs: 5 })
    await come('a1', 'b1', 'c1')
    await new Promise((done) => setTimeout(done, 40))
    expect(heard).toEqual(['a1', 'b1', 'c1 refused, 7 s'])
    await come('d1')
    await end('a1')
    expect(heard.at(-1)).toBe('d1')
  })

  it('rejects a request at once whose expected wait is too long, but always lets a few wait', async () => {
    let now = 0
    const { come, end, heard } = stage(
      {
        maxRunning: 1,
        maxRunningPerOwner: 1,
        maxQueued: 99,
        maxQueuedPerOwner: 99,
        maxExpectedWaitMs: 200,
        maxSustainedWaitMs: 200,
      },
      () => now,
    )
    const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `a${from + at}`)
    // Fast requests: forty may wait.
    for (const name of names(1, 30)) {
      await come(name)
      now += 2
      await end(name)
    }
    await come(...names(31, 70))
    expect(heard.filter((name) => name.includes('refused'))).toEqual([])
    for (const name of names(31, 70)) {
      now += 100
      await end(name)
    }
    // Now each call takes nearly 100 ms: twelve may wait, not more.
    await come(...names(71, 90))
    expect(heard.filter((name) => name.includes('refused'))).toEqual(names(84, 90).map((name) => `${name} refused, 7 s`))
  })

  it('counts a repeated end only once', async () => {
    const lane = new ConcurrencyLimiter({ ...rules, maxRunning: 1, maxQueued: 0 })
    const end = await lane.acquire('a')
    end()
    end()
    await lane.acquire('b')
    await expect(lane.acquire('c')).rejects.toThrow(OverloadedError)
  })
})

/**
 * A limiter of six with its own clock: requests arrive at the given milliseconds and take `took` each. Returns how long
 * the served ones waited (from a second after the first on) and how many were served in all. A rejected request does
 * not come again.
 */
async function served(own: ConcurrencyLimits, coming: readonly number[], took: number) {
  let now = 0
  const lane = new ConcurrencyLimiter(own, () => now)
  const ends: { at: number; end: () => void }[] = []
  const waited: number[] = []
  let count = 0
  let refused = 0
  const settle = () => new Promise<void>((done) => setImmediate(done))
  const come = async (from: number) => {
    const end = await lane.acquire('a').catch(() => null)
    if (!end) return void (refused += 1)
    count += 1
    if (from > 1_500) waited.push(now - from)
    ends.push({ at: now + took, end })
  }
  const last = (coming.at(-1) ?? 0) + 5_000
  for (let next = 0; now <= last; now += 5) {
    for (; (coming[next] ?? Number.POSITIVE_INFINITY) <= now; next += 1) void come(now)
    await settle()
    for (const one of ends.splice(0))
      if (one.at <= now) one.end()
      else ends.push(one)
    await settle()
  }
  const longest = Math.max(...waited)
  return { count, refused, longest }
}

describe('standing queue instead of a burst (G9)', () => {
  const lane = { ...rules, maxRunning: 6, maxRunningPerOwner: 6, maxQueued: 60, maxQueuedPerOwner: 60, maxExpectedWaitMs: 2_000 }
  const before: ConcurrencyLimits = { ...lane, maxSustainedWaitMs: 2_000 }
  const after: ConcurrencyLimits = { ...lane, maxSustainedWaitMs: 150 }
  /** Six calls at once of 50 ms each make 120 a second. */
  const took = 50
  const every = (ms: number, until: number) => Array.from({ length: Math.floor(until / ms) }, (_, at) => at * ms)

  it.each([
    ['twice', 240],
    ['eight times', 960],
  ])('serves at %s the capacity for eight seconds as many requests with a third of the wait', async (_what, rate) => {
    const coming = every(1_000 / rate, 8_000)
    const [old, now] = [await served(before, coming, took), await served(after, coming, took)]
    // The machine is never idle: accepting the rejected requests would not have shortened any wait.
    expect(now.count).toBeGreaterThanOrEqual(old.count - 60)
    expect(now.count / (8 * 120)).toBeGreaterThanOrEqual(0.9)
    expect(old.longest).toBeGreaterThanOrEqual(450)
    expect(now.longest).toBeLessThanOrEqual(200)
  })

  it.each([
    ['sixty requests at once', Array.from({ length: 66 }, () => 0)],
    // A longer wait serves bursts: with a short limit from the first moment on, most of each burst would be rejected
    // while the machine is idle afterwards.
    ['sixty requests each second', [0, 1_000, 2_000, 3_000].flatMap((at) => Array.from({ length: 66 }, () => at))],
    ['half of the capacity', every(1_000 / 60, 8_000)],
  ])('rejects no request: %s', async (_what, coming) => {
    expect(await served(after, coming, took)).toMatchObject({ count: coming.length, refused: 0 })
  })
})

describe('share of one owner', () => {
  it.each(Object.entries(concurrencyLimits))('%s: at most a third, or one', (_name, limits) => {
    expect(limits.maxRunningPerOwner).toBeLessThanOrEqual(Math.max(1, limits.maxRunning / 3))
    expect(limits.maxQueuedPerOwner).toBeLessThanOrEqual(limits.maxQueued / 3)
  })
})

describe('choice of the limiter', () => {
  it('assigns employees and calls that read a whole batch separate limiters', () => {
    const of = (name: string) => allCalls.filter((call) => call.name === name).map(getConcurrencyClass)
    expect([
      of('getSlip'),
      of('login'),
      of('checkWageData'),
      of('getPreviewMember'),
      of('getDetailUpload'),
      of('getSheetGrid'),
    ]).toEqual([['employee'], ['public'], ['costly'], ['costly'], ['costly'], ['desk']])
  })
})

describe('nesting depth of a body', () => {
  const deep = (levels: number, open = '[', close = ']') => Buffer.from(`${open.repeat(levels)}${close.repeat(levels)}`)
  it.each([
    ['flat', '{"a":1,"b":[1,2,3]}', false],
    ['sixteen levels', deep(16), false],
    ['seventeen', deep(17), true],
    ['objects', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`, true],
    ['brackets in a string', `{"a":"${'['.repeat(100)}"}`, false],
    ['after an escaped quote', `{"a":"\\"${'['.repeat(100)}"}`, false],
    ['after a string that ends with a backslash', `{"a":"\\\\","b":${'['.repeat(20)}`, true],
    ['levels in sequence', `[${'[],'.repeat(1_000)}[]]`, false],
  ])('%s', (_, body, expected) => expect(isTooDeep(Buffer.from(body))).toBe(expected))
})
