/** What a call about a large batch decrypts is limited by what it shows; parallel calls leave capacity for other users. */
import { setImmediate } from 'node:timers/promises'
import { Client } from 'pg'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { Vault } from '../../../server/crypto/secrets.ts'
import { again } from '../../support/callers/http.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import { type Caller, type Person } from '../../support/world.ts'

let clerk: Caller
let staff: Person[]
let batch_id = ''
const people = 2_000
const world = demoWorld({ shed: { loop_ms: 3000 } })
beforeAll(async () => {
  const office = await openOffice(world, ['赵一', '钱二'])
  clerk = office.clerk
  staff = office.staff
  const rows = Array.from({ length: people }, (_, at) => [`员工${at}`, `199${String(at).padStart(8, '0')}`, 5000 + at])
  batch_id = (await getUpload(clerk, book(['姓名', '手机号', '实发工资'], rows))).batch_id
})

/** Counts the encrypted values that a function decrypts. */
async function openedBy<T>(work: () => Promise<T>): Promise<[answer: T, opened: number]> {
  const spy = vi.spyOn(Vault.prototype, 'openBytes')
  try {
    const answer = await work()
    return [answer, spy.mock.calls.length]
  } finally {
    spy.mockRestore()
  }
}
/** The call also decrypts the batch's own names and recognition result, the layout, and the chunk with the names. */
const comparison = 12
const find = (name: string, more: object = {}) => clerk.must(wage.getPreviewMember, { batch_id, name, pagesize: 10, ...more })
const names = (match: Awaited<ReturnType<typeof find>>) => match.list.map((one) => one.name)

describe('limited decryption', () => {
  it('decrypts only what is shown for a window of the grid, a page of members, and one payslip', async () => {
    const [grid, rows] = await openedBy(() => clerk.must(wage.getSheetGrid, { batch_id, from: 500, count: 50 }))
    expect([grid.rows.length, rows <= 50 + comparison]).toEqual([50, true])
    const [page, people_of_it] = await openedBy(() => clerk.must(wage.getPreviewMember, { batch_id, page: 7, pagesize: 20 }))
    expect([page.list.length, page.page.total, people_of_it <= 20 + comparison]).toEqual([20, people, true])
    const [, one] = await openedBy(() => clerk.must(wage.getPreview, { batch_id, row: 900 }))
    expect(one).toBeLessThanOrEqual(1 + comparison)
  })

  it('decrypts every row once for a search by name and then only what it shows, until the wage sheet changes', async () => {
    const [first] = await openedBy(() => find('员工199'))
    expect([names(first)[0], first.page.total]).toEqual(['员工199', 11])
    const [second, opened] = await openedBy(() => find('员工1', { page: 3 }))
    expect([second.list.length, second.page.total, opened <= 10 + comparison]).toEqual([10, 1111, true])
    const [none, nothing] = await openedBy(() => find('夜莺'))
    expect([none.page.total, nothing <= comparison]).toEqual([0, true])

    await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
    const { problems } = await clerk.must(wage.checkWageData, { batch_id })
    const skipped = problems.find((one) => one.row === 2 && one.fix.includes('skip'))
    await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id: skipped?.id ?? '', fix: 'skip' }] })
    // Skipped rows are not found; the others are, still without being decrypted.
    const [after, few] = await openedBy(() => find('员工0'))
    expect([after.page.total, few <= comparison]).toEqual([0, true])
    // Another sheet, or another name column, is searched from scratch.
    const rows = [['夜莺', '19900000000', 1]]
    await getUpload(clerk, book(['姓名', '手机号', '实发工资'], rows), { batch_id })
    expect(names(await find('夜莺'))).toEqual(['夜莺'])
    expect(names(await find('员工1'))).toEqual([])
  })
})

describe('sixteen parallel requests', () => {
  it("uses two connections for sixteen parallel grid windows, and answers an employee's request before them", async () => {
    const { pool } = world.database
    const rows = Array.from({ length: people }, (_, at) => [`员工${at}`, `199${String(at).padStart(8, '0')}`, 5000 + at])
    const large = await getUpload(clerk, book(['姓名', '手机号', '实发工资'], rows))
    const [own] = [await world.signIn(staff[0] as Person)]
    // A lock on the rows stops the grid requests in the middle of their work.
    const holder = new Client(world.owner)
    await holder.connect()
    await holder.query('begin; lock table sheet_row in access exclusive mode')
    const state = { open: 16 }
    const grids = Array.from({ length: 16 }, async () => {
      const answer = await again(() => clerk.call(wage.getSheetGrid, { batch_id: large.batch_id, from: 1, count: 500 }))
      state.open -= 1
      return answer.code
    })
    const busy = () => pool.totalCount - pool.idleCount
    await expect.poll(busy, { timeout: 60_000 }).toBe(2)
    await own.must(employee.getCurrentEmployee)
    await expect.poll(() => [state.open, busy(), pool.waitingCount]).toEqual([16, 2, 0])
    let most_busy = 0
    let waiting = 0
    await holder.query('rollback')
    await holder.end()
    while (state.open > 0) {
      most_busy = Math.max(most_busy, busy())
      waiting = Math.max(waiting, pool.waitingCount)
      await setImmediate()
    }
    expect(new Set(await Promise.all(grids))).toEqual(new Set([0]))
    // Two connections serve one account, and one or two write audit log entries.
    expect(most_busy).toBeLessThanOrEqual(4)
    expect(waiting).toBe(0)
  })
})
