/** The column mapping stored for a kind of sheet, and what is asked next month. */
import { describe, expect, it } from 'vitest'
import type { CellKind, ColumnRole } from '../../../server/contract/shared/schemas.ts'
import type { Question, WageSheetInfo } from '../../../server/contract/sheets/sheet.ts'
import { toColumnMapping } from '../../../server/modules/sheets/rules/column-mapping.ts'
import { createDefaultLayout } from '../../../server/modules/sheets/rules/default-layout.ts'
import { applyRenamedItem } from '../../../server/modules/sheets/rules/mapping-fit.ts'
import {
  applyMapping,
  getColumnPaths,
  getMappingSimilarity,
  matchColumns,
} from '../../../server/modules/sheets/rules/mapping-match.ts'
import type { MappableSheet } from '../../../server/modules/sheets/rules/mapping-types.ts'

type Head = [path: string, role: ColumnRole, kind?: CellKind, confidence?: number]
/** Columns from the left; `应发/基本工资` is below 应发. `from` moves all of them to the right. */
const getColumns = (heads: readonly Head[], from = 0): MappableSheet['columns'][number][] =>
  heads.map(([path, role, kind = 'money', confidence = 0.9], at) => ({
    key: `c${at + from}`,
    col: String.fromCharCode(65 + at + from),
    path: path.split('/'),
    label: path.split('/').join(' '),
    role,
    kind,
    confidence,
    hidden: false,
  }))
const getSheet = (heads: readonly Head[], more: Partial<MappableSheet> = {}, from = 0): MappableSheet => ({
  columns: getColumns(heads, from),
  formula: null,
  questions: [],
  ...more,
})
const sum = (plus: string[], minus: string[], net: string, by: 'found' | 'person' = 'found'): WageSheetInfo['formula'] => ({
  plus,
  minus,
  net,
  holds: 8,
  of: 8,
  by,
})
const request = (kind: Question['kind'], key: string | null, choices: string[], more: Partial<Question> = {}): Question => ({
  id: key ? `${kind}:${key}` : kind,
  kind,
  must: true,
  message: '？',
  key,
  rows: [],
  choices: choices.map((value) => ({ value, label: value })),
  suggested: choices[0] ?? '',
  answer: null,
  ...more,
})

const monthly: Head[] = [
  ['姓名', 'name', 'text'],
  ['手机号', 'mobile', 'text'],
  ['应发/基本工资', 'earning'],
  ['应发/绩效工资', 'earning'],
  ['扣款/扣9月养老保险', 'deduction'],
  ['实发工资', 'net'],
  ['备注', 'info', 'text'],
]
const formula = sum(['c2', 'c3'], ['c4'], 'c5')
const learned = (heads = monthly, more: Partial<MappableSheet> = { formula }) => {
  const sheet = getSheet(heads, more)
  return toColumnMapping(sheet, createDefaultLayout(sheet.columns))
}
const apply = (heads: readonly Head[], more: Partial<MappableSheet> = {}, from = 0, existing = learned()) => {
  const read = { ...getSheet(heads, more, from), totals_row: null }
  const original = { ...read, roles: Object.fromEntries(read.columns.map(({ key, role }) => [key, role])) }
  const { sheet, ...applied } = applyMapping({ ...read, read: { ...original, questions: [...read.questions] } }, existing)
  const roles = new Map(sheet.columns.map(({ key, role }) => [key, role]))
  return { ...applied, ...sheet, renamed: sheet.renames, roles }
}
const october = monthly.map(([path, ...more]): Head => [path.replace('9月', '10月'), ...more])

describe('columns are identified by their header', () => {
  it('numbers repeated headers and ignores months', () => {
    expect(
      getColumnPaths(
        getColumns([
          ['备注', 'info'],
          ['扣9月养老', 'info'],
          ['备注', 'info'],
          ['1月', 'info'],
          ['2月', 'info'],
        ]),
      ),
    ).toEqual(['备注', '扣养老', '备注#2', '', '#2'])
  })

  it.each<[string, Head[], number, { fresh?: string[]; missing?: string[]; renamed?: [string, string][] }]>([
    ['the same columns again', october, 0, {}],
    ['one column further to the right', october, 1, {}],
    ['another order', october.toReversed(), 0, {}],
    ['a reworded heading', october.map(([path, ...more]) => [path.replace('应发/', '收入项目/'), ...more] as Head), 0, {}],
    [
      'a heading with the opposite meaning',
      october.map(([path, role, ...more]) =>
        path.includes('绩效') ? ['考勤扣款/绩效工资', 'deduction', ...more] : [path, role, ...more],
      ),
      0,
      { fresh: ['考勤扣款 绩效工资'], missing: ['应发 绩效工资'] },
    ],
    ['one column more', [...october, ['高温补贴', 'earning']], 0, { fresh: ['高温补贴'] }],
    ['one column less', october.filter(([path]) => !path.includes('绩效')), 0, { missing: ['应发 绩效工资'] }],
    [
      'another name at the same position',
      october.map(([path, ...more]) => [path.replace('绩效工资', '绩效奖金'), ...more] as Head),
      0,
      { renamed: [['应发 绩效奖金', '应发 绩效工资']] },
    ],
    [
      'the same meaning in other words',
      october.map(([path, ...more]) => [path.replace('实发工资', '打卡金额'), ...more] as Head),
      0,
      { renamed: [['打卡金额', '实发工资']] },
    ],
    [
      'a removed column and an unrelated new one',
      [...october.filter(([path]) => !path.includes('绩效')), ['高温补贴', 'earning']],
      0,
      { fresh: ['高温补贴'], missing: ['应发 绩效工资'] },
    ],
    [
      'text under another name, which is no amount',
      october.map(
        ([path, role, kind]) => (path.includes('绩效') ? ['应发/绩效等级', 'info', 'text'] : [path, role, kind]) as Head,
      ),
      0,
      { fresh: ['应发 绩效等级'], missing: ['应发 绩效工资'] },
    ],
  ])('%s', (_, heads, from, { fresh = [], missing = [], renamed = [] }) => {
    const matched = matchColumns(learned().mapping.columns, getColumns(heads, from))
    expect(matched.added.map(({ label }) => label)).toEqual(fresh)
    expect(matched.missing.map(({ label }) => label)).toEqual(missing)
    expect(matched.renamed.map(({ column, from: was }) => [column.label, was.label])).toEqual(renamed)
  })

  it('does not treat another kind of sheet as similar', () => {
    const existing = learned().mapping.columns
    const bonus: Head[] = [
      ['姓名', 'name', 'text'],
      ['部门', 'department', 'text'],
      ['年终奖', 'earning'],
      ['个税', 'tax'],
      ['实发工资', 'net'],
    ]
    expect(getMappingSimilarity(existing, getColumns(october))).toBe(1)
    expect(getMappingSimilarity(existing, getColumns([...october, ['高温补贴', 'earning']]))).toBeCloseTo(7 / 8)
    expect(getMappingSimilarity(existing, getColumns(bonus))).toBeLessThan(0.6)
    // The net column must be the same, however much else is common.
    expect(getMappingSimilarity(existing, getColumns(october.filter(([, role]) => role !== 'net')))).toBe(0)
    expect(getMappingSimilarity([], getColumns([]))).toBe(0)
  })
})

describe('reused decisions', () => {
  it('applies roles and sums to their columns, and asks nothing', () => {
    const existing = learned([...monthly, ['伙食', 'deduction']], { formula: sum(['c2', 'c3'], ['c4', 'c7'], 'c5', 'person') })
    const moved: Head[] = [['序号', 'ignore', 'number'], ...october, ['伙食', 'earning']]
    const applied = apply(moved, {}, 0, {
      ...existing,
      mapping: {
        ...existing.mapping,
        columns: [...existing.mapping.columns, { path: '序号', label: '序号', role: 'ignore', kind: 'number', visible: false }],
      },
    })
    expect(applied.roles.get('c8')).toBe('deduction')
    expect(applied.formula).toMatchObject({ plus: ['c3', 'c4'], minus: ['c5', 'c8'], net: 'c6', by: 'remembered' })
    expect(applied.questions).toEqual([])
  })

  it('finds a formula again, and expects the stored one', () => {
    const match = sum(['c2'], [], 'c5')
    expect(apply(october, { formula: match })).toMatchObject({ formula: match, expected: { plus: ['c2', 'c3'], minus: ['c4'] } })
    expect(apply(october)).toMatchObject({ formula: null, expected: { net: 'c5' } })
    const none = learned(monthly, { formula: null })
    expect(apply(october, { formula: match }, 0, { ...none, mapping: { ...none.mapping, no_sums: true } })).toMatchObject({
      formula: null,
      expected: null,
    })
    // Without one of its columns there is no expected formula.
    expect(apply(october.filter(([path]) => !path.includes('绩效'))).expected).toBeNull()
  })

  it('keeps order, groups, hidden items and edited names of the layout, and takes other names from the sheet', () => {
    const sheet = getSheet(monthly)
    const plain = createDefaultLayout(sheet.columns)
    const own = {
      ...plain,
      groups: [...plain.groups, { class_id: 'mine', name: '我的' }],
      sort_list: plain.sort_list.map((item) =>
        item.key === 'c3'
          ? { ...item, value: '奖励', class_id: 'mine', note: '每季' }
          : item.key === 'c6'
            ? { ...item, status: false }
            : item,
      ),
      hint: '保密',
    }
    const { mapping, layout } = toColumnMapping(sheet, own)
    const next = apply([...october, ['高温补贴', 'earning']], {}, 1, { mapping, layout }).layout
    expect(next.hint).toBe('保密')
    expect(next.groups.at(-1)).toEqual({ class_id: 'mine', name: '我的' })
    const by = new Map(next.sort_list.map((item) => [item.key, item]))
    expect(by.get('c4')).toMatchObject({ value: '奖励', class_id: 'mine', note: '每季' })
    expect(by.get('c7')?.status).toBe(false)
    expect(by.get('c5')?.value).toBe('扣10月养老保险')
    // The new one is added to the group of its kind.
    expect(by.get('c8')).toMatchObject({ value: '高温补贴', class_id: 'earning', status: true })
    expect(new Set(next.sort_list.map(({ key }) => key)).size).toBe(8)
  })
})

describe('questions about the next sheet', () => {
  const kinds = (questions: readonly Question[]) =>
    questions.map(({ kind, must, key, suggested }) => [kind, must, key, suggested])

  it('asks once about a new amount with its assumed role, and requires an answer where that is a guess', () => {
    expect(kinds(apply([...october, ['高温补贴', 'earning']]).questions)).toEqual([['new_column', false, 'c7', 'earning']])
    const guess = apply([...october, ['其他', 'earning', 'money', 0.4]], {
      questions: [request('role', 'c7', ['earning', 'deduction'])],
    })
    expect(kinds(guess.questions)).toEqual([['new_column', true, 'c7', 'earning']])
    expect(kinds(apply([...october, ['工龄', 'info', 'text', 0.3]]).questions)).toEqual([['new_column', false, 'c7', 'info']])
  })

  it('ignores a second net pay until a user confirms it', () => {
    const applied = apply([...october, ['实发金额', 'net']])
    expect([applied.roles.get('c5'), applied.roles.get('c7')]).toEqual(['net', 'info'])
    expect(kinds(applied.questions)).toEqual([['new_column', true, 'c7', 'info']])
  })

  it('asks about a missing column only if it was added up or shown', () => {
    expect(kinds(apply(october.filter(([path]) => !path.includes('绩效'))).questions)).toEqual([
      ['missing_column', true, null, 'gone'],
    ])
    expect(kinds(apply(october.filter(([path]) => path !== '备注')).questions)).toEqual([['missing_column', false, null, 'gone']])
    const applied = apply(october.filter(([path]) => path !== '手机号'))
    expect(applied.questions).toEqual([])
    expect(applied.missing).toEqual([{ label: '手机号', role: 'mobile' }])
  })

  it('asks about a new name and uses the role and position of the old item until then', () => {
    const heads = october.map(([path, ...more]) => [path.replace('绩效工资', '绩效奖金'), ...more] as Head)
    const applied = apply(heads)
    expect(kinds(applied.questions)).toEqual([['renamed_column', true, 'c3', 'yes']])
    expect(applied.renamed).toMatchObject([{ key: 'c3', from: '应发 绩效工资', role: 'earning', item: { status: true } }])
    expect(applied.expected).toMatchObject({ plus: ['c2', 'c3'] })
    const [renamed] = applied.renamed
    if (!renamed?.item) throw new Error('no item')
    const visible = applyRenamedItem(
      applied.layout,
      getSheet(heads).columns,
      { ...renamed, item: { ...renamed.item, value: '奖' } },
      true,
    )
    expect(visible.sort_list.find(({ key }) => key === 'c3')?.value).toBe('奖')
    const other = applyRenamedItem(visible, getSheet(heads).columns, renamed, false)
    expect(other.sort_list.find(({ key }) => key === 'c3')?.value).toBe('绩效奖金')
  })

  it('does not repeat a question answered for this kind of sheet, but asks about hidden rows every month', () => {
    const answered = learned(monthly, {
      questions: [
        request('role', 'c6', ['info', 'earning'], { answer: 'info' }),
        request('unit', null, ['wan', 'yuan'], { answer: 'yuan' }),
        request('hidden_rows', null, ['keep', 'skip'], { answer: 'skip' }),
        request('role', 'c3', ['earning', 'deduction']),
      ],
    })
    const again = [
      request('role', 'c7', ['info', 'earning']),
      request('unit', null, ['wan', 'yuan']),
      request('hidden_rows', null, ['keep', 'skip']),
      request('role', 'c4', ['earning', 'deduction']),
    ]
    const answers = ({ questions }: { questions: readonly Question[] }) => questions.map(({ id, answer }) => [id, answer])
    expect(answers(apply(october, { questions: again }, 1, answered))).toEqual([
      ['role:c7', 'info'],
      ['unit', 'yuan'],
      ['hidden_rows', null],
      ['role:c4', null],
    ])
    // An answer that is no longer an option does not count.
    expect(answers(apply(october, { questions: [request('unit', null, ['wan'])] }, 0, answered))).toEqual([['unit', null]])
  })

  it('treats a suggestion that was sent unchanged as accepted', () => {
    const sheet = getSheet(monthly, { questions: [request('role', 'c3', ['earning', 'deduction'])] })
    const sent = toColumnMapping(sheet, createDefaultLayout(sheet.columns), true)
    const next = apply(october, { questions: [request('role', 'c3', ['earning', 'deduction'])] }, 0, sent)
    expect(next.questions.map(({ answer }) => answer)).toEqual(['earning'])
  })

  it('contains no amounts of employees in the mapping', () => {
    expect(JSON.stringify(learned())).not.toContain('samples')
  })
})
