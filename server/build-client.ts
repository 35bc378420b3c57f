/**
 * Builds the client, the program of the spreadsheet reader's child process, and the font of PDFs, when one is missing
 * or was built from other sources; `npm start` runs it first. Needs no build tools where all are up to date.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientDigestFile, clientSources, fontFile, isUpToDate, readerProgramPath, readerSources } from './shared/build-output.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const isBuilt =
  existsSync(join(root, 'dist/app.html')) &&
  existsSync(join(root, fontFile)) &&
  isUpToDate(root, clientDigestFile, clientSources) &&
  isUpToDate(root, readerProgramPath, readerSources)

if (!isBuilt) {
  const vite = await import('vite').catch(() => null)
  if (vite) {
    process.stdout.write('building the client …\n')
    await vite.build({ root: join(root, 'src'), configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
  } else {
    process.stderr.write(
      '薪函 cannot start: dist and .cache were not built from these sources, and the build tools are not installed. ' +
        'Run "npm ci && npm run build", or copy dist and .cache from where this version was built.\n',
    )
    process.exitCode = 1
  }
}
