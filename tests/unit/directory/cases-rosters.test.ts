/** Rosters suggested by public complaints, and employment status texts in every combination that users write. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ExistingMember, type ImportRow, planImport } from '../../../server/modules/directory/rules/import-plan.ts'
import {
  matchMember,
  type PayrollMember,
  Roster,
  type RowIdentity,
} from '../../../server/modules/sheets/rules/check/member-match.ts'
import { matchRowToMember } from '../../../server/modules/tax/rules/match-member.ts'
import { runToCompletion } from '../../../server/rules/cooperative-task.ts'
import { detectIdentityDocument } from '../../../server/rules/identity-document.ts'
import { isSameName, toNameKey } from '../../../server/rules/person-name.ts'
import { parseMonth, parsePhone } from '../../../server/spreadsheets/profiles/roster/cells.ts'
import type { RecognizedRoster } from '../../../server/spreadsheets/profiles/roster/result.ts'
import { recognizeRoster } from '../../../server/spreadsheets/profiles/roster/roster.ts'
import { parseStatus } from '../../../server/spreadsheets/profiles/roster/status.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { grid } from '../../support/files/grid.ts'
import { seeded } from '../../support/random.ts'

const cases = new URL('../../cases/', import.meta.url)
const read = async (file: string): Promise<RecognizedRoster> =>
  recognizeRoster(await readGrids(readFileSync(new URL(file, cases))))
const getColumns = ({ columns }: RecognizedRoster) =>
  Object.fromEntries(columns.flatMap(({ letter, role }) => (role === 'info' ? [] : [[role, letter]])))
const getSheet = (rows: readonly (readonly string[])[]) => recognizeRoster([grid(rows.map((row) => [...row]))])

describe('unknown column labels', () => {
  it.each<[string, number[], string[], Record<string, string>]>([
    ['r01-field-names-then-labels.xlsx', [1, 2], ['甲一', '乙二'], { name: 'C', mobile: 'E', email: 'D' }],
    ['r02-display-name.csv', [1], ['Aa Bb', 'Cc Dd'], { name: 'D', position: 'E', department: 'F', mobile: 'G' }],
    ['r03-department-id-and-name.xlsx', [1], ['甲一', '乙二', '丙三'], { department: 'E', employee_no: 'D', position: 'G' }],
    ['r04-number-under-id-card.xlsx', [1, 2], ['甲一', '乙二', '丙三'], { id_card: 'F', name: 'C' }],
    ['r05-leader-and-person.xlsx', [1], ['甲一', '乙二', '丙三'], { name: 'D', leader: 'C', id_card: 'E', position: 'F' }],
    ['r06-explanations-before-people.csv', [1], ['Aa Bb', 'Cc Dd'], { name: 'B', employee_no: 'A', entry_date: 'D' }],
    ['r07-plural-and-longer-titles.csv', [1], ['甲一', '乙二'], { position: 'D', employee_no: 'A' }],
    ['r08-plural-english.csv', [1], ['Aa Bb', 'Cc Dd'], { position: 'C', department: 'D', mobile: 'E' }],
    ['r09-odoo-field-names.xlsx', [1], ['甲一', '乙二'], { employee_no: 'C', name: 'D', mobile: 'G' }],
    ['r10-arabic.xlsx', [1], ['محمد أ', 'فاطمة ب'], { name: 'A', employee_no: 'B', mobile: 'C', department: 'D' }],
    ['r11-japanese.xlsx', [1], ['山田一', '鈴木二'], { name: 'A', department: 'C', entry_date: 'F' }],
    ['r12-numbers-of-other-countries.csv', [1], ['Aa Bb', 'Cc Dd'], { employee_no: 'A', position: 'C' }],
    ['r13-biometric-id-and-title.xlsx', [2, 3], ['Aa Bb', 'Cc Dd'], { employee_no: 'E', position: 'G', name: 'A' }],
  ])('recognises the label %s', async (file, header_rows, names, columns) => {
    const roster = await read(`wage-sheets-and-rosters/${file}`)
    expect(roster).toMatchObject({ kind: 'roster', header_rows, people: names.length })
    expect(roster.rows.map(({ name }) => name)).toEqual(names)
    expect(getColumns(roster)).toMatchObject(columns)
  })

  it('never treats an ID card number or an adjacent permit number as an employee number', async () => {
    const roster = await read('wage-sheets-and-rosters/r04-number-under-id-card.xlsx')
    expect(roster.columns.filter(({ role }) => role === 'employee_no')).toEqual([])
    const alone = getSheet([
      ['姓名', '工号'],
      ['甲一', '11010519491231002X'],
      ['丙三', '11010119900307803X'],
    ])
    expect(getColumns(alone)).toMatchObject({ id_card: 'B' })
  })

  it.each([
    ['负责人', '姓名', 'leader'],
    ['身份证', '号码', 'id_card'],
    ['部门', '名称', 'department'],
    ['基本信息', '手机号', 'mobile'],
    ['员工', '编号', 'employee_no'],
  ])('reads %s / %s as %s', (group, leaf, role) => {
    const merges = [{ top: 0, left: 1, bottom: 0, right: 2 }]
    const rows = [
      ['员工姓名', group, '', '入职日期'],
      ['', leaf, '备注', ''],
      ['甲一', '甲', '', '2020-01-02'],
      ['乙二', '乙', '', '2020-01-03'],
    ]
    const { columns } = recognizeRoster([grid(rows, { merges })])
    expect(columns.find(({ letter }) => letter === 'B')?.role).toBe(role)
  })

  it('never treats a column of bank cards as departments', async () => {
    const roster = await read('wage-sheets-and-rosters/w20-card-number-in-department.xlsx')
    expect(roster.columns.find(({ letter }) => letter === 'B')?.role).toBe('info')
  })

  it.each([
    ['w18-course-choice-time-is-no-pay.xlsx', '考试'],
    ['w19-attendance-with-late-fine.xlsx', '考勤'],
    ['w28-time-clock-export.xlsx', '考勤'],
  ])('refuses %s and states what it looks like', async (file, word) => {
    const { kind, reason } = await read(`wage-sheets-and-rosters/${file}`)
    expect(kind).toBe('not_a_roster')
    expect(reason).toContain(word)
  })
})

describe('member cells', () => {
  it('marks only terminated employees as terminated (05b)', async () => {
    const { rows } = await read('bug-reports/05b-roster-status-words.xlsx')
    expect(rows.map(({ status, status_word }) => status_word ?? status)).toEqual([
      'active',
      'active',
      'active',
      'active',
      'active',
      '离职办理中',
      '非在职',
      'active',
    ])
  })

  it('keeps months of hire (06)', async () => {
    const { rows, bad, entries_lost } = await read('bug-reports/06-roster-entry-month-only.xlsx')
    expect(rows.map(({ entry_on }) => entry_on)).toEqual(['2020-01', '2020-10'])
    expect([bad, entries_lost]).toEqual([[], 0])
  })
  it.each([
    ['2020.1', '2020-01'],
    ['2020年1月', '2020-01'],
    ['2020-01', '2020-01'],
    ['202001', '2020-01'],
    ['Jan 2020', '2020-01'],
    ['2020.13', null],
    ['2020-01-05', null],
  ])('reads month %s as %s', (text, month) => expect(parseMonth(text)).toBe(month))
  it.each([
    [['2020.1', '2019.5'], ['', '2019-05'], 1],
    [['2020.1', '2019.10'], ['2020-01', '2019-10'], 0],
    [['2020.1', '2019.05'], ['2020-10', '2019-05'], 0],
  ])('distinguishes January from October by the column: %j', (texts, months, lost) => {
    const { rows, entries_lost, bad } = getSheet([
      ['姓名', '手机号', '入职时间'],
      ...texts.map((text, at) => [`甲${'一二'[at]}`, `1380000000${at}`, text]),
    ])
    expect(rows.map(({ entry_on }) => entry_on ?? '')).toEqual(months)
    expect([entries_lost, bad]).toEqual([lost, []])
  })

  it('imports members with passports, permits and residence cards (17)', async () => {
    const { rows, bad } = await read('bug-reports/17-roster-passports-permits.xlsx')
    const getKind = (name: string) => detectIdentityDocument(rows.find((row) => row.name === name)?.id_card ?? '')
    expect(['普通', '港居', '台居', '外永', '护照', '回乡'].map(getKind)).toEqual([
      'id_card',
      'hk_macao_residence',
      'taiwan_residence',
      'foreign_residence',
      'passport',
      'hk_macao_permit',
    ])
    expect(bad.filter(({ column }) => column === 'D').map(({ row }) => row)).toEqual([5])
    expect(rows.find(({ name }) => name === '香港')?.mobile).toBe('+85291234567')
  })
  it.each([
    ['EJ1234567', 'passport'],
    ['E12345678', 'passport'],
    ['H12345678', 'hk_macao_permit'],
    ['M1234567801', 'hk_macao_permit'],
    ['12345678', 'taiwan_permit'],
    ['19900307', null],
    ['USA123456789012', 'foreign_residence'],
    ['110105194912310021', null],
    ['A001', null],
    ['张三', null],
  ])('reads %s as %s', (number, kind) => expect(detectIdentityDocument(number)).toBe(kind))
  it.each(['(852) 9123 4567', '+852 9123 4567', '852-9123-4567', '00852 91234567', '（852）91234567'])(
    'reads %s as one Hong Kong phone',
    (text) => expect(parsePhone(text)).toEqual({ value: '+85291234567' }),
  )

  it('asks about members below a heading of terminated employees (20)', async () => {
    const { rows } = await read('bug-reports/20-roster-block-of-leavers.xlsx')
    expect(rows.map(({ name, status_word }) => [name, status_word])).toEqual([
      ['块甲', undefined],
      ['块乙', undefined],
      ['块丙', '本月离职人员'],
    ])
  })
  it('does not ask about rows below the heading that ends the terminated ones', () => {
    const { rows } = getSheet([
      ['姓名', '手机号', '部门'],
      ['甲一', '13800000001', '制造部'],
      ['离职人员：', '', ''],
      ['乙二', '13800000002', '制造部'],
      ['本月新入职', '', ''],
      ['丙三', '13800000003', '制造部'],
    ])
    expect(rows.map(({ status_word }) => status_word ?? null)).toEqual([null, '离职人员', null])
  })

  it('reads names without annotations, and remarks about the status', () => {
    const { rows } = getSheet([
      ['姓名', '手机号'],
      ['★张三', '13800000001'],
      ['李四（退休返聘）', '13800000002'],
      ['王五（已离职）', '13800000003'],
      ['赵六（小）', '13800000004'],
      ["D'Souza Maria*", '13800000005'],
    ])
    expect(rows.map(({ name, status_word }) => [name, status_word ?? null])).toEqual([
      ['张三', null],
      ['李四', null],
      ['王五', '已离职'],
      ['赵六(小)', null],
      ["D'Souza Maria", null],
    ])
  })
  it.each([
    ["D'Souza", 'D’Souza', true],
    ['古丽·热娜', '古丽•热娜', true],
    ["Nu'man", 'Nuʼman', true],
    ['张三', '张三（退休返聘）', true],
    ['★张三', '张三*', true],
    ['张伟（大）', '张伟（小）', false],
    ['张三', '张三丰', false],
    ['张三（返聘）', '李四（返聘）', false],
  ])('treats %s and %s as the same name: %s', (one, other, isSame) => {
    expect(isSameName(one, other)).toBe(isSame)
    expect(isSameName(other, one)).toBe(isSame)
    if (toNameKey(one) === toNameKey(other)) expect(isSame).toBe(true)
  })
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
const plan = (rows: readonly ImportRow[], people: readonly ExistingMember[] = []) => runToCompletion(planImport(rows, people))
const display = (planned: ReturnType<typeof plan>) =>
  planned.map(({ decision, phone }) => `${decision.kind} ${phone ?? ''}`.trim())

describe('members with a shared phone', () => {
  it('imports members with a number but no phone, and a couple sharing a phone (22)', async () => {
    const { rows } = await read('bug-reports/22-roster-no-phone-shared-phone.xlsx')
    expect(display(plan(rows.map((one) => ({ ...one, error: null }))))).toEqual([
      'new none',
      'new',
      'new',
      'new shared',
      'new shared',
      'new',
      'new',
    ])
  })
  it.each<[string, ImportRow[], ExistingMember[], string[]]>([
    ['imports nobody without phone, number and card', [row({ name: '韩梅' })], [], ['fault']],
    [
      'leaves the phone with the member whom the roster knows by it',
      [
        row({ mobile: '13800000001', employee_no: 'A1' }),
        row({ row: 3, name: '韩梅', mobile: '13800000001', employee_no: 'B2' }),
      ],
      [person({})],
      ['same', 'new shared'],
    ],
    [
      'recognises the couple of last month again',
      [
        row({ mobile: '13800000009', employee_no: 'A1' }),
        row({ row: 3, name: '韩梅', mobile: '13800000009', employee_no: 'B2' }),
      ],
      [person({ mobile: '' }), person({ id: 'p2', name: '韩梅', mobile: '', employee_no: 'B2' })],
      ['same shared', 'same shared'],
    ],
    [
      'combines one name that occurs twice under one phone',
      [row({ mobile: '13800000009', employee_no: 'A8' }), row({ row: 3, mobile: '13800000009', employee_no: 'B2' })],
      [],
      ['conflict', 'conflict'],
    ],
    [
      'asks about a couple that nothing else distinguishes',
      [row({ mobile: '13800000009' }), row({ row: 3, name: '韩梅', mobile: '13800000009', employee_no: 'B2' })],
      [],
      ['conflict', 'conflict'],
    ],
    [
      'does not pass on the phone of a terminated member without a question',
      [row({ mobile: '13800000001', status: 'left' }), row({ row: 3, name: '韩梅', mobile: '13800000001', employee_no: 'B2' })],
      [person({})],
      ['conflict', 'conflict'],
    ],
    [
      'treats two members without a phone as two',
      [row({ employee_no: 'A7' }), row({ row: 3, name: '韩梅', employee_no: 'A8' })],
      [],
      ['new none', 'new none'],
    ],
  ])('%s', (_, rows, people, expected) => expect(display(plan(rows, people))).toEqual(expected))

  it('treats a month as consistent with a day within it, and otherwise as its first day', () => {
    const one = { mobile: '13800000001', entry_on: '2020-03' }
    expect(plan([row(one)], [person({ entry_on: '2020-03-15' })])[0]?.decision.kind).toBe('same')
    expect(plan([row(one)], [person({})])[0]?.decision).toMatchObject({
      kind: 'changed',
      changes: [{ field: 'entry_on', old: '', new: '2020-03-01' }],
    })
  })
})

describe('unreadable employment status', () => {
  const unread = row({ mobile: '13800000001', status_word: '非正常' })
  it.each([
    [null, 'conflict'],
    ['active', 'same'],
    ['left', 'leaves'],
  ] as const)('treats an unreadable status answered as %s as %s', (status, kind) => {
    const answers = new Map(status ? [[2, { take: 'status', status } as const]] : [])
    expect(runToCompletion(planImport([unread], [person({})], answers))[0]?.decision.kind).toBe(kind)
  })
  it('still asks about the status where only the identity was answered', () => {
    const decision = runToCompletion(planImport([unread], [person({})], new Map([[2, { take: 'new' }]])))[0]?.decision
    expect(decision).toMatchObject({ kind: 'conflict', field: 'status', may: ['status'] })
  })
})

type Truth = 'active' | 'left' | 'asked'
/** Status texts in combinations that users write, with the true status of the member. */
function statusVariant(seed: number): { text: string; kind: string; truth: Truth } {
  const random = seeded(seed)
  const left = random.pick(['离职', '辞职', '离岗', '退休', '辞退', '解除合同', '终止合同', '自动离职'])
  const works = random.pick(['在职', '在岗', '在册', '正式', '试用', '实习', '全职', '返聘'])
  const leave = random.pick(['病假', '产假', '长病假', '工伤'])
  const kinds: [string, string, Truth][] = [
    ['plain, left', `${random.pick(['', '已', '已经'])}${left}${random.pick(['', '人员'])}`, 'left'],
    ['plain, works', `${random.pick(['', '仍', '现'])}${works}${random.pick(['', '员工', '人员'])}`, 'active'],
    ['on leave', leave, 'active'],
    ['denied leave', `${random.pick(['未', '没有', '尚未', '还未', '并未'])}${left}`, 'active'],
    ['denied work', `${random.pick(['非', '未', '没有'])}${works}`, 'asked'],
    ['no longer', `${random.pick(['不', '不再', '已不'])}在职`, 'left'],
    ['not yet', `${random.pick(['待', '拟', '即将', '准备'])}${left}`, 'active'],
    ['under way', `${left}${random.pick(['办理中', '申请中', '交接中', '流程中', '审批中', '手续中'])}`, 'asked'],
    ['came back', `退休${random.pick(['返聘', '后返聘', '再聘', '（返聘）', '-返聘'])}`, 'active'],
    ['came back, at work', `在职${random.pick(['（退休返聘）', '(返聘)', '-退休返聘', '/返聘'])}`, 'active'],
    ['no more back', `${random.pick(['返聘结束', '返聘到期', '退休未返聘', '终止返聘'])}`, 'asked'],
    ['contradicting', `${works}${random.pick(['（已离职）', '/离职', '-离职', '(离职)'])}`, 'asked'],
    [
      'left, with a day',
      `${random.pick(['离职', '辞职'])}（20${random.pick(['19', '22', '24'])}-05-1${random.below(10)}）`,
      'left',
    ],
    ['left, a day to come', `离职（2099-0${1 + random.below(9)}-01）`, 'asked'],
    ['unclear', random.pick(['非正常', '停薪留职', '待岗', '内退', '异动', '调动', '借出', '其他', '不在岗', '冻结']), 'asked'],
    ['marked', `${random.pick(['★', '*', ' '])}${works}${random.pick(['', ' ', '※'])}`, 'active'],
    ['says nothing', random.pick(['—', '/', '无', '']), 'asked'],
  ]
  const [kind, text, truth] = random.pick(kinds)
  return { text, kind, truth }
}

describe('200 status texts', () => {
  const variants = Array.from({ length: 200 }, (_, seed) => statusVariant(seed))
  const getOutcome = ({ text, truth }: (typeof variants)[number]): 'right' | 'asked' | 'silent wrong' => {
    const message = parseStatus(text, '在职状态', '2026-12-01')
    if (message === 'unsure') return 'asked'
    // A space changes no status.
    if (message === null) return ['', '/', '—', '无'].includes(text) ? 'right' : 'silent wrong'
    return message === truth ? 'right' : 'silent wrong'
  }
  it('neither terminates nor keeps a member against the status text without a question', () => {
    const table = new Map<string, Record<'right' | 'asked' | 'silent wrong', number>>()
    for (const variant of variants) {
      const counts = table.get(variant.kind) ?? { right: 0, asked: 0, 'silent wrong': 0 }
      counts[getOutcome(variant)] += 1
      table.set(variant.kind, counts)
    }
    // oxlint-disable-next-line no-console -- the table is what the figures of the report are taken from
    console.table(Object.fromEntries(table))
    expect(variants.filter((variant) => getOutcome(variant) === 'silent wrong')).toEqual([])
    // An unambiguous status is not asked about.
    const requested = variants.filter((variant) => variant.truth !== 'asked' && getOutcome(variant) === 'asked')
    expect(requested.map(({ text }) => text)).toEqual([])
  })
  it.each([
    ['是', '是否在职', 'active'],
    ['否', '是否在职', 'left'],
    ['0', '激活状态', 'unsure'],
    ['未激活', '激活状态', null],
    ['Active', 'Status', 'active'],
    ['Not active', 'Status', 'unsure'],
    ['Terminated', 'Status', 'left'],
  ])('reads %s under %s as %s', (text, label, status) => expect(parseStatus(text, label)).toBe(status))
})

describe('names on a wage sheet', () => {
  const people = (...names: string[]): PayrollMember[] =>
    names.map((name, at) => ({
      id: `p${at}`,
      name,
      mobile: at === 0 ? '13800000001' : '',
      employee_no: `A${at}`,
      id_card_index: null,
      status: 'active',
      departments: '',
      in_scope: true,
    }))
  const match = (name: string, message: Partial<RowIdentity>, ...names: string[]) =>
    matchMember(
      { names: [name], mobile: '', id_card: '', employee_no: '', department: '', ...message },
      new Roster(people(...names)),
      null,
      (card) => card,
    )
  it.each([
    ['D’Souza', "D'Souza"],
    ['古丽•热娜', '古丽·热娜'],
    ['★张三', '张三'],
    ['张三（退休返聘）', '张三'],
    ['张三', '张三（退休返聘）'],
  ])('finds %s on a wage sheet with the phone of %s', (name, own) =>
    expect(match(name, { mobile: '13800000001' }, own).member?.name).toBe(own),
  )
  it('suggests the only member of that name where just a remark differs and no key proves it', () => {
    const { member, issues } = match('张三（大）', {}, '张三')
    expect([member, issues[0]?.candidates.map(({ name }) => name)]).toEqual([null, ['张三']])
  })
  it('never confuses different remarks', () => {
    expect(match('张伟（小）', { mobile: '13800000001' }, '张伟（大）').member).toBeNull()
    expect(match('张伟', {}, '张伟（大）', '张伟').member?.id).toBe('p1')
  })
  it('never matches a member without a phone by an empty phone', () =>
    expect(match('李四', { mobile: '13800000009' }, '张三', '李四').member?.name ?? null).toBeNull())
})

describe('official lists', () => {
  it('distinguishes two namesakes without phones only by a number', () => {
    const namesakes = ['p1', 'p2'].map((id, at) => ({ id, name: '李雷', employee_no: `A${at}`, mobile: '' }))
    const row = { name: '李雷', id_card: null, employee_no: null, mobile: '' }
    expect(matchRowToMember(row, { members: namesakes, findByIdCard: () => undefined })).toContain('有几位同名的员工')
    expect(matchRowToMember({ ...row, employee_no: 'A1' }, { members: namesakes, findByIdCard: () => undefined })).toMatchObject({
      id: 'p2',
    })
  })
})
