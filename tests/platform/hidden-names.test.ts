/**
 * Names that WeCom hides from store applications: searched, picked, displayed and translated by the platform, through
 * the adapter and against its simulator.
 */
import { readXlsx } from 'hucre'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RegisteredSuite } from '../../platform/simulator/index.ts'
import { toOpenUserId } from '../../platform/simulator/wecom/ids.ts'
import type { ChatApp, HiddenNames } from '../../platform/types.ts'
import { computeJsSignature } from '../../platform/wire/js-signature.ts'
import { createXlsxWriter } from '../../server/files/xlsx-writer.ts'
import { type ChatCompany, chatCompany, chatWorld } from '../support/outside/chat-company.ts'

type World = Awaited<ReturnType<typeof chatWorld>>
let world: World
let suite: RegisteredSuite
beforeAll(async () => {
  world = await chatWorld()
  const maker = { corp_id: 'wwmaker0001', secret: 'secret-of-the-maker' }
  suite = world.simulator.addSuite({
    provider: 'wecom',
    id: 'wwsuite0001',
    secret: 'suite-secret',
    ticket: null,
    developer: maker,
  })
  await world.simulator.issueTicket(suite)
})
afterAll(() => world.close())

let built = 0
/** Creates a company that has installed the application, with the stored installation. */
function installed(more: Parameters<typeof chatCompany>[2] = {}): ChatCompany & { existing: ChatApp } {
  built += 1
  const company = chatCompany(world.simulator, 'wecom', {
    ...more,
    app: { app_id: suite.id, secret: `permanent-${built}`, suite, ...more.app },
  })
  return { ...company, existing: { ...company.app, suite } }
}
const hidden = (): HiddenNames => {
  const { hiddenNames } = world.platforms.wecom
  if (!hiddenNames) throw new Error('nothing is hidden')
  return hiddenNames
}
const open = (company: ChatCompany, person: { user_id: string }) => toOpenUserId(company.corp_id, person.user_id)
const send = (path: string): number => world.simulator.calls.filter((one) => one.endsWith(path)).length

it('hides names only in WeCom, and only from store applications', async () => {
  expect([world.platforms.lark.hiddenNames, world.platforms.dingtalk.hiddenNames]).toEqual([null, null])
  const { app } = chatCompany(world.simulator, 'wecom')
  for (const request of [
    hidden().findByNames(app, ['张三']),
    hidden().getSelectedUsers(app, 't'),
    hidden().startTranslation(app, { name: 'a.txt', bytes: Buffer.from('123456') }),
  ])
    await expect(request).rejects.toMatchObject({ kind: 'unsupported' })
})

describe('search by name', () => {
  it('finds visible users with exactly this name, two with the same name, or none', async () => {
    const company = installed()
    const second = world.simulator.addUser({ ...company.plain, user_id: 'another', name: '张三' })
    world.simulator.addUser({ ...company.plain, user_id: 'longer', name: '张三丰' })
    const matches = await hidden().findByNames(company.existing, ['张三', '李四', '赵六'])
    expect([...matches]).toEqual([
      ['张三', [open(company, company.both), open(company, second)]],
      ['李四', [open(company, company.plain)]],
      ['赵六', []],
    ])
    world.simulator.changeApp(company.app, { range: { department_ids: ['2'], user_ids: [] } })
    expect((await hidden().findByNames(company.existing, ['张三', '李四'])).get('李四')).toEqual([])
  })
  it('uses one provider token, also after it expired, and rejects a company that has not installed the application', async () => {
    const [one, other] = [installed(), installed()]
    const before = send('/service/get_provider_token')
    await Promise.all([one, other, one].map(({ existing }) => hidden().findByNames(existing, ['张三'])))
    expect(send('/service/get_provider_token') - before).toBeLessThanOrEqual(1)
    world.simulator.expireTokens('wecom')
    expect((await hidden().findByNames(one.existing, ['张三'])).get('张三')).toEqual([open(one, one.both)])
    await world.simulator.issueTicket(suite)
    await expect(hidden().findByNames({ ...one.existing, corp_id: 'corp-of-nobody' }, ['张三'])).rejects.toMatchObject({
      code: '40013',
    })
    await expect(hidden().findByNames({ ...one.existing, suite: { ...suite, developer: null } }, ['张三'])).rejects.toMatchObject(
      {
        kind: 'unsupported',
        code: 'no_maker',
      },
    )
    const wrong = { ...suite, developer: { corp_id: 'wwmaker0001', secret: 'wrong' } }
    await expect(hidden().findByNames({ ...one.existing, suite: wrong }, ['张三'])).rejects.toMatchObject({
      kind: 'not_permitted',
    })
  })
  it.each(['broken', 'unreadable', 'cut', 'too_many'] as const)(
    'treats a response that comes back %s as an error and not as an empty list',
    async (does) => {
      const { existing } = installed()
      world.simulator.addError({ provider: 'wecom', path: '/batchsearch', kind: does })
      await expect(hidden().findByNames(existing, ['张三'])).rejects.toMatchObject({
        kind: does === 'too_many' ? 'rate_limited' : 'temporary',
      })
    },
  )
})

describe('picked platform users', () => {
  it('resolves picked users by ticket where members consent individually, limited to visible users', async () => {
    const company = installed({ app: { isMemberAuthorized: true, range: { department_ids: ['2'], user_ids: [] } } })
    const pick = world.simulator.pickUsers(company.app, company.both, [company.both, company.plain])
    expect(pick).toMatchObject({
      selectedUserCount: 2,
      expiresIn: 604_800,
      userList: [{ openUserId: open(company, company.both) }],
    })
    expect(await hidden().getSelectedUsers(company.existing, pick.selectedTicket)).toEqual([open(company, company.both)])
    await expect(
      hidden().getSelectedUsers(installed({ app: { isMemberAuthorized: true } }).existing, pick.selectedTicket),
    ).rejects.toMatchObject({
      code: '40058',
    })
    world.clock.now += 7 * 86_400_000 + 1
    await world.simulator.issueTicket(suite)
    await expect(hidden().getSelectedUsers({ ...company.existing, suite }, pick.selectedTicket)).rejects.toMatchObject({
      code: '40058',
    })
  })
  it('returns null for picked users where an administrator consented for all', async () => {
    const company = installed()
    const { selectedTicket } = world.simulator.pickUsers(company.app, company.both, [company.plain])
    expect(await hidden().getSelectedUsers(company.existing, selectedTicket)).toBeNull()
  })
})

it("signs a page with the application's ticket, which differs from the company's", async () => {
  const { existing, app } = installed()
  const query = { url: 'https://pay.example.cn/companyThird#x', nonce: 'n1', now: new Date(world.clock.now) }
  const [company, application] = [
    await world.platforms.wecom.signPage(existing, query),
    await world.platforms.wecom.signPage(existing, { ...query, of: 'application' }),
  ]
  const getTicket = (kind: string) => world.simulator.state.getToken(app, kind, 0).token
  const { timestamp, nonce } = application
  expect(application.signature).toBe(computeJsSignature({ ticket: getTicket('agent_ticket'), nonce, timestamp, url: query.url }))
  expect(company.signature).not.toBe(application.signature)
  const before = send('/ticket/get')
  await world.platforms.wecom.signPage(existing, { ...query, of: 'application', nonce: 'n2' })
  expect(send('/ticket/get')).toBe(before)
})

describe('translated files', () => {
  const workbook = async (rows: readonly string[][]) => {
    const sheet = createXlsxWriter({ sheet: '核对', shared: true })
    for (const row of rows) await sheet.row(row)
    return { name: '核对.xlsx', bytes: await sheet.finish() }
  }
  it('contains the names of visible users in a translated file, for a user of the company who is signed in there', async () => {
    const company = installed({ app: { range: { department_ids: ['2'], user_ids: [] } } })
    const { formatPlaceholder, startTranslation, getTranslationUrl } = hidden()
    const [viewed, unseen] = [open(company, company.both), open(company, company.plain)]
    const file = await workbook([
      [viewed, formatPlaceholder('person', viewed), formatPlaceholder('department', '2')],
      [unseen, formatPlaceholder('person', unseen), formatPlaceholder('department', '4')],
    ])
    world.simulator.state.taskDurationMs = 10_000
    const job = await startTranslation(company.existing, file)
    expect(await getTranslationUrl(company.existing, job)).toBeNull()
    world.clock.now += 10_000
    const url = (await getTranslationUrl(company.existing, job)) ?? ''
    world.simulator.state.taskDurationMs = 0
    const fetched = (corp: string) => fetch(url, { headers: { cookie: `simulated_wecom=${corp}` } })
    expect(await (await fetch(url)).text()).toContain('参数错误')
    expect(await (await fetched('corp-of-nobody')).text()).toContain('参数错误')
    const book = await readXlsx(Buffer.from(await (await fetched(company.corp_id)).arrayBuffer()))
    expect(book.sheets[0]?.rows).toEqual([
      [viewed, '张三', '研发'],
      [unseen, formatPlaceholder('person', unseen), formatPlaceholder('department', '4')],
    ])
    world.clock.now += 86_400_001
    expect(await (await fetched(company.corp_id)).text()).toContain('参数错误')
  })
  it('leaves inline texts untranslated, so the product writes shared texts', async () => {
    const company = installed()
    const id = open(company, company.both)
    const sheet = createXlsxWriter({ sheet: '核对' })
    await sheet.row([hidden().formatPlaceholder('person', id)])
    const job = await hidden().startTranslation(company.existing, { name: 'a.xlsx', bytes: await sheet.finish() })
    const reply = await fetch((await hidden().getTranslationUrl(company.existing, job)) ?? '', {
      headers: { cookie: `simulated_wecom=${company.corp_id}` },
    })
    expect((await readXlsx(Buffer.from(await reply.arrayBuffer()))).sheets[0]?.rows).toEqual([[`$userName=${id}$`]])
  })
  it('rejects an unreadable file type, a too small file and a foreign company, and finds no unknown job', async () => {
    const company = installed()
    const bytes = Buffer.from('123456789')
    await expect(hidden().startTranslation(company.existing, { name: 'a.pdf', bytes })).rejects.toMatchObject({ code: '40004' })
    await expect(
      hidden().startTranslation(company.existing, { name: 'a.txt', bytes: Buffer.from('12345') }),
    ).rejects.toMatchObject({
      code: '40006',
    })
    await expect(
      hidden().startTranslation({ ...company.existing, corp_id: 'corp-of-nobody' }, { name: 'a.txt', bytes }),
    ).rejects.toMatchObject({
      code: '40013',
    })
    await expect(hidden().getTranslationUrl(company.existing, 'nothing')).rejects.toMatchObject({ code: '40058' })
  })
})
