/**
 * Amounts without an identifiable member, wage sheets without names, and wage sheets without net pay: asked, answered,
 * sent.
 */
import { expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()

const check = async (clerk: Caller, batch_id: string) => {
  const { counts, problems } = await clerk.must(wage.checkWageData, { batch_id })
  const getId = (row: number) =>
    problems.find((one) => one.row === row && one.level === 'error')?.id ?? `no problem in row ${row}`
  return { counts, errors: problems.filter(({ level }) => level === 'error'), getId }
}
const answer = (clerk: Caller, batch_id: string, id: string, value: string) =>
  clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id, value }] })
const titled = (clerk: Caller, batch_id: string) =>
  clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })

it('keeps and questions a row with the name 1024: it is not a member, or a selected one', async () => {
  const { clerk, staff } = await openOffice(world, ['周一', '郑二'])
  const [first, second] = staff
  const { batch_id } = await getUpload(
    clerk,
    book(
      ['姓名', '基本工资', '实发工资'],
      [
        [first?.name ?? '', 5000, 5000],
        ['1024', 6000, 6000],
        ['无', 700, 700],
      ],
    ),
  )
  await titled(clerk, batch_id)
  const before = await check(clerk, batch_id)
  expect(before.errors.map(({ row, fix }) => [row, fix.includes('match'), fix.includes('skip')])).toEqual([
    [3, true, true],
    [4, true, true],
  ])
  expect(before.counts).toMatchObject({ rows: 3, status: 'draft' })
  await clerk.must(wage.dealWithSalaryList, {
    batch_id,
    actions: [
      { problem_id: before.getId(3), fix: 'match', member_id: second?.member_id ?? '' },
      { problem_id: before.getId(4), fix: 'skip' },
    ],
  })
  const after = await check(clerk, batch_id)
  expect(after.errors).toEqual([])
  expect(after.counts).toMatchObject({ status: 'checked', totals: { people: 2, net_fen: 1_100_000 } })
})

it('matches employee numbers without names through the roster', async () => {
  const { corp, clerk } = await openOffice(world, [])
  await corp.person({ name: '吴三', employee_no: 'N001' })
  await corp.person({ name: '吴四', employee_no: 'N002' })
  const { batch_id } = await getUpload(
    clerk,
    book(
      ['工号', '基本工资', '实发工资'],
      [
        ['N001', 5000, 5000],
        ['N002', 6000, 6000],
        ['N999', 7000, 7000],
      ],
    ),
  )
  await titled(clerk, batch_id)
  const match = await check(clerk, batch_id)
  expect(match.errors.map(({ row }) => row)).toEqual([4])
  await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id: match.getId(4), fix: 'skip' }] })
  expect((await check(clerk, batch_id)).counts).toMatchObject({ status: 'checked', totals: { people: 2 } })
})

it('asks two questions for a sheet without identity and net columns, and continues after the answers', async () => {
  const { clerk, staff } = await openOffice(world, ['冯五', '冯六'])
  const info = await getUpload(
    clerk,
    book(
      ['领款', '基本工资', '奖金', '应发工资'],
      staff.map(({ name }, at) => [name, 5000, 100 + at, 5100 + at]),
    ),
  )
  const { batch_id } = info
  expect(info.questions.filter(({ must }) => must).map(({ id, suggested }) => [id, suggested])).toEqual([
    ['role:c0', 'name'],
    ['net', 'net:c3'],
  ])
  await titled(clerk, batch_id)
  expect((await check(clerk, batch_id)).counts.status).toBe('draft')
  await answer(clerk, batch_id, 'role:c0', 'name')
  await answer(clerk, batch_id, 'net', 'net:c1')
  // After the choice was changed back, the first choice has its original role again.
  expect(await answer(clerk, batch_id, 'net', 'net:c3')).toMatchObject({ ok: true, open_question_count: 0 })
  const { columns } = await clerk.must(wage.getTitleInfo, { batch_id })
  expect(columns.map(({ role }) => role)).toEqual(['name', 'earning', 'earning', 'net'])
  expect((await check(clerk, batch_id)).counts).toMatchObject({ status: 'checked', totals: { people: 2, net_fen: 1_020_100 } })
  expect(await answer(clerk, batch_id, 'net', '')).toMatchObject({ ok: false, open_question_count: 1, missing: ['net'] })
})
