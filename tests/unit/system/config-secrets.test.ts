/** Secrets from files, and values that production refuses. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { readMasterKey } from '../../../server/crypto/master-key.ts'

const dir = mkdtempSync(join(tmpdir(), 'xinhan-config-'))
afterAll(() => rmSync(dir, { recursive: true }))
const writeSecret = (name: string, text: string): string => {
  const file = join(dir, name)
  writeFileSync(file, `${text}\n`)
  return file
}
const production = { NODE_ENV: 'production', XINHAN_ORIGIN: 'https://pay.example.cn' }

describe('secrets from files', () => {
  it('reads any variable from the file that its _FILE names', () => {
    const config = readConfig({
      ...production,
      XINHAN_MASTER_KEY_FILE: writeSecret('key', 'a'.repeat(64)),
      DATABASE_URL_FILE: writeSecret('url', 'postgres://owner@db/xinhan'),
      DATABASE_APP_URL_FILE: writeSecret('app', 'postgres://app@db/xinhan'),
      XINHAN_OPS_TOKEN_FILE: writeSecret('ops', 'a-token-of-at-least-24-characters'),
    })
    expect([config.master_key, config.database_url, config.database_app_url, config.billing.ops_token]).toEqual([
      'a'.repeat(64),
      'postgres://owner@db/xinhan',
      'postgres://app@db/xinhan',
      'a-token-of-at-least-24-characters',
    ])
  })

  it('names the variable of a missing file, and of a value that is given twice', () => {
    const missing = { ...production, DATABASE_URL_FILE: join(dir, 'none') }
    expect(() => readConfig(missing)).toThrow(`environment variable DATABASE_URL_FILE: cannot read ${join(dir, 'none')}`)
    const twice = { ...production, DATABASE_URL: 'postgres://db', DATABASE_URL_FILE: writeSecret('twice', 'x') }
    expect(() => readConfig(twice)).toThrow('environment variable DATABASE_URL_FILE: DATABASE_URL is set as well')
  })
})

it.each([
  'javascript:alert(1)',
  'http://pay.example.cn',
  'ftp://pay.example.cn',
  'https://pay.example.cn/path',
  'https://a@b.cn',
])('refuses %s as the address of a production server in one sentence', (XINHAN_ORIGIN) => {
  expect(() => readConfig({ ...production, XINHAN_ORIGIN })).toThrow(/^environment variable XINHAN_ORIGIN: [^\n]+$/)
})

it('refuses a master key of zeros', () => {
  const options = { file: join(dir, 'none'), mayCreate: false }
  for (const provided of ['0'.repeat(64), Buffer.alloc(32).toString('base64')])
    expect(() => readMasterKey({ ...options, provided })).toThrow('XINHAN_MASTER_KEY consists of zeros')
})
