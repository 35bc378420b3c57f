import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PoolConfig } from 'pg'
import { getBinaryPath, type PostgresInstallation, toSpawnIdentity } from './binaries.ts'

const isWindows = process.platform === 'win32'
const owner_name = 'xinhan_owner'
const database_name = 'xinhan'
/** Increased when the tables get a new layout without a migration for older data; ordinary migrations do not change it. */
export const dataLayout = '2'
const layoutFileName = 'xinhan.layout'

/** Creates the cluster and its database if there is none, and refuses an unreadable one before it is opened. */
export function ensureCluster(position: PostgresInstallation, data: string, log: (text: string) => void): void {
  if (!existsSync(data)) initialise(position, data, log)
  const has = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (has === position.major) return assertDataLayout(data)
  throw new Error(
    `The data in ${data} were written by PostgreSQL ${has}, this program brings ${position.major}. ` +
      'Make a backup with the program that wrote them and restore it into an empty directory.',
  )
}

/** Refuses data whose table layout differs from this program's. */
function assertDataLayout(data: string): void {
  const file = join(data, layoutFileName)
  const layout = existsSync(file) ? readFileSync(file, 'utf8').trim() : '1'
  if (layout === dataLayout) return
  throw new Error(
    layout < dataLayout
      ? `The data in ${data} have the layout of a version before 0.2, which this program does not read. ` +
          'Nothing was changed. Start with an empty data directory, or run the version that wrote these data.'
      : `The data in ${data} have a newer layout (${layout}) than this program reads (${dataLayout}). Run the newer program.`,
  )
}

/** The password is stored with the data, so that they can only be lost together. */
export function getOwnerConfig(data: string, host: string, port: number): PoolConfig {
  const password = readFileSync(join(data, 'xinhan.password'), 'utf8').trim()
  return { host, port, user: owner_name, password, database: database_name }
}

/** Created under a temporary name and renamed when complete: a crash never leaves an incomplete cluster under the final name. */
function initialise(position: PostgresInstallation, data: string, log: (text: string) => void): void {
  const { as, home } = position
  const half = `${data}.making`
  const password_file = join(home, 'password.making')
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { mode: 0o700 })
  const password = randomBytes(24).toString('base64url')
  writeFileSync(password_file, password, { mode: 0o600 })
  if (as) for (const path of [half, password_file]) chownSync(path, as.uid, as.gid)
  const options = ['-U', owner_name, `--pwfile=${password_file}`, '--auth=scram-sha-256', '--encoding=UTF8', '--no-instructions']
  // The built-in locale: the same sort order on every machine, whatever its C library.
  options.push('--locale-provider=builtin', '--locale=C.UTF-8')
  run(position, 'initdb', ['-D', half, ...options])
  rmSync(password_file)
  run(position, 'postgres', ['--single', '-D', half, 'postgres'], `create database ${database_name}\n`)
  for (const [name, content] of [
    ['xinhan.password', password],
    [layoutFileName, dataLayout],
  ] as const) {
    const file = join(half, name)
    writeFileSync(file, content, { mode: 0o600, flush: true })
    if (as) chownSync(file, as.uid, as.gid)
  }
  renameSync(half, data)
  if (!isWindows) syncDirectory(home)
  log(`made a new PostgreSQL cluster in ${data}`)
}

/** A rename is durable only once the directory has been synced. */
function syncDirectory(dir: string): void {
  const fd = openSync(dir, 'r')
  fsyncSync(fd)
  closeSync(fd)
}

function run({ as, home, native }: PostgresInstallation, program: string, args: string[], input = ''): void {
  const ran = spawnSync(getBinaryPath(native, program), args, { ...toSpawnIdentity(as), cwd: home, input, encoding: 'utf8' })
  if (ran.status === 0) return
  throw new Error(`${program} failed: ${ran.error?.message ?? `${ran.stdout}\n${ran.stderr}`.trim()}`)
}

/** A socket path may have 107 bytes (103 on macOS); deeply nested projects use a directory in the temporary directory. */
export function ensureSocketDirectory({ as, home }: PostgresInstallation): string {
  const key = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const near = join(home, 'socket')
  const far = [join(tmpdir(), `xinhan-${key}`), `/tmp/xinhan-${key}`, `/tmp/xinhan-${randomBytes(6).toString('hex')}`]
  const uid = as?.uid ?? process.getuid?.()
  for (const dir of [near, ...far]) {
    if (Buffer.byteLength(join(dir, '.s.PGSQL.5432')) > 103) continue
    if (!existsSync(dir)) {
      mkdirSync(dir, { mode: 0o700 })
      if (as) chownSync(dir, as.uid, as.gid)
    }
    const stat = lstatSync(dir)
    // In a world-writable directory another user may have created it first.
    if (!stat.isDirectory() || stat.uid !== uid) continue
    chmodSync(dir, 0o700)
    return dir
  }
  throw new Error(`no private folder for the database's socket (tried ${[near, ...far].join(', ')})`)
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port'))))
    })
  })
}
