/** More issues than one response holds: each is on some page, listed by kind, and searchable by its message. */
import { expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'

const world = demoWorld()

const people = 1_203
const getName = (at: number) => `路${'甲乙丙丁戊己庚辛壬癸'[at % 10]}${String.fromCodePoint(0x4e00 + at)}`

it('lists a kind with more than 500 issues completely, by pages, with their cell values', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一'])
  const { batch_id } = await getUpload(
    clerk,
    book(
      ['姓名', '基本工资', '扣款', '实发工资'],
      [
        [staff[0]?.name ?? '', 5000, 100, 4900],
        ...Array.from({ length: people }, (_, at) => [getName(at), 5000 + at, 100, at % 3 === 0 ? '见备注' : 4900 + at]),
      ],
    ),
  )
  const full = await clerk.must(wage.checkWageData, { batch_id })
  const counted = full.counts.kinds.find(({ kind }) => kind === 'no_contact')
  expect(counted).toEqual({ kind: 'no_contact', level: 'error', count: people })
  expect([full.problems.length, full.problem_count]).toEqual([500, full.counts.errors + full.counts.warnings])

  const kind = { kind: 'no_contact', level: 'error' } as const
  const rows: number[] = []
  for (const [page, length] of [500, 500, 203, 0].entries()) {
    const one = await clerk.must(wage.checkWageData, { batch_id, ...kind, page: page + 1 })
    expect([one.problems.length, one.problem_count]).toEqual([length, people])
    expect(one.problems.every((problem) => problem.kind === 'no_contact')).toBe(true)
    rows.push(...one.problems.map(({ row }) => row))
  }
  expect(rows).toEqual(Array.from({ length: people }, (_, at) => at + 3))

  // The issue is beyond the first page, and not among the first 500, but can be found by name and by message.
  const match = await clerk.must(wage.checkWageData, { batch_id, ...kind, query: ` ${getName(1_200)} ` })
  expect(match.problems.map(({ row, name }) => [row, name])).toEqual([[1_203, getName(1_200)]])
  const cells = await clerk.must(wage.checkWageData, { batch_id, kind: 'not_a_number', query: '1203' })
  expect(cells.problems.map(({ row, value }) => [row, value])).toEqual([[1_203, '见备注']])
  expect((await clerk.must(wage.checkWageData, { batch_id, kind: 'same_month' })).problem_count).toBe(0)
})

it('reports a wrong subtotal at its row, accepts it separately, and drops it in the corrected sheet', async () => {
  const { clerk, staff } = await openOffice(world, ['钱二', '孙三', '李四', '周五'])
  const sheet = (first: number, second: number) => {
    const line = (department: string, at: number) => [
      department,
      staff[at]?.name ?? '',
      staff[at]?.mobile ?? '',
      5000 + at,
      5000 + at,
    ]
    return book(
      ['部门', '姓名', '手机号', '基本工资', '实发工资'],
      [
        line('甲', 0),
        line('甲', 1),
        ['甲小计', null, null, first, first],
        line('乙', 2),
        line('乙', 3),
        ['乙小计', null, null, second, second],
        ['总计', null, null, 20_006, 20_006],
      ],
    )
  }
  const { batch_id, warnings } = await getUpload(clerk, sheet(10_000, 10_006))
  // Reported once, where it can be handled.
  expect(warnings).toEqual([])
  await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
  const totals = async () =>
    (await clerk.must(wage.checkWageData, { batch_id })).problems.filter(({ kind }) => kind === 'subtotal_mismatch')
  const matches = await totals()
  expect(matches.map(({ row, column, level, fix }) => [row, column, level, fix])).toEqual([
    [4, 'c3', 'warning', ['accept']],
    [4, 'c4', 'warning', ['accept']],
    [7, 'c3', 'warning', ['accept']],
    [7, 'c4', 'warning', ['accept']],
  ])
  await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id: matches[0]?.id ?? '', fix: 'accept' }] })
  expect((await totals()).map(({ row, column }) => [row, column])).toEqual([
    [4, 'c4'],
    [7, 'c3'],
    [7, 'c4'],
  ])
  await getUpload(clerk, sheet(10_001, 10_005), { batch_id })
  expect(await totals()).toEqual([])
})
