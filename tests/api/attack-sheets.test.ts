/** Attempts to make a sheet pay the wrong person or the wrong amount: by correcting it, by answering, by headers that changed places. */
import { read as otherReader } from '@e965/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as desk from '../../server/contract/desk.ts'
import * as wage from '../../server/contract/sheet.ts'
import * as send from '../../server/contract/slip.ts'
import { asked, book, columnOf, type Office, openOffice, rolesOf, uploadOf } from '../kit/office.ts'
import { type Caller, startWorld, type World } from '../kit/world.ts'
import { makeXlsx, type XlsxCell } from '../kit/xlsx.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const check = (clerk: Caller, batch_id: string) => clerk.must(wage.checkWageData, { batch_id })

describe('the sheet with its problems', () => {
  const head = ['姓名', '手机号', '基本工资', '扣款', '实发工资']
  const written = async (clerk: Caller, batch_id: string) => {
    const { oss_path } = await clerk.must(wage.exportProblems, { batch_id })
    const headers = { cookie: clerk.headers.cookie ?? '' }
    const { rawPayload } = await world.product.app.inject({
      method: 'GET',
      url: desk.download.path,
      query: { oss_path },
      headers,
    })
    const made = otherReader(rawPayload)
    const notes = made.SheetNames.map((name) => [
      name,
      Object.entries(made.Sheets[name] ?? {}).flatMap(([at, cell]) => (at.startsWith('!') || !cell.c ? [] : [at])),
    ])
    return { notes: Object.fromEntries(notes) as Record<string, string[]>, list: made.Sheets.问题清单 ?? {} }
  }

  it('of several sheets has each comment where that sheet has the column', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const [a, b, c] = staff.map((one): XlsxCell[] => [one.name, one.mobile, 8000, 500, 7500])
    const turned = (row: XlsxCell[] | undefined, net: XlsxCell) => [net, 500, 8000, row?.[1], row?.[0]]
    const { batch_id } = await uploadOf(
      clerk,
      makeXlsx({
        sheets: [
          { name: '一部', rows: [head, a ?? [], b ?? []] },
          { name: '二部', rows: [['十月'], head.toReversed(), turned(c, '见备注')] },
        ],
      }),
      { sheet: '一部\n二部' },
    )
    expect((await check(clerk, batch_id)).problems.map(({ row, kind }) => [row, kind])).toEqual([[1_000_003, 'not_a_number']])
    expect((await written(clerk, batch_id)).notes).toEqual({ 问题清单: [], 一部: [], 二部: ['A3'] })
  })

  it('of slips that were turned into a table only lists them: no cell of the file has their row', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const slips = staff.flatMap((one, at): XlsxCell[][] => [
      ['姓名', one.name, '手机号', one.mobile],
      ['基本工资', 8000 + at, '扣款', 500],
      ['实发工资', at === 1 ? '待定' : 7500 + at],
      [],
    ])
    const { batch_id } = await uploadOf(clerk, makeXlsx({ sheets: [{ name: '工资条', rows: [['2026年10月工资条'], ...slips] }] }))
    const { problems } = await check(clerk, batch_id)
    expect(problems.map(({ name, kind }) => [name, kind])).toEqual([['钱二', 'not_a_number']])
    const { notes, list } = await written(clerk, batch_id)
    expect(notes).toEqual({ 问题清单: [], 工资条: [] })
    expect([list.B2?.v, list.E2?.v]).toEqual(['—', `钱二：${problems[0]?.message}`])
  })
})

describe('what was accepted', () => {
  const accept = (clerk: Caller, batch_id: string, kind: 'sum_mismatch' | 'negative_net') =>
    clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ kind, fix: 'accept' }] })

  it('of one sum is asked again of another', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三', '李四', '周五'])
    const info = await uploadOf(
      clerk,
      book(
        ['姓名', '手机号', '基本工资', '奖金', '扣款', '实发工资'],
        staff.map((one, at) => [one.name, one.mobile, 8000 + at, 100 + at, 500, 7600 + at * 2 + (at === 2 ? 50 : 0)]),
      ),
    )
    const { batch_id } = info
    const mismatches = async () =>
      (await check(clerk, batch_id)).problems.flatMap(({ row, kind }) => (kind === 'sum_mismatch' ? [row] : []))
    expect(await mismatches()).toEqual([4])
    await accept(clerk, batch_id, 'sum_mismatch')
    expect(await mismatches()).toEqual([])
    await clerk.must(wage.checkRequireColumnData, {
      batch_id,
      columns: [],
      formula: { plus: [columnOf(info, '基本工资')], minus: [] },
    })
    expect(await mismatches()).toContain(4)
  })

  it('of an amount is asked again of the amount in another unit', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const info = await uploadOf(
      clerk,
      book(
        ['姓名', '手机号', '基本工资（万元）', '实发工资（万元）'],
        staff.map((one, at) => [one.name, one.mobile, at - 0.5, at - 0.5]),
      ),
    )
    const { batch_id } = info
    const say = (value: string) =>
      clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id: 'unit', value }] })
    const minus = async () => (await check(clerk, batch_id)).problems.filter(({ kind }) => kind === 'negative_net').length
    await say('yuan')
    expect(await minus()).toBe(1)
    await accept(clerk, batch_id, 'negative_net')
    expect(await minus()).toBe(0)
    await say('yuan')
    expect(await minus()).toBe(0)
    await say('wan')
    expect(await minus()).toBe(1)
  })
})

describe('two headers that changed places since last month', () => {
  const head = ['姓名', '手机号', '基本工资', '加班费', '应发合计', '养老保险', '个人所得税', '实发工资']
  const month = ({ staff }: Office, seed: number, names = head) =>
    book(
      names,
      staff.map((one, at) => {
        const [base, extra, pension, tax] = [8000 + at * 100, seed * 37 + at * 11, 600 + at * 8, seed * 3 + at]
        return [one.name, one.mobile, base, extra, base + extra, pension, tax, base + extra - pension - tax]
      }),
    )
  const swap = (one: string, other: string) => head.map((label) => (label === one ? other : label === other ? one : label))
  const september = async () => {
    const office = await openOffice(world, ['赵一', '钱二', '孙三', '李四', '周五'])
    const { clerk } = office
    const { batch_id } = await uploadOf(clerk, month(office, 1))
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '工资', month: '2026-09' })
    const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id })
    await clerk.must(send.doSend, { plan_id })
    await world.product.jobs.drain()
    return office
  }

  it.each([
    ['实发工资', '应发合计'],
    ['基本工资', '养老保险'],
    ['实发工资', '基本工资'],
    ['加班费', '个人所得税'],
  ])('%s and %s: nothing can be sent before somebody has looked', async (one, other) => {
    const office = await september()
    const { clerk } = office
    const right = await uploadOf(clerk, month(office, 2))
    await clerk.must(wage.insertBatchTitle, { batch_id: right.batch_id, title: '工资', month: '2026-10' })
    expect((await check(clerk, right.batch_id)).problems).toEqual([])
    await clerk.must(wage.clearBatchTitle, { batch_id: right.batch_id })
    const info = await uploadOf(clerk, month(office, 2, swap(one, other)))
    const { batch_id } = info
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '工资', month: '2026-10' })
    const { problems, counts } = await check(clerk, batch_id)
    expect([counts.status, problems.some(({ level, row }) => level === 'error' && row === 0)]).toEqual(['draft', true])
    expect((await clerk.ask(send.sendPaySheet, { batch_id })).code).toBe(100409)
  })
})
