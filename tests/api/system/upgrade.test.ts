/**
 * The data of the last release under this program: companies, payslips, receipts and settings are the same. The stored
 * data is a backup with what was read from it then. It is written once a release, by this file at its tag:
 *
 *     git worktree add ../release v0.2.0 && cp tests/api/system/upgrade.test.ts ../release/tests/api/system/ && cd ../release
 *     npm ci && mkdir -p tests/cases/upgrade && XINHAN_WRITE_UPGRADE=0.2.0 npm test -- upgrade.test.ts
 *     cp tests/cases/upgrade/0.2.0.* <here>/tests/cases/upgrade/
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { Client, type PoolConfig } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { readBackupFile, writeBackupFile } from '../../../server/backup/backup-file.ts'
import { dumpDatabase } from '../../../server/backup/dump.ts'
import { restoreDatabase } from '../../../server/backup/restore.ts'
import { checkSealedValues } from '../../../server/boot-check.ts'
import { confirmSlip, getSlip, getSlipList } from '../../../server/contract/payslips/employee.ts'
import { verifyReceipt } from '../../../server/contract/payslips/verify-receipt.ts'
import { createSecrets } from '../../../server/crypto/secrets.ts'
import { connectDatabase } from '../../../server/database/database.ts'
import { emptyDatabase } from '../../support/run/database.ts'
import { makeBatch, send } from '../../support/slips.ts'
import { type Caller, startWorld, type World } from '../../support/world.ts'

const folder = join(import.meta.dirname, '../../cases/upgrade')
const masterKey = Buffer.alloc(32, 7)
const now = new Date('2026-11-20T03:00:00Z')
const release = process.env.XINHAN_WRITE_UPGRADE ?? ''

/** What is read from the data, by both programs in the same way. */
type StoredAnswers = {
  readonly company_id: string
  readonly people: { account_id: string; company_id: string }[]
  readonly payslips: unknown[]
  readonly stored: unknown
  readonly receipts: string[]
}

async function readPayslips(caller: Caller): Promise<unknown[]> {
  const { list } = await caller.must(getSlipList, { page: 1, pagesize: 10 })
  return Promise.all(list.map(async ({ slip_id }) => (await caller.must(getSlip, { slip_id })).slip))
}
/** Rows that an upgrade must not change. */
const readStored = (world: World, company_id: string): Promise<unknown> =>
  world.database.inCompany(company_id, async (tx) => {
    const company = await tx.selectFrom('company').select(['name', 'setting', 'edition', 'sms_left']).execute()
    const receipts = await tx.selectFrom('receipt').selectAll().where('company_id', '=', company_id).orderBy('id').execute()
    const deliveries = await tx.selectFrom('delivery').select(['id', 'status', 'channel']).orderBy('id').execute()
    return JSON.parse(JSON.stringify({ company, receipts, deliveries })) as unknown
  })
type Signable = Parameters<World['signIn']>[0]
const readAll = async (world: World, people: StoredAnswers['people']): Promise<unknown[]> => {
  const payslips: unknown[] = []
  for (const person of people) payslips.push(await readPayslips(await world.signIn(person as Signable)))
  return payslips
}

async function writeBackup(owner: PoolConfig): Promise<Buffer> {
  const client = new Client(owner)
  await client.connect()
  const target = new PassThrough()
  const chunks = target.toArray()
  const { input, done } = writeBackupFile(masterKey, target)
  await dumpDatabase(client, input, { program: release, now, onProgress: () => undefined })
  input.end()
  await done
  await client.end()
  return Buffer.concat((await chunks) as Buffer[])
}

it.runIf(release)('writes the data of this release', async () => {
  const world = await startWorld()
  await world.database.withoutCompany((tx) => world.secrets.verifyMasterKey(tx))
  const corp = await world.createCompany({ name: '云帆科技', sms_left: 77 })
  await world.createCompany({ name: '没有员工的企业' })
  const clerk = await corp.person({ power: ['2'], name: '王会计' })
  const staff = await corp.people(5)
  const caller = await world.signIn(clerk)
  for (let batch = 0; batch < 2; batch += 1)
    await send(caller, await makeBatch(world, clerk, staff), ['link'], { rules: { confirm: true } })
  await world.product.jobs.drain()
  const [first] = staff
  if (!first) throw new Error('no employee')
  const employee = await world.signIn(first)
  const { list } = await employee.must(getSlipList, { page: 1, pagesize: 10 })
  const receipts: string[] = []
  for (const { slip_id } of list) {
    const { version } = await employee.must(getSlip, { slip_id })
    receipts.push((await employee.must(confirmSlip, { slip_id, version })).receipt)
  }
  const people = staff.map(({ account_id, company_id }) => ({ account_id: account_id ?? '', company_id }))
  const payslips = await readAll(world, people)
  const answers: StoredAnswers = {
    company_id: corp.company_id,
    people,
    payslips,
    stored: await readStored(world, corp.company_id),
    receipts,
  }
  expect([payslips.flat().length, receipts.length]).toEqual([10, 2])
  writeFileSync(join(folder, `${release}.xhb`), await writeBackup(world.owner))
  writeFileSync(join(folder, `${release}.json`), `${JSON.stringify(answers, null, 1)}\n`)
  await world.close()
})

const releases = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.xhb'))
      .map((name) => name.slice(0, -4))
  : []

describe.skipIf(release).each(releases)('the data of %s', (name) => {
  const expected = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as StoredAnswers
  const closing: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const close of closing.toReversed()) await close()
  })

  it('is upgraded, and reads as it did', async () => {
    const target = await emptyDatabase()
    closing.push(() => target.drop())
    const { owner, role, app_password } = target.options
    const file = Readable.from([readFileSync(join(folder, `${name}.xhb`))])
    await restoreDatabase(readBackupFile([masterKey], file), { owner, role, app_password, now, onProgress: () => undefined })
    const database = await connectDatabase({ max: 4, ...target.options })
    const world = await startWorld({ database: { ...database, owner }, masters: [masterKey] })
    closing.push(() => world.close())

    await expect(checkSealedValues({ database, secrets: createSecrets(masterKey) })).resolves.toBeUndefined()
    const companies = await database.asSystem((tx) => tx.selectFrom('company').select('id').execute())
    expect(companies).toHaveLength(2)
    expect(await readStored(world, expected.company_id)).toMatchObject(expected.stored as object)
    expect(await readAll(world, expected.people)).toEqual(expected.payslips)
    for (const receipt of expected.receipts)
      expect(await world.anybody.must(verifyReceipt, { receipt })).toMatchObject({ genuine: true })
    await world.product.start({ sole: true })
  })
})
