/** G2: what clerks press, gateways do, clocks and kills, in any order: told by a seed, and held against what must be true of all of it. */
import { expect } from 'vitest'
import { demoWorld } from '../kit/demo.ts'
import { commands, History } from '../kit/outside/sending/history.ts'
import { trial } from '../kit/trial.ts'

const world = demoWorld(true)
/** On a busy machine an hour does not hold all of them: what was seen until then is told, not lost with the clock. */
const most_ms = 3_500_000

trial(
  'sending-histories',
  'of 30 commands each: nobody lost, nobody twice, nothing after a withdrawal, the figures and the SMS add up',
  { whole: 1_000, sample: 4, of: 'histories', goal: 'G2' },
  async ({ size, seed, says, tried }) => {
    const wrong: string[] = []
    const ends = performance.now() + most_ms
    let done = 0
    for (let at = 0; at < size && wrong.length < 10 && performance.now() < ends; at += 1) {
      const own = seed * 10_000 + at
      const history = await History.begin(world, own)
      let problems: string[]
      try {
        for (let turn = 0; turn < commands; turn += 1) await history.command()
        problems = await history.check()
      } catch (error) {
        problems = [String(error)]
      }
      if (problems.length > 0) wrong.push(`history ${own}: ${[...new Set(problems)].join('; ')}\n  ${history.said.join(', ')}`)
      done = at + 1
      if (at % 50 === 0) await world.database.pool.query('delete from pgboss.job')
    }
    tried(done)
    says(`${wrong.length} of ${done} broke what they promise`)
    expect(wrong.join('\n')).toBe('')
    expect(done).toBe(size)
  },
)
