/** API keys: created, shown once, used without a session, limited, recorded under their own name, revoked at once. */
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { apiKeyScopes, createApiKey, getApiKeys, maxApiKeys, revokeApiKey } from '../../../server/contract/api-keys/api-keys.ts'
import { setApprovalStatusByApprovalNo } from '../../../server/contract/approvals/approvals.ts'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { getSendApproval, requestSendApproval } from '../../../server/contract/payslips/send-approval.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import * as webhook from '../../../server/contract/webhooks/webhooks.ts'
import { registerErrorHandler } from '../../../server/http/error-handler.ts'
import { fail } from '../../../server/http/errors.ts'
import { hashSecret } from '../../../server/http/sessions.ts'
import { createProgram } from '../../support/callers/program.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import type { Caller, Person } from '../../support/world.ts'

const { not_permitted, signed_out, wrong_state, invalid } = errorCodes
const { world, corp } = demo({ own: true, each: true })
const address = { url: 'https://hr.example.com/hook', events: ['slip.sent' as const], active: true }

async function signIn(power: '1' | '2' | '3' | '4' = '4'): Promise<{ admin: Person; caller: Caller }> {
  const admin = await corp.person({ power: [power] })
  return { admin, caller: await world.signIn(admin) }
}
const rows = () =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('api_key').selectAll().where('company_id', '=', corp.company_id).execute(),
  )
const auditEntries = () =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('audit_log_entry').select(['name', 'call', 'outcome', 'details']).where('name', 'like', '接口密钥%').execute(),
  )

describe('a key', () => {
  it('is returned once and stored only as a hash', async () => {
    const { caller } = await signIn()
    const { key, key_id } = await createProgram(world, caller, { name: '考勤系统', scopes: ['roster.read'] })
    expect(key).toMatch(/^xh_live_[\w-]{64}$/)
    const [row] = await rows()
    expect(row?.hash.equals(hashSecret(key))).toBe(true)
    expect(JSON.stringify(row)).not.toContain(key.slice(-40))
    const { list } = await caller.must(getApiKeys, {})
    expect(list).toMatchObject([{ key_id, name: '考勤系统', hint: key.slice(-4), status: 'active', last_used_at: null }])
    expect(JSON.stringify(list)).not.toContain(key.slice(-40))
  })

  it('reads without cookie and XSRF token, and its last use is recorded', async () => {
    const { caller } = await signIn()
    const { program } = await createProgram(world, caller, { scopes: ['roster.read'] })
    expect((await program.must(getMemberList, {})).list.length).toBeGreaterThan(0)
    expect((await caller.must(getApiKeys, {})).list[0]?.last_used_at).not.toBeNull()
  })

  it('is refused as soon as it is revoked, by 401 and the reason', async () => {
    const { caller } = await signIn()
    const { program, key_id } = await createProgram(world, caller)
    await program.must(getMemberList, {})
    await caller.must(revokeApiKey, { key_id })
    expect(await program.call(getMemberList, {})).toMatchObject({ code: signed_out.code, status: 401, message: '接口密钥已停用' })
    expect((await caller.must(getApiKeys, {})).list[0]?.status).toBe('revoked')
    expect((await caller.call(revokeApiKey, { key_id: corp.company_id })).message).toBe('这个密钥不存在')
  })

  it('ends with its lifetime', async () => {
    const { caller } = await signIn()
    const { program } = await createProgram(world, caller, { valid_days: 30 })
    await program.must(getMemberList, {})
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('api_key').set({ expires_at: world.clock.now() }).where('company_id', '=', corp.company_id).execute(),
    )
    expect((await program.call(getMemberList, {})).message).toBe('接口密钥已过期')
  })

  it('is accepted from its addresses only', async () => {
    const { caller } = await signIn()
    const near = await createProgram(world, caller, { addresses: ['127.0.0.0/8'] })
    const far = await createProgram(world, caller, { addresses: ['203.0.113.7', '2001:db8::/32'] })
    await near.program.must(getMemberList, {})
    expect(await far.program.call(getMemberList, {})).toMatchObject({ code: not_permitted.code, status: 403 })
    const wrong = await caller.call(createApiKey, {
      name: '系统',
      scopes: ['webhooks'],
      addresses: ['10.0.0.300'],
      valid_days: 30,
    })
    expect(wrong).toMatchObject({ code: invalid.code, data: { field: 'addresses' } })
  })

  it('never has more than its creator, and ends with the powers of its creator', async () => {
    const { admin, caller } = await signIn('4')
    const { program } = await createProgram(world, caller)
    const setPower = (power: ('1' | '2')[]) =>
      world.database.inCompany(corp.company_id, (tx) =>
        tx.updateTable('admin').set({ power }).where('id', '=', admin.admin_id).execute(),
      )
    await setPower(['1'])
    await program.must(webhook.getWebhooks, {})
    expect(await program.call(getMemberList, {})).toMatchObject({ code: not_permitted.code, status: 403 })
    await setPower(['2'])
    expect(await program.call(webhook.getWebhooks, {})).toMatchObject({ code: signed_out.code, status: 401 })
  })

  it('has its own idempotency keys', async () => {
    const { caller } = await signIn()
    const [one, two] = [await createProgram(world, caller), await createProgram(world, caller)]
    const save = (program: Caller) => program.must(webhook.saveWebhook, address, { key: 'same-key-1' })
    const first = await save(one.program)
    expect(await save(one.program)).toEqual(first)
    expect((await save(two.program)).webhook_id).not.toBe(first.webhook_id)
    expect((await save(caller)).webhook_id).not.toBe(first.webhook_id)
  })

  it('is recorded under its own name, also where it is refused', async () => {
    const { caller } = await signIn()
    const { program, key_id } = await createProgram(world, caller, { name: '考勤系统', scopes: ['webhooks'] })
    await program.must(webhook.saveWebhook, address)
    await program.call(webhook.deleteWebhook, { webhook_id: key_id })
    expect(await auditEntries()).toMatchObject([
      { name: '接口密钥「考勤系统」', outcome: 'done', details: { api_key_id: key_id } },
      { name: '接口密钥「考勤系统」', outcome: 'not_found', details: { api_key_id: key_id } },
    ])
  })
})

describe('a dead key', () => {
  it('leaves an audit log entry under its name, one a minute however often it is tried', async () => {
    const { caller } = await signIn()
    const revoked = await createProgram(world, caller, { name: '旧系统' })
    await caller.must(revokeApiKey, { key_id: revoked.key_id })
    for (let count = 0; count < 3; count += 1) await revoked.program.call(getMemberList, {})
    const far = await createProgram(world, caller, { name: '外地', addresses: ['203.0.113.7'] })
    await far.program.call(getMemberList, {})
    const refused = (await auditEntries()).filter(({ outcome }) => outcome === 'key_refused')
    expect(refused).toMatchObject([
      { name: '接口密钥「旧系统」', call: getMemberList.route, details: { api_key_id: revoked.key_id } },
      { name: '接口密钥「外地」', details: { api_key_id: far.key_id } },
    ])
  })

  it('of an administrator who left is recorded too, and one that is accepted is not', async () => {
    const { admin, caller } = await signIn()
    const { program } = await createProgram(world, caller)
    await program.must(getMemberList, {})
    expect(await auditEntries()).toEqual([])
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('admin')
        .set({ power: ['2'] })
        .where('id', '=', admin.admin_id)
        .execute(),
    )
    await program.call(getMemberList, {})
    expect(await auditEntries()).toMatchObject([{ outcome: 'key_refused' }])
  })
})

describe('creating a key', () => {
  it('gives no scope whose power the administrator does not hold', async () => {
    const { caller } = await signIn('1')
    const create = (scope: (typeof apiKeyScopes)[number]) =>
      caller.call(createApiKey, { name: '系统', scopes: [scope], addresses: [], valid_days: 30 })
    for (const scope of apiKeyScopes) {
      const { code } = await create(scope)
      expect([scope, code]).toEqual([scope, scope === 'webhooks' ? 0 : invalid.code])
    }
  })

  it('is not possible from the seat of an agency', async () => {
    const { caller, admin } = await signIn('4')
    const agency = await world.createCompany({ corp_role: 20 })
    const { key_id } = await createProgram(world, caller)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('admin')
        .set({ agency_id: agency.company_id, serves_until: '2099-01-01' })
        .where('id', '=', admin.admin_id)
        .execute(),
    )
    await world.database.withoutCompany((tx) =>
      tx.updateTable('session').set({ agency_id: agency.company_id }).where('account_id', '=', admin.account_id).execute(),
    )
    const create = await caller.call(createApiKey, { name: '系统', scopes: ['webhooks'], addresses: [], valid_days: 30 })
    expect(create.code).toBe(not_permitted.code)
    expect((await caller.call(getApiKeys, {})).code).toBe(not_permitted.code)
    expect((await caller.call(revokeApiKey, { key_id })).code).toBe(not_permitted.code)
  })

  it(`is refused beyond ${maxApiKeys} active keys`, async () => {
    const { caller } = await signIn()
    for (let count = 0; count < maxApiKeys; count += 1) await createProgram(world, caller, { scopes: ['webhooks'] })
    const more = await caller.call(createApiKey, { name: '系统', scopes: ['webhooks'], addresses: [], valid_days: 30 })
    expect(more.code).toBe(wrong_state.code)
  })
})

describe('the response to a key', () => {
  const inject = (key: string) =>
    world.product.app.inject({
      method: 'POST',
      url: getMemberList.path,
      headers: { authorization: `Bearer ${key}` },
      payload: {},
    })

  it('states the rate limit, unlike the one to a user', async () => {
    const { caller } = await signIn()
    const { key } = await createProgram(world, caller)
    const first = await inject(key)
    const [limit, remaining] = [Number(first.headers['ratelimit-limit']), Number(first.headers['ratelimit-remaining'])]
    expect(limit).toBeGreaterThan(0)
    expect(remaining).toBe(limit - 1)
    expect(Number(first.headers['ratelimit-reset'])).toBeLessThanOrEqual(60)
    const ofUser = await world.product.app.inject({
      method: 'POST',
      url: getMemberList.path,
      headers: caller.headers,
      payload: {},
    })
    expect(ofUser.statusCode).toBe(200)
    expect(ofUser.headers).not.toHaveProperty('ratelimit-limit')
  })

  it('of a call beyond the rate limit is 429 with Retry-After, unlike the one to a user', async () => {
    const app = fastify()
    registerErrorHandler(app)
    app.get('/', async () => {
      throw fail('too_often', undefined, { retry_after: 7 })
    })
    const program = await app.inject({ url: '/', headers: { authorization: 'Bearer xh_live_x' } })
    expect([program.statusCode, program.headers['retry-after']]).toEqual([429, '7'])
    const user = await app.inject({ url: '/' })
    expect([user.statusCode, user.headers['retry-after']]).toEqual([200, undefined])
  })

  it('of a wrong key is 401 with WWW-Authenticate, and reveals no company', async () => {
    const response = await inject(`xh_live_${'A'.repeat(64)}`)
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect(response.json()).toMatchObject({ error_code: signed_out.code, error_msg: '接口密钥不正确' })
  })
})

describe('sending with a key', () => {
  async function prepare(program: Caller, people: Person[]) {
    const file = { name: '工资.xlsx', bytes: demoWageSheet(people) }
    const { batch_id } = await program.must(sheet.uploadWageExcel, {}, { file })
    await program.must(sheet.insertBatchTitle, { batch_id, title: '十月工资', month: '2026-10' })
    expect((await program.must(sheet.checkWageData, { batch_id })).counts.errors).toBe(0)
    return { batch_id, ...(await program.must(slip.sendPaySheet, { batch_id, channels: ['link'] })) }
  }

  it('goes from the wage sheet to the payslips, and keeps the spot checks', async () => {
    const { caller } = await signIn()
    const { program } = await createProgram(world, caller, { scopes: ['sheets.write', 'payslips.send', 'payslips.read'] })
    const { plan_id, batch_id } = await prepare(program, await corp.people(6))
    const unseen = await program.call(slip.doSend, { plan_id })
    expect([unseen.code, unseen.status]).toEqual([wrong_state.code, 409])
    await program.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    const { list } = await program.must(slip.getWageDetail, { batch_id })
    expect(list.map(({ status }) => status)).toEqual(Array(6).fill('sent'))
  })

  it('stays pending until a second administrator approves, who is not the creator of the key', async () => {
    const [{ caller }, second] = [await signIn(), await signIn()]
    const { program } = await createProgram(world, caller)
    await caller.must(slip.setSendRule, { approve_from: 1 })
    const { plan_id, batch_id } = await prepare(program, await corp.people(6))
    expect(await program.call(slip.doSend, { plan_id, looked: true })).toMatchObject({ code: wrong_state.code, status: 409 })
    const { approval_no } = await program.must(requestSendApproval, { plan_id, looked: true })
    expect((await program.call(slip.doSend, { plan_id, looked: true })).code).toBe(wrong_state.code)
    const approve = (who: Caller) => who.call(setApprovalStatusByApprovalNo, { approval_no, status: 1 })
    expect(await approve(program)).toMatchObject({ code: not_permitted.code, status: 403 })
    expect((await approve(caller)).code).not.toBe(0)
    expect((await program.must(getSendApproval, { batch_id })).approval?.status).toBe('waiting')
    expect((await approve(second.caller)).code).toBe(0)
    await program.must(slip.doSend, { plan_id, looked: true })
  })
})
