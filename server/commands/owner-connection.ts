/** The configuration, master key and database of an installation, for commands that run beside or instead of the server. */
import { join } from 'node:path'
import type { PoolConfig } from 'pg'
import { type Config, readConfig } from '../config.ts'
import { readMasterKey, readPreviousMasterKey } from '../crypto/master-key.ts'
import { createSecrets, type Secrets } from '../crypto/secrets.ts'
import { connectDatabase, type Database } from '../database/database.ts'
import { deriveAppPasswords } from '../database/postgres/app-role.ts'
import { connectToPostgres, startPostgres } from '../database/postgres/start.ts'
import { explainFailure } from './explain-failure.ts'

export type Installation = {
  readonly config: Config
  /** The master key, then the previous one while the keys are being wrapped again. */
  readonly masters: readonly [Buffer, ...Buffer[]]
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
  const masters = readMasterKeys(config)
  if (config.database_url)
    return { config, masters, owner: { connectionString: config.database_url }, close: async () => undefined }
  const options = { dir: join(config.data_dir, 'postgres'), log: () => undefined }
  const postgres = await (exclusive ? startPostgres(options) : connectToPostgres(options))
  return { config, masters, owner: postgres.owner, close: () => postgres.close() }
}

/** Reads the master key, and the previous one while the keys are being wrapped again. */
export function readMasterKeys(config: Config): readonly [Buffer, ...Buffer[]] {
  const file = join(config.data_dir, 'master.key')
  const master = readMasterKey({ provided: config.master_key, file, mayCreate: false })
  const previous = readPreviousMasterKey(config.previous_master_key)
  return previous ? [master, previous] : [master]
}

/** Runs work with the tables of the installation, under row-level security like the server; closes everything after it. */
export async function withDatabase<T>(
  work: (tools: { readonly installation: Installation; readonly database: Database; readonly secrets: Secrets }) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation({ exclusive: false })
  const { config, masters, owner } = installation
  try {
    const database = await connectDatabase({
      owner,
      ...(config.database_app_url ? { app: { connectionString: config.database_app_url } } : {}),
      app_password: deriveAppPasswords(masters),
      max: 3,
    })
    try {
      const secrets = createSecrets(masters[0], masters[1])
      await database.withoutCompany((tx) => secrets.verifyMasterKey(tx))
      return await work({ installation, database, secrets })
    } finally {
      await database.close()
    }
  } finally {
    await installation.close()
  }
}

/** Runs a command; an error is one sentence, and the exit code 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`)
    process.exitCode = 1
  }
}
