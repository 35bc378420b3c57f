/**
 * How much each piece of the end of a check does, counted by the engine, block by block as it is executed, and not by a clock. It runs in a thread
 * of its own: what an engine compiled before it was asked to count, it does not count.
 */
import { Session } from 'node:inspector/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { seeded } from '../random.ts'
import { blurred, getCheck, getRoster, nothingAfter, type PaidLine, twoMonths } from './pay-months.ts'
import { slips } from './slips.ts'

const keys = ['base', 'post', 'age', 'merit', 'overtime', 'meal', 'pension', 'medical', 'fund', 'absence', 'tax'] as const
const all = 10_000
type Order = (typeof slips)[number]['name']

/** Many people, every figure off by 3 %, in another order. */
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
    const ours = result.filter(({ url }) => url.includes('/server/modules/sheet/rules/'))
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

/** Of 10,000 people whose lines were put into this order: the blocks of each piece. */
export const blocksOfSegments = (order: Order): Promise<number[]> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: order, execArgv: ['--no-warnings'] })
    worker.once('message', resolve)
    worker.once('error', reject)
  })

if (!isMainThread && typeof workerData === 'string') parentPort?.postMessage(await count(workerData), [])
