/**
 * What `npm run build` writes, and whether it belongs to the sources. Content decides, not time: a copy, a checkout or
 * an image layer gives files any time.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Names the digest of the sources from which `dist` was built. */
export const clientDigestFile = 'dist/sources.digest'
export const clientSources = [
  'src',
  'build',
  'server/contract',
  'platform/client',
  'platform/chat',
  'vite.config.ts',
  'package-lock.json',
]

/**
 * The file that names the current build of the reader, the child process that opens spreadsheets (`build/reader.ts`),
 * and its sources. Started from source it needs 0.26 s of CPU time before it reads a file, mostly for stripping types
 * from a hundred files; built, 0.05 s.
 */
export const readerProgramPath = '.cache/reader/program'
export const readerSources = [
  'server/spreadsheets',
  'server/contract',
  'server/rules',
  'server/files/xlsx-writer.ts',
  'server/files/zip-writer.ts',
  'build/reader.ts',
  'package-lock.json',
]

/** Each build has its own folder, so that a new build does not affect a running server. */
export const getReaderFolder = (name: string): string => `.cache/reader/${name}`

/** The one weight of the font package that PDFs embed; the package itself is needed for the build only. */
export const fontFile = '.cache/fonts/NotoSansSC_400Regular.ttf'

/** Returns a hash of the contents of the sources, independent of their location and time. */
export function hashSources(root: string, sources: readonly string[]): string {
  const hash = createHash('sha256')
  const add = (path: string): void => {
    const full = join(root, path)
    if (!existsSync(full)) return
    if (statSync(full).isDirectory()) for (const name of readdirSync(full).toSorted()) add(`${path}/${name}`)
    else hash.update(path).update('\0').update(readFileSync(full)).update('\0')
  }
  for (const path of sources) add(path)
  return hash.digest('hex').slice(0, 16)
}

/** Returns whether the build that names its sources in `digestFile` was made from the sources as they are now. */
export const isUpToDate = (root: string, digestFile: string, sources: readonly string[]): boolean =>
  existsSync(join(root, digestFile)) && readFileSync(join(root, digestFile), 'utf8').trim() === hashSources(root, sources)
