/** Texts that users enter about a pay run can reveal pay: they are stored nowhere in the database unencrypted. */
import { describe, expect, it } from 'vitest'
import * as notifications from '../../../server/contract/notifications/notifications.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getColumn, getUpload, openOffice } from '../../support/office.ts'
import { asOwner } from '../../support/run/database.ts'
import { makeBatch } from '../../support/slips.ts'

const world = demoWorld(true)

/** Returns every row of every table of the product and the queue as text; bytes are hexadecimal in it. */
async function everyRow(): Promise<{ table: string; text: string }[]> {
  return asOwner({ owner: world.owner }, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
    )
    const matches: { table: string; text: string }[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} as t`)
      matches.push(...rows.map(({ text }) => ({ table: name, text })))
    }
    return matches
  })
}
/** Returns the tables in which a word is readable, as text or as the bytes of its text. */
const readableIn = (rows: readonly { table: string; text: string }[], word: string): string[] => {
  const bytes = Buffer.from(word).toString('hex')
  return [...new Set(rows.filter(({ text }) => text.includes(word) || text.includes(bytes)).map(({ table }) => table))]
}

const labels = {
  title: '离职补偿-夜莺甲',
  file: '赔偿表-夜莺乙',
  template: '年终奖模板-夜莺丙',
  group: '保密分组-夜莺丁',
  hint: '一次性补偿-夜莺戊',
  label: '夜莺己补贴',
  note: '按协议-夜莺庚',
  question: '为什么少了-夜莺辛',
  answer: '已补发-夜莺壬',
  correction: '漏算-夜莺癸',
  withdrawal: '算错-夜莺子',
}

describe('texts about pay in the database', () => {
  it('stores no readable text about pay after a month of use: wage sheet, template, layout, sending, feedback, correction, withdrawal, export, progress', async () => {
    const { corp, boss, clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const watcher = await corp.person({ name: '看进度的' })
    const rows = staff.map((one) => [one.name, one.mobile, 8000, 8000, labels.note])
    const sheet = book(['姓名', '手机号', labels.label, '实发工资', '备注'], rows)
    const upload_id = crypto.randomUUID()
    const read = await getUpload(clerk, sheet, { upload_id }, `${labels.file}.xlsx`)
    const { batch_id } = read
    expect((await clerk.must(wage.getUploadProgress, { upload_id })).labels).toContain(labels.label)
    await clerk.must(wage.insertBatchTitle, { batch_id, title: labels.title, month: '2026-10' })
    await clerk.must(wage.insertTemplate, { batch_id, name: labels.template })
    await clerk.must(wage.insertClassify, { batch_id, name: labels.group })
    const { sort_list } = await clerk.must(wage.getLayout, { batch_id })
    await clerk.must(wage.editPaySheetTitle, {
      batch_id,
      hint: labels.hint,
      sort_list: sort_list.map((item) => ({ ...item, note: labels.note })),
    })
    await clerk.must(wage.insertCache, { wizard: { step: 'check', batch_id } })
    expect((await clerk.must(wage.fetchCache)).wizard?.title).toBe(labels.title)
    await clerk.must(wage.checkWageData, { batch_id })
    const plan = await clerk.must(slip.sendPaySheet, { batch_id, channels: ['sms'], rules: { confirm: true, feedback: true } })
    await clerk.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
    await world.product.jobs.drain()

    const [first, second] = (await clerk.must(slip.getWageDetail, { batch_id })).list.map((one) => one.salary_id)
    const person = staff[0] ?? boss
    const own = await world.signIn(person)
    expect(JSON.stringify(await own.must(employee.getSlip, { slip_id: first ?? '' }))).toContain(labels.hint)
    await own.must(employee.feedbackSlip, { slip_id: first ?? '', content: labels.question })
    const { list: threads } = await clerk.must(feedback.getFeedBackList, { batch_id })
    expect(threads[0]).toMatchObject({ title: labels.title, last_message: labels.question })
    await clerk.must(feedback.handleFeedback, { id: threads[0]?.id ?? '', action: 'reply', content: labels.answer })
    const cells = [{ key: getColumn(read, labels.label), value: '8100' }]
    await clerk.must(slip.editSalaryDetail, { salary_id: first ?? '', cells, reason: labels.correction })
    await clerk.must(slip.withdrawSingleSalary, { salary_id: second ?? '', reason: labels.withdrawal })
    await clerk.must(slip.exportWageDetail, { batch_id, what: 'detail' })
    // The progress of confirmations is sent to the chosen members: as a notification to administrators, as a message to
    // others.
    await clerk.must(slip.setConfirmRule, { remind_day: 1 })
    for (const { member_id } of [boss, watcher]) await clerk.must(slip.setSendRule, { remind_member: member_id })
    // The period lasts from a Friday to the next working day.
    world.clock.advance(3 * 86_400_000)
    await world.database.asSystem((tx) => world.product.jobs.send(tx, 'morning', {}))
    await world.product.jobs.drain()

    const all = await everyRow()
    // In this test world messages are sent through a table, as they leave through a gateway: not even a title is in
    // them.
    const left = all.filter(({ table }) => table === 'public.outbox')
    const stored = all.filter(({ table }) => table !== 'public.outbox')
    expect(readableIn(left, '夜莺')).toEqual([])
    expect(left.filter(({ text }) => text.includes('还有'))).toHaveLength(1)
    for (const word of Object.values(labels))
      expect({ [word]: readableIn(stored, word.slice(word.indexOf('夜莺'), 99)) }).toEqual({ [word]: [] })
    // The search does find unencrypted text, and bytes that are text.
    expect(readableIn(stored, '看进度的')).toEqual(['public.member'])
    expect(readableIn([{ table: 'a', text: `(\\x00${Buffer.from('夜莺').toString('hex')}00)` }], '夜莺')).toEqual(['a'])

    // Users with the right to see it can read all of it.
    const again = await world.signIn(boss)
    const notices = (await again.must(notifications.getNotificationList, {})).list.map((one) => one.text)
    expect(notices.filter((text) => text.includes(labels.title)).length).toBeGreaterThanOrEqual(3)
    const { list } = await again.must(slip.getWageList, {})
    expect(list[0]).toMatchObject({ title: labels.title, file_name: `${labels.file}.xlsx` })
    expect((await again.must(wage.getTemplateList, {})).list[0]).toMatchObject({ name: labels.template, title: labels.title })
  })
})

describe('search in encrypted names', () => {
  it("finds part of an encrypted title or file name in any letter case, with paging and counts, within the user's access", async () => {
    const corp = await world.createCompany()
    const [current, other] = [await corp.person({ power: ['2'] }), await corp.person({ power: ['2'] })]
    const clerk = await world.signIn(current)
    for (const title of ['十月 Bonus', '十月工资', '十一月 bonus 补发', '100%']) await makeBatch(world, current, [], { title })
    await makeBatch(world, other, [], { title: '别人的 bonus' })
    const createCompany = async (name: string, more: object = {}) => {
      const { list, page } = await clerk.must(slip.getWageList, { name, ...more })
      return [list.map((one) => one.title).toSorted(), page.total]
    }
    expect(await createCompany('BONUS')).toEqual([['十一月 bonus 补发', '十月 Bonus'], 2])
    expect(await createCompany('bonus', { pagesize: 1, page: 2 })).toEqual([[expect.stringMatching(/bonus/i)], 2])
    expect(await createCompany('%')).toEqual([['100%'], 1])
    expect(await createCompany('工资表.XLSX', { month: '2026-10' })).toEqual([
      ['100%', '十一月 bonus 补发', '十月 Bonus', '十月工资'],
      4,
    ])
    expect(await createCompany('夜莺')).toEqual([[], 0])
  })
})
