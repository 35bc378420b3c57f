/** A stored check is valid while its inputs are unchanged: after any change the result equals that of a new check. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import type { CallRequest } from '../../../server/contract/call.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { clearCheckCache } from '../../../server/modules/sheets/check/check-cache.ts'
import { deleteOldChecks } from '../../../server/modules/sheets/check/stored-check.ts'
import { demo } from '../../support/demo.ts'
import type { XlsxCell } from '../../support/files/xlsx.ts'
import { book, getColumn, getUpload } from '../../support/office.ts'
import { freshPhone } from '../../support/random.ts'
import type { Caller, Person } from '../../support/world.ts'

const { world, corp, payroll } = demo({ clerk: { power: ['4'], name: '薪资员' } })

const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六', '郑七', '王八']
const labels = ['姓名', '手机号', '基本工资', '加班费', '社保', '个税', '实发工资']
/** The amounts differ for each member, and slightly for each month. */
const getPay = (at: number, month: number): number[] => {
  const [base, overtime, insurance, tax] = [8_000 + at * 613, 100 + at * 17 + month * 3, 900 + at * 11, 20 + at]
  return [base, overtime, insurance, tax, base + overtime - insurance - tax]
}
type Named = Pick<Person, 'name' | 'mobile'>
const getRow = ({ name, mobile }: Named, at: number, month: number): XlsxCell[] => [name, mobile, ...getPay(at, month)]
const getSheet = (people: readonly Named[], month: number, more: { hidden_rows?: number[] } = {}) =>
  book(
    labels,
    people.map((one, at) => getRow(one, at, month)),
    more,
  )

const state = { batch_id: '', last_id: '', sales_id: '', other_id: '', outsider: '', keys: { tax: '', net: '' }, question: '' }
let staff: Person[] = []
let second: Caller
const file: { october: Buffer } = { october: Buffer.alloc(0) }

async function upload(caller: Caller, bytes: Buffer, title: string, month: string): Promise<string> {
  const { batch_id } = await getUpload(caller, bytes, {}, `${title}.xlsx`)
  await caller.must(wage.insertBatchTitle, { batch_id, title, month })
  return batch_id
}

async function sent(caller: Caller, batch_id: string): Promise<void> {
  const { plan_id } = await caller.must(send.sendPaySheet, { batch_id, channels: ['link'] })
  await caller.must(send.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  expect((await caller.must(send.getSendInfo, { batch_id })).status).toBe('sent')
}

const getSlips = async (): Promise<string[]> => {
  const { list } = await payroll.must(send.getWageDetail, { batch_id: state.last_id })
  return list.toSorted((a, b) => a.row - b.row).map(({ salary_id }) => salary_id)
}

/** Everything that any page shows of a check. */
async function notify(caller: Caller, batch_id: string) {
  const { data: check, ...answer } = await caller.call(wage.checkWageData, { batch_id })
  const rows = await caller.call(wage.getDetailUpload, { batch_id, page: 1, pagesize: 50 })
  const plan = await caller.call(send.getSendPlan, { batch_id, channels: ['link'] })
  return { check, refused: answer.code, rows: rows.data, plan: plan.code === 0 ? plan.data : plan.message }
}
const inCompany = <T>(work: Parameters<typeof world.database.inCompany<T>>[1]) => world.database.inCompany(corp.company_id, work)
const loadStored = (batch_id = state.batch_id) =>
  inCompany((tx) =>
    tx.selectFrom('sheet_check').select('id').distinct().where('batch_id', '=', batch_id).orderBy('id').execute(),
  ).then((rows) => rows.map(({ id }) => id))
/** Clears the cache, as in another process that never saw the wage sheet. */
const forget = async () => {
  clearCheckCache()
  await inCompany((tx) => tx.deleteFrom('sheet_check').execute())
}

beforeAll(async () => {
  state.sales_id = await corp.department('销售部')
  state.outsider = freshPhone()
  for (const name of names) staff.push(await corp.person({ name }))
  second = await world.signIn(await corp.person({ name: '第二位', power: ['4'] }))
  state.last_id = await upload(payroll, getSheet(staff, 9), '工资', '2026-09')
  await sent(payroll, state.last_id)
  file.october = getSheet([...staff, { name: '何苗', mobile: state.outsider }], 10, { hidden_rows: [4] })
  const info = await getUpload(payroll, file.october, {}, '十月.xlsx')
  state.batch_id = info.batch_id
  state.question = info.questions.find(({ kind }) => kind === 'hidden_rows')?.id ?? ''
  state.keys = { tax: getColumn(info, '个税'), net: getColumn(info, '实发工资') }
  await payroll.must(wage.insertBatchTitle, { batch_id: state.batch_id, title: '工资', month: '2026-10' })
})

type Actions = CallRequest<typeof wage.dealWithSalaryList>['actions']
const deal = (...actions: Actions) => payroll.must(wage.dealWithSalaryList, { batch_id: state.batch_id, actions })
const setColumns = (input: object) =>
  payroll.must(wage.checkRequireColumnData, { batch_id: state.batch_id, columns: [], ...input })
const edit = (at: number, input: object) => payroll.must(member.editMemberInfo, { id: staff[at]?.member_id ?? '', ...input })
const undo = async () => {
  const { last_edit } = await payroll.must(wage.checkWageData, { batch_id: state.batch_id })
  return payroll.must(wage.undoEdit, { batch_id: state.batch_id, edit_id: last_edit?.edit_id ?? '' })
}

/** Applies this fix to the first issue of a row. */
const mend = async (row: number, options: Pick<Actions[number], 'fix' | 'member_id'>) => {
  const { problems } = await payroll.must(wage.checkWageData, { batch_id: state.batch_id, level: 'error' })
  const { done } = await deal({ problem_id: problems.find((one) => one.row === row)?.id ?? '', ...options })
  expect(done).toBe(1)
}
const title = (month: string) => payroll.must(wage.insertBatchTitle, { batch_id: state.batch_id, title: '工资', month })

/** These tests run in sequence, in the same company. */
const changes: readonly (readonly [what: string, change: () => Promise<unknown>])[] = [
  ['a question is answered', () => setColumns({ answers: [{ id: state.question, value: 'skip' }] })],
  ['the answer is changed', () => setColumns({ answers: [{ id: state.question, value: 'keep' }] })],
  ['a cell is corrected', () => deal({ fix: 'edit', row: 3, column: state.keys.net, value: '1' })],
  ['a member moves to another department', () => move(1, state.sales_id)],
  ['the department is renamed', () => payroll.must(member.editDepartment, { id: state.sales_id, name: '市场部' })],
  ['a warning is accepted', () => deal({ kind: 'net_outlier', fix: 'accept' })],
  ['a correction is reverted', undo],
  ['a column gets another role', () => setColumns({ columns: [{ key: state.keys.tax, role: 'deduction' }] })],
  ['a column gets its former role', () => setColumns({ columns: [{ key: state.keys.tax, role: 'tax' }] })],
  ['a member gets another phone', () => edit(0, { mobile: freshPhone() })],
  ['a row is skipped', () => mend(2, { fix: 'skip' })],
  ['a row is restored', () => deal({ fix: 'restore', row: 2 })],
  ['a member is selected manually', () => mend(2, { fix: 'match', member_id: staff[0]?.member_id ?? '' })],
  [
    'the row gets another phone, so that no member is selected',
    () => deal({ fix: 'edit', row: 2, column: 'c1', value: freshPhone() }),
  ],
  ["the row gets the member's own phone", async () => deal({ fix: 'edit', row: 2, column: 'c1', value: await getPhone(0) })],
  ['a member gets another name', () => edit(1, { name: '钱二二' })],
  ['a member gets the former name', () => edit(1, { name: '钱二' })],
  ['an unknown member of the sheet is hired', () => payroll.must(member.insertMember, { name: '何苗', mobile: state.outsider })],
  ['a payslip of last month is corrected', async () => correct((await getSlips())[4] ?? '')],
  ['a payslip of last month is withdrawn', async () => withdraw((await getSlips())[5] ?? '')],
  ['a member is terminated', () => payroll.must(member.clearMember, { id: staff[7]?.member_id ?? '' })],
  [
    'another batch of the same pay run is sent',
    async () => sent(payroll, (state.other_id = await upload(payroll, getSheet(staff.slice(6, 7), 11), '工资', '2026-10'))),
  ],
  ['that batch is withdrawn', () => payroll.must(send.withdrawBatchPaySheet, { batch_id: state.other_id, reason: '发错了' })],
  [
    'the same file is uploaded again',
    async () => void (state.other_id = await upload(payroll, file.october, '另一批', '2026-10')),
  ],
  [
    'the second batch gets another title',
    () => payroll.must(wage.insertBatchTitle, { batch_id: state.other_id, title: '别的', month: '2026-10' }),
  ],
  ['the second batch is deleted', () => payroll.must(wage.clearBatchTitle, { batch_id: state.other_id })],
  ['the batch moves to the month before the last one', () => title('2026-08')],
  ['the batch moves back to its own month', () => title('2026-10')],
  [
    'the whole last month is withdrawn',
    () => payroll.must(send.withdrawBatchPaySheet, { batch_id: state.last_id, reason: '发错了' }),
  ],
]
const move = (at: number, department_id: string) =>
  payroll.must(member.moveMembers, { member_ids: [staff[at]?.member_id ?? ''], department_id })
const getPhone = async (at: number): Promise<string> =>
  (await payroll.must(member.getMemberInfo, { id: staff[at]?.member_id ?? '' })).MOBILE
const correct = (salary_id: string) =>
  payroll.must(send.editSalaryDetail, {
    salary_id,
    cells: [{ key: state.keys.net, value: '99999.00' }],
    reason: '更正',
    mismatch_reason: '试',
  })
const withdraw = (salary_id: string) => payroll.must(send.withdrawSingleSalary, { salary_id, reason: '发错了' })

describe('stored check while nothing changes', () => {
  it('serves every page of the wizard and stays valid when its payslips and pages are viewed', async () => {
    const { batch_id } = state
    const first = await notify(payroll, batch_id)
    const [id, ...more] = await loadStored()
    expect([id === undefined, more]).toEqual([false, []])
    const before = await inCompany((tx) =>
      tx.selectFrom('batch').selectAll().where('id', '=', batch_id).executeTakeFirstOrThrow(),
    )
    await payroll.must(wage.checkWageData, { batch_id, level: 'warning' })
    await payroll.must(wage.getDetailUpload, { batch_id, page: 1, pagesize: 3, only: 'problems' })
    await payroll.must(wage.getPreviewMember, { batch_id, page: 1, pagesize: 20 })
    await payroll.must(wage.getPreview, { batch_id })
    await payroll.call(wage.exportIssues, { batch_id })
    // An employee views and confirms last month's payslip, which does not change the comparison.
    const [slip_id = ''] = await getSlips()
    const [zhao] = staff
    const reader = await world.signIn(zhao as Person)
    const { version } = await reader.must(employee.getSlip, { slip_id })
    await reader.must(employee.confirmSlip, { slip_id, version })
    // Another administrator has a separate check result.
    await second.must(wage.checkWageData, { batch_id })
    expect(await notify(payroll, batch_id)).toEqual(first)
    expect((await loadStored())[0]).toBe(id)
    expect((await loadStored()).length).toBe(2)
    const after = await inCompany((tx) => tx.selectFrom('batch').selectAll().where('id', '=', batch_id).executeTakeFirstOrThrow())
    expect(after).toEqual(before)
  })

  it('gives concurrent requests the same result, and ignores a stored check with a missing chunk', async () => {
    const { batch_id } = state
    const first = await notify(payroll, batch_id)
    await forget()
    const all = await Promise.all(
      [payroll, payroll, second, payroll].map((caller) => caller.must(wage.checkWageData, { batch_id })),
    )
    for (const one of all) expect(one).toEqual(first.check)
    clearCheckCache()
    await inCompany((tx) => tx.deleteFrom('sheet_check').where('part', '=', 1).execute())
    const left = await loadStored()
    expect(await notify(payroll, batch_id)).toEqual(first)
    expect(left).not.toContain((await loadStored()).at(-1))
  })
})

describe('stored check after a change', () => {
  let before: unknown
  it.each(changes)('%s', async (_what, change) => {
    const { batch_id } = state
    before ??= await notify(payroll, batch_id)
    await change()
    const after = await notify(payroll, batch_id)
    await forget()
    expect(after).toEqual(await notify(payroll, batch_id))
    // A change without an effect would prove nothing.
    expect(after).not.toEqual(before)
    before = after
  })

  it("updates the stored check when the user's scope changes or members enter or leave it", async () => {
    const [one, other] = [await corp.department('财务部'), await corp.department('生产部')]
    const admin = await corp.person({ name: '第三位', power: ['2'], scope: { all: false, department_ids: [one] } })
    const people = [
      await corp.person({ name: '冯九', department_ids: [one] }),
      await corp.person({ name: '陈十', department_ids: [one] }),
      await corp.person({ name: '楚云', department_ids: [other] }),
    ]
    const current = await world.signIn(admin)
    const batch_id = await upload(current, getSheet(people, 10), '三月', '2026-10')
    const outside = async (caller: Caller) => {
      const { check } = await notify(caller, batch_id)
      const rows = check.problems.flatMap(({ kind, row }) => (kind === 'out_of_scope' ? [row] : []))
      await forget()
      expect((await notify(caller, batch_id)).check).toEqual(check)
      return rows
    }
    expect(await outside(current)).toEqual([4])
    await payroll.must(member.moveMembers, { member_ids: [people[1]?.member_id ?? ''], department_id: other })
    expect(await outside(current)).toEqual([3, 4])
    await payroll.must(role.editUserScope, { user_id: admin.admin_id ?? '', scope: { all: false, department_ids: [one, other] } })
    expect(await outside(await world.signIn(admin))).toEqual([])
    // Users with full and limited scope get different results for the same batch at the same time.
    expect((await notify(payroll, batch_id)).check.counts).toMatchObject({ errors: 0, rows: 3 })
  })
})

describe('limits of stored checks', () => {
  it('deletes stored checks with the batch, after sending, after two weeks, and over the size limit', async () => {
    const made = [
      await upload(payroll, getSheet(staff.slice(2, 4), 12), '甲', '2026-12'),
      await upload(payroll, getSheet(staff.slice(3, 5), 12), '乙', '2026-12'),
    ]
    const [first = '', next = ''] = made
    for (const batch_id of made) await payroll.must(wage.checkWageData, { batch_id })
    const company = { company_id: corp.company_id, now: world.clock.now() }
    const { bytes } = await inCompany((tx) =>
      tx
        .selectFrom('sheet_check')
        .select(sql<string>`sum(octet_length(sealed))`.as('bytes'))
        .where('batch_id', '=', next)
        .executeTakeFirstOrThrow(),
    )
    await inCompany((db) => deleteOldChecks({ db, ...company }, Number(bytes)))
    // The newest ones stay.
    expect([(await loadStored(first)).length, (await loadStored(next)).length]).toEqual([0, 1])
    await inCompany((tx) =>
      tx
        .updateTable('sheet_check')
        .set({ created_at: new Date(company.now.getTime() - 15 * 86_400_000) })
        .execute(),
    )
    clearCheckCache()
    await payroll.must(wage.checkWageData, { batch_id: first })
    expect([(await loadStored(first)).length, (await loadStored(next)).length]).toEqual([1, 0])
    await sent(payroll, next)
    expect((await loadStored(next)).length).toBe(0)
    await payroll.must(wage.clearBatchTitle, { batch_id: first })
    expect((await loadStored(first)).length).toBe(0)
  })

  it('stores no unencrypted amount or name in a check', async () => {
    await payroll.must(wage.checkWageData, { batch_id: state.batch_id })
    const rows = await inCompany((tx) => tx.selectFrom('sheet_check').select(['sealed', 'ground']).execute())
    expect(rows.length).toBeGreaterThan(0)
    for (const { sealed, ground } of rows) {
      expect(sealed.includes(Buffer.from('钱二'))).toBe(false)
      expect(ground).toMatch(/^[0-9a-f]{64}$/)
    }
  })
})
