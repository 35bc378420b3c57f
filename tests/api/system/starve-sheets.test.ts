/**
 * Uploads of one company in parallel with those of another: parsing and storage are charged to the company that
 * uploads.
 */
import { expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { readerSlots } from '../../../server/spreadsheets/child/reader-slots.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld(true)

const head = ['姓名', '手机号', '基本工资', '实发工资']
const lines = (count: number): XlsxCell[][] =>
  Array.from({ length: count }, (_, at) => [`张三${at}`, String(13_800_000_000 + at), 8000, 8000])
const send = (clerk: Caller, bytes: Buffer, upload_id = newId()) =>
  clerk.call(wage.uploadWageExcel, { upload_id }, { file: { name: '工资.xlsx', bytes } })

it("parses a neighbor's file while a company with many uploads waits for itself", async () => {
  const [flood, neighbour] = [await openOffice(world, ['赵一']), await openOffice(world, ['钱二'])]
  const second = await world.signIn(await flood.corp.person({ power: ['4'] }))
  const order: string[] = []
  const bytes = book(head, lines(4_000))
  // One of its files is being parsed for as long as the neighbor takes.
  const leave = await readerSlots.acquire({ owner: flood.corp.company_id })
  const theirs = [flood.clerk, flood.clerk, flood.clerk, second, second].map(async (clerk) => {
    const { code } = await send(clerk, bytes)
    order.push(`flood ${code}`)
  })
  // The queue is full; one more is rejected.
  await expect.poll(() => order.length).toBe(1)
  const { code } = await send(neighbour.clerk, book(head, lines(3)))
  order.push(`neighbour ${code}`)
  expect(order).toEqual([expect.not.stringContaining(' 0'), 'neighbour 0'])
  leave()
  await Promise.all(theirs)
  expect(order.filter((one) => one === 'flood 0')).toHaveLength(4)
})

it('refuses a small file that would take much storage, and stores nothing', async () => {
  const { clerk, corp } = await openOffice(world, ['赵一'])
  const text = Array.from({ length: 250 }, (_, at) => (at * 7919).toString(36).padStart(4, '0').slice(-4)).join('')
  const cell: XlsxCell = { attributes: 't="s"', inside: '<v>0</v>' }
  const names = Array.from({ length: 50 }, (_, at) => `说明${at}`)
  const bytes = makeXlsx({
    shared: [`<si><t>${text}</t></si>`],
    sheets: [{ name: 'S', rows: [[...head, ...names], ...lines(1_000).map((line) => [...line, ...names.map(() => cell)])] }],
  })
  expect(bytes.length).toBeLessThan(200_000)
  const { code, message } = await send(clerk, bytes)
  expect([code, message]).toEqual([100002, expect.stringContaining('文字太多')])
  const stored = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('file').select('id').execute())
  expect(stored).toEqual([])
})

it('counts the rows of a batch towards the quota in addition to its file', async () => {
  const { clerk, corp } = await openOffice(world, ['赵一'])
  const bytes = book(head, lines(300))
  const { batch_id } = await getUpload(clerk, bytes)
  const { company_id } = corp
  const loadStored = () =>
    world.database.inCompany(company_id, (tx) =>
      tx.selectFrom('batch').select(['stored_bytes']).where('id', '=', batch_id).executeTakeFirstOrThrow(),
    )
  expect(Number((await loadStored()).stored_bytes)).toBeGreaterThan(300 * 40)
  await world.database.inCompany(company_id, (tx) =>
    tx
      .updateTable('batch')
      .set({ stored_bytes: 2 * 1024 ** 3 })
      .where('company_id', '=', company_id)
      .execute(),
  )
  const { code, message } = await send(clerk, bytes)
  expect([code, message]).toEqual([100409, expect.stringContaining('占满 2 GB')])
})
