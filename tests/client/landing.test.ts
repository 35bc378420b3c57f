import { expect, test } from 'vitest'
import type { Power } from '../../server/contract/access.ts'
import { getLandingPath, parseReturnPath } from '../../src/app/landing.ts'

/** Spec §2, landing logic, for all 16 sets of powers of a normal company, written independently of the code. */
const normal: Record<string, string> = {
  '': '/home',
  '1': '/roleWage',
  '2': '/home',
  '12': '/home',
  '3': '/companyMember',
  '13': '/roleWage',
  '23': '/home',
  '123': '/home',
  '4': '/home',
  '14': '/roleWage',
  '24': '/home',
  '124': '/home',
  '34': '/companyMember',
  '134': '/roleWage',
  '234': '/home',
  '1234': '/home',
}

test.each(Object.entries(normal))('sends powers "%s" to %s, and those of an agency to the company list', (powers, path) => {
  const power = [...powers] as Power[]
  expect(getLandingPath({ power, corp: { corp_role: 10 } })).toBe(path)
  // Power 3 alone may not open the list: it manages the agency's own people.
  expect(getLandingPath({ power, corp: { corp_role: 20 } })).toBe(powers === '3' ? '/companyMember' : '/companyList')
})

test('accepts only a requested page of our own', () => {
  const findExisting = (path: string) => ['/wagedetail', '/m/slips'].includes(path.toLowerCase())
  expect(parseReturnPath('/wageDetail?batch_id=1', findExisting)).toBe('/wageDetail?batch_id=1')
  expect(parseReturnPath('/m/slips', findExisting)).toBe('/m/slips')
  expect(parseReturnPath('/nothing', findExisting)).toBeNull()
})

test.each([
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
  '/landing',
  '/',
  '/m/login',
  undefined,
  7,
])('never redirects to %j, whether or not it exists', (page) => expect(parseReturnPath(page, () => true)).toBeNull())
