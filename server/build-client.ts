/** Builds the client, and the reader's child with it, when either is missing or older than its sources; `npm start` runs it first. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtChild, childSources, isFresh } from './runtime/process/fresh.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const sources = ['src', 'build', 'server/contract', 'platform/client', 'vite.config.ts', 'package-lock.json']
if (!isFresh(root, 'dist/app.html', sources) || !isFresh(root, builtChild, childSources)) {
  const { build } = await import('vite')
  process.stdout.write('building the client …\n')
  await build({ root: join(root, 'src'), configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
}
