/** A company binds its chat platform, syncs its users, matches them with members, and unbinds. trust.md A16, C9, D14. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createPlatforms } from '../../../platform/index.ts'
import { PlatformError } from '../../../platform/types.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import { getProfile } from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { editDepartment, getDepartList, insertDepartment } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import { renamePlatformUser } from '../../../server/modules/platform-binding/events.ts'
import { syncJob } from '../../../server/modules/platform-binding/sync/start.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { StandInDirectory } from '../../support/outside/directory.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const there = new StandInDirectory()
const vendors = createPlatforms()
const world = demoWorld({ platforms: { ...vendors, lark: { ...vendors.lark, directory: there.port } } })

let corp: Corp
let head: Caller
let boss: Person
let app: { provider: 'lark'; corp_id: string; app_id: string; secret: string }
const counts = { created: 0, updated: 0, left: 0, back: 0 }

beforeEach(async () => {
  corp = await world.createCompany({ provider: null })
  boss = await corp.person({ name: '沈知遥', power: ['1'] })
  head = await world.signIn(boss)
  app = {
    provider: 'lark',
    corp_id: `tenant_${corp.company_id.slice(0, 8)}${corp.company_id.slice(-6)}`,
    app_id: `cli_${newId().slice(-8)}`,
    secret: there.secret,
  }
  there.departments.clear()
  there.people.clear()
  there.problems = []
  there.failure = null
  there.lists_order = true
  there.requested.length = 0
  there.department('0', '云杉')
  there.department('fin', '财务部', '0')
})
const info = () => head.must(binding.getPlatformInfo)
const status = async () => (await head.must(binding.getSyncStatus)).sync
const bind = () => head.must(binding.bindPlatform, app)
const drain = () => world.product.jobs.drain()
/** Runs a first sync: read, review, apply. */
async function bound(): Promise<void> {
  await bind()
  await drain()
  const locked = await status()
  expect(locked).toMatchObject({ state: 'held', review_reason: 'first' })
  await head.must(binding.applySync, { sync_id: locked?.sync_id ?? '' })
  await drain()
  expect(await status()).toMatchObject({ state: 'done', progress: 100 })
}
async function sync(mode: 'full' | 'incremental' = 'full') {
  await head.must(binding.applySync, { mode })
  await drain()
  return status()
}
const getMember = (id: string) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx
      .selectFrom('member')
      .select(['platform_user_id', 'status', 'name', 'mobile'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  )
const getPlaces = async (id: string) =>
  (
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('member_department')
        .innerJoin('department', 'department.id', 'member_department.department_id')
        .select('department.name')
        .where('member_id', '=', id)
        .orderBy('department.name')
        .execute(),
    )
  ).map(({ name }) => name)

describe('binding a platform', () => {
  it('tests the credentials first, stores them encrypted and never returns them', async () => {
    const wrong = await head.call(binding.bindPlatform, { ...app, secret: 'another-secret' })
    expect(wrong).toMatchObject({ code: errorCodes.platform_refused.code, data: { provider: 'lark', code: '10014' } })
    expect(wrong.message).toContain('密钥不正确')
    expect(await info()).toMatchObject({ status: 0, bound: null, history: [] })
    there.problems = [
      {
        area: 'phones',
        blocking: false,
        permission: 'contact:user.phone:readonly',
        code: '99991672',
        message: '没有读取手机号的权限',
      },
    ]
    expect(await bind()).toMatchObject({ status: 10, corp_name: there.company_name, issues: [{ area: 'phones' }] })
    const visible = await info()
    expect(visible).toMatchObject({
      status: 20,
      bound: { provider: 'lark', by: '沈知遥', callback: { is_configured: false }, health: { ok: true } },
    })
    expect(JSON.stringify(visible)).not.toContain(app.secret)
    expect((await head.must(account.getCurrentUser)).corp.platform_status).toBe(10)
    const row = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('platform_app').selectAll().executeTakeFirstOrThrow(),
    )
    expect(row.secret.includes(app.secret)).toBe(false)
  })

  it.each([
    [{ app_id: undefined }, 'app_id', '请填写应用编号'],
    [{ corp_id: '../etc' }, 'corp_id', '只能是字母'],
    [{ secret: '带中文的密钥八个字' }, 'secret', '含有空格或中文'],
    [{ token: 'only a token', aes_key: 'key' }, 'token', '含有空格'],
    [{ token: 'token' }, 'aes_key', '一起填写'],
    [{ secret: undefined }, 'secret', '请填写应用的密钥'],
  ])('reports an invalid %o at its field', async (change, field, why) => {
    const answer = await head.call(binding.bindPlatform, { ...app, ...change })
    expect(answer).toMatchObject({ code: errorCodes.invalid.code, data: { field } })
    expect(answer.message).toContain(why)
  })

  it('replaces credentials with new ones, and refuses a platform that another company has bound', async () => {
    await bound()
    await head.must(binding.bindPlatform, { ...app, secret: undefined, token: 'token', aes_key: 'key-of-the-callbacks' })
    expect(await info()).toMatchObject({
      bound: { callback: { is_configured: true } },
      history: [{ kind: 'rotated' }, { kind: 'synced' }, { kind: 'sync_held' }, { kind: 'bound' }],
    })
    expect(await head.call(binding.bindPlatform, { ...app, corp_id: 'another' })).toMatchObject({
      code: errorCodes.wrong_state.code,
    })
    const other = await world.createCompany({ provider: null })
    const their = await world.signIn(await other.person({ power: ['1'] }))
    expect(await their.call(binding.bindPlatform, { ...app, app_id: 'cli_theirs' })).toMatchObject({
      code: errorCodes.wrong_state.code,
      data: { status: 'elsewhere' },
    })
    expect(await their.must(binding.getPlatformInfo)).toMatchObject({ status: 0, history: [] })
  })
})

it('detects on a check that an application stopped on the platform runs again without an event', async () => {
  await bound()
  const stopped = { status: 50 as const }
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('binding').set(stopped).where('company_id', '=', corp.company_id).execute(),
  )
  there.problems = [{ area: 'app', blocking: true, permission: null, code: '99991662', message: '应用已停用，请启用' }]
  await head.must(binding.checkPlatform)
  expect((await info()).status).toBe(50)
  there.problems = []
  await head.must(binding.checkPlatform)
  expect(await info()).toMatchObject({ status: 10, history: [{ kind: 'resumed', by: '沈知遥' }, {}, {}, {}] })
})

describe('directory sync', () => {
  it('holds the first sync, and any that would remove too many members, for review', async () => {
    for (let at = 0; at < 12; at += 1) there.person(`u${at}`, `同事${at}`, { department_ids: ['0', 'fin'] })
    await bind()
    await drain()
    const locked = await status()
    expect(locked).toMatchObject({ state: 'held', review_reason: 'first', ...counts, created: 12, people: 24, departments: 2 })
    const page = await head.must(binding.getSyncChanges, { sync_id: locked?.sync_id ?? '', pagesize: 5 })
    expect(page.page.total).toBe(12)
    expect(page.list[0]).toMatchObject({ change: 'new', departments: ['云杉', '财务部'] })
    // Nothing is stored before an administrator has reviewed it.
    expect(await info()).toMatchObject({ status: 10, bound: { users: { total: 0 } } })
    await head.must(binding.applySync, { sync_id: locked?.sync_id ?? '' })
    await drain()
    expect(await info()).toMatchObject({ status: 10, bound: { users: { total: 12, linked: 0 } } })
    for (let at = 0; at < 8; at += 1) there.people.delete(`u${at}`)
    there.person('u11', '改名', { department_ids: ['fin'] })
    there.person('u12', '新来')
    const many = await sync()
    expect(many).toMatchObject({ state: 'held', review_reason: 'many_left', created: 1, updated: 1, left: 8, back: 0 })
    expect(await head.must(binding.getSyncChanges, { sync_id: many?.sync_id ?? '', kind: 'changed' })).toMatchObject({
      list: [{ platform_user_id: 'u11', name: '改名', fields: ['name', 'departments'] }],
    })
    await head.must(binding.applySync, { sync_id: many?.sync_id ?? '', discard: true })
    expect(await info()).toMatchObject({ bound: { users: { total: 12 } } })
    const again = await sync()
    await head.must(binding.applySync, { sync_id: again?.sync_id ?? '' })
    await drain()
    expect(await info()).toMatchObject({ bound: { users: { total: 5 } } })
    there.person('u1', '同事1')
    expect(await sync()).toMatchObject({ state: 'done', ...counts, back: 1 })
  })

  it('resumes after a crash and requests at most one page twice', async () => {
    for (let at = 0; at < 40; at += 1) {
      there.department(`d${at}`, `第${at}部`, '0')
      there.person(`u${at}`, `同事${at}`, { department_ids: [`d${at}`] })
    }
    there.calls = 0
    let died = 0
    // The process dies in the middle of a call: the response is lost.
    there.failure = (call) => {
      if (call % 9 !== 0) return null
      died += 1
      return new Error('killed')
    }
    await bind()
    const { sync_id = '' } = (await status()) ?? {}
    for (let attempts = 0; attempts < 40 && (await status())?.state === 'reading'; attempts += 1) {
      await drain().catch(() => undefined)
      // What the queue does after the lease of the dead worker has expired.
      await world.database.inCompany(corp.company_id, (tx) =>
        world.product.jobs.send(tx, syncJob, { company_id: corp.company_id, sync_id }),
      )
    }
    expect(died).toBeGreaterThan(3)
    // The check, the range, the departments, and one page of users for each; plus the requests that were in flight at
    // each crash.
    expect(there.calls).toBe(1 + 1 + 1 + 42 + died)
    expect(await status()).toMatchObject({ state: 'held', created: 40 })
  })

  it("uses the platform's department order, and keeps an administrator's local order until it changes on the platform", async () => {
    for (const [at, name] of ['甲', '乙', '丙'].entries()) there.department(`d${at}`, name, '0', { sort: at * 10 })
    await bound()
    const tree = async () => (await head.must(getDepartList)).list[0]?.child ?? []
    const order = async () => (await tree()).map(({ NAME }) => NAME).join(' ')
    expect(await order()).toBe('甲 财务部 乙 丙')
    const [first] = await tree()
    const keeper = await world.signIn(await corp.person({ power: ['3'] }))
    await keeper.must(editDepartment, { id: first?.ID ?? '', before_id: null })
    await keeper.must(insertDepartment, { name: '自有', pid: (await head.must(getDepartList)).list[0]?.ID ?? '' })
    // A sync with changes, none of which concerns the order.
    there.department('d3', '丁', '0', { sort: 15 })
    await sync()
    expect(await order()).toBe('财务部 乙 丁 丙 甲 自有')
    there.department('d2', '丙', '0', { sort: -1 })
    await sync()
    expect(await order()).toBe('丙 甲 财务部 乙 丁 自有')
    there.department('d1', '乙', 'd0', { sort: 5 })
    await sync()
    expect(await order()).toBe('丙 甲 财务部 丁 自有')
  })

  it('requests the order department by department where the platform reports only one, reported departments first', async () => {
    there.lists_order = false
    for (const [at, name] of ['甲', '乙', '丙'].entries()) there.department(`d${at}`, name, 'fin', { sort: -at })
    there.department('sole', '独', 'd0', { sort: 3 })
    await bound()
    const order = async () => (await head.must(getDepartList)).list[0]?.child[0]?.child.map(({ NAME }) => NAME).join(' ')
    expect(await order()).toBe('丙 乙 甲')
    expect(there.requested.toSorted()).toEqual(['d0', 'd1', 'd2'])
    there.department('d0', '甲', 'fin', { sort: -9 })
    await sync()
    expect(await order()).toBe('甲 丙 乙')
  })

  it("uses the platform's department heads until a local administrator sets one", async () => {
    const fang = await corp.person({ name: '王芳', employee_no: 'A1' })
    there.person('ou_fang', '王芳', { employee_no: 'A1', leads: ['fin'] })
    await bound()
    const led = () =>
      world.database.inCompany(corp.company_id, (tx) =>
        tx.selectFrom('department').select(['id', 'leader_id']).where('name', '=', '财务部').executeTakeFirstOrThrow(),
      )
    const { id, leader_id } = await led()
    expect(leader_id).toBe(fang.member_id)
    const keeper = await world.signIn(await corp.person({ power: ['3'] }))
    await keeper.must(editDepartment, { id, leader_id: boss.member_id })
    await sync()
    expect((await led()).leader_id).toBe(boss.member_id)
  })

  it('removes nothing if the platform refuses, shows its message, and retries', async () => {
    there.person('u', '王芳')
    await bound()
    there.failure = () => new PlatformError('lark', 'not_permitted', '99991672', 'no scope')
    const [{ since } = { since: null }] = (await world.database.pool.query<{ since: Date }>('select clock_timestamp() as since'))
      .rows
    expect(await sync()).toMatchObject({ state: 'failed', errors: [{ code: '99991672' }] })
    expect(await info()).toMatchObject({
      status: 30,
      bound: { users: { total: 1 } },
    })
    const { rows } = await world.database.pool.query<{ start_after: Date }>(
      `select start_after from pgboss.job where name = 'platform_sync_retry' and created_on >= $1 order by created_on limit 1`,
      [since],
    )
    // The queue computes the delay by the real clock, for which the retry of this world is overdue.
    expect(rows).toHaveLength(1)
    there.failure = null
    expect(await sync()).toMatchObject({ state: 'done' })
    expect((await info()).status).toBe(10)
  })
})

describe('matching users with members', () => {
  it('links on two matching attributes but not on one, syncs departments, and keeps decisions', async () => {
    const fang = await corp.person({ name: '王芳', employee_no: 'A1' })
    const lei = await corp.person({ name: '李雷' })
    const victim = await corp.person({ name: '韩梅梅' })
    there.person('ou_fang', '王芳', { employee_no: 'A1', department_ids: ['fin'] })
    there.person('ou_lei', '李雷', { department_ids: ['fin'] })
    // Someone entered the victim's phone in their own platform profile.
    there.person('ou_thief', '黑客', { mobile: victim.mobile })
    there.person('ou_new', '新同事', { mobile: '13911110000', employee_no: 'N9' })
    await bound()
    expect(await getMember(fang.member_id)).toMatchObject({ platform_user_id: 'ou_fang' })
    expect(await getPlaces(fang.member_id)).toEqual(['财务部'])
    expect((await getMember(victim.member_id)).platform_user_id).toBeNull()
    const conflicts = await head.must(binding.getCorpCombineInfo, {})
    expect(conflicts).toMatchObject({
      same: 1,
      only_platform: 3,
      counts: { conflict: 1, suggested: 1, new: 1, same: 1 },
      conflicts: [
        {
          reason: 'phone',
          platform_user: { platform_user_id: 'ou_thief', name: '黑客' },
          candidates: [{ member_id: victim.member_id, name: '韩梅梅' }],
        },
      ],
    })
    expect(JSON.stringify(conflicts)).not.toContain(victim.mobile)
    const done = await head.must(binding.combinePlatform, {
      decisions: [
        { platform_user_id: 'ou_lei', member_id: lei.member_id },
        { platform_user_id: 'ou_thief', member_id: 'ignore' },
        { platform_user_id: 'ou_new', member_id: 'create' },
      ],
    })
    expect(done).toEqual({ linked: 1, created: 1, ignored: 1 })
    expect(await getMember(lei.member_id)).toMatchObject({ platform_user_id: 'ou_lei' })
    expect(await getPlaces(lei.member_id)).toEqual(['财务部'])
    await sync()
    expect(await head.must(binding.getCorpCombineInfo, { kind: 'ignored' })).toMatchObject({
      same: 3,
      counts: { ignored: 1, conflict: 0 },
      conflicts: [{ platform_user: { name: '黑客' } }],
    })
    expect(await head.must(binding.getCorpCombineInfo, { kind: 'same', search: '新' })).toMatchObject({
      page: { total: 1 },
      conflicts: [{ linked_by: 'chosen' }],
    })
    // The user leaves the platform: nothing is sent to that address, and the member stays active.
    there.people.delete('ou_lei')
    await sync()
    expect(await getMember(lei.member_id)).toMatchObject({ platform_user_id: null, status: 'active' })
    expect(await head.must(binding.getCorpCombineInfo, { kind: 'left' })).toMatchObject({
      conflicts: [{ candidates: [{ name: '李雷' }] }],
    })
  })

  it('links a member who signed in through the platform with certainty, and no decision overrides it', async () => {
    const fang = await corp.person({ name: '王芳' })
    const other = await corp.person({ name: '王小芳', employee_no: 'B7' })
    there.person('ou_fang', '王小芳', { employee_no: 'B7' })
    await world.database.withoutCompany((tx) =>
      tx
        .insertInto('platform_identity')
        .values({
          provider: 'lark',
          corp_id: app.corp_id,
          user_id: 'ou_fang',
          account_id: fang.account_id,
          created_at: world.clock.now(),
        })
        .execute(),
    )
    await bound()
    expect(await getMember(fang.member_id)).toMatchObject({ platform_user_id: 'ou_fang' })
    expect((await getMember(other.member_id)).platform_user_id).toBeNull()
    const answer = await head.call(binding.combinePlatform, {
      decisions: [{ platform_user_id: 'ou_fang', member_id: other.member_id }],
    })
    expect(answer).toMatchObject({ code: errorCodes.wrong_state.code, data: { status: 'proved' } })
    const accepted = await corp.person({ name: '丁' })
    there.person('ou_ding', '丁丁')
    await sync()
    expect(
      await head.call(binding.combinePlatform, { decisions: [{ platform_user_id: 'ou_ding', member_id: fang.member_id }] }),
    ).toMatchObject({ code: errorCodes.wrong_state.code })
    const outsider = await (await world.createCompany()).person()
    expect(
      await head.call(binding.combinePlatform, { decisions: [{ platform_user_id: 'ou_ding', member_id: outsider.member_id }] }),
    ).toMatchObject({ code: errorCodes.not_found.code })
    await head.must(binding.combinePlatform, { decisions: [{ platform_user_id: 'ou_ding', member_id: accepted.member_id }] })
  })
})

describe('a released platform user id', () => {
  const opens = async () =>
    world.database.withoutCompany((tx) =>
      tx.selectFrom('platform_identity').select('user_id').where('corp_id', '=', app.corp_id).orderBy('user_id').execute(),
    )
  beforeEach(async () => {
    for (const [at, name] of ['马丽', '梅花', '冷月'].entries()) {
      const { account_id } = await corp.person({ name })
      there.person(`ou_${at}`, name)
      const owner = { provider: 'lark', corp_id: app.corp_id, user_id: `ou_${at}`, account_id, created_at: world.clock.now() }
      await world.database.withoutCompany((tx) => tx.insertInto('platform_identity').values(owner).execute())
    }
    await bound()
  })

  it('opens nothing under a released platform id, and links its next user to nobody', async () => {
    there.people.delete('ou_1')
    expect(await sync()).toMatchObject({ state: 'done', left: 1 })
    expect(await opens()).toEqual([{ user_id: 'ou_0' }, { user_id: 'ou_2' }])
    there.person('ou_1', '新来的')
    await sync()
    expect(await opens()).toEqual([{ user_id: 'ou_0' }, { user_id: 'ou_2' }])
  })

  it('opens nothing under the old or new id of a user until they verify their phone', async () => {
    await world.database.inCompany(corp.company_id, (db) =>
      renamePlatformUser(
        { db, company_id: corp.company_id, now: world.clock.now() },
        { provider: 'lark', corp_id: app.corp_id },
        { from: 'ou_0', to: 'ou_zero' },
      ),
    )
    expect(await opens()).toEqual([{ user_id: 'ou_1' }, { user_id: 'ou_2' }])
  })
})

describe('unbinding', () => {
  const decide = (caller: Caller, approval_no: string, to: 1 | 2 | 3) =>
    caller.call(approval.setApprovalStatusByApprovalNo, { approval_no, status: to })

  it("unbinds with another administrator's approval, ends sessions and secrets, keeps members, and restores links when bound again", async () => {
    const fang = await corp.person({ name: '王芳', employee_no: 'A1' })
    there.person('ou_fang', '王芳', { employee_no: 'A1' })
    await bound()
    const second = await world.signIn(await corp.person({ name: '周行', power: ['4'] }))
    const { approval_no } = await head.must(binding.applyUnBindingPlatform, { reason: '换平台' })
    expect(await head.call(binding.applyUnBindingPlatform, { reason: '换平台' })).toMatchObject({
      code: errorCodes.wrong_state.code,
    })
    expect(await info()).toMatchObject({ status: 40, bound: { pending_unbind: { approval_no } } })
    expect(await head.call(binding.applySync, {})).toMatchObject({ code: errorCodes.wrong_state.code })
    const { list } = await second.must(approval.getApprovalList, {})
    expect(list[0]?.reason).toMatch(/^飞书「.+」：换平台$/)
    expect(await decide(head, approval_no ?? '', 1)).toMatchObject({ code: errorCodes.not_permitted.code })
    expect(await decide(head, approval_no ?? '', 3)).toMatchObject({ code: 0 })
    expect((await info()).status).toBe(10)
    // One member signed in through the platform, and another one did not.
    const [through, by_phone] = [await world.signIn(fang), await world.signIn(await corp.person())]
    await world.database.withoutCompany((tx) =>
      tx.updateTable('session').set({ sole: true }).where('account_id', '=', fang.account_id).execute(),
    )
    const again = await head.must(binding.applyUnBindingPlatform, { reason: '换平台' })
    expect(await decide(second, again.approval_no ?? '', 1)).toMatchObject({ code: 0 })
    expect(await info()).toMatchObject({
      status: 0,
      bound: null,
      history: [{ kind: 'unbound', by: '周行' }, {}, {}, {}, {}, {}, {}],
    })
    expect(await getMember(fang.member_id)).toMatchObject({ platform_user_id: null, status: 'active' })
    const ended = await through.call(getProfile)
    expect(ended).toMatchObject({ code: errorCodes.signed_out.code })
    expect(ended.message).toContain('解除')
    await by_phone.must(getProfile)
    expect((await head.must(account.getCurrentUser)).corp.platform_status).toBe(0)
    const rows = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('platform_app').select('id').where('company_id', '=', corp.company_id).execute(),
    )
    expect(rows).toEqual([])
    expect(await bind()).toMatchObject({ restored: 1 })
    expect(await getMember(fang.member_id)).toMatchObject({ platform_user_id: 'ou_fang' })
  })

  it('lets whoever made an unproven binding end it alone, and nobody else', async () => {
    await bound()
    const other = await world.signIn(await corp.person({ name: '何田田', power: ['1'] }))
    expect([(await info()).ends_at_once, (await other.must(binding.getPlatformInfo)).ends_at_once]).toEqual([false, false])
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('platform_app').set({ proved_at: null }).where('company_id', '=', corp.company_id).execute(),
    )
    expect([(await info()).ends_at_once, (await other.must(binding.getPlatformInfo)).ends_at_once]).toEqual([true, false])
    expect(await head.must(binding.applyUnBindingPlatform, { reason: '填错了' })).toMatchObject({ approval_no: null })
    expect((await info()).status).toBe(0)
  })

  it('unbinds at once if no other administrator could approve', async () => {
    await bound()
    expect((await info()).ends_at_once).toBe(true)
    expect(await head.must(binding.applyUnBindingPlatform, { reason: '停用' })).toMatchObject({ approval_no: null })
    expect((await info()).status).toBe(0)
    expect(await head.call(binding.applyUnBindingPlatform, { reason: '停用' })).toMatchObject({ code: errorCodes.not_found.code })
  })
})
