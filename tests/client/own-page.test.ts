/** `?page=` after signing in (trust.md A17): only our own pages, never another site. */
import { expect, test } from 'vitest'
import { parseReturnPath } from '../../src/app/landing.ts'
import { getUrlAfterSignIn } from '../../src/features/auth/sign-in/sign-in.ts'
import type { SignInCompany } from '../../src/features/auth/sign-in/types.ts'

/** Pages as the router matches them: whole paths, case-insensitive. */
const isRoute = (pathname: string) =>
  /^\/(home|wageadmin|wagedetail|companylist|landing|m\/login|m\/slip\/[^/]+|)\/?$/i.test(pathname)

test.each([
  ['/wageAdmin', '/wageAdmin'],
  ['/wageDetail?batch_id=1&page=2', '/wageDetail?batch_id=1&page=2'],
  ['/companyList', '/companyList'],
  ['/m/slip/0190a', '/m/slip/0190a'],
  ['/home#top', '/home'],
  // The query is passed on unchanged: a page that redirects by it must validate it again.
  ['/home?next=https://evil.example', '/home?next=https://evil.example'],
  ['/x/../home', '/home'],
])('sends %j to %j', (page, expected) => expect(parseReturnPath(page, isRoute)).toBe(expected))

test.each([
  'https://evil.example',
  'https://evil.example/home',
  'http:evil.example',
  'https:/evil.example/home',
  'HTTPS://EVIL.EXAMPLE/home',
  '//evil.example',
  '//evil.example/home',
  '///evil.example/home',
  '////evil.example',
  '/\\evil.example/home',
  '\\\\evil.example/home',
  '\\/evil.example/home',
  '/\t/evil.example/home',
  '/\n/evil.example/home',
  '/\r\n/evil.example/home',
  '/\t\\evil.example/home',
  '\t//evil.example/home',
  ' //evil.example/home',
  '/x/..//evil.example/home',
  '/./ /evil.example',
  '/.//evil.example/home',
  '/%2f/evil.example',
  '/%2F%2Fevil.example/home',
  '/%5cevil.example/home',
  '/%09/evil.example/home',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'javascript://evil.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'blob:https://evil.example/1',
  'file:///etc/passwd',
  'home',
  '@evil.example/home',
  '/@evil.example',
  '.evil.example/home',
  '。evil.example',
  '//evil。example/home',
  '/／evil.example/home',
  '/api/index/logout',
  '/api/index/download?oss_path=1',
  '/dev/outbox',
  '/pc/page/login/login.html?page=//evil.example',
  '/m/login',
  '/M/Login/',
  '/landing?page=/landing',
  '/',
  '',
  undefined,
  null,
  1,
  ['/home'],
  { toString: () => '/home' },
])('does not redirect to %j', (page) => expect(parseReturnPath(page, isRoute)).toBeNull())

const corp: SignInCompany = { corp_id: 'x', name: '云杉', corp_role: 10, as: ['admin'] }
/** The page to which /landing redirects after signing in with this `?page=`. */
const goesOn = (page: string): string | null => {
  const { origin, pathname, searchParams } = new URL(
    getUrlAfterSignIn(corp, 'admin', `?page=${encodeURIComponent(page)}`),
    'http://here',
  )
  expect([origin, pathname]).toEqual(['http://here', '/landing'])
  return parseReturnPath(searchParams.get('page'), isRoute)
}
test.each(['//evil.example/home', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/m/login'])(
  'ignores ?page=%s after signing in',
  (page) => expect(goesOn(page)).toBeNull(),
)
test('follows ?page= to our own page after signing in', () =>
  expect(goesOn('/wageAdmin?page=1&pagesize=50')).toBe('/wageAdmin?page=1&pagesize=50'))
