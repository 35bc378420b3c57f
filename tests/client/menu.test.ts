import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Power } from '../../server/contract/access.ts'
import { articles } from '../../server/modules/agency/articles.ts'
import { buildMenu, findHighlightedPath, getMenuGroups, type MenuGroup } from '../../src/app/desktop/menu.ts'
import { canRequestTransfer } from '../../src/app/desktop/user-menu.tsx'
import type { CurrentUser } from '../../src/session.ts'

const me = (power: Power[], corp_role: 10 | 20 = 10): CurrentUser => ({
  corp: { corp_id: '', corp_role, name: '云杉科技', logo: null, platform_status: 20, corp_origin: 20 },
  power,
  agency_service: null,
  user: {
    pass_status: 20,
    notice_number: 0,
    user_name: '沈知遥',
    logo: null,
    phone_masked: '',
    is_employee: false,
    totp_on: false,
  },
  trail_info: { trail_status: 20, days_left: 0 },
  dismissed_hints: [],
  service_info: { TYPE: 60, expires_at: null },
})
const everyPage = (path: string) => ({ title: path })
const paths = (who: CurrentUser, getPage: Parameters<typeof buildMenu>[1]) =>
  buildMenu(who, getPage).flatMap((group) => group.entries.map((entry) => entry.path))

/** The table was written from spec §2 and §6, not from the code: group, page, and the powers that see it. */
const message: Record<10 | 20, [group: string, path: string, powers: Power[]][]> = {
  10: [
    ['首页', '/home', ['2']],
    ['工资条', '/wageSend1', ['2']],
    ['工资条', '/wageAdmin', ['2']],
    ['工资条', '/wageSet', ['2']],
    ['员工管理', '/companyMember', ['2']],
    ['员工管理', '/memberFeedback', ['2']],
    ['数据看板', '/chars/home', ['1', '2']],
    ['角色管理', '/rolePersonal', ['1']],
    ['角色管理', '/roleWage', ['1']],
    ['企业管理', '/companyInfo', ['1']],
    ['企业管理', '/companyOrder', ['1', '2']],
    ['企业管理', '/CompanyService', ['1', '2']],
  ],
  20: [
    ['企业管理', '/companyInfo', ['1']],
    ['企业管理', '/companyThird', ['1']],
    ['企业管理', '/CompanyList', ['1', '2']],
  ],
}
const every = Array.from({ length: 16 }, (_, bits) => (['1', '2', '3', '4'] as const).filter((_power, at) => bits & (1 << at)))
const combinations = ([10, 20] as const).flatMap((corp_role) =>
  ([50, 53, 60] as const).flatMap((TYPE) =>
    [10, 20].flatMap((platform_status) => every.map((power) => ({ corp_role, TYPE, platform_status, power }))),
  ),
)

test('shows the menu of the specification for corp_role × TYPE × platform_status × all 16 sets of powers', () => {
  expect(combinations).toHaveLength(2 * 3 * 2 * 16)
  for (const { corp_role, TYPE, platform_status, power } of combinations) {
    const who = me(power, corp_role)
    const visible = buildMenu(
      { ...who, corp: { ...who.corp, platform_status }, service_info: { TYPE, expires_at: null } },
      everyPage,
    ).flatMap((group) => group.entries.map((entry) => [group.title, entry.path]))
    const expected = message[corp_role]
      .filter(([, , powers]) => power.includes('4') || powers.some((one) => power.includes(one)))
      .map(([group, path]) => [group, path])
    expect(visible, JSON.stringify({ corp_role, TYPE, platform_status, power })).toEqual(expected)
  }
})

test('shows an entry marked 0_5_2 only while the company is bound to a platform', () => {
  const marked: MenuGroup[] = [
    {
      section: 'message',
      title: '企业管理',
      icon: 'company',
      entries: [
        { path: '/companyInfo', roles: ['1'] },
        { path: '/made/up', roles: ['1'], requiredMark: '0_5_2' },
      ],
    },
  ]
  const at = (platform_status: number) =>
    buildMenu({ ...me(['1']), corp: { ...me([]).corp, platform_status } }, everyPage, marked)[0]?.entries.map(({ path }) => path)
  expect(at(10)).toEqual(['/companyInfo', '/made/up'])
  expect(at(20)).toEqual(['/companyInfo'])
  expect(at(0)).toEqual(['/companyInfo'])
})

test('uses the menu of product type 1 by default and shows none for another product', () => {
  expect(getMenuGroups(me(['4']), 1)).toEqual(getMenuGroups(me(['4'])))
  expect(getMenuGroups(me(['4'], 20), 1)).toEqual(getMenuGroups(me(['4'], 20)))
  expect(getMenuGroups(me(['4']), 2)).toEqual([])
})

test('lets power 2 without 1 apply for a payroll transfer and power 4 transfer it directly', () => {
  const may = (corp_role?: 20) => every.filter((power) => canRequestTransfer(me(power, corp_role))).map((power) => power.join(''))
  expect(may().toSorted()).toEqual(['2', '23'])
  expect(may(20)).toEqual([])
})

test('hides entries that lead nowhere and groups without entries', () => {
  const groups = buildMenu(me(['2']), (path) => (path === '/wageAdmin' ? { title: '工资条管理' } : undefined))
  expect(groups.map((group) => group.title)).toEqual(['工资条'])
  expect(groups[0]?.entries).toEqual([{ path: '/wageAdmin', title: '工资条管理' }])
})

test('hides pages that the user may not open', () => {
  const refusing: Parameters<typeof buildMenu>[1] = () => ({ title: '', who: { powers: ['1'], companyType: 'normal' } })
  expect(paths(me(['2']), refusing)).toEqual([])
})

/** All menu entries. */
test.each([
  ['/wageSend1', '/wageSend1'],
  ['/check', '/wageSend1'],
  ['/wageSend2', '/wageSend1'],
  ['/wageSend3', '/wageSend1'],
  ['/SendSucc', '/wageSend1'],
  ['/wageDetail', '/wageAdmin'],
  ['/salaryTax/history/list', '/wageAdmin'],
  ['/salaryTax/history/detail', '/wageAdmin'],
  ['/salaryTax/add/update', '/wageAdmin'],
  ['/salaryTax/add/check', '/wageAdmin'],
  ['/wageSet', '/wageSet'],
  ['/memberFeedback', '/memberFeedback'],
  ['/rolePersonal', '/rolePersonal'],
  ['/home', '/home'],
  ['/companyThird', '/companyInfo'],
  ['/roleAdmin', '/rolePersonal'],
])('%s marks only the menu entry %s', (pathname, path) => {
  const entries = buildMenu(me(['4']), everyPage).flatMap((group) => group.entries)
  expect(findHighlightedPath(entries, pathname)).toBe(path)
})

test.each([
  ['/wageSend2', '/wageSend1'],
  ['/CHECK', '/wageSend1'],
  ['/SendSucc/', '/wageSend1'],
  ['/wageDetail', '/wageAdmin'],
  ['/salaryTax/deduct/added', '/wageAdmin'],
  ['/salaryTax/deduct/fiveRisks', '/wageAdmin'],
  ['/companylist', '/CompanyList'],
  ['/memberFeedback', '/memberFeedback'],
])('%s highlights the menu entry %s', (pathname, path) => expect(findHighlightedPath([{ path }], pathname)).toBe(path))

test('an agency has an entry of its own for the chat platform', () =>
  expect(findHighlightedPath([{ path: '/companyInfo' }, { path: '/companyThird' }], '/companyThird')).toBe('/companyThird'))

test('uses the names of menus, pages and buttons on the news page as they appear in the client', () => {
  const root = join(import.meta.dirname, '../..')
  const visible = ['src', 'server/contract']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
    )
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  const named = articles.flatMap(({ title, summary, paragraphs }) =>
    [title, summary, ...paragraphs].flatMap((text) => [...text.matchAll(/「([^」]+)」/g)].map(([, name = '']) => name)),
  )
  // A complete label: in quotes, between tags, or alone on a line of a page.
  const isVisible = (name: string) => new RegExp(`['"\`>]${name}['"\`<]|^\\s*${name}$`, 'm').test(visible)
  expect(named).toContain('移交薪酬管理权限')
  expect(named.filter((name) => !isVisible(name))).toEqual([])
  expect(isVisible('移交全部薪酬权限')).toBe(false)
})
