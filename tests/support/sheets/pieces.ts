/**
 * Measures the work of each part of the end of a check, counted by the engine in executed blocks and not by time. It
 * runs in a separate thread, because the engine does not count what it compiled before counting was enabled.
 */
import { Session } from 'node:inspector/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { seeded } from '../random.ts'
import { blurred, getCheck, getRoster, nothingAfter, type PaidLine, twoMonths } from './pay-months.ts'
import { slips } from './slips.ts'

const keys = ['base', 'post', 'age', 'merit', 'overtime', 'meal', 'pension', 'medical', 'fund', 'absence', 'tax'] as const
const all = 10_000
type Order = (typeof slips)[number]['name']

/** Many employees, every amount changed by 3 %, in another order. */
function large(order: Order) {
  const random = seeded(5)
  const before: PaidLine[] = []
  for (let other = 0; before.length < all; other++)
    for (const { name, pay } of twoMonths(seeded(9_000 + other)).before) {
      const at = before.length
      before.push({ owner: `p${at}`, name: `${name}${at % 97}`, mobile: `138${String(at).padStart(8, '0')}`, pay })
    }
  const lines = before.map((line): PaidLine => ({ ...line, pay: blurred(random, line.pay, 0.03) }))
  slips.find(({ name }) => name === order)?.slip(lines, random, [])
  return getCheck({ people: before.map((line) => getRoster(line)), before, lines, keys }, before)
}

async function count(order: Order): Promise<number[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const blocksSince = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const ours = result.filter(({ url }) => url.includes('/server/modules/sheets/rules/'))
    const ranges = ours.flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
    return ranges.reduce((sum, range) => sum + range.count, 0)
  }
  const segments = large(order).finishCooperatively(nothingAfter)
  await blocksSince()
  const blocks: number[] = []
  for (let isDone: boolean | undefined = false; !isDone; ) {
    isDone = segments.next().done
    blocks.push(await blocksSince())
  }
  session.disconnect()
  return blocks
}

/** Returns the executed blocks of each part for 10,000 employees whose rows are in this order. */
export const blocksOfSegments = (order: Order): Promise<number[]> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: order, execArgv: ['--no-warnings'] })
    worker.once('message', resolve)
    worker.once('error', reject)
  })

if (!isMainThread && typeof workerData === 'string') parentPort?.postMessage(await count(workerData), [])
