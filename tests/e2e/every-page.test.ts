/**
 * Every page, as the route tree lists them, at 1440, 800 and 360 px, light and dark: nothing serious for accessibility, nothing wider than
 * the window, nothing in the console, no dead link; at 360 px nothing that a thumb would miss. Each run shows every page in one look, the next page in the next one; trials in all. Every
 * other visit comes by a link within the app, the others by the address: over all looks each page is reached both ways.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getSlipList } from '../../server/contract/own/employee.ts'
import { getMemberList } from '../../server/contract/people/member.ts'
import { getWageList } from '../../server/contract/slip/slip.ts'
import { invitePath, linkPaths } from '../../server/contract/words/messages.ts'
import { dress, type Look, mustBeAccessible, mustFit, picture, type Tab } from '../kit/journey/browser.ts'
import { desk, settle, until, useJourney, visit } from '../kit/journey/journey.ts'
import { smallTargets } from '../kit/journey/targets.ts'
import { isWhole } from '../kit/run/trial.ts'

const journey = useJourney({ first: true })
let batch_id = ''
let slip_id = ''
let member_id = ''
beforeAll(async () => {
  const payroll = await journey.caller('薪酬管理员（全公司）')
  batch_id = (await payroll.must(getWageList, {})).list[0]?.batch_id ?? ''
  const name = journey.nameOf('，员工')
  member_id = (await payroll.must(getMemberList, { name })).list[0]?.ID ?? ''
  const employee = await journey.caller('，员工')
  slip_id = (await employee.must(getSlipList, {})).list[0]?.slip_id ?? ''
})

const looks: Look[] = [
  { width: 1440, scheme: 'light' },
  { width: 360, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
  { width: 800, scheme: 'light' },
  { width: 360, scheme: 'dark' },
]

/** The routed pages: what the router itself was generated to know. */
const tree = readFileSync(join(import.meta.dirname, '../../src/routed/routes.gen.ts'), 'utf8')
const routes = [...(/ fullPaths:\n((?: +\| '.*'\n)+)/.exec(tree)?.[1] ?? '').matchAll(/'(.*)'/g)].map((match) => match[1] ?? '')

/** What is seen when a page has come: words of its heading, or of what the server answered. Who is '' has not signed in. */
type Place = { route: string; who: string; path: string; seen: string | RegExp | null }
const [payroll, system] = ['薪酬管理员（全公司）', '系统管理员（全部权限）']
const place = (route: string, who: string, seen: Place['seen'], path = route): Place => ({ route, who, seen, path })
const routed: Place[] = [
  // An empty page without anything around it.
  place('/', '', null),
  place('/m', '', '查看我的工资条'),
  place('/entry', '', '请在办公软件里打开'),
  place('/landing', payroll, '本月批次'),
  place('/CompanyList', '代理企业负责人', /^\d+ 家企业$/),
  place('/SendSucc', payroll, '查看明细', '/SendSucc?batch_id=BATCH'),
  place('/SendSucc', payroll, '没有指定是哪一批工资条'),
  place('/agency', payroll, '等我处理'),
  place('/agency', system, /^共 \d+ 份$/, '/agency?view=approval'),
  place('/check', payroll, '已经发送', '/check?batch_id=BATCH'),
  place('/check', payroll, '还没有工资表，请先上传一份'),
  place('/companyInfo', system, '统一社会信用代码（税号）'),
  place('/companyMember', payroll, /^\d+ 人$/),
  place('/companyOrder', system, /^共 \d+ 个$|还没有/),
  place('/companyOrder', payroll, /^共 \d+ 条$|还没有/, '/companyOrder?view=use'),
  place('/CompanyService', system, '版本（每年）'),
  place('/companyThird', system, '可见范围'),
  place('/chars/home', system, '各部门'),
  place('/chars/home', payroll, '平均工资明细', '/chars/home?tab=average'),
  place('/find', payroll, '常见问题'),
  place('/memberFile', payroll, '变更记录', '/memberFile?id=MEMBER'),
  place('/memberFile', payroll, '请在花名册里选择一位员工。'),
  place('/home', payroll, '本月批次'),
  place('/home', '老板', '本月批次'),
  place('/memberFeedback', payroll, /^共 \d+ 条$/),
  place('/profile', payroll, '上传头像'),
  place('/roleAdmin', system, '共 5 人'),
  place('/rolePersonal', system, '企业管理员能做什么'),
  place('/roleWage', system, '薪酬管理员能做什么'),
  place('/salaryTax/deduct/added', payroll, /^共 \d+ 人$/),
  place('/salaryTax/deduct/fiveRisks', payroll, /^共 \d+ 人$/),
  place('/salaryTax/deduct/fiveRisks', payroll, '添加方案', '/salaryTax/deduct/fiveRisks?view=schemes'),
  place('/salaryTax/history/list', payroll, '新建一期'),
  place('/salaryTax/history/list', payroll, /还没有锁定的税款期间|要补税/, '/salaryTax/history/list?view=year'),
  place('/salaryTax/history/list', payroll, '如果改一个数', '/salaryTax/history/list?view=preview'),
  place('/salaryTax/history/detail', payroll, '请在税款期间里选择一个月份。'),
  place('/salaryTax/add/update', payroll, '请在税款期间里选择一个月份。'),
  place('/salaryTax/add/check', payroll, '请在税款期间里选择一个月份。'),
  place('/strategic', system, /^\d+ 篇$/),
  place('/wageAdmin', payroll, '2026年10月工资'),
  place('/wageAdmin', '老板', /^共 \d+ /),
  place('/wageDetail', payroll, '撤回全部', '/wageDetail?batch_id=BATCH'),
  place('/wageSend1', payroll, /把工资表拖到这里|选择工资表文件/),
  place('/wageSend2', payroll, '排版', '/wageSend2?batch_id=BATCH'),
  place('/wageSend3', payroll, '发送', '/wageSend3?batch_id=BATCH'),
  place('/wageSet', payroll, '员工可以做什么'),
  place('/dev/ui', '', '对话框'),
  place('/m/admin', payroll, '本月批次'),
  place('/m/invite', '', '邀请已失效', '/m/invite?code=none'),
  place('/m/login', '', '查看我的工资条'),
  place('/m/me', '，员工', '登录的设备'),
  place('/m/slips', '，员工', '2026年10月工资'),
  place('/m/', '，员工', '2026年10月工资', '/m'),
  place('/m/feedback/$id', '，员工', '您的疑问', '/m/feedback/SLIP'),
  place(
    '/m/rehearsal/$id',
    payroll,
    '没有找到这次试发：只有收到的人能打开，并且一天后失效。',
    '/m/rehearsal/00000000-0000-7000-8000-000000000000',
  ),
  place('/m/slip/$id', '，员工', '实发工资', '/m/slip/SLIP'),
  place('/m/slip/$id', '，员工', '这张工资条已被撤回或不存在', '/m/slip/00000000-0000-7000-8000-000000000000'),
]
/** Pages that are files of their own, or that the server draws. */
const drawn: Place[] = [
  place('', '', '发得到对的人', '/pc/page/index/index.html'),
  place('', '', '登录薪函', desk),
  place('', '', '没有找到这个页面', '/no/such/page'),
  place('', '', '薪函 API', '/api'),
  place('', '', '发件箱', '/dev/outbox'),
]
const places = [...routed, ...drawn]

it('no page of the route tree is forgotten, and none is looked for that is not there', () => {
  expect(routes.length).toBeGreaterThan(20)
  expect([...new Set(routed.map(({ route }) => route))].toSorted()).toEqual(routes.toSorted())
})

const pathOf = ({ path }: Pick<Place, 'path'>): string =>
  path.replace('BATCH', batch_id).replace('SLIP', slip_id).replace('MEMBER', member_id)
/** A page of ours has this address. Files, calls and telephones are not pages. */
function isDead(href: string): boolean {
  const { pathname, origin } = new URL(href, 'http://here')
  if (origin !== 'http://here' || /^\/(api|assets)\//i.test(pathname)) return false
  const known = [
    ...routes,
    ...drawn.filter((one) => one.path !== '/no/such/page').map(({ path }) => path),
    '/index.html',
    '/api/openapi.json',
    // The chats of the demo's platform.
    '/dev/platform/lark/_/inbox',
    // Short addresses, which the server leads on to pages; the outbox holds what other journeys were sent.
    `${linkPaths.slip}$id`,
    `${linkPaths.rehearsal}$id`,
    `${invitePath}$half/$rest`,
  ]
  return !known.some((path) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/\$\w+/g, '[^/]+')}/?$`, 'i').test(pathname))
}

type Visit = Place & Look & { name: string; within: boolean }
const visits: Visit[] = places.flatMap((one, at) =>
  looks.flatMap((look, turn) => {
    const chosen = isWhole || turn === at % looks.length
    const name = `${one.path} ${one.who}`.trim()
    // By address for five pages, from within for the next five; in trials in turn.
    return chosen ? [{ ...one, ...look, name, within: one.who !== '' && (at + turn) % 2 === 1 }] : []
  }),
)

describe.each([...new Set(places.map(({ who }) => who))])('every page of "%s"', (who) => {
  let page: Tab
  /** Whether it stands in the app, so that a link could lead on. */
  let stands = false
  beforeAll(async () => {
    page = await (who ? journey.enter(who, {}, '/dev/outbox') : journey.open())
  })
  afterAll(() => journey.close(page))

  it.each(visits.filter((one) => one.who === who))(
    '$name at $width px $scheme',
    async ({ seen, name, width, scheme, ...one }) => {
      const path = pathOf(one)
      const isWithin = one.within && stands
      stands = false
      await dress(page, { width, scheme })
      await (isWithin ? visit(page, path) : page.goto(path))
      if (seen) await page.getByText(seen).filter({ visible: true }).first().waitFor()
      // What is still being fetched is drawn as grey bars; the page of all widgets shows some of its own.
      if (one.route !== '/dev/ui') await until(() => page.locator('.ui-skeleton:visible, .wait:visible').count()).toBe(0)
      await settle(page)
      await picture(page, `page-${name.replace(/\W+/g, '-')}-${width}-${scheme}`)
      await mustBeAccessible(page)
      await mustFit(page)
      const links = await page.locator('a[href]').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
      expect(links.filter(isDead), `${name} has dead links`).toEqual([])
      expect(page.complaints.splice(0), 'the console complained').toEqual([])
      // Whatever the look was: what a thumb can hit on a phone.
      await dress(page, { width: 360, scheme })
      await settle(page)
      await until(() => smallTargets(page)).toEqual([])
      stands = who !== ''
    },
  )
})
