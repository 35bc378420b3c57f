/** What the page of step 2 decides with values: fixes for all of a kind, what takes them back, what is said, what is found. */
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../server/contract/sheet.ts'
import type { Fix } from '../../server/contract/words.ts'
import { doneWords, fixesForAll, type Kind, searchIn, undoOf, wordsOf } from '../../src/parts/check/problem-fixes.ts'
import { rowWords } from '../../src/parts/check/problem-words.ts'

const person = {
  member_id: '00000000-0000-7000-8000-000000000001',
  name: '王晓云',
  mobile_masked: '139****0001',
  departments: '',
}
const problem = (row: number, kind: Problem['kind'], fix: Fix[], more: Partial<Problem> = {}): Problem => ({
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
const kindOf = (problems: readonly Problem[], count = problems.length): Kind => ({
  kind: problems[0]?.kind ?? 'no_name',
  level: problems[0]?.level ?? 'error',
  count,
})
const short = (problems: readonly Problem[], count = problems.length, alone = true) =>
  fixesForAll(kindOf(problems, count), problems, alone).map(({ fix, count: many, people }) => [fix, many, people])

describe('fixes for all of a kind', () => {
  it('offers what all of them offer, once there are two', () => {
    const unknown = [4, 5, 6].map((row) => problem(row, 'unknown_person', ['create', 'match', 'skip']))
    expect(short(unknown)).toEqual([
      ['create', 3, 3],
      ['skip', 3, 3],
    ])
    expect(fixesForAll(kindOf(unknown), unknown, true)[0]?.actions).toEqual([{ kind: 'unknown_person', fix: 'create' }])
    expect(short(unknown.slice(0, 1))).toEqual([])
  })

  it('counts people, not cells: two wrong cells of a row are one person', () => {
    const cells = [problem(4, 'not_a_number', ['edit', 'skip']), problem(4, 'not_a_number', ['edit', 'skip'], { column: 'c2' })]
    expect(short(cells)).toEqual([['skip', 2, 1]])
  })

  it('does not name a number of people it does not know', () => {
    const some = [4, 5].map((row) => problem(row, 'unknown_person', ['create', 'skip']))
    expect(short(some, 700)[0]).toEqual(['create', 700, null])
    const [all] = fixesForAll(kindOf(some, 700), some, true)
    expect(all && wordsOf(all, kindOf(some, 700)).action).toBe('创建 700 行')
  })

  it('says so when only some can be fixed that way', () => {
    const mixed = [problem(4, 'bad_mobile', ['edit', 'skip']), problem(5, 'bad_mobile', ['edit', 'match', 'skip', 'accept'])]
    const accept = fixesForAll(kindOf(mixed), mixed, true).find(({ fix }) => fix === 'accept')
    expect(accept && wordsOf(accept, kindOf(mixed)).button).toBe('接受其中 1 人')
  })

  it('matches rows without a name in bulk only where the number points at one person', () => {
    const rows = [
      problem(4, 'no_name', ['edit', 'match'], { candidates: [person] }),
      problem(5, 'no_name', ['edit', 'match'], { candidates: [person, person] }),
      problem(6, 'no_name', ['edit', 'match']),
    ]
    expect(short(rows)).toEqual([['match', 1, 1]])
    const mismatch = [4, 5].map((row) => problem(row, 'name_mismatch', ['match'], { candidates: [person] }))
    expect(short(mismatch)).toEqual([])
  })

  it('names the problems one by one where the kind has both levels, so that the other level is left alone', () => {
    const warnings = [4, 5].map((row) => problem(row, 'sum_mismatch', ['accept'], { level: 'warning' }))
    expect(fixesForAll(kindOf(warnings), warnings, false)[0]?.actions).toEqual([
      { problem_id: '4:sum_mismatch:c1', fix: 'accept' },
      { problem_id: '5:sum_mismatch:c1', fix: 'accept' },
    ])
  })
})

describe('what is asked before, and said after', () => {
  const asks = (kind: Problem['kind'], fix: Fix, level: Problem['level']) => {
    const problems = [4, 5].map((row) => problem(row, kind, [fix], { level }))
    const [all] = fixesForAll(kindOf(problems), problems, true)
    return all ? wordsOf(all, kindOf(problems)).asks : undefined
  }
  it.each([
    ['unknown_person', 'create', 'error', /新建 2 名员工/],
    ['left_person', 'skip', 'error', /这 2 人不会收到/],
    ['sum_mismatch', 'accept', 'error', /这 2 人的金额.*不能撤销/],
    ['duplicate_person', 'skip', 'error', /每人留下最前面的一行/],
  ] as const)('%s %s of %s', (kind, fix, level, words) => expect(asks(kind, fix, level)).toMatch(words))
  it('asks nothing where a warning is accepted', () => expect(asks('net_outlier', 'accept', 'warning')).toBeNull())

  it('says how many were done, and how many were not', () => {
    expect(doneWords([{ kind: 'unknown_person', fix: 'create' }], 3, 3)).toBe('处理了 3 个')
    expect(doneWords([{ kind: 'unknown_person', fix: 'create' }], 2, 3)).toBe('处理了 2 个，还有 1 个请单独处理')
    expect(doneWords([{ row: 4, fix: 'restore' }], 1, 2)).toBe('恢复了 1 人')
  })
})

describe('taking back', () => {
  const rows = [4, 4, 9].map((row, at) => problem(row, 'not_a_number', ['skip'], { column: `c${at}` }))
  it('brings back each skipped row once', () => {
    expect(undoOf([{ kind: 'not_a_number', fix: 'skip' }], rows, 3)).toEqual([
      { row: 4, fix: 'restore' },
      { row: 9, fix: 'restore' },
    ])
    expect(undoOf([{ problem_id: '9:not_a_number:c2', fix: 'skip' }], rows, 1)).toEqual([{ row: 9, fix: 'restore' }])
  })
  it('offers nothing for what cannot be taken back, or where rows are not known', () => {
    expect(undoOf([{ kind: 'not_a_number', fix: 'accept' }], rows, 3)).toEqual([])
    expect(undoOf([{ kind: 'not_a_number', fix: 'skip' }], rows, 700)).toEqual([])
  })
})

it('finds by name, row, message and cell', () => {
  const list = [
    { ...problem(4, 'bad_mobile', []), value: '13900' },
    { ...problem(5, 'bad_mobile', [], { name: 'Lily Chen' }), value: null },
  ]
  const found = (text: string | undefined) => searchIn(list, text).map(({ row }) => row)
  expect([undefined, ' ', '员工4', 'lily', '139', '第 5 行', '没有'].map(found)).toEqual([[4, 5], [4, 5], [4], [5], [4], [5], []])
})

it('rows are named as their sheet numbers them', () => {
  const part = (sheet: string) => ({ sheet, header_rows: [], first_data_row: 2, last_data_row: 9, last_row: 9, people_rows: 8 })
  expect(rowWords(0, [part('工资')])).toBe('整张表')
  expect(rowWords(12, [part('工资')])).toBe('第 12 行')
  expect(rowWords(1_000_012, [part('一部'), part('二部')])).toBe('「二部」第 12 行')
})
