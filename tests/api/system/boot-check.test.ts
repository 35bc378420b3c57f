/** The check of sealed values before the server listens. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkSealedValues } from '../../../server/boot-check.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { createSecrets } from '../../../server/crypto/secrets.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import { asOwner } from '../../support/run/database.ts'
import { getDatabaseUrl } from '../../support/run/processes.ts'
import { freePort } from '../../support/run/server.ts'
import { makeBatch, sendManually } from '../../support/slips.ts'
import type { Corp } from '../../support/world.ts'

const world = demoWorld(true)
let corp: Corp
beforeAll(async () => {
  const office = await openOffice(world, ['赵一', '钱二'])
  corp = office.corp
  const clerk = await corp.person({ power: ['2'] })
  const sent = await makeBatch(world, clerk, office.staff)
  await sendManually({ world, corp, caller: await world.signIn(clerk) }, sent, ['sms'])
  const rows = office.staff.map((one) => [one.name, one.mobile, 9000, 9000])
  const { batch_id } = await getUpload(office.clerk, book(['姓名', '手机号', '应发工资', '实发工资'], rows), {}, '十月.xlsx')
  await office.clerk.must(wage.insertBatchTitle, { batch_id, title: '十月工资', month: '2026-10' })
  await office.clerk.must(wage.insertTemplate, { batch_id, name: '月薪' })
})

/** Checks with secrets of its own, as after a new start: nothing is cached. */
const check = (): Promise<string | void> =>
  checkSealedValues({ database: world.database, secrets: createSecrets(Buffer.alloc(32, 7)) })

/** Starts the real server on this database; returns what it says when it ends. */
async function startOnThisDatabase(): Promise<string> {
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      XINHAN_ORIGIN: 'https://pay.example.cn',
      XINHAN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      DATABASE_URL: getDatabaseUrl(world, 'owner'),
      DATABASE_APP_URL: getDatabaseUrl(world, 'app'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const listen = (chunk: Buffer): void => {
    output += chunk.toString()
    if (output.includes('is ready: ')) child.kill('SIGTERM')
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  await once(child, 'close')
  return output
}

type CheckedRow = { id: string; version?: number }
/** Replaces the sealed value of every row, checks, and restores them. */
async function checkWith(table: string, column: string, change: (row: CheckedRow) => Promise<Buffer>, start = check) {
  const read = await asOwner({ owner: world.owner }, (client) =>
    client.query<{ id: string; version?: number; sealed: Buffer }>(
      `select *, ${column} as sealed from ${table} where company_id = $1`,
      [corp.company_id],
    ),
  )
  expect(read.rows.length).toBeGreaterThan(0)
  const write = (id: string, sealed: Buffer) =>
    asOwner({ owner: world.owner }, (client) =>
      client.query(`update ${table} set ${column} = $2 where id::text = $1 and company_id = $3`, [id, sealed, corp.company_id]),
    )
  for (const row of read.rows) await write(String(row.id), await change(row))
  const outcome = await start().then(
    (output) => output ?? 'started',
    (error: Error) => error.message,
  )
  for (const row of read.rows) await write(String(row.id), row.sealed)
  return outcome
}

const columns: [table: string, column: string, versioned: boolean][] = [
  ['payslip', 'cells', true],
  ['batch', 'recognition', false],
  ['batch', 'layout', false],
  ['batch', 'sheet_layout', false],
  ['template', 'column_mapping', false],
  ['template', 'layout', false],
]

const sealLater = (table: string, column: string, versioned: boolean) => (row: CheckedRow) =>
  world.database.inCompany(corp.company_id, async (tx) => {
    const vault = await world.secrets.vault(tx, corp.company_id)
    const position = { table, row: row.id, column, ...(versioned ? { version: row.version ?? 1 } : {}) }
    return vault.seal(position, { version: 99, amount: '8000.00' })
  })

describe('the check at the start', () => {
  it('ends the start of the server, before it listens', async () => {
    const output = await checkWith('payslip', 'cells', sealLater('payslip', 'cells', true), startOnThisDatabase)
    expect(output).toMatch(/薪函 cannot start: .*a later version of the program has written the data/)
    expect(output).not.toMatch(/is ready|listening/)
  })

  it('passes where every value can be opened', async () => {
    await expect(check()).resolves.toBeUndefined()
  })

  it.each(columns)('refuses %s.%s of a later version and names what to start', async (table, column, versioned) => {
    const message = await checkWith(table, column, sealLater(table, column, versioned))
    expect(message).toMatch(/a later version of the program has written the data .*version 99.* Start that version again/)
    expect(message).not.toContain('8000')
  })

  it.each([...columns, ['title', 'name', false] as const, ['company_key', 'wrapped', false] as const])(
    'refuses %s.%s that does not open',
    async (table, column) => {
      const message = await checkWith(table, column, async () => Buffer.alloc(64, 1))
      expect(message).toMatch(/cannot be opened: it is damaged or belongs to another key.*restore a backup/)
      expect(message).toContain(corp.company_id)
    },
  )
})

it('states the version at /healthz and in the metrics', async () => {
  const { version: packaged } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const get = (url: string) => world.product.app.inject({ method: 'GET', url })
  expect((await get('/healthz')).json()).toEqual({ ok: true, version: packaged })
  expect((await get('/metrics')).body).toContain(`xinhan_build_info{version="${packaged}",node="${process.versions.node}"} 1`)
})
