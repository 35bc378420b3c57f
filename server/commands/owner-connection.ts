/** The configuration, master key and database of an installation, for commands that run beside or instead of the server. */
import { join } from 'node:path'
import type { PoolConfig } from 'pg'
import { type Config, readConfig } from '../config.ts'
import { readMasterKey } from '../crypto/secrets.ts'
import { connectToPostgres, startPostgres } from '../database/postgres/start.ts'

export type Installation = {
  readonly config: Config
  readonly masterKey: Buffer
  /** The owner of the tables. */
  readonly owner: PoolConfig
  close(): Promise<void>
}

/**
 * Opens the installation that the environment describes. `exclusive`: refuses to run beside a server that uses the same
 * embedded database.
 */
export async function openInstallation({ exclusive }: { readonly exclusive: boolean }): Promise<Installation> {
  const config = readConfig()
  const masterKey = readMasterKey({
    provided: config.master_key,
    file: join(config.data_dir, 'master.key'),
    mayCreate: false,
  })
  if (config.database_url)
    return { config, masterKey, owner: { connectionString: config.database_url }, close: async () => undefined }
  const options = { dir: join(config.data_dir, 'postgres'), log: () => undefined }
  const postgres = await (exclusive ? startPostgres(options) : connectToPostgres(options))
  return { config, masterKey, owner: postgres.owner, close: () => postgres.close() }
}

/** Runs a command; an error is one sentence, and the exit code 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
