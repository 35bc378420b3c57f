import { expect, test } from 'vitest'
import type { Power } from '../../server/contract/who.ts'
import type { Role } from '../../src/session.ts'
import { landingOf, ownPage } from '../../src/shell/landing.ts'
import { isHighlighted, menuOf } from '../../src/shell/menu.ts'

const me = (power: Power[], corp_role: 10 | 20 = 10): Role => ({
  corp: { corp_id: '', corp_role, name: '云杉科技', logo: null, platform_status: 20, corp_origin: 20 },
  power,
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
  service_info: { TYPE: 60, expires_at: null },
})
const everyPage = (path: string) => ({ title: path })
const paths = (who: Role, pageOf = everyPage as Parameters<typeof menuOf>[1]) =>
  menuOf(who, pageOf).flatMap((group) => group.entries.map((entry) => entry.path))

const wages = ['/home', '/wageSend1', '/wageAdmin', '/wageSet']
const people = ['/companyMember', '/memberFeedback']
const roles = ['/rolePersonal', '/roleWage']
const shared = ['/companyOrder', '/CompanyService']

test('each power sees its own entries', () => {
  expect(paths(me(['1']))).toEqual(['/chars/home', ...roles, '/companyInfo', ...shared])
  expect(paths(me(['2']))).toEqual([...wages, ...people, '/chars/home', ...shared])
  expect(paths(me(['3']))).toEqual(['/companyMember'])
  expect(paths(me(['4']))).toEqual([...wages, ...people, '/chars/home', ...roles, '/companyInfo', ...shared])
})

test('an agency sees one group only', () => {
  expect(paths(me(['4'], 20))).toEqual(['/companyInfo', '/companyThird', '/CompanyList'])
  expect(paths(me(['2'], 20))).toEqual(['/CompanyList'])
})

test('what leads nowhere is not shown, and a group without entries neither', () => {
  const groups = menuOf(me(['2']), (path) => (path === '/wageAdmin' ? { title: '工资条管理' } : undefined))
  expect(groups.map((group) => group.title)).toEqual(['工资条'])
  expect(groups[0]?.entries).toEqual([{ path: '/wageAdmin', title: '工资条管理' }])
})

test('a page that refuses somebody is not in his menu', () => {
  const refusing: Parameters<typeof menuOf>[1] = () => ({ title: '', who: { powers: ['1'], corp: 'normal' } })
  expect(paths(me(['2']), refusing)).toEqual([])
})

test.each([
  ['/wageSend2', '/wageSend1'],
  ['/CHECK', '/wageSend1'],
  ['/SendSucc/', '/wageSend1'],
  ['/wageDetail', '/wageAdmin'],
  ['/companylist', '/CompanyList'],
  ['/memberFeedback', '/memberFeedback'],
])('%s highlights %s', (pathname, path) => expect(isHighlighted({ path }, pathname)).toBe(true))

test.each<[Power[], 10 | 20, string]>([
  [['1', '2'], 10, '/home'],
  [['1'], 10, '/roleWage'],
  [['3'], 10, '/companyMember'],
  [['1', '3'], 10, '/roleWage'],
  [['4'], 10, '/home'],
  [['2'], 20, '/companyList'],
  [[], 10, '/m/slips'],
])('powers %j of a company of role %i land on %s', (power, corp_role, path) =>
  expect(landingOf({ power, corp: { corp_role } })).toBe(path),
)

test('the page asked for is one of our own, or none', () => {
  const known = (path: string) => ['/wagedetail', '/m/slips'].includes(path.toLowerCase())
  expect(ownPage('/wageDetail?batch_id=1', known)).toBe('/wageDetail?batch_id=1')
  expect(ownPage('/m/slips', known)).toBe('/m/slips')
  const bad = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/landing',
    '/',
    '/m/login',
  ]
  for (const page of [...bad, '/nothing', undefined, 7])
    expect(
      ownPage(page, () => true),
      String(page),
    ).toSatisfy((to) => to === null || to === '/nothing')
  expect(ownPage('/nothing', known)).toBeNull()
})
