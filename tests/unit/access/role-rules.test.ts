/**
 * Who may grant and revoke which powers, what a scope covers, who decides which application, and which titles are
 * merged, as tables.
 */
import { describe, expect, test } from 'vitest'
import {
  canGrantPowers,
  canGrantScope,
  canManageAdmin,
  canRemoveAdmin,
  canRevokePower,
  formatPowers,
  type PowerHolder,
  type PowerRuleResult,
} from '../../../server/modules/access/rules/powers.ts'
import { chooseGrantedScope, isScopeReduced, mergeScopes, needsScope } from '../../../server/modules/access/rules/scopes.ts'
import { canSetApprovalStatus, getDecidableKinds } from '../../../server/modules/approvals/rules/decision.ts'
import { canMergeTitles, getFreeTitleName } from '../../../server/modules/sheets/rules/transfer.ts'
import { getDescendantIds } from '../../../server/rules/departments.ts'

const one = (id: string | null, ...power: PowerHolder['power']): PowerHolder => ({ id, power })
const head = one('head', '4')
const boss = one('boss', '1')
const wages = one('wages', '2')
const people = one('people', '3')
const anonymous = one(null)
const format = (result: PowerRuleResult): string => (result === true ? 'yes' : `${result.code}: ${result.status}`)

test.each([
  ['the head manages a payroll administrator', head, wages, 'yes'],
  ['the head manages a member without powers', head, anonymous, 'yes'],
  ['the head manages an enterprise administrator', head, boss, 'yes'],
  ['the head manages another head', head, one('other', '4'), 'yes'],
  ['the head manages themselves', head, head, 'not_permitted: self'],
  ['power 1 manages a payroll administrator', boss, wages, 'yes'],
  ['power 1 manages another power 1', boss, one('other', '1'), 'yes'],
  ['power 1 manages themselves', boss, boss, 'not_permitted: self'],
  ['power 1 manages the head', boss, head, 'not_permitted: head'],
  ['powers 1 and 2 manage a head with further powers', one('x', '1', '2'), one('y', '2', '4'), 'not_permitted: head'],
  ['power 2 manages anybody', wages, people, 'not_permitted: no_right'],
  ['power 3 manages anybody', people, wages, 'not_permitted: no_right'],
  ['powers 2 and 3 manage themselves', one('x', '2', '3'), one('x', '2', '3'), 'not_permitted: no_right'],
  ['an employee', anonymous, anonymous, 'not_permitted: no_right'],
])('managing an administrator: %s', (_, me, whom, expected) => {
  expect(format(canManageAdmin(me, whom))).toBe(expected)
})

test.each([
  ['the head grants power 1', head, anonymous, ['1'], 'yes'],
  ['the head grants every power that can be granted', head, wages, ['1', '2', '3'], 'yes'],
  ['power 1 grants power 1', boss, anonymous, ['1'], 'yes'],
  ['power 1 grants power 2', boss, people, ['2'], 'yes'],
  ['the head grants power 4', head, anonymous, ['4'], 'not_permitted: head'],
  ['power 1 grants power 4', boss, anonymous, ['4', '2'], 'not_permitted: head'],
  ['power 1 grants themselves power 2', boss, boss, ['2'], 'not_permitted: self'],
  ['the head grants themselves power 2', head, head, ['2'], 'not_permitted: self'],
  ['a head already has every power', head, one('other', '4'), ['2'], 'wrong_state: head'],
  ['power 2 grants power 2', wages, anonymous, ['2'], 'not_permitted: no_right'],
] as const)('granting: %s', (_, me, to, provided, expected) => {
  expect(format(canGrantPowers(me, to, provided))).toBe(expected)
})

test.each([
  ['power 1 grants power 2', boss, anonymous, ['2'], 'not_permitted: not_held'],
  ['power 1 grants power 1', boss, anonymous, ['1'], 'yes'],
  ['powers 1 and 2 grant all three', one('x', '1', '2'), anonymous, ['1', '2', '3'], 'not_permitted: not_held'],
  ['power 1 repeats power 2 of its holder', boss, wages, ['1', '2'], 'yes'],
  ['the head grants every power', head, anonymous, ['1', '2', '3'], 'yes'],
  ['power 2 grants power 2', wages, anonymous, ['2'], 'not_permitted: no_right'],
] as const)('granting in an agency: %s', (_, me, to, provided, expected) => {
  expect(format(canGrantPowers(me, to, provided, { isAgency: true }))).toBe(expected)
})

const agencyTree = [
  { id: 'all', parent_id: null },
  { id: 'team', parent_id: 'all' },
  { id: 'half', parent_id: 'team' },
  { id: 'other', parent_id: 'all' },
]
const departments = (...department_ids: string[]) => ({ all: false, department_ids })
test.each([
  ['all of it, by whoever has all', { all: true, department_ids: [] }, departments(), { all: true, department_ids: [] }, 'yes'],
  ['a department below their own', departments('team'), departments(), departments('half'), 'yes'],
  ['another department', departments('team'), departments(), departments('team', 'other'), 'not_permitted: wider_scope'],
  ['everything', departments('team'), departments(), { all: true, department_ids: [] }, 'not_permitted: wider_scope'],
  ['less than before', departments('team'), departments('all'), departments('other'), 'yes'],
  ['nothing', departments(), departments(), departments(), 'yes'],
])('granting a scope in an agency: %s', (_, me, before, after, expected) => {
  expect(format(canGrantScope(me, { before, after }, agencyTree))).toBe(expected)
})

test.each([
  ['power 2, revoked by the head', head, wages, '2', [head, wages], 'yes'],
  ['power 3, revoked by power 1', boss, people, '3', [head, boss, people], 'yes'],
  ['the only power 1 next to a head', head, boss, '1', [head, boss], 'yes'],
  ['one of two holders of power 1', boss, one('b', '1'), '1', [boss, one('b', '1')], 'yes'],
  ['the only power 1 of a company without a head', one('b', '1'), one('c', '1'), '1', [one('c', '1')], 'wrong_state: last_admin'],
  ['power 4, revoked by another head', head, one('other', '4'), '4', [head, one('other', '4')], 'wrong_state: head'],
  ['power 4, revoked by power 1', boss, head, '4', [head, boss], 'not_permitted: head'],
  ['a power of the head, revoked by power 1', boss, one('h', '2', '4'), '2', [one('h', '2', '4'), boss], 'not_permitted: head'],
  ['a power that is not held', head, people, '2', [head, people], 'wrong_state: not_held'],
  ["one's own power 1", boss, boss, '1', [head, boss], 'not_permitted: self'],
  ["the head's own power 4", head, head, '4', [head], 'not_permitted: self'],
] as const)('revoking: %s', (_, me, from, power, all, expected) => {
  expect(format(canRevokePower(me, from, power, all))).toBe(expected)
})

test.each([
  ['a payroll administrator', boss, wages, [head, boss, wages], 'yes'],
  ['one of two heads, removed by the other', head, one('other', '4'), [head, one('other', '4')], 'yes'],
  ['one of two heads, removed by power 1', boss, head, [head, boss, one('other', '4')], 'not_permitted: head'],
  ['the only head', boss, head, [head, boss], 'wrong_state: last_admin'],
  ['the only power 1 without a head', boss, one('b', '1'), [one('b', '1')], 'wrong_state: last_admin'],
] as const)('leaving the company: %s', (_, me, who, all, expected) => {
  expect(format(canRemoveAdmin(me, who, all))).toBe(expected)
})

test('names powers in their order', () => {
  expect(formatPowers(['3', '1', '2'])).toBe('企业管理员、薪酬管理员、员工管理员')
})

describe('scopes', () => {
  const tree = [
    { id: 'all', parent_id: null },
    { id: 'sales', parent_id: 'all' },
    { id: 'north', parent_id: 'sales' },
    { id: 'south', parent_id: 'sales' },
    { id: 'lab', parent_id: 'all' },
  ]
  const all = { all: true, department_ids: [] }
  const of = (...department_ids: string[]) => ({ all: false, department_ids })

  test('a scope covers the descendant departments', () => {
    expect([...getDescendantIds(['sales'], tree)].sort()).toEqual(['north', 'sales', 'south'])
    expect(
      [
        ...getDescendantIds(
          ['x'],
          [
            { id: 'x', parent_id: 'y' },
            { id: 'y', parent_id: 'x' },
          ],
        ),
      ].sort(),
    ).toEqual(['x', 'y'])
  })

  test.each([
    ['the same scope', of('sales'), of('sales'), false],
    ['one department more', of('sales'), of('sales', 'lab'), false],
    ['the parent instead of its children', of('north'), of('sales'), false],
    ['a department named twice', of('sales', 'north'), of('sales'), false],
    ['the whole company', of('sales'), all, false],
    ['another department', of('sales'), of('lab'), true],
    ['all children but one', of('sales'), of('north', 'south'), true],
    ['all departments instead of the company', all, of('all'), true],
    ['nothing', of('sales'), of(), true],
    ['an empty scope in both', of(), of(), false],
  ])('smaller scope: %s', (_, before, after, smaller) => {
    expect(isScopeReduced(before, after, tree)).toBe(smaller)
  })

  test.each([
    [['2'], of('lab'), of('sales'), of('lab')],
    [['1'], of(), of('sales'), of('sales')],
    [['1'], of('lab'), of('sales'), of('lab')],
    [['1', '3'], all, of('sales'), all],
  ] as const)('granting %j with %j to an administrator with %j', (provided, requested, has, stored) => {
    expect(chooseGrantedScope(provided, requested, has)).toEqual(stored)
  })

  test.each([
    [of('a'), of('b'), of('a', 'b')],
    [of('a', 'b'), of('b'), of('a', 'b')],
    [of(), of('b'), of('b')],
    [all, of('b'), all],
    [of('b'), all, all],
  ])('merges %j with %j', (has, gets, both) => {
    expect(mergeScopes(has, gets)).toEqual(both)
  })

  test('requires a scope for pay and members only', () => {
    expect([['1'], ['2'], ['3'], ['1', '3'], []].map((power) => needsScope(power as PowerHolder['power']))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
  })
})

describe('applications', () => {
  test.each([
    [['4'], ['wage_transfer', 'unbind', 'join_agency', 'send', 'phone']],
    [['1'], ['join_agency', 'unbind']],
    [
      ['1', '2'],
      ['join_agency', 'unbind'],
    ],
    [['2', '3'], []],
  ] as const)('powers %j decide applications of kind %j', (power, kinds) => {
    expect(getDecidableKinds(power)).toEqual(kinds)
  })

  const me = (id: string, ...power: PowerHolder['power']) => ({ admin_id: id, power })
  const waits = { kind: 'wage_transfer', applicant_id: 'wages', status: 0 } as const
  test.each([
    ['the head approves', me('head', '4'), waits, 1, 'yes'],
    ['the head rejects', me('head', '4'), waits, 2, 'yes'],
    ['the head withdraws it for the applicant', me('head', '4'), waits, 3, 'not_permitted'],
    ['the applicant approves', me('wages', '2'), waits, 1, 'not_permitted'],
    ['the applicant rejects', me('wages', '2'), waits, 2, 'not_permitted'],
    ['the applicant withdraws it', me('wages', '2'), waits, 3, 'yes'],
    ['the applicant, who is head meanwhile, approves', me('wages', '2', '4'), waits, 1, 'not_permitted'],
    ['a holder of power 1 decides about pay', me('boss', '1'), waits, 1, 'not_found'],
    ['a holder of power 1 decides about an agency', me('boss', '1'), { ...waits, kind: 'join_agency' }, 1, 'yes'],
    ['a holder of power 1 decides about the platform', me('boss', '1'), { ...waits, kind: 'unbind' }, 2, 'yes'],
    ['another payroll administrator decides', me('other', '2'), waits, 1, 'not_found'],
    ['an application that was already approved', me('head', '4'), { ...waits, status: 1 }, 2, 'wrong_state'],
    ['an application that was already rejected', me('wages', '2'), { ...waits, status: 2 }, 3, 'wrong_state'],
    ['an application that was already withdrawn', me('head', '4'), { ...waits, status: 3 }, 1, 'wrong_state'],
  ] as const)('%s', (_, who, application, status, expected) => {
    const result = canSetApprovalStatus(who, application, status)
    expect(result === true ? 'yes' : result.code).toBe(expected)
  })
})

describe('titles of the same name and month', () => {
  const title = (kind: 'monthly' | 'bonus', ...shares: [string, string][]) => ({
    name: '10月工资',
    kind,
    shares: shares.map(([admin_id, rights]) => ({ admin_id, rights })),
  })
  test.each([
    ['nobody else sees either title', title('monthly'), title('monthly'), true],
    [
      'the same users see both titles',
      title('monthly', ['a', 'view'], ['b', 'manage']),
      title('monthly', ['b', 'manage'], ['a', 'view']),
      true,
    ],
    ['a user sees one of the titles', title('monthly', ['a', 'view']), title('monthly'), false],
    ['a user may change one of the titles', title('monthly', ['a', 'view']), title('monthly', ['a', 'manage']), false],
    ['titles of wages and of a bonus', title('monthly'), title('bonus'), false],
  ])('merges titles of the same name and month: %s', (_, current, his, merge) => {
    expect(canMergeTitles(current, his)).toBe(merge)
  })

  test('renames titles that are not merged until the name is unique', () => {
    expect(getFreeTitleName('10月工资', '张三', new Set(['10月工资']))).toBe('10月工资（移交自张三）')
    expect(getFreeTitleName('10月工资', '张三', new Set(['10月工资（移交自张三）', '10月工资（移交自张三 2）']))).toBe(
      '10月工资（移交自张三 3）',
    )
  })
})
