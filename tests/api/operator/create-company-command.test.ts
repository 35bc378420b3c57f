/** `npm run create-company` beside a running server: from the printed link to a signed-in administrator. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PoolConfig } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { getWageSettings, setSendRule } from '../../../server/contract/payslips/send.ts'
import { connectDatabase } from '../../../server/database/database.ts'
import { createClient } from '../../support/callers/visitor.ts'
import { freshPhone } from '../../support/random.ts'
import { freshDatabase, type TestDatabase } from '../../support/run/database.ts'
import { startWorld, type World } from '../../support/world.ts'

const run = promisify(execFile)
const password = 'Erste-Verwaltung-7'
const dataDir = mkdtempSync(join(tmpdir(), 'xinhan-command-'))
let fresh: TestDatabase
let world: World

beforeAll(async () => {
  fresh = await freshDatabase()
  const database = await connectDatabase({ ...fresh.options, max: 4 })
  world = await startWorld({ database: { ...database, owner: fresh.options.owner }, now: new Date().toISOString() })
})
afterAll(async () => {
  await world.close()
  await fresh.drop()
  rmSync(dataDir, { recursive: true })
})

const toUrl = ({ user, password: secret, host, port, database }: PoolConfig): string =>
  `postgres://${user}:${secret}@/${database}?${new URLSearchParams({ host: host ?? '', port: String(port) })}`

const createCompany = (...args: string[]) => {
  const { owner, role, app_password } = fresh.options
  return run(process.execPath, ['server/commands/create-company.ts', ...args], {
    env: {
      XINHAN_DATA: dataDir,
      XINHAN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      XINHAN_ORIGIN: 'https://pay.example.cn',
      DATABASE_URL: toUrl(owner),
      DATABASE_APP_URL: toUrl({ ...owner, user: role, password: app_password }),
    },
  })
}

it('prints a link that signs the first administrator of an agency in, and writes both logs', async () => {
  const phone = freshPhone()
  const options = ['--name', '云帆代理', '--admin', '林一', '--phone', phone]
  const { stdout, stderr } = await createCompany(...options, '--agency')
  expect(stderr).toBe('')
  const token = /^https:\/\/pay\.example\.cn\/pc\/page\/login\/login\.html#link=([\w-]+)$/m.exec(stdout)?.[1] ?? ''
  const opened = await createClient(world).call(account.signInByLink, { token, password, confirm_password: password })
  expect(opened.data.corps).toMatchObject([{ name: '云帆代理', corp_role: 20, as: ['admin', 'employee'] }])
  const company_id = opened.data.corp_id ?? ''
  const [line, operatorLine] = await Promise.all([
    world.database.inCompany(company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select('call').where('company_id', '=', company_id).executeTakeFirstOrThrow(),
    ),
    world.database.asOperator((tx) => tx.selectFrom('operator_log_entry').select(['call', 'name']).executeTakeFirstOrThrow()),
  ])
  expect([line.call, operatorLine]).toEqual(['npm run create-company', { call: 'npm run create-company', name: '命令行' }])
  // One sentence, and no second company.
  await expect(createCompany(...options)).rejects.toMatchObject({
    code: 1,
    stderr: '已有同名的企业，请核对；确实是另一家，请在名称里加以区分\n',
  })
  await expect(createCompany('--name', '云帆')).rejects.toMatchObject({ code: 2 })
})

it('creates a company of an app market, which sends nothing through the platform', async () => {
  const phone = freshPhone()
  const { stdout } = await createCompany('--name', '集市贸易', '--admin', '周一', '--phone', phone, '--market')
  const token = /#link=([\w-]+)$/m.exec(stdout)?.[1] ?? ''
  const client = createClient(world)
  await client.call(account.signInByLink, { token, password, confirm_password: password })
  expect((await client.call(account.getCurrentUser, {})).data.corp.corp_origin).toBe(10)
  await client.call(setSendRule, { weChat: 1 })
  expect((await client.call(getWageSettings, {})).data.send_rule.weChat).toBe(0)
})
