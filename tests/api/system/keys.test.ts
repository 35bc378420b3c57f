/**
 * Keys: the master key is replaced and data keys are added while payslips are read and sent; an interrupted command
 * continues; the former master key opens nothing afterwards; and a company whose keys are destroyed cannot be read.
 */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Client, type PoolConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBackupFile, writeBackupFile } from '../../../server/backup/backup-file.ts'
import { dumpDatabase } from '../../../server/backup/dump.ts'
import { restoreDatabase } from '../../../server/backup/restore.ts'
import { verifyBackup } from '../../../server/backup/verify.ts'
import { checkSealedValues } from '../../../server/boot-check.ts'
import { getSlip, getSlipList } from '../../../server/contract/payslips/employee.ts'
import { renewKeys, rewrapKeys } from '../../../server/crypto/key-rotation.ts'
import { getKeyFingerprint } from '../../../server/crypto/master-key.ts'
import { createSecrets } from '../../../server/crypto/secrets.ts'
import { connectDatabase, type Database } from '../../../server/database/database.ts'
import { startOperatorSetup } from '../../../server/http/operators.ts'
import { listAllCompanyIds } from '../../../server/jobs/companies.ts'
import { abortKeyDestruction, destroyDueKeys, planKeyDestruction } from '../../../server/jobs/key-destruction.ts'
import { findCompany } from '../../../server/modules/operator/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { asOwner, emptyDatabase, freshDatabase, lockWaiters, type TestDatabase } from '../../support/run/database.ts'
import { deliveries, getGateway, makeBatch, send, sender, sendManually, untilStopped } from '../../support/slips.ts'
import { type Corp, type Person, startWorld, type World } from '../../support/world.ts'

const oldKey = Buffer.alloc(32, 7)
const newKey = Buffer.alloc(32, 8)
const now = new Date('2026-11-20T03:00:00Z')
const dataDir = mkdtempSync(join(tmpdir(), 'xinhan-keys-'))
const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
  rmSync(dataDir, { recursive: true })
})

let fresh: TestDatabase
/** A server on the shared database, with these master keys. */
async function startServer(masters: readonly [Buffer, Buffer?], sms?: ReturnType<typeof getGateway>): Promise<World> {
  const database = await connectDatabase({ max: 6, ...fresh.options })
  const world = await startWorld({
    database: { ...database, owner: fresh.options.owner },
    masters,
    ...(sms ? { sms: () => sms } : {}),
  })
  closing.push(() => world.close())
  return world
}

const toUrl = ({ user, password, host, port, database }: PoolConfig): string =>
  `postgres://${user}:${typeof password === 'string' ? password : ''}@/${database}?${new URLSearchParams({ host: host ?? '', port: String(port) })}`
const getEnvironment = (masters: readonly Buffer[]) => {
  const { owner, role, app_password } = fresh.options
  const [current, previous] = masters.map((key) => key.toString('base64'))
  return {
    XINHAN_DATA: dataDir,
    ...(current ? { XINHAN_MASTER_KEY: current } : {}),
    ...(previous ? { XINHAN_MASTER_KEY_PREVIOUS: previous } : {}),
    DATABASE_URL: toUrl(owner),
    DATABASE_APP_URL: toUrl({ ...owner, user: role, password: app_password }),
  }
}
/** Runs `npm run keys`; returns its output, or the error that it prints. */
const runKeys = (masters: readonly Buffer[], ...args: string[]): Promise<string> => runCommand('keys', masters, args)
const runCommand = (name: string, masters: readonly Buffer[], args: readonly string[]): Promise<string> =>
  promisify(execFile)(process.execPath, [`server/commands/${name}.ts`, ...args], { env: getEnvironment(masters) }).then(
    ({ stdout }) => stdout,
    (error: { stderr: string; code: number }) => `${error.code} ${error.stderr}`,
  )

async function writeBackup(owner: PoolConfig, key: Buffer): Promise<Buffer> {
  const client = new Client(owner)
  await client.connect()
  const target = new PassThrough()
  const chunks = target.toArray()
  const { input, done } = writeBackupFile(key, target)
  await dumpDatabase(client, input, { program: '0.0.0', now, onProgress: () => undefined })
  input.end()
  await done
  await client.end()
  return Buffer.concat((await chunks) as Buffer[])
}
const read = (file: Buffer, ...masters: Buffer[]) => readBackupFile(masters, Readable.from([file]))

async function readPayslips(world: World, person: Person): Promise<string[]> {
  const employee = await world.signIn(person)
  const { list } = await employee.must(getSlipList, { page: 1, pagesize: 10 })
  const slips = await Promise.all(list.map(({ slip_id }) => employee.must(getSlip, { slip_id })))
  return slips.map(({ slip }) => JSON.stringify(slip))
}
const countKeys = async (where: string): Promise<number> =>
  (await asOwner(fresh, (client) => client.query<{ count: number }>(`select count(*)::int from company_key where ${where}`)))
    .rows[0]?.count ?? 0
/** The data key with which the recognition result of a batch was encrypted. */
async function getKeyId(server: World, batch_id: string): Promise<number | undefined> {
  const batch = await server.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('batch').select('recognition').where('id', '=', batch_id).executeTakeFirst(),
  )
  return batch?.recognition?.readUInt32BE(1)
}

let world: World
let corp: Corp
let clerk: Person
let people: Person[]
let sent: string
let payslips: string[][]
const position = { table: 'account', row: 'a', column: 'totp' }
let sealed: Buffer
let mac: Buffer
const gateway = getGateway()

beforeAll(async () => {
  fresh = await freshDatabase()
  closing.push(() => fresh.drop())
  world = await startServer([oldKey], gateway)
  corp = await world.createCompany()
  for (let index = 0; index < 4; index += 1) await world.createCompany()
  clerk = await corp.person({ power: ['2'] })
  people = await corp.people(6)
  sent = await makeBatch(world, clerk, people)
  const job = await sendManually({ world, corp, caller: await world.signIn(clerk) }, sent, ['sms'])
  await sender(world, gateway).send(job, untilStopped)
  payslips = await Promise.all(people.map((person) => readPayslips(world, person)))
  expect(payslips.flat()).toHaveLength(people.length)
  sealed = world.secrets.seal(position, Buffer.from('only the installation'))
  mac = world.secrets.mac('recovery', 'code')
})

describe('replacing the master key', () => {
  let oldBackup: Buffer
  let both: World

  it('explains itself, and refuses one master key or an unknown one', async () => {
    expect(await runKeys([oldKey], '--help')).toMatch(/rewrap \[--dry-run\][^]*renew[^]*destroy[^]*abort/)
    expect(await runKeys([oldKey], 'wrap')).toMatch(/^2 用法/)
    expect(await runKeys([oldKey])).toBe('5 家企业，5 把数据密钥，都能用主密钥打开。\n')
    expect(await runKeys([oldKey], 'rewrap')).toMatch(/^1 请先设置两把主密钥/)
    expect(await runKeys([newKey, randomBytes(32)], 'rewrap')).toMatch(/^1 this database was written with another master key/)
  })

  it('refuses while a server runs that does not have the new key', async () => {
    const server = await connectDatabase({ ...fresh.options, key_fingerprints: [getKeyFingerprint(oldKey)] })
    await expect.poll(() => server.isHealthy()).toBe(true)
    expect(await runKeys([newKey, oldKey], 'rewrap', '--dry-run')).toMatch(/^1 还有服务没有新的主密钥/)
    await server.close()
  })

  it('changes nothing in a dry run', async () => {
    const before = await asOwner(fresh, (client) => client.query('select * from company_key order by company_id'))
    expect(await runKeys([newKey, oldKey], 'rewrap', '--dry-run')).toBe(
      '试运行，没有改动：5 家企业，重新包装 5 把密钥，0 把此前已经完成\n',
    )
    const after = await asOwner(fresh, (client) => client.query('select * from company_key order by company_id'))
    expect(after.rows).toEqual(before.rows)
    await expect(checkSealedValues({ database: world.database, secrets: createSecrets(oldKey) })).resolves.toBeUndefined()
  })

  it('continues after it was killed in the middle, while payslips are read and sent', async () => {
    oldBackup = await writeBackup(fresh.options.owner, oldKey)
    both = await startServer([newKey, oldKey], gateway)
    const waiting = await makeBatch(both, clerk, people)
    const companies = await both.database.asSystem((tx) => tx.selectFrom('company').select('id').orderBy('id').execute())
    // The command waits for the third company when it is killed.
    const blocker = new Client(fresh.options.owner)
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query('select from company_key where company_id = $1 for update', [companies[2]?.id])
    const command = spawn(process.execPath, ['server/commands/keys.ts', 'rewrap'], {
      env: getEnvironment([newKey, oldKey]),
      stdio: 'ignore',
    })
    await expect.poll(() => lockWaiters(both.database), { timeout: 60_000 }).toBe(1)
    command.kill('SIGKILL')
    await once(command, 'close')
    await blocker.query('rollback')
    await blocker.end()

    // Half of the keys are wrapped by each of them: servers with both read, send and create companies.
    const { both: fits, neither } = await countByKey(both.database)
    expect({ fits, neither }).toEqual({ fits: [2, 3], neither: 0 })
    await both.createCompany()
    expect((await countByKey(both.database)).both).toEqual([3, 3])
    await send(await both.signIn(clerk), waiting, ['sms'])
    const fromBoth = await startServer([newKey, oldKey])
    expect(await Promise.all(people.map((person) => readPayslips(fromBoth, person)))).toEqual(payslips)
    const onlyNew = createSecrets(newKey)
    await expect(fromBoth.database.withoutCompany((tx) => onlyNew.verifyMasterKey(tx))).rejects.toThrow(
      'XINHAN_MASTER_KEY_PREVIOUS',
    )

    const reading = readUntil(fromBoth, people)
    expect(await runKeys([newKey, oldKey], 'rewrap')).toMatch(/^已完成：6 家企业，重新包装 3 把密钥，3 把此前已经完成/)
    reading.stop()
    expect(await reading.readings).toBeGreaterThan(0)
    expect((await countByKey(both.database)).both).toEqual([6, 0])
    await both.product.jobs.drain()
    expect((await deliveries(both, corp, waiting)).map(({ status }) => status)).toEqual(people.map(() => 'accepted'))
    expect(gateway.doubled()).toEqual([])
    const again = await rewrapKeys(both.database, [newKey, oldKey], () => undefined)
    expect(again).toEqual({ companies: 6, rewrapped: 0, alreadyDone: 6 })
  })

  it('is followed by servers that have the new key only, and opens every kind of value', async () => {
    const server = await startServer([newKey])
    for (const [index, person] of people.entries())
      expect(await readPayslips(server, person)).toEqual(expect.arrayContaining(payslips[index] ?? []))
    await expect(checkSealedValues({ database: server.database, secrets: server.secrets })).resolves.toBeUndefined()
    expect(server.secrets.open(position, sealed).toString()).toBe('only the installation')
    expect(server.secrets.mac('recovery', 'code')).toEqual(mac)
  })

  it('refuses the former key, also to a server that still has it', async () => {
    const former = createSecrets(oldKey)
    await expect(world.database.withoutCompany((tx) => former.verifyMasterKey(tx))).rejects.toThrow('another master key')
    await expect(world.database.inCompany(corp.company_id, (tx) => former.vault(tx, corp.company_id))).rejects.toThrow(
      'wrapped by another master key',
    )
    await expect(world.createCompany()).rejects.toThrow('another master key')
  })

  it('leaves backups that can be restored: later ones with the new key, earlier ones with both', async () => {
    const newBackup = await writeBackup(fresh.options.owner, newKey)
    await expect(verifyBackup(read(newBackup, newKey), [newKey])).resolves.toMatchObject({ openedKeys: 6, openedPayslips: 1 })
    await expect(verifyBackup(read(newBackup, oldKey), [oldKey])).rejects.toThrow('另一把主密钥')
    for (const [file, masters] of [
      [newBackup, [newKey]],
      [oldBackup, [newKey, oldKey]],
    ] as const) {
      const target = await emptyDatabase()
      closing.push(() => target.drop())
      const { owner, role, app_password } = target.options
      await restoreDatabase(read(file, ...masters), { owner, role, app_password, now, onProgress: () => undefined })
      const database = await connectDatabase({ max: 3, ...target.options })
      const restored = await startWorld({ database: { ...database, owner }, masters })
      closing.push(() => restored.close())
      expect(await readPayslips(restored, people[0] as Person)).toEqual(expect.arrayContaining(payslips[0] ?? []))
      expect(restored.secrets.open(position, sealed).toString()).toBe('only the installation')
    }
  })

  /** How many keys each of the two master keys wraps. */
  async function countByKey(database: Database) {
    const [byNew, byOld] = [createSecrets(newKey), createSecrets(oldKey)]
    const ids = (await database.asSystem((tx) => tx.selectFrom('company').select('id').execute())).map(({ id }) => id)
    let [fresher, former, neither] = [0, 0, 0]
    for (const id of ids) {
      const opens = (secrets: typeof byNew) =>
        database
          .inCompany(id, (tx) => secrets.vault(tx, id))
          .then(
            () => true,
            () => false,
          )
      if (await opens(byNew)) fresher += 1
      else if (await opens(byOld)) former += 1
      else neither += 1
    }
    return { both: [fresher, former], neither }
  }
})

/** Reads payslips one after the other until it is stopped; any failure fails the test. */
function readUntil(server: World, readers: readonly Person[]) {
  const stopping = new AbortController()
  const readings = (async () => {
    let count = 0
    do for (const person of readers) count += (await readPayslips(server, person)).length
    while (!stopping.signal.aborted)
    return count
  })()
  return { readings, stop: () => stopping.abort() }
}

describe('adding data keys', () => {
  it('adds one to each company once, and uses it when all servers had the time to load it', async () => {
    const server = await startServer([newKey], gateway)
    const deps = { database: server.database, secrets: server.secrets }
    const ignore = (): void => undefined
    expect(await renewKeys({ ...deps, isDryRun: true }, [corp.company_id], ignore)).toEqual({ added: 1, skipped: 0 })
    expect(await countKeys('id > 1')).toBe(0)
    expect(await runKeys([newKey], 'renew', '--company', corp.company_id)).toMatch(/^1 家企业增加新的数据密钥，0 家/)
    expect(await runKeys([newKey], 'renew')).toMatch(/^5 家企业增加新的数据密钥，1 家在 24 小时内已有新密钥/)
    const companies = await listAllCompanyIds(server.database)
    expect(await renewKeys({ ...deps, isDryRun: false }, companies, ignore)).toEqual({ added: 0, skipped: 6 })
    expect(await countKeys('id = 2')).toBe(6)
    const before = await makeBatch(await startServer([newKey]), clerk, people)
    expect(await getKeyId(server, before)).toBe(1)

    await asOwner(fresh, (client) =>
      client.query(`update company_key set usable_from = now() - interval '1 minute' where id = 2`),
    )
    const later = await startServer([newKey], gateway)
    const after = await makeBatch(later, clerk, people)
    expect(await getKeyId(later, after)).toBe(2)
    // This server had loaded the keys before the new one was used.
    const reader = await startServer([newKey])
    await send(await later.signIn(clerk), after, ['sms'])
    await later.product.jobs.drain()
    expect(await readPayslips(reader, people[0] as Person)).toEqual(expect.arrayContaining(payslips[0] ?? []))
    expect(await readPayslips(reader, people[0] as Person)).toHaveLength(3)
  })
})

describe('destroying the keys of a company', () => {
  let server: World
  let doomed: Corp
  let employee: Person
  let others: string[][]

  beforeAll(async () => {
    server = await startServer([newKey], gateway)
    doomed = await server.createCompany({ name: '即将注销的企业' })
    const admin = await doomed.person({ power: ['2'] })
    employee = await doomed.person()
    const batch_id = await makeBatch(server, admin, [employee])
    await send(await server.signIn(admin), batch_id, ['sms'])
    await server.product.jobs.drain()
    expect(await readPayslips(server, employee)).toHaveLength(1)
    others = await Promise.all(people.map((person) => readPayslips(server, person)))
  })
  const destroy = (at: Date) => destroyDueKeys({ database: server.database, now: at })
  /** Moves the plan into the past: the database compares it with its own clock too. */
  const endGracePeriod = () =>
    asOwner(fresh, (client) =>
      client.query(`update key_destruction set requested_at = now() - interval '31 days', due_at = now() - interval '1 minute'`),
    )

  it('needs a reason, a company and a grace period', async () => {
    const deps = { database: server.database, now: new Date() }
    const request = { company: { id: doomed.company_id, name: doomed.name }, reason: '注销', days: 30 }
    await expect(planKeyDestruction(deps, { ...request, reason: ' ' })).rejects.toThrow('请写明原因')
    await expect(planKeyDestruction(deps, { ...request, days: 6 })).rejects.toThrow('宽限期至少 7 天')
    await expect(server.database.asOperator((tx) => findCompany(tx, '没有这一家'))).rejects.toThrow('没有这家企业')
    await expect(abortKeyDestruction(deps, doomed.company_id)).rejects.toThrow('没有等待销毁的密钥')
    await planKeyDestruction(deps, request, { isDryRun: true })
    await expect(abortKeyDestruction(deps, doomed.company_id)).rejects.toThrow('没有等待销毁的密钥')
  })

  it('can be aborted within the grace period, in which everything works', async () => {
    expect(await runKeys([newKey], 'destroy', '--company', doomed.name, '--reason', '注销')).toMatch(
      /^「即将注销的企业」的密钥将在/,
    )
    expect(await destroy(new Date())).toEqual([])
    expect(await readPayslips(await startServer([newKey]), employee)).toHaveLength(1)
    expect(await runKeys([newKey], 'abort', '--company', doomed.name)).toMatch(/^已取消/)
    await endGracePeriod()
    expect(await destroy(new Date())).toEqual([])
    expect(await readPayslips(await startServer([newKey]), employee)).toHaveLength(1)
  })

  it('does not let the application delete a key by itself', async () => {
    const { database } = server
    await expect(
      database.inCompany(doomed.company_id, (tx) =>
        tx.deleteFrom('company_key').where('company_id', '=', doomed.company_id).execute(),
      ),
    ).rejects.toThrow('permission denied')
  })

  it('makes the company unreadable after the grace period, and leaves the others as they are', async () => {
    const deps = { database: server.database, now: new Date() }
    const request = { company: { id: doomed.company_id, name: doomed.name }, reason: '注销', days: 30 }
    await planKeyDestruction(deps, request)
    await expect(planKeyDestruction(deps, request)).rejects.toThrow('已经在等待销毁')
    await endGracePeriod()
    expect(await destroy(new Date())).toEqual([doomed.company_id])
    expect(await destroy(new Date())).toEqual([])
    await expect(abortKeyDestruction(deps, doomed.company_id)).rejects.toThrow('没有等待销毁')

    const restarted = await startServer([newKey])
    const refused = await (await restarted.signIn(employee)).call(getSlipList, { page: 1, pagesize: 10 })
    expect(refused).toMatchObject({ code: 100403, message: expect.stringContaining('数据密钥已经销毁') })
    expect(await Promise.all(people.map((person) => readPayslips(restarted, person)))).toEqual(others)
    // A start and the jobs do not stumble over it.
    await expect(checkSealedValues(restarted)).resolves.toBeUndefined()
    await restarted.product.start({ sole: false })
    const backup = await writeBackup(fresh.options.owner, newKey)
    await expect(verifyBackup(read(backup, newKey), [newKey])).resolves.toMatchObject({ openedKeys: 6 })
    expect(await runKeys([newKey])).toMatch(/即将注销的企业：已于 .* 销毁（注销）/)
    // Its audit log cannot be recomputed, and is not passed over in silence; the other six are complete.
    const lines = (await runCommand('verify-audit', [newKey], [])).trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('完整'))).toHaveLength(6)
    expect(lines.at(-1)).toMatch(new RegExp(`^无法核对 {2}${doomed.company_id} {2}密钥已于 .* 销毁`))
    expect(await runCommand('verify-audit', [newKey], [doomed.company_id])).toMatch(/\n无法核对/)
  })

  it('is in the log of the operators and in that of the company', async () => {
    const lines = await server.database.asOperator((tx) =>
      tx.selectFrom('operator_log_entry').select(['call', 'details']).orderBy('at').orderBy('id').execute(),
    )
    const calls = lines.filter(({ details }) => JSON.stringify(details).includes(doomed.company_id)).map(({ call }) => call)
    expect(calls).toEqual(['destroy', 'abort', 'destroy'].map((step) => `npm run keys -- ${step}`).concat('keys.destroyed'))
    const company = await server.database.inCompany(doomed.company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select('call').where('call', 'like', 'npm run keys%').orderBy('at').execute(),
    )
    expect(company.map(({ call }) => call)).toEqual(['destroy', 'abort', 'destroy'].map((step) => `npm run keys -- ${step}`))
  })
})

it('refuses a leaked key of the operators once another one is set', async () => {
  const { database, secrets } = await startServer([newKey, oldKey])
  const at = new Date()
  const setUp = (setup_key: string, key: string, name: string) =>
    startOperatorSetup(
      { database, secrets, setup_key },
      { key, name, password_hash: 'unused', now: at },
      { call: 'makeOperator', outcome: 'done', details: {}, at, address: '', request_id: newId() },
    )
  await expect(setUp('the-next-key-of-the-operators', 'the-leaked-key-of-the-operators', 'mallory')).rejects.toThrow('密钥不正确')
  const { secret } = await setUp('the-next-key-of-the-operators', 'the-next-key-of-the-operators', 'alice')
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
})

it('lets servers with the former and with the new login password connect at the same time', async () => {
  const target = await emptyDatabase()
  const role = `${target.name}_app`
  closing.push(
    () => asOwner(fresh, (client) => client.query(`drop role if exists ${role}`)),
    () => target.drop(),
  )
  const connect = (app_password: readonly [string, ...string[]]) =>
    connectDatabase({ ...target.options, role, app_password, max: 1 })
  await (await connect(['former'])).close()
  const during = await connect(['new', 'former'])
  const count = (database: Database) => database.asSystem((tx) => tx.selectFrom('company').select('id').execute())
  expect(await count(during)).toEqual([])
  const after = await connect(['new'])
  expect(await count(after)).toEqual([])
  // Its next connection needs the password that the other server has set.
  await asOwner(target, (client) =>
    client.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = $1`, [role]),
  )
  await expect.poll(() => count(during).catch(() => 'lost')).toEqual([])
  await during.close()
  await after.close()
})
