import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorCode } from '../shared/error-code.ts'

/**
 * The error codes are unique violation, duplicate table, duplicate object, internal error ("tuple concurrently
 * updated") and deadlock.
 */
const conflictCodes = new Set(['23505', '42P07', '42710', 'XX000', '40P01'])

/** Retries statements that fail when two starters write the same catalogue row at once. For statements that may be repeated. */
export async function retryOnConflict<T>(fn: () => Promise<T>): Promise<T> {
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await fn()
    } catch (error) {
      if (attempts >= 20 || !conflictCodes.has(getErrorCode(error))) throw error
      await sleep(10 + Math.random() * 40)
    }
  }
}
