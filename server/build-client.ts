/** Builds the client when it is missing or older than its sources; `npm start` runs it first. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const newestIn = (path: string): number =>
  !existsSync(path)
    ? 0
    : statSync(path).isDirectory()
      ? Math.max(0, ...readdirSync(path).map((name) => newestIn(join(path, name))))
      : statSync(path).mtimeMs

const sources = ['src', 'build', 'server/contract', 'platform/client', 'vite.config.ts', 'package-lock.json']
const built = join(root, 'dist', 'app.html')
if (!existsSync(built) || Math.max(...sources.map((path) => newestIn(join(root, path)))) > statSync(built).mtimeMs) {
  const { build } = await import('vite')
  process.stdout.write('building the client …\n')
  await build({ root: join(root, 'src'), configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
}
