/**
 * The end of a check in pieces (issue 19, 2): between two of them everybody else has his turn. What a piece does is counted by the engine, block
 * by block as it is executed, and not by a clock: a loop that forgot to stop is seen whichever it is, and however fast the machine.
 */
import { Session } from 'node:inspector/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seeded } from '../kit/random.ts'
import { blurred, checkOf, nothingAfter, type PaidLine, rosterOf, twoMonths } from '../kit/sheets/pay-months.ts'
import { slips } from '../kit/sheets/slips.ts'

const keys = ['base', 'post', 'age', 'merit', 'overtime', 'meal', 'pension', 'medical', 'fund', 'absence', 'tax'] as const
const all = 10_000
/** A piece is at most 1.1 million, up to 35 ms of a processor; without pieces it is 60 million. */
const most_blocks = 1_600_000

/** Many people, every figure off by 3 %, in another order. */
function large(order: string) {
  const random = seeded(5)
  const before: PaidLine[] = []
  for (let other = 0; before.length < all; other++)
    for (const { name, pay } of twoMonths(seeded(9_000 + other)).before) {
      const at = before.length
      before.push({ owner: `p${at}`, name: `${name}${at % 97}`, mobile: `138${String(at).padStart(8, '0')}`, pay })
    }
  const lines = before.map((line): PaidLine => ({ ...line, pay: blurred(random, line.pay, 0.03) }))
  slips.find(({ name }) => name === order)?.slip(lines, random, [])
  return checkOf({ people: before.map((line) => rosterOf(line)), before, lines, keys }, before)
}

describe('the end of a check', () => {
  const session = new Session()
  // Before anything has run: what the engine has made fast it counts no more.
  beforeAll(async () => {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  })
  afterAll(() => session.disconnect())

  async function blocksSince(): Promise<number> {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const ours = result.filter(({ url }) => url.includes('/server/domain/sheet/rules/'))
    const ranges = ours.flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
    return ranges.reduce((sum, { count }) => sum + count, 0)
  }

  it.each(['names sorted', 'shift'])('of 10,000 people is done in pieces: %s', async (order) => {
    const pieces = large(order).finishing(nothingAfter)
    await blocksSince()
    const blocks: number[] = []
    for (let isDone: boolean | undefined = false; !isDone; ) {
      isDone = pieces.next().done
      blocks.push(await blocksSince())
    }
    expect(Math.max(...blocks)).toBeLessThan(most_blocks)
    // It is counted at all: 10,000 people with eleven items are many blocks.
    expect(blocks.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10 * most_blocks)
  })
})
