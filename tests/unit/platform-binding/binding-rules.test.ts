/**
 * Lifecycle of a platform binding, comparison of a directory with the previous sync, and matching of platform users
 * with members, as tables.
 */
import { describe, expect, it, test } from 'vitest'
import type { BindingStatus } from '../../../server/contract/platform-binding/binding.ts'
import {
  type BindingAction,
  isMassTermination,
  nextStatus,
} from '../../../server/modules/platform-binding/rules/binding-status.ts'
import {
  compareUser,
  type IncomingUser,
  type StoredDirectoryUser,
} from '../../../server/modules/platform-binding/rules/compare.ts'
import {
  computePositions,
  type DirectoryDepartmentOrder,
  orderIncomingDepartments,
  orderSiblings,
} from '../../../server/modules/platform-binding/rules/department-order.ts'
import {
  type ExistingDepartment,
  type IncomingDepartment,
  planDepartments,
} from '../../../server/modules/platform-binding/rules/departments.ts'
import {
  createMatcher,
  type MatchStatus,
  type PlatformUser,
  type RosterMember,
  resolveDuplicateMatches,
} from '../../../server/modules/platform-binding/rules/match.ts'

function matchUsers(people: readonly PlatformUser[], roster: readonly RosterMember[]): MatchStatus[] {
  const matcher = createMatcher()
  matcher.know(roster)
  matcher.hear(people)
  return resolveDuplicateMatches(matcher.standings(people))
}

describe('binding lifecycle', () => {
  const no = '—'
  // prettier-ignore
  const table: [BindingStatus, ...(BindingStatus | typeof no)[]][] = [
    //   bind rotate sync synced failed apply keep unbind stop resume
    [0, 10, no, no, no, no, no, no, no, no, no],
    [10, no, 10, 20, no, no, 40, no, 0, 50, 10],
    [20, no, 20, no, 10, 30, no, no, 0, 50, 20],
    [30, no, 30, 20, 10, 30, 40, no, 0, 50, 30],
    [40, no, 40, no, 40, 40, no, 10, 0, 40, 40],
    [50, no, 50, no, 50, 50, 40, no, 0, 50, 10],
  ]
  const actions: BindingAction[] = [
    'bind',
    'rotate',
    'sync',
    'synced',
    'sync_failed',
    'apply_unbind',
    'keep',
    'unbind',
    'stop',
    'resume',
  ]
  test.each(table)('transitions from status %d', (status, ...expected) => {
    const matches = actions.map((action) => nextStatus(status, action))
    expect(matches.map((next) => (typeof next === 'object' ? no : next))).toEqual(expected)
    for (const next of matches) if (typeof next === 'object') expect(next.message).not.toBe('')
  })
  test.each([
    [10, 4, false],
    [10, 5, true],
    [100, 30, false],
    [100, 31, true],
    [50_000, 15_000, false],
    [50_000, 15_001, true],
    [0, 0, false],
  ])('of %d members %d terminated: paused %s', (before, left, isSyncPaused) =>
    expect(isMassTermination({ before, left })).toBe(isSyncPaused),
  )
})

describe('comparison with the previous sync', () => {
  const viewed: StoredDirectoryUser = {
    user_id: 'a',
    name: '王芳',
    mobile: '13800000001',
    employee_no: '007',
    email: '',
    job_title: '会计',
    departments: ['1', '2'],
    main_department: '1',
    leads: ['2'],
    sort: { 1: 3, 2: 1 },
    status: 'active',
  }
  const notified: IncomingUser = {
    user_id: 'a',
    name: '王芳',
    mobile: '13800000001',
    employee_no: '007',
    email: null,
    job_title: '会计',
    department_ids: ['2', '1'],
    main_department_id: '1',
    leads: ['2'],
    sort: { 2: 1, 1: 3 },
    status: 'active',
    listed_department_ids: [],
  }
  const rows: [string, { content: StoredDirectoryUser; isRemoved: boolean } | null, IncomingUser | null, string, string[]][] = [
    ['no previous user', null, notified, 'new', []],
    ['unchanged, in another order', { content: viewed, isRemoved: false }, notified, 'same', []],
    ['another name', { content: viewed, isRemoved: false }, { ...notified, name: '王方' }, 'changed', ['name']],
    ['no name or phone sent', { content: viewed, isRemoved: false }, { ...notified, name: null, mobile: null }, 'same', []],
    ['an empty phone sent', { content: viewed, isRemoved: false }, { ...notified, mobile: '' }, 'changed', ['mobile']],
    [
      'one of two departments',
      { content: viewed, isRemoved: false },
      { ...notified, department_ids: ['1'] },
      'changed',
      ['departments'],
    ],
    [
      'a member of two lists without departments',
      { content: viewed, isRemoved: false },
      { ...notified, department_ids: null, listed_department_ids: ['2', '1'] },
      'same',
      [],
    ],
    [
      'head of another department',
      { content: viewed, isRemoved: false },
      { ...notified, leads: ['1', '2'] },
      'changed',
      ['leads'],
    ],
    ['another position', { content: viewed, isRemoved: false }, { ...notified, sort: { 1: 3, 2: 9 } }, 'changed', ['sort']],
    ['frozen', { content: viewed, isRemoved: false }, { ...notified, status: 'frozen' }, 'changed', ['status']],
    ['no longer listed', { content: viewed, isRemoved: false }, null, 'left', []],
    ['reported as terminated', { content: viewed, isRemoved: false }, { ...notified, status: 'left' }, 'left', []],
    ['back', { content: viewed, isRemoved: true }, notified, 'back', []],
    [
      'returned with another phone',
      { content: viewed, isRemoved: true },
      { ...notified, mobile: '13800000002' },
      'back',
      ['mobile'],
    ],
    ['still terminated', { content: viewed, isRemoved: true }, null, 'same', []],
    ['never present, and terminated', null, { ...notified, status: 'left' }, 'same', []],
  ]
  it.each(rows)('%s', (_, before, now, result, fields) => {
    expect(compareUser(before, now)).toMatchObject({ change: result, fields })
  })
  it('keeps the previous value of a field that the platform does not send', () => {
    const { next } = compareUser(
      { content: viewed, isRemoved: false },
      { ...notified, name: null, mobile: null, leads: null, department_ids: null },
    )
    expect(next).toEqual(viewed)
  })
  it('stores no characters that the database rejects and no names of unlimited length', () => {
    const { next } = compareUser(null, { ...notified, name: `王\0${'长'.repeat(5_000)}` })
    expect(next?.name).toHaveLength(200)
    expect(next?.name.startsWith('王长')).toBe(true)
  })
})

describe('department parents', () => {
  const own: ExistingDepartment[] = [
    { id: 'root', parent_id: null, name: '云杉科技' },
    { id: 'rd', parent_id: 'root', name: '研发部' },
    { id: 'web', parent_id: 'rd', name: '前端组' },
  ]
  const one = (key: string, name: string, parent_key: string | null): IncomingDepartment => ({
    key,
    name,
    parent_key,
    position: 0,
    previousPosition: null,
  })
  const setPosition = (notified: IncomingDepartment[], linked: Record<string, string> = {}) => {
    let made = 0
    const placed = planDepartments(notified, {
      departments: own,
      linked: new Map(Object.entries(linked)),
      newId: () => `new${(made += 1)}`,
    })
    return Object.fromEntries(
      placed.map((it) => [it.key, `${it.isNew ? 'new ' : it.isMoved ? 'moved ' : ''}${it.id} < ${it.parent_id ?? ''}`]),
    )
  }
  const top = one('0', '云杉（飞书）', null)
  it.each<[string, IncomingDepartment[], Record<string, string>, Record<string, string>]>([
    ['the root is the company', [top], {}, { 0: 'root < ' }],
    [
      'the same path of names',
      [top, one('1', '研发部', '0'), one('2', '前端组', '1')],
      {},
      { 0: 'root < ', 1: 'rd < root', 2: 'web < rd' },
    ],
    ['the same name elsewhere is another department', [top, one('2', '前端组', '0')], {}, { 0: 'root < ', 2: 'new new1 < root' }],
    [
      'parents are created before children',
      [one('2', '前端组', '1'), one('1', '研发部', '0'), top],
      {},
      { 0: 'root < ', 1: 'rd < root', 2: 'web < rd' },
    ],
    ['linked and renamed on the platform', [top, one('1', '技术部', '0')], { 1: 'rd' }, { 0: 'root < ', 1: 'moved rd < root' }],
    [
      'linked and moved on the platform',
      [top, one('1', '研发部', '0'), one('2', '前端组', '0')],
      { 1: 'rd', 2: 'web' },
      { 0: 'root < ', 1: 'rd < root', 2: 'moved web < root' },
    ],
    [
      'two departments of the same name, of which the second is new',
      [top, one('1', '研发部', '0'), one('5', '研发部', '0')],
      {},
      { 0: 'root < ', 1: 'rd < root', 5: 'new new1 < root' },
    ],
    [
      'parents outside the visible range',
      [one('1', '研发部', null), one('7', '市场部', null)],
      {},
      { 1: 'rd < root', 7: 'new new1 < root' },
    ],
    [
      'a cycle of parents',
      [top, one('8', '甲', '9'), one('9', '乙', '8')],
      {},
      { 0: 'root < ', 9: 'new new1 < root', 8: 'new new2 < new1' },
    ],
  ])('%s', (_, notified, linked, expected) => expect(setPosition(notified, linked)).toEqual(expected))
  it('reduces a hundred levels to fifteen', () => {
    const deep = [top, ...Array.from({ length: 100 }, (_, at) => one(`d${at}`, `第${at}级`, at === 0 ? '0' : `d${at - 1}`))]
    const placed = planDepartments(deep, { departments: own, linked: new Map(), newId: () => crypto.randomUUID() })
    const parent = new Map(placed.map((it) => [it.id, it.parent_id]))
    const level = (id: string | null | undefined): number => (id ? 1 + level(parent.get(id)) : 0)
    expect(Math.max(...placed.map(({ id }) => level(id)))).toBe(15)
  })
})

describe('department order', () => {
  /** 'b1 a0 c' means: on the platform b is first (it was second in the last sync), then a (it was first), then c (new). */
  const notify = (text: string) =>
    text.split(' ').map((one) => ({ id: one.slice(0, 1), previousPosition: one.length > 1 ? Number(one.slice(1)) : null }))
  it.each([
    ['no change', 'a b c', 'a0 b1 c2', 'a b c'],
    ['a local order set manually is kept', 'c a b', 'a0 b1 c2', 'c a b'],
    ['a new order on the platform', 'a b c', 'c2 a0 b1', 'c a b'],
    ['a new order on the platform after a local one', 'c b a', 'b1 a0 c2', 'b a c'],
    ['local departments keep their positions', 'M a N b', 'b1 a0', 'M b N a'],
    ['a new one in the middle of a local order', 'b a', 'a0 x b1', 'b a x'],
    ['a new one at the beginning', 'M a b', 'x a0 b1', 'M x a b'],
    ['two new ones in sequence', 'a b', 'a0 x y b1', 'a x y b'],
    ['the very first departments', 'M N', 'x y', 'M N x y'],
    ['a removed department', 'a M b c', 'c2 a0', 'c M b a'],
    ['a returned department without a previous position', 'a b', 'b1 a0 c', 'b a c'],
  ])('%s', (_, ours, there, expected) => {
    expect(orderSiblings({ existing: ours.split(' '), incoming: notify(there) }).join(' ')).toBe(expected)
  })

  const format = (id: string, sort: number | null, name = id): DirectoryDepartmentOrder => ({ id, parent_id: '0', name, sort })
  const findExisting = (id: string, position: number, sort: number | null, parent_key = '0') =>
    [id, { parent_key, position, sort }] as const
  it.each<
    [
      string,
      DirectoryDepartmentOrder[],
      (readonly [string, { parent_key: string; position: number; sort: number | null }])[],
      string,
    ]
  >([
    ['smaller values first', [format('a', 3), format('b', -5)], [], 'b a'],
    [
      'equal values: previous order, then by name',
      [format('a', 1), format('b', 1), format('c', 1)],
      [findExisting('b', 7, 1)],
      'b7 a c',
    ],
    [
      'equal values that were renamed keep their positions',
      [format('a', 1, '乙'), format('b', 1, '甲')],
      [findExisting('a', 0, 1), findExisting('b', 1, 1)],
      'a0 b1',
    ],
    [
      'a missing value keeps the previous one',
      [format('a', null), format('b', 2)],
      [findExisting('a', 4, 9), findExisting('b', 5, 1)],
      'b5 a4',
    ],
    [
      'a value never sent: previous order, new ones last',
      [format('x', 1), format('a', 2), format('b', null)],
      [findExisting('a', 0, 1), findExisting('b', 1, null)],
      'a0 b1 x',
    ],
    [
      'a department moved below another has no position there',
      [format('a', 1), format('b', 2)],
      [findExisting('b', 3, 1, '9')],
      'a b',
    ],
  ])('sorts departments as on the platform: %s', (_, all, before, expected) => {
    const matches = orderIncomingDepartments(all, new Map(before)).map(
      ({ key, previousPosition }) => `${key}${previousPosition ?? ''}`,
    )
    expect(matches.join(' ')).toBe(expected)
  })

  it('places a moved department after its predecessor on the platform and renumbers only changed siblings', () => {
    const own = ['root', 'a', 'b', 'a1', 'a2', 'b1'].map((id) => ({
      id,
      parent_id: id === 'root' ? null : id[1] ? id.slice(0, 1) : 'root',
      name: id,
    }))
    const at = (id: string, parent_id: string | null, position: number, was: number | null) => ({
      key: id,
      id,
      isNew: false,
      isMoved: was === null,
      parent_id,
      name: id,
      position,
      previousPosition: was,
    })
    const placed = [
      at('root', null, 0, 0),
      at('a', 'root', 1, 1),
      at('b', 'root', 2, 2),
      at('a1', 'a', 3, 3),
      at('b1', 'b', 4, 5),
      at('a2', 'b', 5, null),
    ]
    expect(computePositions(placed, own)).toEqual([
      { id: 'b1', position: 0 },
      { id: 'a2', position: 1 },
    ])
  })
})

describe('matching users with members', () => {
  const there = (user_id: string, name: string, more: Partial<PlatformUser> = {}): PlatformUser => ({
    user_id,
    name,
    mobile: '',
    employee_no: '',
    departments: [],
    isIgnored: false,
    ...more,
  })
  const getContext = (member_id: string, name: string, more: Partial<RosterMember> = {}): RosterMember => ({
    member_id,
    name,
    mobile: '',
    employee_no: '',
    departments: [],
    ...more,
  })
  const format = (one: MatchStatus | undefined): string => {
    if (!one) return ''
    if (one.kind === 'matched') return `= ${one.member_id}`
    return 'why' in one ? `${one.kind} ${one.why} ${one.candidates.join(' ')}` : one.kind
  }
  const m = '13800000001'
  it.each<[string, PlatformUser[], RosterMember[], string]>([
    ['phone and name', [there('u', '王 芳', { mobile: '+86 138 0000 0001' })], [getContext('A', '王芳', { mobile: m })], '= A'],
    [
      'a crafted profile with a matching phone only',
      [there('u', '黑客', { mobile: m })],
      [getContext('A', '王芳', { mobile: m })],
      'conflict phone A',
    ],
    ['the phone without a name', [there('u', '', { mobile: m })], [getContext('A', '王芳', { mobile: m })], 'conflict phone A'],
    [
      'number and name',
      [there('u', '王芳', { employee_no: ' a007 ' })],
      [getContext('A', '王芳', { employee_no: 'A007' })],
      '= A',
    ],
    [
      'number with another name',
      [there('u', '王方', { employee_no: 'A007' })],
      [getContext('A', '王芳', { employee_no: 'A007' })],
      'conflict number A',
    ],
    [
      'phone of one member, number of another',
      [there('u', '王芳', { mobile: m, employee_no: '7' })],
      [getContext('A', '王芳', { mobile: m }), getContext('B', '李雷', { employee_no: '7' })],
      'conflict two A B',
    ],
    [
      'two platform users with one phone',
      [there('u', '王芳', { mobile: m }), there('v', '王芳', { mobile: m })],
      [getContext('A', '王芳', { mobile: m })],
      'conflict duplicate A',
    ],
    [
      'two platform users with one number',
      [there('u', '王芳', { employee_no: '7' }), there('v', '李雷', { employee_no: '7' })],
      [getContext('A', '王芳', { employee_no: '7' })],
      'conflict duplicate A',
    ],
    [
      'two members with one number',
      [there('u', '王芳', { employee_no: '7' })],
      [getContext('A', '王芳', { employee_no: '7' }), getContext('B', '王芳', { employee_no: '7' })],
      'conflict duplicate A B',
    ],
    [
      'two platform users for one member',
      [there('u', '王芳', { mobile: m }), there('v', '王芳', { employee_no: '7' })],
      [getContext('A', '王芳', { mobile: m, employee_no: '7' })],
      'conflict duplicate A',
    ],
    [
      'name and department',
      [there('u', '王芳', { departments: ['财务部'] })],
      [getContext('A', '王芳', { departments: ['财务部'] })],
      'suggested department A',
    ],
    [
      'a matching name alone',
      [there('u', '王芳', { departments: ['财务部'] })],
      [getContext('A', '王芳', { departments: ['研发部'] })],
      'suggested name A',
    ],
    [
      'two members of that name',
      [there('u', '王芳', { departments: ['研发部'] })],
      [getContext('A', '王芳'), getContext('B', '王芳', { departments: ['研发部'] })],
      'suggested name B A',
    ],
    ['nobody', [there('u', '韩梅梅')], [getContext('A', '王芳')], 'new'],
    ['no name and no number, which match nobody', [there('u', '')], [getContext('A', '')], 'new'],
    [
      'excluded by an administrator',
      [there('u', '王芳', { mobile: m, isIgnored: true })],
      [getContext('A', '王芳', { mobile: m })],
      'ignored',
    ],
    [
      'foreign phones, which are not compared',
      [there('u', '王芳', { mobile: '+1 555 0100' })],
      [getContext('A', '李雷', { mobile: '' })],
      'new',
    ],
  ])('%s', (_, people, roster, expected) => expect(format(matchUsers(people, roster)[0])).toBe(expected))
})
