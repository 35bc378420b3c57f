/**
 * G2: random histories of administrators, gateways, time and kills in any order, generated from a seed and checked
 * against the invariants of sending.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { commands, History } from '../../support/outside/sending/history.ts'
import { isFull, trial } from '../../support/run/trial.ts'
import { startWorld, type World } from '../../support/world.ts'

/**
 * On a busy machine an hour is too short for all histories: the results so far are reported and not lost at the
 * timeout.
 */
const most_ms = 3_500_000
/**
 * Histories run concurrently, each in a world with its own clock: a withdrawal waits for a dead sender that holds
 * messages.
 */
const side_by_side = isFull ? 2 : 1
/**
 * A server start resumes the open batches of every company in its world: with a thousand companies this would take most
 * of the time.
 */
const of_a_world = 20

type Notified = { readonly history: number; readonly problems: readonly string[]; readonly messages: readonly string[] }
async function notify(world: World, seed: number): Promise<Notified> {
  const history = await History.begin(world, seed)
  const problems = await (async () => {
    for (let slot = 0; slot < commands; slot += 1) await history.command()
    return history.check()
  })().catch((error: unknown) => [String(error)])
  return { history: seed, problems: [...new Set(problems)], messages: problems.length > 0 ? history.messages : [] }
}

/** The results, also of earlier parts of the same run: one line per history. */
function openBook(file: string | undefined) {
  const notified: Notified[] =
    file && existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Notified)
      : []
  return {
    notified,
    has: (seed: number) => notified.some(({ history }) => history === seed),
    add(one: Notified) {
      notified.push(one)
      if (file) appendFileSync(file, `${JSON.stringify(one)}\n`)
    },
    wrong: () => notified.filter(({ problems }) => problems.length > 0),
  }
}

trial(
  'sending-histories',
  'keeps 30 random commands consistent: nobody lost or notified twice, nothing after a withdrawal, and correct totals',
  { full: 1_000, sample: 4, of: 'histories', goal: 'G2' },
  async ({ size, seed, says, tried }) => {
    const book = openBook(process.env.XINHAN_TRIAL_STORED)
    const own = Array.from({ length: size }, (_, at) => seed * 10_000 + at)
    const before = book.notified.length
    const open = own.filter((one) => !book.has(one))
    const ends = performance.now() + most_ms
    const goesOn = () => open.length > 0 && book.wrong().length < 10 && performance.now() < ends
    const lane = async () => {
      while (goesOn()) {
        const world = await startWorld()
        for (let context = 0; context < of_a_world && goesOn(); context += 1) book.add(await notify(world, open.shift() ?? 0))
        await world.close()
      }
    }
    await Promise.all(Array.from({ length: side_by_side }, lane))
    tried(book.notified.length - before)
    const wrong = book
      .wrong()
      .map(({ history, problems, messages }) => `history ${history}: ${problems.join('; ')}\n  ${messages.join(', ')}`)
    says(
      `${wrong.length} of ${book.notified.length} broke what they promise${before > 0 ? `, ${before} of them in earlier parts` : ''}`,
    )
    expect(wrong.join('\n')).toBe('')
    expect(own.every(book.has)).toBe(true)
  },
)
