/**
 * No message is sent and no child process awaited while a transaction is open: checked by the compiler, and at run time
 * where a function has stored its dependencies.
 */
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Tx } from '../../../server/database/database.ts'
import {
  type NoTransaction,
  noTransaction,
  requireNoTransaction,
  runInTransactionScope,
} from '../../../server/database/no-transaction.ts'
import type { AccessContext, ExternalContext, HandlerContext } from '../../../server/http/handler.ts'
import type { JobContext } from '../../../server/jobs/queue.ts'
import type { SignInPlatforms } from '../../../server/modules/auth/platform/platforms.ts'
import { type ChannelSender, sendMessages } from '../../../server/outbox/channel-senders.ts'
import { annotateSheet, readRoster, readWageSheetFile } from '../../../server/spreadsheets/index.ts'

/** The function never runs: the test is whether it compiles. A missing expected error fails the type check. */
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
    ctx: HandlerContext
    rights: AccessContext
    line: ChannelSender
    platforms: SignInPlatforms
    file: Buffer
  },
  { outside, job }: { outside: ExternalContext; job: JobContext },
): unknown[] {
  return [
    // @ts-expect-error a transaction sends nothing
    line.send(tx, []),
    // @ts-expect-error
    line.find(ctx, []),
    // @ts-expect-error
    sendMessages(rights, line, []),
    // @ts-expect-error what a handler of one transaction is given has no way out
    line.send(ctx.noTransaction, []),
    // @ts-expect-error
    platforms.lark.exchange(ctx, {} as never, {} as never),
    // @ts-expect-error no child is waited for
    readWageSheetFile(tx, file, { file_name: '' }),
    // @ts-expect-error
    readRoster(ctx, file, { file_name: '' }),
    // @ts-expect-error
    annotateSheet(ctx, file, { issues: [], edits: [] }),
    // @ts-expect-error and nobody makes a proof of his own
    line.send({}, []),
    line.send(outside.noTransaction, []),
    line.find(job.noTransaction, []),
    readWageSheetFile(outside.noTransaction, file, { file_name: '' }),
  ]
}

describe('external access', () => {
  const call = requireNoTransaction((text: string) => `${text}?`)
  const refused = 'An external service must not be called while a transaction is open'

  it('gives external access to external handlers and jobs, not to code in a transaction', () => {
    expectTypeOf<ExternalContext>().toHaveProperty('noTransaction').toEqualTypeOf<NoTransaction>()
    expectTypeOf<JobContext>().toHaveProperty('noTransaction').toEqualTypeOf<NoTransaction>()
    expectTypeOf<HandlerContext>().not.toHaveProperty('noTransaction')
    expect(call(noTransaction, 'who')).toBe('who?')
  })

  it('refuses external access to a function that stored it inside a transaction, at any depth', async () => {
    const deep = async () => {
      await Promise.resolve()
      return call(noTransaction, 'who')
    }
    await expect(runInTransactionScope(async () => call(noTransaction, 'who'))).rejects.toThrow(refused)
    await expect(runInTransactionScope(() => Promise.resolve().then(deep))).rejects.toThrow(refused)
    await expect(runInTransactionScope(() => new Promise((done) => setImmediate(done)).then(deep))).rejects.toThrow(refused)
  })

  it('allows external access again after the commit or rollback, also for work started in the transaction', async () => {
    const ended = Promise.withResolvers<void>()
    let later: Promise<string> = Promise.resolve('')
    await runInTransactionScope(async () => {
      later = ended.promise.then(() => call(noTransaction, 'later'))
    })
    ended.resolve()
    expect(await later).toBe('later?')
    await expect(runInTransactionScope(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
    expect(call(noTransaction, 'who')).toBe('who?')
  })

  it('allows external access while another request has a transaction open', async () => {
    const end = Promise.withResolvers<void>()
    const open = runInTransactionScope(() => end.promise)
    expect(call(noTransaction, 'who')).toBe('who?')
    end.resolve()
    await open
  })
})
