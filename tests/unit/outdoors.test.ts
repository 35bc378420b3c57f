/** Nothing is sent, and no child is waited for, while a transaction is open: told by the compiler, and by the machine where a function remembers. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { OutsidePlatforms } from '../../server/domain/account/platform/outside.ts'
import { inTheHouse, type Outdoors, onlyOutdoors, theOutdoors } from '../../server/runtime/data/outdoors.ts'
import type { Tx } from '../../server/runtime/db.ts'
import type { Ctx, OutsideCtx, RightsCtx } from '../../server/runtime/handle.ts'
import type { JobContext } from '../../server/runtime/jobs.ts'
import { handOver, type OutsideLine } from '../../server/runtime/post/lines.ts'
import { annotateSheet, readRoster, readSheet } from '../../server/tables/index.ts'

/** Never run: whether it compiles is the test. What is expected to be an error and is none fails the types. */
export function whatCompiles(
  {
    tx,
    ctx,
    rights,
    line,
    platforms,
    file,
  }: {
    tx: Tx
    ctx: Ctx
    rights: RightsCtx
    line: OutsideLine
    platforms: OutsidePlatforms
    file: Buffer
  },
  { outside, job }: { outside: OutsideCtx; job: JobContext },
): unknown[] {
  return [
    // @ts-expect-error a transaction sends nothing
    line.send(tx, []),
    // @ts-expect-error
    line.lookup(ctx, []),
    // @ts-expect-error
    handOver(rights, line, []),
    // @ts-expect-error what a handler of one transaction is given has no way out
    line.send(ctx.outdoors, []),
    // @ts-expect-error
    platforms.lark.exchange(ctx, {} as never, {} as never),
    // @ts-expect-error no child is waited for
    readSheet(tx, file, { file_name: '' }),
    // @ts-expect-error
    readRoster(ctx, file, { file_name: '' }),
    // @ts-expect-error
    annotateSheet(ctx, file, { problems: [], edits: [] }),
    // @ts-expect-error and nobody makes a proof of his own
    line.send({}, []),
    line.send(outside.outdoors, []),
    line.lookup(job.outdoors, []),
    readSheet(outside.outdoors, file, { file_name: '' }),
  ]
}

describe('outdoors', () => {
  const ask = onlyOutdoors((text: string) => `${text}?`)
  const refused = 'the outside world was asked while a transaction is open'

  it('is what a handler bound as outside and a job are given, and what runs in a transaction is not', () => {
    expectTypeOf<OutsideCtx>().toHaveProperty('outdoors').toEqualTypeOf<Outdoors>()
    expectTypeOf<JobContext>().toHaveProperty('outdoors').toEqualTypeOf<Outdoors>()
    expectTypeOf<Ctx>().not.toHaveProperty('outdoors')
    expect(ask(theOutdoors, 'who')).toBe('who?')
  })

  it('is not where a function remembers it inside a transaction, however deep', async () => {
    const deep = async () => {
      await Promise.resolve()
      return ask(theOutdoors, 'who')
    }
    await expect(inTheHouse(async () => ask(theOutdoors, 'who'))).rejects.toThrow(refused)
    await expect(inTheHouse(() => Promise.resolve().then(deep))).rejects.toThrow(refused)
    await expect(inTheHouse(() => new Promise((done) => setImmediate(done)).then(deep))).rejects.toThrow(refused)
  })

  it('is again once the transaction has ended, by commit or by refusal, also for what it has set going', async () => {
    const ended = Promise.withResolvers<void>()
    let later: Promise<string> = Promise.resolve('')
    await inTheHouse(async () => {
      later = ended.promise.then(() => ask(theOutdoors, 'later'))
    })
    ended.resolve()
    expect(await later).toBe('later?')
    await expect(inTheHouse(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
    expect(ask(theOutdoors, 'who')).toBe('who?')
  })

  it('others go out while a transaction of somebody else is open', async () => {
    const end = Promise.withResolvers<void>()
    const open = inTheHouse(() => end.promise)
    expect(ask(theOutdoors, 'who')).toBe('who?')
    end.resolve()
    await open
  })
})
