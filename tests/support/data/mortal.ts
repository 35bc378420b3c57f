/** A data directory whose server is killed repeatedly, and access to its database while the server is down. */
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createSecrets } from '../../../server/crypto/secrets.ts'
import { connectDatabase, type Database } from '../../../server/database/database.ts'
import { startPostgres } from '../../../server/database/postgres/start.ts'
import type { Server } from '../run/server.ts'

export function mortalData() {
  const master = randomBytes(32)
  const data = mkdtempSync(join(tmpdir(), 'xinhan-kill-'))
  chmodSync(data, 0o711)
  let last: Server | null = null
  /** Must not be called while its server runs. */
  async function inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const postgres = await startPostgres({ dir: join(data, 'postgres'), log: () => undefined })
    const app_password = createHash('sha256').update(master).update('database login').digest('base64url')
    const database = await connectDatabase({ owner: postgres.owner, app_password, max: 4 })
    try {
      return await work(database)
    } finally {
      await database.close()
      await postgres.close()
    }
  }
  afterAll(async () => {
    await last?.kill().catch(() => undefined)
    // Opening the directory stops the database that a killed server left running.
    await inDatabase(async () => undefined).catch(() => undefined)
    rmSync(data, { recursive: true, force: true })
  })
  /** Stores the server that currently runs on it. */
  const put = (server: Server): Server => (last = server)
  return { master, secrets: createSecrets(master), data, inDatabase, put }
}
