/** Walks through the lists of /api/v1 while they change: nobody who stays is missed, and nothing is listed twice. */
import { beforeEach, describe, expect, it } from 'vitest'
import * as batches from '../../../server/contract/api-v1/batches.ts'
import * as payslips from '../../../server/contract/api-v1/payslips.ts'
import * as sheets from '../../../server/contract/api-v1/wage-sheets.ts'
import { createPeriod, saveIncome } from '../../../server/contract/tax/periods.ts'
import { createProgram } from '../../support/callers/program.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { makeBatch } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

const { world, corp } = demo({ own: true, each: true })
let admin: Person
let session: Caller
let program: Caller

beforeEach(async () => {
  admin = await corp.person({ power: ['4'] })
  session = await world.signIn(admin)
  ;({ program } = await createProgram(world, session))
})

type Page<T> = { readonly data: readonly T[]; readonly next_cursor: string | null }
/** Reads all pages; `between` happens after each. */
async function walk<T>(load: (cursor: string | undefined) => Promise<Page<T>>, between: (page: number) => Promise<void>) {
  const entries: T[] = []
  let cursor: string | null | undefined
  let count = 0
  do {
    const page = await load(cursor ?? undefined)
    entries.push(...page.data)
    cursor = page.next_cursor
    await between((count += 1))
  } while (cursor && count < 50)
  return entries
}

describe('a walk through batches', () => {
  it('lists each once while newer ones are added at the head and one that was read is removed', async () => {
    const people = await corp.people(2)
    const existing: string[] = []
    for (let at = 0; at < 7; at += 1) {
      // Two of them in the same moment.
      if (at !== 3) world.clock.advance(60_000)
      existing.push(await makeBatch(world, admin, people, { title: `第 ${at + 1} 批` }))
    }
    const listed = await walk(
      (cursor) => program.must(batches.listBatches, { limit: 2, ...(cursor && { cursor }) }),
      async (page) => {
        world.clock.advance(60_000)
        await makeBatch(world, admin, people, { title: `后来 ${page}` })
        const newest = existing.at(-1) ?? ''
        if (page === 1)
          await world.database.inCompany(corp.company_id, (tx) =>
            tx.updateTable('batch').set({ status: 'withdrawn' }).where('id', '=', newest).execute(),
          )
      },
    )
    expect(listed.map(({ batch_id }) => batch_id).toSorted()).toEqual(existing.toSorted())
    const times = listed.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it('keeps its filters, and refuses a cursor of another list', async () => {
    const people = await corp.people(2)
    for (const month of ['2026-10', '2026-11', '2026-10']) await makeBatch(world, admin, people, { month })
    const listed = await walk(
      (cursor) => program.must(batches.listBatches, { month: '2026-10', limit: 1, ...(cursor && { cursor }) }),
      async () => undefined,
    )
    expect(listed.map(({ month }) => month)).toEqual(['2026-10', '2026-10'])
    const { next_cursor } = await program.must(batches.listBatches, { limit: 1 })
    const batch_id = listed[0]?.batch_id ?? ''
    const other = await program.call(batches.listDeliveries, { batch_id, cursor: next_cursor ?? '' })
    expect([other.status, other.data]).toMatchObject([400, { code: 'invalid', field: 'cursor' }])
  })
})

describe('a walk through issues', () => {
  it('meets every one of them while those that were read are resolved', async () => {
    const people = await corp.people(2)
    const unknown = Array.from({ length: 5 }, (_, at) => ({ name: `查无此人${at}`, mobile: `1390000${1000 + at}` }))
    const file = { name: '工资.xlsx', bytes: demoWageSheet([...people, ...unknown]) }
    const { batch_id } = (await program.call(sheets.uploadWageSheet, {}, { file })).data
    await program.must(sheets.answerWageSheet, { batch_id, title: '十一月工资', month: '2026-11' })
    const all = (await program.must(sheets.listWageSheetIssues, { batch_id, level: 'error', limit: 100 })).data
    expect(new Set(all.map(({ row }) => row)).size).toBe(5)
    const listed = await walk(
      async (cursor) => {
        const page = await program.must(sheets.listWageSheetIssues, {
          batch_id,
          level: 'error',
          limit: 1,
          ...(cursor && { cursor }),
        })
        for (const { issue_id, fixes } of page.data)
          if (fixes.includes('skip'))
            await program.must(sheets.resolveWageSheetIssues, { batch_id, resolutions: [{ issue_id, fix: 'skip' }] })
        return page
      },
      async () => undefined,
    )
    expect([...new Set(listed.map(({ row }) => row))]).toEqual([...new Set(all.map(({ row }) => row))])
    expect(new Set(listed.map(({ issue_id }) => issue_id)).size).toBe(listed.length)
    expect(await program.must(sheets.checkWageSheet, { batch_id })).toMatchObject({ error_count: 0 })
  })
})

describe('a walk through tax results', () => {
  it('lists each member once while somebody is added who comes first', async () => {
    const people = await corp.people(4)
    const { period_id } = await session.must(createPeriod, { month: '2026-11' })
    const addIncome = (member_id: string) =>
      session.must(saveIncome, { period_id, rows: [{ member_id, amounts: { income_fen: 1_000_000 } }] })
    const [first, ...rest] = people.map(({ member_id }) => member_id).toSorted()
    for (const member_id of rest) await addIncome(member_id)
    const listed = await walk(
      (cursor) => program.must(payslips.listTaxResults, { month: '2026-11', limit: 1, ...(cursor && { cursor }) }),
      async (page) => {
        if (page === 1) await addIncome(first ?? '')
      },
    )
    expect(listed.map(({ employee }) => employee.employee_id)).toEqual(rest)
    expect((await program.must(payslips.listTaxResults, { month: '2026-11' })).data).toHaveLength(4)
    expect((await program.call(payslips.listTaxResults, { month: '2026-10' })).status).toBe(404)
  })
})
