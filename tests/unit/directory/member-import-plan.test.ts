/**
 * What an import would do with each row, as the administrator sees it: no member becomes another one without a
 * question.
 */
import { describe, expect, it } from 'vitest'
import {
  type ExistingMember,
  type ImportDecision,
  type ImportRow,
  planImport as planInRounds,
} from '../../../server/modules/directory/rules/import-plan.ts'
import { runToCompletion } from '../../../server/rules/cooperative-task.ts'
import { seeded } from '../../support/random.ts'

const planImport = (...requested: Parameters<typeof planInRounds>) => runToCompletion(planInRounds(...requested))

const row = (of: Partial<ImportRow>): ImportRow => ({
  row: 2,
  name: '李雷',
  mobile: null,
  employee_no: null,
  id_card: null,
  bank_account: null,
  departments: [],
  position: null,
  entry_on: null,
  status: null,
  email: null,
  error: null,
  ...of,
})
const person = (of: Partial<ExistingMember>): ExistingMember => ({
  id: 'p1',
  name: '李雷',
  mobile: '13800000001',
  employee_no: 'A1',
  id_card: null,
  bank_account: null,
  email: null,
  position: null,
  entry_on: null,
  departments: [],
  has_left: false,
  in_scope: true,
  is_admin: false,
  ...of,
})
const getDecision = (one: ImportRow, people: ExistingMember[]): ImportDecision | undefined =>
  planImport([one], people)[0]?.decision
const card = '11010519491231002X'

describe('one row and one member: 李雷, 13800000001, A1', () => {
  it.each<[string, Partial<ImportRow>, Partial<ExistingMember>, ImportDecision]>([
    ['an unknown member', { name: '韩梅', mobile: '13800000009' }, {}, { kind: 'new' }],
    ['an unchanged row', { mobile: '13800000001', employee_no: 'A1' }, {}, { kind: 'same', person_id: 'p1', changes: [] }],
    ['a different spelling', { name: '李 雷', employee_no: 'a1' }, {}, { kind: 'same', person_id: 'p1', changes: [] }],
    [
      'an empty cell, which removes nothing',
      { mobile: '13800000001' },
      { position: '会计', departments: [['财务部']] },
      { kind: 'same', person_id: 'p1', changes: [] },
    ],
    [
      "another phone with the member's number",
      { employee_no: 'A1', mobile: '13900000000' },
      {},
      { kind: 'changed', person_id: 'p1', changes: [{ field: 'mobile', old: '13800000001', new: '13900000000' }] },
    ],
    [
      'another department and position',
      { mobile: '13800000001', departments: [['总部', '财务部']], position: '主管' },
      { departments: [['销售部']], position: '会计' },
      {
        kind: 'changed',
        person_id: 'p1',
        changes: [
          { field: 'position', old: '会计', new: '主管' },
          { field: 'departments', old: '销售部', new: '总部/财务部' },
        ],
      },
    ],
    [
      'the same two departments in another order',
      { mobile: '13800000001', departments: [['甲'], ['乙']] },
      { departments: [['乙'], ['甲']] },
      { kind: 'same', person_id: 'p1', changes: [] },
    ],
    [
      "the member's phone with another name",
      { name: '韩梅', mobile: '13800000001' },
      {},
      {
        kind: 'conflict',
        field: 'mobile',
        person_ids: ['p1'],
        rows: [],
        may: ['new', 'person'],
        why: '手机号是「李雷」的，姓名不同',
      },
    ],
    [
      "the member's number with another name",
      { name: '韩梅', employee_no: 'A1', mobile: '13900000000' },
      {},
      { kind: 'conflict', field: 'employee_no', person_ids: ['p1'], rows: [], may: ['new'], why: '工号是「李雷」的，姓名不同' },
    ],
    [
      'the phone of a terminated member with another name',
      { name: '韩梅', mobile: '13800000001' },
      { has_left: true },
      {
        kind: 'conflict',
        field: 'mobile',
        person_ids: ['p1'],
        rows: [],
        may: ['new'],
        why: '手机号是已离职的「李雷」的，姓名不同',
      },
    ],
    ['a returning member', { mobile: '13800000001' }, { has_left: true }, { kind: 'back', person_id: 'p1', changes: [] }],
    ['a leaving member', { mobile: '13800000001', status: 'left' }, {}, { kind: 'leaves', person_id: 'p1', changes: [] }],
    [
      'a terminated member listed as terminated',
      { mobile: '13800000001', status: 'left' },
      { has_left: true },
      { kind: 'same', person_id: 'p1', changes: [] },
    ],
    [
      'a namesake with another ID card on the same phone',
      { mobile: '13800000001', id_card: '110105199001011237' },
      { id_card: card },
      {
        kind: 'conflict',
        field: 'id_card',
        person_ids: ['p1'],
        rows: [],
        may: ['new', 'person'],
        why: '和「李雷」的身份证号不同，可能是同名的另一个人',
      },
    ],
    ['a namesake with another number', { employee_no: 'A2', mobile: '13800000002' }, {}, { kind: 'new' }],
    [
      'the name and an unused phone',
      { mobile: '13800000002' },
      {},
      {
        kind: 'conflict',
        field: 'name',
        person_ids: ['p1'],
        rows: [],
        may: ['new', 'person'],
        why: '已有同名员工，手机号不同，分不出是换了号码还是另一个人',
      },
    ],
    [
      'the name alone with a new value',
      { position: '会计' },
      {},
      {
        kind: 'conflict',
        field: 'name',
        person_ids: ['p1'],
        rows: [],
        may: ['new', 'person'],
        why: '已有同名员工，这一行没有手机号、工号或身份证号，分不出是不是同一个人',
      },
    ],
    ['the name alone without a new value', {}, {}, { kind: 'same', person_id: 'p1', changes: [] }],
    [
      'an unknown terminated member',
      { name: '韩梅', mobile: '13800000009', status: 'left' },
      {},
      { kind: 'fault', why: '已经离职，花名册里也没有这个人', field: null, column: null },
    ],
    ['nobody', { name: '', mobile: '13800000001' }, {}, { kind: 'fault', why: '没有姓名', field: 'name', column: null }],
  ])('%s', (_, message, stands, decision) => expect(getDecision(row(message), [person(stands)])).toEqual(decision))
})

describe('several rows and members', () => {
  it('asks about a row with the number of one member and the phone of a namesake', () =>
    expect(
      getDecision(row({ employee_no: 'A1', mobile: '13800000002' }), [
        person({}),
        person({ id: 'p2', employee_no: 'A2', mobile: '13800000002' }),
      ]),
    ).toEqual({
      kind: 'conflict',
      field: 'mobile',
      person_ids: ['p1', 'p2'],
      rows: [],
      may: ['new', 'person'],
      why: '工号和手机号分别是两位李雷的',
    }))

  it('assigns a number that occurs twice in the file to neither row', () =>
    expect(
      planImport([row({ row: 2, employee_no: 'A1' }), row({ row: 5, name: '韩梅', employee_no: 'A1' })], [person({})]).map(
        ({ decision }) => decision,
      ),
    ).toEqual([
      { kind: 'conflict', field: 'employee_no', person_ids: [], rows: [5], may: [], why: '工号和第 5 行相同' },
      { kind: 'conflict', field: 'employee_no', person_ids: [], rows: [2], may: [], why: '工号和第 2 行相同' },
    ]))

  it('asks about two rows that match the same member', () =>
    expect(
      planImport([row({ row: 2, employee_no: 'A1' }), row({ row: 3, mobile: '13800000001' })], [person({})]).map(
        ({ decision }) => decision.kind,
      ),
    ).toEqual(['conflict', 'conflict']))
})

/** Applies the plan as the import would. */
function accept(rows: readonly ImportRow[], people: readonly ExistingMember[]): ExistingMember[] {
  const stands = new Map(people.map((one) => [one.id, one]))
  const byRow = new Map(rows.map((one) => [one.row, one]))
  for (const { row: number, decision, phone } of planImport(rows, people)) {
    const written = byRow.get(number)
    if (!written) continue
    const message = phone === undefined ? written : { ...written, mobile: null }
    const now = Object.fromEntries(
      Object.entries(message).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
    )
    const { row: _, status, ...details } = { ...message, ...now }
    if (decision.kind === 'new')
      stands.set(`new ${number}`, {
        ...person({ mobile: null, employee_no: null }),
        ...details,
        id: `new ${number}`,
        has_left: status === 'left',
      })
    const before = 'person_id' in decision ? stands.get(decision.person_id) : undefined
    if (before) {
      const stored = Object.fromEntries(Object.entries(now).filter(([key]) => key in before))
      stands.set(before.id, {
        ...before,
        ...stored,
        // A returning member without a phone does not get the previous one back: it may belong to another member now.
        ...(decision.kind === 'back' && phone !== undefined && { mobile: null }),
        has_left: decision.kind === 'leaves' || (decision.kind === 'same' && before.has_left),
      })
    }
  }
  return [...stands.values()]
}

describe('invariants over damaged rosters', () => {
  it('changes nothing in a second import, assigns no key to two members, and never changes a name', () => {
    for (let seed = 0; seed < 2000; seed++) {
      const random = seeded(seed)
      const some = <T>(value: T): T | null => (random.chance(0.7) ? value : null)
      const people = Array.from({ length: 8 }, (_, at) =>
        person({
          id: `p${at}`,
          name: random.pick(['李雷', '韩梅', '林涛', '王芳']),
          mobile: some(`1380000000${at}`),
          employee_no: some(`A${at}`),
          has_left: random.chance(0.2),
        }),
      )
      const rows = Array.from({ length: 8 }, (_, at) =>
        row({
          row: at + 2,
          name: random.pick(['李雷', '韩梅', '林涛', '王芳', '赵敏', '']),
          mobile: some(`1380000000${random.below(12)}`),
          employee_no: some(`A${random.below(12)}`),
          position: some(random.pick(['会计', '出纳'])),
          status: random.chance(0.1) ? 'left' : null,
        }),
      )
      const once = accept(rows, people)
      for (const before of people) expect(once.find(({ id }) => id === before.id)?.name, `seed ${seed}`).toBe(before.name)
      for (const key of ['mobile', 'employee_no'] as const) {
        const owners = Map.groupBy(
          once.filter((one) => one[key] !== null),
          (one) => one[key],
        )
        for (const same of owners.values()) expect(same.length, `seed ${seed}: ${key} of two people`).toBe(1)
      }
      // What was imported without a question is unchanged the second time; a question may have become clear meanwhile.
      const first = planImport(rows, people)
      for (const [at, { decision }] of planImport(rows, once).entries())
        if (!/conflict|fault/.test(first[at]?.decision.kind ?? ''))
          expect(decision.kind, `seed ${seed} row ${at + 2}`).toBe('same')
    }
  })
})

describe('20,000 similar rows', () => {
  const count = 20_000
  const phone = (at: number) => String(13_800_000_000 + at)
  const getRows = (of: Partial<ImportRow>) =>
    Array.from({ length: count }, (_, at) => row({ row: at + 2, mobile: phone(at), ...of }))
  const namesakes = Array.from({ length: count }, (_, at) => person({ id: `p${at}`, mobile: `139${at}`, employee_no: null }))
  // Comparing each one with all the others would take 2 GB.
  it.each([
    ['of one number, as where 无 is written', getRows({ employee_no: '无' }), []],
    ['of one name with as many namesakes', getRows({}), namesakes],
    ['of one name without other keys', getRows({ mobile: null }), namesakes],
  ])('keeps the question of each row short: %s', (_, rows, people) => {
    const planned = planImport(rows, people)
    expect(planned.every(({ decision }) => decision.kind === 'conflict')).toBe(true)
    expect(Math.max(...planned.map((one) => JSON.stringify(one).length))).toBeLessThan(1_000)
  })

  it('plans 20,000 rows in chunks that let other work run in between', () => {
    const rows = getRows({}).map((one) => ({ ...one, name: `员工${one.row}` }))
    // Rows are grouped by their keys, then compared row by row: 500 in a chunk.
    expect([...planInRounds(rows, namesakes)].length).toBeGreaterThan(100)
  })
})

it('names forms with one phone by their sheets, because each has its row 3', () => {
  const on = (form: string, at: number) => row({ name: form, mobile: '13912340001', row: at, form })
  const [first] = planImport([on('张三', 3), on('李四', 1_000_003)], [])
  expect(first?.decision).toMatchObject({
    kind: 'conflict',
    why: '手机号和「李四」第 3 行相同；请填写本人的手机号，或给每人填上工号、身份证号',
  })
})
