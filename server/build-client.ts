/**
 * Builds the client, and the program of the spreadsheet reader's child process, when either is missing or older than
 * its sources; `npm start` runs it first.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isUpToDate, readerProgramPath, readerSources } from './spreadsheets/child/build-freshness.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const sources = ['src', 'build', 'server/contract', 'platform/client', 'platform/chat', 'vite.config.ts', 'package-lock.json']
if (!isUpToDate(root, 'dist/app.html', sources) || !isUpToDate(root, readerProgramPath, readerSources)) {
  const { build } = await import('vite')
  process.stdout.write('building the client …\n')
  await build({ root: join(root, 'src'), configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
}
