/**
 * Scheduling of the reader: one company never prevents another from reading, and costly requests wait behind cheap
 * ones.
 */
import { spawn } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { getChildLimits, watchLimits } from '../../../server/spreadsheets/child/child-watch.ts'
import { readSheet, UnreadableSheetError } from '../../../server/spreadsheets/child/read-sheet.ts'
import { type ReaderLimits, ReaderSlots } from '../../../server/spreadsheets/child/reader-slots.ts'
import { unreadableMessages } from '../../../server/spreadsheets/read/unreadable-error.ts'
import { hostile } from '../../support/files/hostile-sheets.ts'

/** Slots with a fake clock, and the order in which requests got one. */
function stage(rules: Partial<ReaderLimits> = {}) {
  let now = 0
  const slots = new ReaderSlots(rules, () => now)
  const sat: string[] = []
  const notified = new Map<string, number[]>()
  const leave = new Map<string, () => void>()
  const come = async (name: string, owner = name.charAt(0)) => {
    const heard: number[] = []
    notified.set(name, heard)
    leave.set(name, await slots.acquire({ owner, onQueuePosition: (before) => heard.push(before) }))
    sat.push(name)
  }
  const settle = () => new Promise<void>((done) => setImmediate(done))
  return {
    sat,
    notified,
    /** Several names are files of a company: a1 and a2 are of company a. */
    async come(...names: string[]) {
      for (const name of names) void come(name).catch((error: Error) => sat.push(`${name}: ${error.message}`))
      await settle()
    },
    async go(name: string) {
      leave.get(name)?.()
      await settle()
    },
    async pass(ms: number) {
      now += ms
      slots.schedule()
      await settle()
    },
  }
}

describe('reader slots', () => {
  it('gives one company only one slot, and another company the next at once', async () => {
    const { come, sat } = stage()
    await come('a1', 'a2', 'a3')
    expect(sat).toEqual(['a1'])
    await come('b1')
    expect(sat).toEqual(['a1', 'b1'])
  })

  it('gives the next slot to the company with the lowest usage, not to the first in the queue', async () => {
    const { come, go, pass, sat } = stage({ spareSlots: 0 })
    await come('a1', 'b1', 'a2', 'a3', 'b2', 'c1')
    await pass(4_000)
    await go('a1')
    expect(sat).toEqual(['a1', 'b1', 'c1'])
    await pass(1_000)
    await go('b1')
    // For company a, 4 s are counted, for b, 5 s.
    expect(sat.at(-1)).toBe('a2')
  })

  it('halves the recorded usage over time', async () => {
    const { come, go, pass, sat } = stage({ slots: 1, spareSlots: 0, usageHalfLifeMs: 1_000 })
    await come('a1')
    await pass(8_000)
    await go('a1')
    await pass(10_000)
    await come('b1')
    await pass(1_000)
    await come('a2', 'b2')
    await go('b1')
    expect(sat).toEqual(['a1', 'b1', 'a2'])
  })

  it('adds a spare slot for a company with low usage when all are busy for long', async () => {
    const { come, go, pass, sat } = stage()
    await come('x1')
    await pass(9_000)
    await go('x1')
    await come('a1', 'b1', 'x2')
    await pass(500)
    expect(sat).toEqual(['x1', 'a1', 'b1'])
    await pass(600)
    expect(sat).toEqual(['x1', 'a1', 'b1'])
    await come('c1', 'd1')
    expect(sat).toEqual(['x1', 'a1', 'b1', 'c1'])
    // The request c1 has only begun.
    await go('a1')
    expect(sat.at(-1)).toBe('c1')
    await pass(1_000)
    expect(sat.at(-1)).toBe('d1')
  })

  it('tells a waiting request its position, which decreases', async () => {
    const { come, go, notified } = stage({ slots: 1, spareSlots: 0 })
    await come('a1', 'b1', 'c1')
    expect([notified.get('a1'), notified.get('b1'), notified.get('c1')]).toEqual([[], [0], [1]])
    await go('a1')
    expect(notified.get('c1')).toEqual([1, 0])
  })

  it('limits the queue places per company, so that another one still gets one', async () => {
    const { come, sat } = stage({ slots: 1, spareSlots: 0, maxQueuedPerOwner: 2 })
    await come('a1', 'a2', 'a3', 'a4', 'b1')
    expect(sat).toEqual(['a1', `a4: ${unreadableMessages.busy}`])
  })

  it('frees the place of a cancelled request', async () => {
    const slots = new ReaderSlots({ slots: 1 })
    const leave = await slots.acquire({ owner: 'a' })
    const removed = new AbortController()
    const waiting = slots.acquire({ owner: 'b', signal: removed.signal })
    removed.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    leave()
    leave()
    const [one, two] = [
      await slots.acquire({ owner: 'c' }),
      await Promise.race([slots.acquire({ owner: 'd' }), Promise.resolve('waits')]),
    ]
    expect([typeof one, two]).toEqual(['function', 'waits'])
  })
})

describe.runIf(process.platform === 'linux')('end of a reader process by its resource usage', () => {
  const children: ReturnType<typeof spawn>[] = []
  afterAll(() => children.forEach((child) => void child.kill('SIGKILL')))
  const over = (program: string, limits: { cpu_ms: number; memory: number }) =>
    new Promise<string>((done) => {
      const child = spawn(process.execPath, ['-e', program], { stdio: 'ignore' })
      children.push(child)
      watchLimits(child, limits, (reason) => done(reason.message))
    })
  const plenty = 1_000_000_000
  it.each([
    ['time', 'for (;;);', { cpu_ms: 300, memory: plenty }, unreadableMessages.slow],
    [
      'memory',
      'globalThis.a = Buffer.alloc(300e6, 1); setInterval(() => {}, 1e3)',
      { cpu_ms: plenty, memory: 200e6 },
      unreadableMessages.too_big_inside,
    ],
  ])('%s', async (_, program, limits, message) => {
    expect(await over(program, limits)).toBe(message)
  })
  it('limits grow with the file size within bounds', () => {
    expect(getChildLimits(8_000)).toMatchObject({ cpu_ms: expect.closeTo(6_005, 0), memory: 256 * 1024 * 1024 })
    const largest = getChildLimits(20 * 1024 * 1024)
    expect(largest.memory).toBeLessThanOrEqual(400 * 1024 * 1024)
    expect(largest.cpu_ms).toBeLessThan(20_000)
  })
})

describe('refusal of costly files for their content, not by timeout or memory limit', () => {
  it.each(hostile)('%s', async (_, make) => {
    const message = await readSheet(make(), { file_name: '表' }).then(
      () => 'read',
      (error: unknown) => (error instanceof UnreadableSheetError ? error.message : String(error)),
    )
    expect(message).toMatch(/请/)
    expect([unreadableMessages.slow, unreadableMessages.too_big_inside]).not.toContain(message)
  })
})
