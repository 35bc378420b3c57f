/**
 * Backup and restore: a backup taken while people work is complete and consistent; restored elsewhere every row and
 * every payslip is the same, nothing is sent before somebody confirms, and then no message is sent twice.
 */
import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBackupFile, writeBackupFile } from '../../../server/backup/backup-file.ts'
import { readBackupText } from '../../../server/backup/backup-text.ts'
import { dumpDatabase } from '../../../server/backup/dump.ts'
import { restoreDatabase } from '../../../server/backup/restore.ts'
import { verifyBackup } from '../../../server/backup/verify.ts'
import { confirmSlip, getSlip, getSlipList } from '../../../server/contract/payslips/employee.ts'
import { connectDatabase } from '../../../server/database/database.ts'
import { confirmSending, getSendingPause } from '../../../server/jobs/sending-pause.ts'
import { asOwner, emptyDatabase, type TestDatabase } from '../../support/run/database.ts'
import { deliveries, getGateway, makeBatch, send, sender, sendManually, untilStopped } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

const masterKey = Buffer.alloc(32, 7)
const now = new Date('2026-11-20T03:00:00Z')
const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

async function writeBackup(owner: World['owner'], key = masterKey): Promise<Buffer> {
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
const read = (file: Buffer, key = masterKey) => readBackupFile([key], Readable.from([file]))

/** The rows of a backup by table and company, sorted: the order of rows has no meaning. */
async function collectRows(file: Buffer): Promise<Map<string, string[]>> {
  const rows = new Map<string, string[]>()
  await readBackupText(read(file), {
    onManifest: async () => undefined,
    onSection: async ({ table, company_id }) => {
      const section: string[] = []
      if (table !== 'restored_job') rows.set(`${table} ${company_id ?? ''}`, section)
      return { onRow: (line) => void section.push(line.toString()), onEnd: async () => void section.sort() }
    },
  })
  return rows
}

async function restore(file: Buffer, target: TestDatabase, key = masterKey) {
  const { owner, role, app_password } = target.options
  return restoreDatabase(read(file, key), { owner, role, app_password, now, onProgress: () => undefined })
}

/** An empty database whose owner is no superuser, so that row-level security applies to it, as on a managed server. */
async function createTarget(): Promise<TestDatabase> {
  const target = await emptyDatabase()
  const { owner, role } = target.options
  const name = `${target.name}_owner`
  await asOwner(target, async (client) => {
    await client.query(`create role ${name} login createrole password 'only-for-tests'`)
    await client.query(`grant ${role} to ${name}`)
    await client.query(`alter database ${target.name} owner to ${name}`)
    await client.query(`alter schema public owner to ${name}`)
  })
  closing.push(async () => {
    await target.drop()
    await asOwner(world, (client) => client.query(`drop role ${name}`))
  })
  return { ...target, options: { ...target.options, owner: { ...owner, user: name, password: 'only-for-tests' } } }
}

let world: World

describe('a backup taken under load', () => {
  let corp: Corp
  let clerk: Person
  let caller: Caller
  let people: Person[]
  let gateway: ReturnType<typeof getGateway>
  let file: Buffer
  let waiting: string
  let target: TestDatabase
  let restored: World

  beforeAll(async () => {
    world = await startWorld()
    closing.push(() => world.close())
    corp = await world.createCompany()
    await world.createCompany({ name: '没有员工的企业' })
    clerk = await corp.person({ power: ['2'], name: '王会计' })
    caller = await world.signIn(clerk)
    people = await corp.people(6)
    gateway = getGateway()
    const sent = await makeBatch(world, clerk, people)
    const job = await sendManually({ world, corp, caller }, sent, ['sms'])
    await sender(world, gateway).send(job, untilStopped)
    const [first] = people
    if (!first) throw new Error('no employee')
    const employee = await world.signIn(first)
    const list = await employee.must(getSlipList, { page: 1, pagesize: 10 })
    const slip_id = list.list[0]?.slip_id ?? ''
    const { version } = await employee.must(getSlip, { slip_id })
    await employee.must(confirmSlip, { slip_id, version })
    // Its messages wait at the time of the backup and are sent right afterwards.
    waiting = await makeBatch(world, clerk, people)
    const waitingJob = await sendManually({ world, corp, caller }, waiting, ['sms'])
    const readers = people.slice(1).map(async (person) => {
      const reader = await world.signIn(person)
      for (const { slip_id: id } of (await reader.must(getSlipList, { page: 1, pagesize: 10 })).list)
        await reader.must(getSlip, { slip_id: id })
    })
    file = await writeBackup(world.owner)
    await Promise.all(readers)
    await sender(world, gateway).send(waitingJob, untilStopped)
    target = await createTarget()
    await restore(file, target)
    const database = await connectDatabase({ max: 6, ...target.options })
    restored = await startWorld({ database: { ...database, owner: target.options.owner }, sms: () => gateway })
    closing.push(() => restored.close())
  })

  test('is verified without a database', async () => {
    const { summary, openedKeys, openedPayslips } = await verifyBackup(read(file), [masterKey])
    expect({ companies: summary.companies, payslips: summary.rows.payslip, openedKeys, openedPayslips }).toEqual({
      companies: 2,
      payslips: 12,
      openedKeys: 2,
      openedPayslips: 1,
    })
  })

  test('is restored row by row', async () => {
    const before = await collectRows(file)
    const after = await collectRows(await writeBackup(target.options.owner))
    expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted())
    for (const [section, rows] of before) expect(after.get(section), section).toEqual(rows)
    expect(before.get(`payslip ${corp.company_id}`)).toHaveLength(12)
    expect(before.get(`receipt ${corp.company_id}`)?.length).toBeGreaterThan(0)
  })

  test('keeps the constraints and row-level security of the tables', async () => {
    const constraints = `select conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) as text
      from pg_constraint where connamespace = 'public'::regnamespace order by 1`
    const forced = `select relname, relforcerowsecurity from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
    for (const query of [constraints, forced]) {
      const original = await asOwner(world, (one) => one.query(query))
      const copy = await asOwner(target, (one) => one.query(query))
      expect(copy.rows).toEqual(original.rows)
    }
  })

  test('shows every employee the same payslip, and signs everybody out', async () => {
    for (const person of people) {
      const [old, fresh] = [await world.signIn(person), await restored.signIn(person)]
      const lists = await Promise.all([old, fresh].map((one) => one.must(getSlipList, { page: 1, pagesize: 10 })))
      const ids = lists.map(({ list }) => list.map(({ slip_id }) => slip_id))
      // The second one was sent after the backup.
      expect(ids[1]).toHaveLength(1)
      expect(ids[0]).toEqual(expect.arrayContaining(ids[1] ?? []))
      for (const slip_id of ids[1] ?? []) {
        const [a, b] = await Promise.all([old, fresh].map((one) => one.must(getSlip, { slip_id })))
        expect(b?.slip).toEqual(a?.slip)
      }
    }
    const sessions = await asOwner(target, (one) => one.query(`select from session where device <> 'tests'`))
    expect(sessions.rowCount).toBe(0)
  })

  test('sends nothing until it is confirmed, and then nothing twice', async () => {
    const sentBefore = gateway.accepted.length
    await restored.product.start({ sole: true })
    await sleep(3_000)
    expect(await restored.database.withoutCompany(getSendingPause)).toMatchObject({ confirmed_at: null })
    expect(gateway.accepted).toHaveLength(sentBefore)
    expect((await deliveries(restored, corp, waiting)).map(({ status }) => status)).toEqual(people.map(() => 'queued'))
    await restored.database.withoutCompany((tx) => confirmSending(tx, now))
    await expect
      .poll(async () => (await deliveries(restored, corp, waiting)).map(({ status }) => status), { timeout: 30_000 })
      .toEqual(people.map(() => 'accepted'))
    expect(gateway.accepted).toHaveLength(sentBefore)
    expect(gateway.doubled()).toEqual([])
    expect(await restored.database.withoutCompany(getSendingPause)).toBeNull()
    // What is sent after the pause leaves as usual.
    const next = await makeBatch(restored, clerk, people)
    await send(await restored.signIn(clerk), next, ['sms'])
    await expect
      .poll(async () => (await deliveries(restored, corp, next)).map(({ status }) => status), { timeout: 30_000 })
      .toEqual(people.map(() => 'accepted'))
    expect(gateway.accepted).toHaveLength(sentBefore + people.length)
  })

  test.each([
    ['another master key', () => read(file, Buffer.alloc(32, 8)), '另一把主密钥'],
    ['a file that was cut off', () => read(file.subarray(0, -100)), '截断'],
    ['a file whose last frame is missing', () => read(file.subarray(0, 25)), '截断'],
    [
      'a changed byte',
      () => read(Buffer.concat([file.subarray(0, 300), Buffer.from([(file[300] ?? 0) ^ 1]), file.subarray(301)])),
      '损坏',
    ],
    ['another file', () => read(Buffer.from('PK not a backup, but long enough to have a header')), '不是薪函的备份文件'],
    ['an empty file', () => read(Buffer.alloc(0)), '不是薪函的备份文件'],
  ])('does not verify with %s', async (_, chunks, message) => {
    await expect(verifyBackup(chunks(), [masterKey])).rejects.toThrow(message)
  })

  test('does not verify where a payslip cannot be opened, or where the key of a company is missing', async () => {
    const copy = await createTarget()
    await restore(file, copy)
    // The owner of the server's databases may write to rows of every company.
    const change = (text: string) => asOwner({ owner: { ...world.owner, database: copy.name } }, (client) => client.query(text))
    const verify = async () => {
      const changed = await writeBackup({ ...world.owner, database: copy.name })
      return verifyBackup(read(changed), [masterKey])
    }
    await expect(verify()).resolves.toMatchObject({ openedPayslips: 1 })
    await change(`update payslip set cells = set_byte(cells, 40, get_byte(cells, 40) # 1)`)
    await expect(verify()).rejects.toThrow()
    await change(`delete from company_key where company_id <> '${corp.company_id}'`)
    await change(`update payslip set cells = set_byte(cells, 40, get_byte(cells, 40) # 1)`)
    await expect(verify()).rejects.toThrow('却只有 1 家的密钥')
    await change(`delete from company_key`)
    await expect(verify()).rejects.toThrow('缺少一家企业的密钥')
  })

  test('reads no file that ends after a full frame as complete, and shows nothing without the key', async () => {
    const target = new PassThrough()
    const chunks = target.toArray()
    const { input, done } = writeBackupFile(masterKey, target)
    // More than gzip can make small: three frames.
    input.end(Buffer.concat([Buffer.from('工资'.repeat(100)), randomBytes(700_000)]))
    await done
    const full = Buffer.concat((await chunks) as Buffer[])
    const ends: number[] = []
    for (let at = 25; at < full.length; ) {
      at += 4 + full.readUInt32BE(at) + 16
      ends.push(at)
    }
    expect([ends.length, ends.at(-1)]).toEqual([3, full.length])
    const readAll = async (chunks: AsyncIterable<Buffer>): Promise<number> => {
      let bytes = 0
      for await (const chunk of chunks) bytes += chunk.length
      return bytes
    }
    expect(await readAll(read(full))).toBe(700_600)
    for (const end of ends.slice(0, -1))
      await expect(readAll(read(full.subarray(0, end)))).rejects.toThrow(/不完整|打不开备份文件/)
    // Gzip begins with these two bytes.
    expect(full.subarray(29, 31)).not.toEqual(Buffer.from([0x1f, 0x8b]))
  })

  test('leaves the target empty after a failure, and refuses one that has companies', async () => {
    const other = await createTarget()
    await expect(
      restoreDatabase(read(file.subarray(0, -100)), { ...other.options, now, onProgress: () => undefined }),
    ).rejects.toThrow('截断')
    await restore(file, other)
    await expect(restore(file, other)).rejects.toThrow('已经有企业')
  })
})
