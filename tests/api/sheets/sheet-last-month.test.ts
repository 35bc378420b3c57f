/** Comparison of a wage sheet with the previous pay run. */
import { beforeAll, expect, it } from 'vitest'
import * as send from '../../../server/contract/payslips/send.ts'
import type { TitleKind } from '../../../server/contract/shared/schemas.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import type { Person } from '../../support/world.ts'

let staff: Person[]
const { world, corp, payroll: clerk } = demo({ clerk: { name: '薪资员' } })
beforeAll(async () => {
  staff = []
  for (const name of ['赵一', '钱二', '孙三', '李四']) staff.push(await corp.person({ name }))
})

async function batch(
  title: string,
  month: string,
  lines: [Person, number][],
  caller = clerk,
  kind: TitleKind = 'monthly',
): Promise<string> {
  const rows = [
    ['姓名', '手机号', '应发', '个税', '实发'],
    ...lines.map(([one, net]) => [one.name, one.mobile, net + 100, 100, net]),
  ]
  const info = await caller.must(
    wage.uploadWageExcel,
    {},
    { file: { name: `${title}.xlsx`, bytes: makeXlsx({ sheets: [{ name: '工资', rows }] }) } },
  )
  await caller.must(wage.insertBatchTitle, { batch_id: info.batch_id, title, month, kind })
  return info.batch_id
}
async function sent(batch_id: string, caller = clerk, when?: string): Promise<void> {
  const { plan_id } = await caller.must(send.sendPaySheet, { batch_id, channels: ['link'], ...(when ? { when } : {}) })
  await caller.must(send.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  expect((await caller.must(send.getSendInfo, { batch_id })).status).toBe(when ? 'scheduled' : 'sent')
}

it("shows last month's amounts, new and missing members, and unusual pay", async () => {
  const [a, b, c, d] = staff as [Person, Person, Person, Person]
  const september = await batch('九月工资', '2026-09', [
    [a, 8000],
    [b, 8000],
    [c, 6000.55],
  ])
  expect((await clerk.must(wage.checkWageData, { batch_id: september })).counts.previous).toBeNull()
  await sent(september)
  // A draft of another month and pay runs of others do not count.
  await batch('草稿', '2026-09', [[a, 1]])
  const other = await world.signIn(await corp.person({ name: '别人', power: ['2'] }))

  const october = await batch('十月工资', '2026-10', [
    [a, 8100],
    [b, 13_000],
    [d, 5000],
  ])
  const { counts, problems, new_members, missing_members } = await clerk.must(wage.checkWageData, { batch_id: october })
  expect(counts.previous).toEqual({
    title: '九月工资',
    month: '2026-09',
    people: 3,
    net_fen: 2_200_055,
    gross_fen: 2_230_055,
    tax_fen: 30_000,
  })
  expect(problems.map((one) => `${one.name} ${one.kind}`)).toEqual(['钱二 net_outlier'])
  expect(problems[0]?.message).toContain('8,000.00')
  expect(new_members).toEqual([{ name: '李四' }])
  expect(missing_members).toEqual([{ member_id: c.member_id, name: '孙三' }])
  const theirs = await batch('十月工资', '2026-10', [[a, 8100]], other)
  expect((await other.must(wage.checkWageData, { batch_id: theirs })).counts.previous).toBeNull()

  // The wage sheet is sent again with the same title and month, which is asked about for each member who already has a
  // payslip.
  const again = await batch('九月工资', '2026-09', [
    [a, 8001],
    [d, 100],
  ])
  const warned = await clerk.must(wage.checkWageData, { batch_id: again })
  expect(warned.problems.map((one) => `${one.name} ${one.kind} ${one.level}`)).toEqual(['赵一 same_month warning'])

  // The question is also asked if the other batch is only scheduled.
  await sent(
    await batch('年终工资', '2026-11', [[b, 8001]]),
    clerk,
    new Date(world.clock.now().getTime() + 2 * 86_400_000).toISOString(),
  )
  const twice = await clerk.must(wage.checkWageData, { batch_id: await batch('年终工资', '2026-11', [[b, 8001]]) })
  expect(twice.problems.map((one) => `${one.name} ${one.kind} ${one.level}`)).toContain('钱二 same_month warning')

  // A sent batch cannot be changed here any more; its payslips are shown as sent.
  for (const [call, input] of [
    [wage.editPaySheetTitle, { batch_id: september, hint: '改' }],
    [wage.checkRequireColumnData, { batch_id: september, columns: [] }],
    [wage.dealWithSalaryList, { batch_id: september, actions: [{ kind: 'net_outlier', fix: 'accept' }] }],
    [wage.insertBatchTitle, { batch_id: september, title: '别的', month: '2026-09' }],
    [wage.clearBatchTitle, { batch_id: september }],
    [wage.uploadWageExcel, { batch_id: september, sheet: '工资' }],
  ] as const)
    expect(await clerk.call(call as typeof wage.clearBatchTitle, input as never)).toMatchObject({
      code: 100409,
      data: { status: 'sent' },
    })
  const { list } = await clerk.must(send.getWageDetail, { batch_id: september })
  const slip = await clerk.must(wage.getPreview, {
    batch_id: september,
    salary_id: list.find((one) => one.name === '孙三')?.salary_id ?? '',
  })
  expect(slip).toMatchObject({ name: '孙三', net: { fen: 600_055 } })
})

it('compares with an earlier month, never with the same or a later one', async () => {
  const other = await world.signIn(await corp.person({ name: '补发员', power: ['2'] }))
  const [a] = staff as [Person]
  for (const [title, month] of [
    ['七月工资', '2026-07'],
    ['八月工资', '2026-08'],
    ['九月工资', '2026-09'],
  ] as const) {
    const batch_id = await batch(title, month, [[a, 7000]], other)
    await sent(batch_id, other)
  }
  // The wage sheet is not compared with a bonus of that month either.
  const bonus = await batch('七月奖金', '2026-07', [[a, 900]], other, 'bonus')
  await sent(bonus, other)
  const late = await batch('八月补发', '2026-08', [[a, 7100]], other)
  expect((await other.must(wage.checkWageData, { batch_id: late })).counts.previous).toMatchObject({
    title: '七月工资',
    month: '2026-07',
  })
})

it('compares with the pay run of another administrator that the user may see', async () => {
  const [a, b, c, d] = staff as [Person, Person, Person, Person]
  const sender = await world.signIn(await corp.person({ name: '经办', power: ['2'] }))
  await sent(
    await batch(
      '经办九月',
      '2027-01',
      [
        [a, 8000],
        [b, 8000],
        [c, 6000],
      ],
      sender,
    ),
    sender,
  )
  const owner = await world.signIn(await corp.person({ name: '负责人', power: ['2', '4'] }))
  const next = await batch(
    '负责人十月',
    '2027-02',
    [
      [a, 8000],
      [b, 8500],
    ],
    owner,
  )
  const checked = await owner.must(wage.checkWageData, { batch_id: next })
  expect(checked.counts.previous).toMatchObject({ title: '经办九月', month: '2027-01', people: 3 })
  expect(checked.missing_members.map(({ name }) => name)).toEqual(['孙三'])
  expect(checked.largest_changes).toEqual([{ row: 3, name: '钱二', net_fen: 850_000, previous_net_fen: 800_000 }])
  // Amounts proven by a visible month need no look at every single row.
  const { spot_checks } = await owner.must(send.sendPaySheet, { batch_id: next, channels: ['link'] })
  expect(spot_checks.map(({ reason }) => reason)).not.toContain('everybody')
  // A pay run of other people is no month to compare with.
  const others = await batch('负责人另一批', '2027-02', [[d, 5000]], owner)
  expect((await owner.must(wage.checkWageData, { batch_id: others })).counts.previous).toBeNull()
})
