/**
 * A company whose members' names WeCom hides: the platform searches by name, users are selected in its client, and it
 * writes names into the file. An administrator decides.
 */

import { readXlsx } from 'hucre'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RegisteredApp, RegisteredSuite } from '../../../platform/simulator/index.ts'
import { toOpenUserId } from '../../../platform/simulator/wecom/ids.ts'
import { computeJsSignature } from '../../../platform/wire/js-signature.ts'
import { jsConfigCalls } from '../../../server/contract/auth/platform-sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { download } from '../../../server/contract/files/files.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import * as installing from '../../../server/contract/platform-binding/install.ts'
import * as colleagues from '../../../server/contract/platform-binding/platform-users.ts'
import { createClient } from '../../support/callers/visitor.ts'
import { type ChatCompany, chatCompany } from '../../support/outside/chat-company.ts'
import { origin, type PlatformWorld, startPlatformWorld } from '../../support/outside/platform.ts'
import type { Caller, Corp } from '../../support/world.ts'

const keys = { token: 'token-of-the-suite', aes_key: '4g5j64qlyl3zvetqxz5jiocdr586fn2zvjpa8zls3ij' }
const maker = { corp_id: 'wwmaker0001', secret: 'secret-of-the-maker' }
const own: { id: string; secret: string; token: string; aes_key: string; page: null; developer: typeof maker | null } = {
  id: 'wwsuite0001',
  secret: 'secret-of-the-suite-w',
  ...keys,
  page: null,
  developer: maker,
}

let world: PlatformWorld
let suite: RegisteredSuite
beforeAll(async () => {
  world = await startPlatformWorld({ stores: { wecom: own } })
  world.simulator.callbackSender.delayScale = 0
  const base = (await world.listen()).origin
  const callback = { url: `${base}${binding.getCallbackPath('wecom', binding.storeAppKey)}`, ...keys }
  suite = world.simulator.addSuite({
    provider: 'wecom',
    id: own.id,
    secret: own.secret,
    ticket: null,
    developer: maker,
    callback,
  })
  await world.simulator.issueTicket(suite)
})
afterAll(() => world.close())

type Office = ChatCompany & { readonly corp: Corp; readonly head: Caller; id(one: { readonly user_id: string }): string }
const drain = () => world.product.jobs.drain()
async function read({ head }: Pick<Office, 'head'>): Promise<void> {
  await head.must(binding.applySync, { mode: 'full' })
  await drain()
  expect((await head.must(binding.getSyncStatus)).sync?.state).toBe('done')
}
let built = 0
/** A company that installed our application and whose directory was read. */
async function office(more: Partial<RegisteredApp> = {}): Promise<Office> {
  const corp = await world.createCompany({ provider: null })
  const head = await world.signIn(await corp.person({ power: ['1'], name: '管理员' }))
  built += 1
  const company = chatCompany(world.simulator, 'wecom', {
    app: { app_id: own.id, secret: `permanent-${built}`, suite, origin, ...more },
  })
  world.simulator.changeApp(company.app, { installer: company.both.user_id })
  const { url } = await head.must(installing.installPlatform, { provider: 'wecom', mode: 'install' })
  const page = new URL(url)
  page.searchParams.set('corp', company.corp_id)
  const back = new URL((await fetch(page, { redirect: 'manual' })).headers.get('location') ?? '').searchParams
  await head.must(installing.finishInstall, { state: back.get('state') ?? '', code: back.get('auth_code') ?? '' })
  const made = { ...company, corp, head, id: (one: { readonly user_id: string }) => toOpenUserId(company.corp_id, one.user_id) }
  await drain()
  const { sync } = await head.must(binding.getSyncStatus)
  await head.must(binding.applySync, { sync_id: sync?.sync_id ?? '' })
  await drain()
  return made
}
const suggested = async ({ head }: Office) => {
  const { conflicts } = await head.must(binding.getCorpCombineInfo, { kind: 'suggested' })
  return Object.fromEntries(
    conflicts.map(({ platform_user, reason, candidates }) => [
      platform_user.platform_user_id,
      [reason, ...candidates.map(({ member_id }) => member_id).toSorted()],
    ]),
  )
}
const wrong = { code: errorCodes.wrong_state.code }

describe('search by name', () => {
  it('suggests every match, including namesakes, and links only after an administrator decides', async () => {
    const company = await office()
    const [one, alike, other] = [
      await company.corp.person({ name: '张三' }),
      await company.corp.person({ name: '张三' }),
      await company.corp.person({ name: '李四' }),
    ]
    await company.corp.person({ name: '张三丰' })
    expect((await company.head.must(binding.getPlatformInfo)).bound?.capabilities).toMatchObject({ names: false, search: true })
    expect(await suggested(company)).toEqual({})
    const requested = await company.head.must(colleagues.searchPlatformUsers)
    expect(requested).toEqual({ searched: 4, matched: 2, remaining: 0 })
    expect(await suggested(company)).toEqual({
      [company.id(company.both)]: ['search', ...[one.member_id, alike.member_id].toSorted()],
      [company.id(company.plain)]: ['search', other.member_id],
    })
    // Nobody is linked before an administrator has decided.
    expect((await company.head.must(binding.getPlatformInfo)).bound?.users.linked).toBe(0)
    await company.head.must(binding.combinePlatform, {
      decisions: [{ platform_user_id: company.id(company.both), member_id: alike.member_id }],
    })
    const { bound } = await company.head.must(binding.getPlatformInfo)
    expect(bound?.users.linked).toBe(1)
    expect(await suggested(company)).not.toHaveProperty(company.id(company.both))
  })

  it('keeps name matches across a sync and omits users who are linked, gone or excluded', async () => {
    const company = await office()
    const one = await company.corp.person({ name: '张三' })
    await company.corp.person({ name: '李四' })
    world.simulator.addUser({ ...company.plain, user_id: 'second', union_id: 'second', name: '张三' })
    await read(company)
    await company.head.must(colleagues.searchPlatformUsers)
    const match = await suggested(company)
    expect(Object.keys(match)).toHaveLength(3)
    await read(company)
    expect(await suggested(company)).toEqual(match)
    const { combinePlatform } = binding
    await company.head.must(combinePlatform, {
      decisions: [
        { platform_user_id: company.id(company.both), member_id: one.member_id },
        { platform_user_id: company.id(company.plain), member_id: 'ignore' },
      ],
    })
    // 张三 is linked: the other user of that name is someone else.
    expect(await suggested(company)).toEqual({})
    expect(await company.head.must(colleagues.searchPlatformUsers)).toMatchObject({ matched: 0 })
    expect(await suggested(company)).toEqual({})
    const { conflicts } = await company.head.must(binding.getCorpCombineInfo, { kind: 'ignored' })
    expect(conflicts.map(({ platform_user }) => platform_user.platform_user_id)).toEqual([company.id(company.plain)])
  })

  it('splits names over several search calls and does not find users outside the visible range', async () => {
    const company = await office({ range: { department_ids: ['2'], user_ids: [] } })
    await world.database.inCompany(company.corp.company_id, (tx) =>
      sql`insert into member (company_id, id, name, mobile) select ${company.corp.company_id}, gen_random_uuid(), '员工' || n,
        (13000000000 + n)::text from generate_series(1, 60) as n`.execute(tx),
    )
    await company.corp.person({ name: '李四' })
    await company.corp.person({ name: '张三' })
    const calls = () => world.simulator.calls.filter((one) => one.endsWith('/contact/batchsearch')).length
    const before = calls()
    expect(await company.head.must(colleagues.searchPlatformUsers)).toEqual({ searched: 63, matched: 1, remaining: 0 })
    expect(calls() - before).toBe(2)
  })

  it('refuses a name search during a sync, without a provider secret, and where names are disclosed', async () => {
    const company = await office()
    await company.head.must(binding.applySync, { mode: 'full' })
    expect(await company.head.call(colleagues.searchPlatformUsers)).toMatchObject(wrong)
    await drain()
    own.developer = null
    try {
      expect((await company.head.must(binding.getPlatformInfo)).bound?.capabilities.search).toBe(false)
      const refused = await company.head.call(colleagues.searchPlatformUsers)
      expect(refused).toMatchObject({ code: errorCodes.platform_refused.code, data: { code: 'no_maker' } })
      expect(refused.message).toContain('ProviderSecret')
    } finally {
      own.developer = maker
    }
    world.simulator.addError({ provider: 'wecom', path: '/batchsearch', kind: 'too_many' })
    const slow = await company.head.call(colleagues.searchPlatformUsers)
    expect([slow.code, slow.message]).toEqual([errorCodes.platform_refused.code, expect.stringContaining('放慢')])
    expect(await suggested(company)).toEqual({})
    const notified = await world.createCompany({ provider: null })
    const head = await world.signIn(await notified.person({ power: ['1'] }))
    expect(await head.call(colleagues.searchPlatformUsers)).toMatchObject({ code: errorCodes.not_found.code })
    const { app, both } = chatCompany(world.simulator, 'lark', { app: { origin } })
    const { corp_id, app_id, agent_id, secret } = app
    await head.must(binding.bindPlatform, { provider: 'lark', corp_id, app_id, agent_id, secret })
    expect(await head.call(colleagues.searchPlatformUsers)).toMatchObject({ ...wrong, data: { status: 'names' } })
    expect(await head.call(colleagues.resolvePlatformUser, { ticket: 't', user_id: both.user_id })).toMatchObject(wrong)
    await drain()
  })
})

describe('user selected in the client', () => {
  it('uses the user resolved by the platform, or else the one named by the client, within the visible range', async () => {
    for (const by_member of [false, true]) {
      const company = await office({ isMemberAuthorized: by_member, range: { department_ids: ['2'], user_ids: [] } })
      const pick = (one: typeof company.both) => world.simulator.pickUsers(company.app, company.both, [one])
      const { selectedTicket: ticket, userList } = pick(company.both)
      const user_id = userList[0]?.openUserId ?? ''
      const message = await company.head.must(colleagues.resolvePlatformUser, { ticket, user_id })
      expect(message).toMatchObject({
        platform_user: { platform_user_id: company.id(company.both), name: '', department_ids: ['2', '4'] },
        linked_to: null,
      })
      // The client is believed only if the platform cannot be queried, and may not name users outside the visible
      // range.
      const twisted = await company.head.call(colleagues.resolvePlatformUser, { ticket, user_id: company.id(company.plain) })
      if (by_member) expect(twisted.data).toMatchObject({ platform_user: { platform_user_id: company.id(company.both) } })
      else expect(twisted).toMatchObject({ code: errorCodes.not_found.code, data: { status: 'unseen' } })
      const unseen = pick(company.plain)
      expect(unseen.userList).toEqual([])
      const member = await company.corp.person({ name: '张三' })
      await company.head.must(binding.combinePlatform, {
        decisions: [{ platform_user_id: user_id, member_id: member.member_id }],
      })
      expect(await company.head.must(colleagues.resolvePlatformUser, { ticket, user_id })).toMatchObject({
        linked_by: 'chosen',
        linked_to: { member_id: member.member_id, name: '张三' },
      })
      const forged = await company.head.call(colleagues.resolvePlatformUser, { ticket: 'forged', user_id })
      expect(forged.code).toBe(by_member ? errorCodes.platform_refused.code : 0)
    }
  })
})

describe('export file', () => {
  const cookie = (corp_id: string) => ({ headers: { cookie: `simulated_wecom=${corp_id}` } })
  const getRows = async (bytes: Buffer) => (await readXlsx(bytes)).sheets[0]?.rows.map((row) => row.map((cell) => cell ?? ''))
  it('creates the export file locally, completed with names by the platform, and offers it to users of the company who signed in there', async () => {
    const company = await office()
    const member = await company.corp.person({ name: '大张三' })
    await company.head.must(binding.combinePlatform, {
      decisions: [{ platform_user_id: company.id(company.both), member_id: member.member_id }],
    })
    world.simulator.state.taskDurationMs = 60_000
    const { job_id, rows, oss_path, file_name } = await company.head.must(colleagues.exportPlatformUsers)
    expect([rows, oss_path, file_name]).toEqual([3, null, expect.stringMatching(/^人员核对-\d{4}-\d{2}-\d{2}\.xlsx$/)])
    expect(await company.head.must(colleagues.getPlatformUserExport, { job: job_id ?? '' })).toEqual({ url: null })
    world.simulator.state.taskDurationMs = 0
    const { url } = await company.head.must(colleagues.getPlatformUserExport, { job: job_id ?? '' })
    expect(await (await fetch(url ?? '')).text()).toContain('参数错误')
    const book = await getRows(Buffer.from(await (await fetch(url ?? '', cookie(company.corp_id))).arrayBuffer()))
    const person = (one: { user_id: string }, ...more: string[]) => [company.id(one), ...more]
    expect(book?.slice(1).toSorted()).toEqual(
      [
        // A linked user has our name, so the platform is not queried for it.
        person(company.both, '大张三', '研发；财务', '', '已对应', '大张三', '', company.corp.name),
        person(company.plain, '李四', '财务', '', '花名册里没有', '', '', ''),
        person(company.shut, '王五', '财务', '', '花名册里没有', '', '', ''),
      ].toSorted(),
    )
    // Another company's job is not accessible.
    const other = await office()
    expect(await other.head.call(colleagues.getPlatformUserExport, { job: job_id ?? '' })).toMatchObject({
      code: errorCodes.not_found.code,
    })
    expect(await company.head.call(colleagues.getPlatformUserExport, { job: 'c2hvcnQ' })).toMatchObject({
      code: errorCodes.not_found.code,
    })
  })

  it('exports ids, and our own names for linked users, if no translation is available', async () => {
    const company = await office()
    own.developer = null
    try {
      const { job_id, oss_path, file_name } = await company.head.must(colleagues.exportPlatformUsers)
      expect(job_id).toBeNull()
      const bytes = (await company.head.call(download, { oss_path: oss_path ?? '', file_name })).data as unknown as Buffer
      expect((await getRows(bytes))?.slice(1).find(([id]) => id === company.id(company.both))).toEqual([
        company.id(company.both),
        '',
        '2；4',
        '',
        '花名册里没有',
        '',
        '',
        '',
      ])
    } finally {
      own.developer = maker
    }
  })

  it("fails the export with the platform's error code and stores nothing if the platform refuses it", async () => {
    const company = await office()
    world.simulator.addError({ provider: 'wecom', path: '/id_translate', kind: 'broken' })
    expect(await company.head.call(colleagues.exportPlatformUsers)).toMatchObject({ code: errorCodes.platform_refused.code })
  })
})

it('signs features of store applications for the application and features of every page for the company', async () => {
  const company = await office()
  const url = `${origin}/companyThird`
  const sign = (of?: 'application') =>
    createClient(world)
      .call(jsConfigCalls.wecom, { url, corp: company.corp_id, ...(of ? { of } : {}) })
      .then(({ data }) => data?.config)
  const [company_s, application] = [await sign(), await sign('application')]
  const ticket = (kind: string) => world.simulator.state.getToken(company.app, kind, 0).token
  for (const [kind, notified] of [
    ['ticket', company_s],
    ['agent_ticket', application],
  ] as const)
    expect(notified?.signature).toBe(
      computeJsSignature({ ticket: ticket(kind), nonce: notified?.nonce ?? '', timestamp: notified?.timestamp ?? '', url }),
    )
})
