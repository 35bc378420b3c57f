/**
 * The entry of the server. A second server on the same data directory is refused before the program is loaded, which
 * takes seconds on a busy machine.
 */
import { join } from 'node:path'
import { type Config, readConfig } from './config.ts'
import { assertNotLocked } from './shared/directory-lock.ts'
import { version } from './shared/version.ts'

function assertSoleServer({ database_url, data_dir }: Config): void {
  if (!database_url) assertNotLocked(join(data_dir, 'postgres'))
}

async function run(): Promise<void> {
  if (process.argv.includes('--version')) return void process.stdout.write(`Xinhan ${version}\n`)
  const config = readConfig()
  assertSoleServer(config)
  const { startServer } = await import('./start-server.ts')
  await startServer(config)
}

process.on('unhandledRejection', (error) => {
  process.stderr.write(`unhandled rejection: ${error instanceof Error ? error.name : typeof error}\n`)
})

run().catch((error: unknown) => {
  process.stderr.write(`薪函 cannot start: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
