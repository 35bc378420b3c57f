/** Waits at the start for an external database that is starting itself, as after a restart of the whole machine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type PoolConfig } from 'pg'
import { getErrorCode } from '../shared/error-code.ts'

/** The server is not there yet (connection and name), or it starts, stops or recovers (57P01, 57P02, 57P03), or is full (53300). */
const waitCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT'])
const waitStates = new Set(['57P01', '57P02', '57P03', '53300'])
const waitMessages = /terminated|timeout expired/i

type WaitOptions = { readonly log: (text: string) => void; readonly maxWaitMs?: number; readonly retryMs?: number }

/** Returns once a connection succeeds; throws at once for what does not heal by waiting, such as a wrong password. */
export async function waitForDatabase(
  owner: PoolConfig,
  { log, maxWaitMs = 60_000, retryMs = 1_000 }: WaitOptions,
): Promise<void> {
  const until = performance.now() + maxWaitMs
  let isReported = false
  for (;;) {
    const error = await tryToConnect(owner)
    if (error === null) {
      if (isReported) log('the database answers')
      return
    }
    const code = getErrorCode(error) ?? ''
    const heals = waitCodes.has(code) || waitStates.has(code) || waitMessages.test(error.message)
    if (!heals || performance.now() > until) throw error
    if (!isReported)
      log(`the database does not answer yet (${error.message || code}); waiting for it up to ${maxWaitMs / 1000} seconds`)
    isReported = true
    await sleep(retryMs)
  }
}

async function tryToConnect(owner: PoolConfig): Promise<Error | null> {
  const client = new Client({ connectionTimeoutMillis: 5_000, ...owner })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    await client.end().catch(() => undefined)
  }
}
