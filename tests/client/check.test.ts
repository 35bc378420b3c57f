/** What the page of step 2 derives from values: bulk fixes, undo, messages and search. */

import { describe, expect, it } from 'vitest'
import type { IssueFix } from '../../server/contract/shared/schemas.ts'
import type { Issue } from '../../server/contract/sheets/sheet.ts'
import {
  canUpdatePhone,
  getButtonType,
  getCardActions,
  getExtraMessage,
  isVisibleAmount,
} from '../../src/features/sheets/check/card/issue-card.ts'
import {
  countAffectedPeople,
  filterIssues,
  formatFixResult,
  getBulkFixes,
  getBulkFixLabels,
  getUndoActions,
  type IssueGroup,
  toFixAction,
} from '../../src/features/sheets/check/issue-fixes.ts'
import { formatRowLabel } from '../../src/features/sheets/check/issue-labels.ts'
import { formatMissingPhones } from '../../src/features/sheets/check/missing-phones.tsx'

const person = {
  member_id: '00000000-0000-7000-8000-000000000001',
  name: '王晓云',
  mobile_masked: '139****0001',
  departments: '',
}
const problem = (row: number, kind: Issue['kind'], fix: IssueFix[], more: Partial<Issue> = {}): Issue => ({
  id: `${row}:${kind}:${more.column ?? 'c1'}`,
  row,
  name: `员工${row}`,
  column: 'c1',
  level: 'error',
  kind,
  message: `第 ${row} 行有问题`,
  fix,
  candidates: [],
  ...more,
})
const getKind = (problems: readonly Issue[], count = problems.length): IssueGroup => ({
  kind: problems[0]?.kind ?? 'no_name',
  level: problems[0]?.level ?? 'error',
  count,
})
const short = (problems: readonly Issue[], count = problems.length, alone = true) =>
  getBulkFixes(getKind(problems, count), problems, alone).map(({ fix, count: many, people }) => [fix, many, people])

it('lists the employees without a phone number as a roster to fill in, and starts no formula', () => {
  const list = formatMissingPhones([
    { name: '张"三', department: '生产部' },
    { name: '=1+1', department: '' },
  ])
  expect(list).toBe('\ufeff"姓名","部门","手机号"\r\n"张""三","生产部",""\r\n"\'=1+1","",""\r\n')
})

describe('bulk fixes', () => {
  it('offers a fix that all issues share once there are two', () => {
    const unknown = [4, 5, 6].map((row) => problem(row, 'unknown_person', ['create', 'match', 'skip']))
    expect(short(unknown)).toEqual([
      ['create', 3, 3],
      ['skip', 3, 3],
    ])
    expect(getBulkFixes(getKind(unknown), unknown, true)[0]?.actions).toEqual([{ kind: 'unknown_person', fix: 'create' }])
    expect(short(unknown.slice(0, 1))).toEqual([])
  })

  it('counts members, not cells: two wrong cells of a row are one member', () => {
    const cells = [problem(4, 'not_a_number', ['edit', 'skip']), problem(4, 'not_a_number', ['edit', 'skip'], { column: 'c2' })]
    expect(short(cells)).toEqual([['skip', 2, 1]])
  })

  it('gives no number of members where it is unknown', () => {
    const some = [4, 5].map((row) => problem(row, 'unknown_person', ['create', 'skip']))
    expect(short(some, 700)[0]).toEqual(['create', 700, null])
    const [all] = getBulkFixes(getKind(some, 700), some, true)
    expect(all && getBulkFixLabels(all, getKind(some, 700)).action).toBe('创建 700 人')
  })

  it('states when the fix applies to only some issues', () => {
    const mixed = [problem(4, 'bad_mobile', ['edit', 'skip']), problem(5, 'bad_mobile', ['edit', 'match', 'skip', 'accept'])]
    const accept = getBulkFixes(getKind(mixed), mixed, true).find(({ fix }) => fix === 'accept')
    expect(accept && getBulkFixLabels(accept, getKind(mixed)).button).toBe('接受其中 1 人')
  })

  it('offers bulk matching of rows without a name only where the phone or number identifies one member', () => {
    const rows = [
      problem(4, 'no_name', ['edit', 'match'], { candidates: [person] }),
      problem(5, 'no_name', ['edit', 'match'], { candidates: [person, person] }),
      problem(6, 'no_name', ['edit', 'match']),
    ]
    expect(short(rows)).toEqual([['match', 1, 1]])
    const mismatch = [4, 5].map((row) => problem(row, 'name_mismatch', ['match'], { candidates: [person] }))
    expect(short(mismatch)).toEqual([])
  })

  it('does not offer bulk creation of a member who may be in the roster with another phone', () => {
    const rows = [
      problem(4, 'unknown_person', ['create', 'match', 'skip']),
      problem(5, 'unknown_person', ['create', 'match', 'skip']),
      problem(6, 'unknown_person', ['create', 'match', 'skip'], { candidates: [person] }),
    ]
    const [create] = getBulkFixes(getKind(rows), rows, true)
    expect(create).toMatchObject({ fix: 'create', people: 2, actions: [{ kind: 'unknown_person', fix: 'create' }] })
    expect(create && getBulkFixLabels(create, getKind(rows)).button).toBe('创建其中 2 人')
  })

  it('lists the issue ids where the kind has both levels, so that the other level is not affected', () => {
    const warnings = [4, 5].map((row) => problem(row, 'sum_mismatch', ['accept'], { level: 'warning' }))
    expect(getBulkFixes(getKind(warnings), warnings, false)[0]?.actions).toEqual([
      { problem_id: '4:sum_mismatch:c1', fix: 'accept' },
      { problem_id: '5:sum_mismatch:c1', fix: 'accept' },
    ])
  })
})

describe('confirmation before a fix and message after it', () => {
  const asks = (kind: Issue['kind'], fix: IssueFix, level: Issue['level']) => {
    const problems = [4, 5].map((row) => problem(row, kind, [fix], { level }))
    const [all] = getBulkFixes(getKind(problems), problems, true)
    return all ? getBulkFixLabels(all, getKind(problems)).asks : undefined
  }
  it.each([
    ['unknown_person', 'create', 'error', /在花名册里建档/],
    ['left_person', 'skip', 'error', /这 2 人不会收到/],
    ['card_new', 'take', 'warning', /花名册里这 2 人的银行卡号会换成表里的/],
    ['sum_mismatch', 'accept', 'error', /这 2 人的金额.*不能撤销/],
    ['duplicate_person', 'skip', 'error', /每人留下最前面的一行/],
  ] as const)('asks to confirm %s %s at level %s', (kind, fix, level, labels) => expect(asks(kind, fix, level)).toMatch(labels))
  it('asks for no confirmation to accept a warning', () => expect(asks('net_outlier', 'accept', 'warning')).toBeNull())

  it('states how many members were fixed and how many were not', () => {
    expect(formatFixResult([{ kind: 'unknown_person', fix: 'create' }], 3, 3)).toBe('创建了 3 人')
    expect(formatFixResult([{ kind: 'unknown_person', fix: 'create' }], 2, 3)).toBe('创建了 2 人，还有 1 处请单独处理')
    expect(formatFixResult([{ kind: 'card_new', fix: 'take' }], 2, 2)).toBe('花名册记下了 2 人的卡号')
    expect(formatFixResult([{ row: 4, fix: 'restore' }], 1, 2)).toBe('恢复了 1 人')
    expect(formatFixResult([{ kind: 'sum_mismatch', fix: 'accept' }], 4, 4)).toBe('接受了 4 处')
  })
  it.each(['edit', 'swap'] as const)('shows no message after an %s, because the row with its undo shows it', (fix) =>
    expect(formatFixResult([{ problem_id: '4:sum_mismatch:c1', fix }], 1, 1)).toBe(''),
  )

  it('counts two wrong cells of a skipped row as one member', () => {
    const cells = [
      problem(4, 'not_a_number', ['skip']),
      problem(4, 'not_a_number', ['skip'], { column: 'c2' }),
      problem(9, 'not_a_number', ['skip']),
    ]
    const skip = [{ kind: 'not_a_number', fix: 'skip' }] as const
    expect(formatFixResult(skip, 3, 3, countAffectedPeople(skip, cells, 3))).toBe('跳过了 2 人')
    expect(formatFixResult(skip, 700, 700, countAffectedPeople(skip, cells, 700))).toBe('跳过了 700 处')
  })
})

describe('undo', () => {
  const rows = [4, 4, 9].map((row, at) => problem(row, 'not_a_number', ['skip'], { column: `c${at}` }))
  it('restores each skipped row once', () => {
    expect(getUndoActions([{ kind: 'not_a_number', fix: 'skip' }], rows, 3)).toEqual([
      { row: 4, fix: 'restore' },
      { row: 9, fix: 'restore' },
    ])
    expect(getUndoActions([{ problem_id: '9:not_a_number:c2', fix: 'skip' }], rows, 1)).toEqual([{ row: 9, fix: 'restore' }])
  })
  it('offers no undo for irreversible fixes or unknown rows', () => {
    expect(getUndoActions([{ kind: 'not_a_number', fix: 'accept' }], rows, 3)).toEqual([])
    expect(getUndoActions([{ kind: 'not_a_number', fix: 'skip' }], rows, 700)).toEqual([])
  })
})

describe('text of an issue card', () => {
  const notify = (one: Issue, label: string, others: readonly Issue[] = [one]) =>
    getExtraMessage(
      one,
      label,
      others.map(({ message }) => message),
    )
  const format = (message: string, kind: Issue['kind'] = 'not_a_number', name = '王晓云') =>
    problem(4, kind, ['edit'], { name, message })
  it.each([
    ['餐补', '「餐补」不是数字；请改正，或跳过这一行', null],
    ['姓名', '花名册里没有「王晓云」；请新建、指定人员，或跳过', null],
    ['实发工资', '「实发工资」是空的；请填写金额，或跳过这一行', null],
    ['姓名', '王晓云已离职，不能再发送；请先在花名册中恢复在职，或跳过这一行', null],
    [
      '实发',
      '各项相加得 7,500.00，「实发」写的是 7,390.00，相差 110.00',
      '各项相加得 7,500.00，「实发」写的是 7,390.00，相差 110.00',
    ],
    [
      '手机号',
      '手机号在花名册里是「李强」，表里写的是「王晓云」，可能错行了；请核对表格，或指定人员',
      '手机号在花名册里是「李强」，表里写的是「王晓云」，可能错行了',
    ],
  ])('writes the text of an issue card for %s: %s', (label, message, expected) =>
    expect(notify(format(message), label)).toBe(expected),
  )
  it('shows a message that differs from the others in its list even if it names nothing new', () => {
    const plain = format('花名册里没有「王晓云」；请新建、指定人员，或跳过')
    const near = format(
      '花名册里的「李强」与这一行的手机号、工号或身份证号不一致；请核对，指定人员或新建',
      'unknown_person',
      '李强',
    )
    const other = format('花名册里没有「赵敏」；请新建、指定人员，或跳过', 'unknown_person', '赵敏')
    expect(notify(near, '姓名', [plain, near])).toBe('花名册里的「李强」与这一行的手机号、工号或身份证号不一致')
    expect([plain, near, other].map((one) => notify(one, '姓名', [near, plain, other]) !== null)).toEqual([false, true, false])
  })

  it.each([
    ['9999.5', true],
    ['9,999.50', true],
    ['12000', true],
    ['9999.51', false],
    ['', false],
    ['见备注', false],
  ])('hides a cell with %j that the pay amounts already show: %s', (value, expected) =>
    expect(isVisibleAmount(value, { gross_fen: 1_200_000, net_fen: 999_950 })).toBe(expected),
  )

  it('orders actions by usefulness and writes the computed value as a user would type it', () => {
    const texts = (one: Issue) => getCardActions(one).map(({ fix, text, value }) => [fix, text, value])
    expect(texts(problem(4, 'sum_mismatch', ['edit', 'accept', 'skip'], { expected_fen: 750_010 }))).toEqual([
      ['edit', '改为 7,500.10', '7500.10'],
      ['edit', '修改单元格', undefined],
      ['accept', '接受', undefined],
      ['skip', '跳过此人', undefined],
    ])
    expect(texts(problem(4, 'swapped_rows', ['swap', 'accept', 'skip'], { other_row: 9 })).map(([, text]) => text)).toEqual([
      '换回',
      '接受',
      '跳过此人',
    ])
    // A fix that the server does not offer has no button.
    expect(texts(problem(4, 'sum_mismatch', ['accept'], { expected_fen: 1 })).map(([, text]) => text)).toEqual(['接受'])
  })
  it('uses a primary button only for a single action of an error', () => {
    const one = problem(4, 'missing_net', ['edit'])
    expect([getButtonType(one, true), getButtonType(one, false), getButtonType({ ...one, level: 'warning' }, true)]).toEqual([
      'primary',
      'default',
      'default',
    ])
  })

  it.each([
    ["the member's own name with another phone", 'unknown_person', '王晓云', '13911112222', true],
    ['a member named in the sheet whose phone contradicts', 'name_mismatch', '王晓云', '13911112222', true],
    ['another member', 'name_mismatch', '李强', '13911112222', false],
    ['an invalid phone', 'unknown_person', '王晓云', '1391111', false],
    ["the member's phone with a conflicting number", 'unknown_person', '王晓云', '13900000001', false],
    ['one of several namesakes', 'several_persons', '王晓云', '13911112222', false],
  ] as const)('decides whether the phone may be saved in the roster: %s', (_, kind, name, mobile, expected) =>
    expect(canUpdatePhone(problem(4, kind, ['match'], { name }), person, { mobile, is_mobile_used: false })).toBe(expected),
  )

  it('does not offer a phone to the roster that another employee has', () =>
    expect(
      canUpdatePhone(problem(4, 'name_mismatch', ['match'], { name: '王晓云' }), person, {
        mobile: '13911112222',
        is_mobile_used: true,
      }),
    ).toBe(false))

  it('names a cell other than the one of the issue by row and column', () => {
    expect(toFixAction({ problem_id: '4:missing_net:c1', fix: 'edit', value: '8' })).toEqual({
      problem_id: '4:missing_net:c1',
      fix: 'edit',
      value: '8',
    })
    expect(toFixAction({ problem_id: '4:missing_net:c1', fix: 'edit', value: '张三', row: 4, column: 'c0' })).toEqual({
      fix: 'edit',
      value: '张三',
      row: 4,
      column: 'c0',
    })
  })
})

it('searches by name, row, message, cell, phone and department', () => {
  const list = [
    {
      ...problem(4, 'bad_mobile', []),
      value: '13900',
      row_summary: { mobile: '13700137000', is_mobile_used: false, department: '研发部', gross_fen: null, net_fen: null },
    },
    { ...problem(5, 'bad_mobile', [], { name: 'Lily Chen' }), value: null, row_summary: null },
  ]
  const createCompany = (text: string | undefined) => filterIssues(list, text).map(({ row }) => row)
  expect([undefined, ' ', '员工4', 'lily', '139', '第 5 行', '137001', '研发', '没有'].map(createCompany)).toEqual([
    [4, 5],
    [4, 5],
    [4],
    [5],
    [4],
    [5],
    [4],
    [4],
    [],
  ])
})

it('numbers rows as in their sheet', () => {
  const part = (sheet: string) => ({ sheet, header_rows: [], first_data_row: 2, last_data_row: 9, last_row: 9, people_rows: 8 })
  expect(formatRowLabel(0, [part('工资')])).toBe('整张表')
  expect(formatRowLabel(12, [part('工资')])).toBe('第 12 行')
  expect(formatRowLabel(1_000_012, [part('一部'), part('二部')])).toBe('「二部」第 12 行')
})
