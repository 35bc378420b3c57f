/**
 * Data about an employee for that employee: who viewed it, what was sent to them, and a copy for download. Nothing
 * about anybody else.
 */

import { readXlsx } from 'hucre'
import { beforeEach, describe, expect, it } from 'vitest'
import { getSessionList } from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { revealIdCard } from '../../../server/contract/directory/member-history.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { download } from '../../../server/contract/files/files.ts'
import { sendInviteCode } from '../../../server/contract/invites/invite.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as own from '../../../server/contract/payslips/employee-data.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { saveDeduction } from '../../../server/contract/tax/deductions.ts'
import { getStatements } from '../../scale/statements.ts'
import { codesSent, createClient, givePassword, lastCode } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { zipEntries } from '../../support/files/xlsx.ts'
import { getNet, makeBatch, salaries, send } from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const world = demoWorld(true)
const secret = '梅兰竹菊 2026'
let corp: Corp
let clerk: Person
let payroll: Caller
let head: Caller
const { view_locked, unconfirmed_holder, too_often } = errorCodes

beforeEach(async () => {
  corp = await world.createCompany({ name: '明白公司' })
  clerk = await corp.person({ name: '算薪的人', power: ['2'] })
  payroll = await world.signIn(clerk)
  head = await world.signIn(await corp.person({ name: '总管', power: ['4'] }))
})

const withPassword = (person: Person) => givePassword(world, person, secret)
type Rules = NonNullable<Parameters<typeof send>[3]>['rules']
/** Sends payslips to these members; the first one has row 2. */
async function paid(people: readonly Person[], options: { title?: string; month?: string; rules?: Rules } = {}) {
  const { rules, ...more } = options
  const batch_id = await makeBatch(world, clerk, people, { title: '十月工资', ...more })
  await send(payroll, batch_id, ['sms'], rules ? { rules } : {})
  await world.product.jobs.drain()
  return { batch_id, slips: (await salaries(world, corp, batch_id)).map(({ id }) => id) }
}
/** The copy as its owner opens it. */
async function getCopy(by: Caller) {
  await by.must(employee.unlock, { password: secret })
  const made = await by.must(own.exportOwnData)
  const bytes = (await by.call(download, { oss_path: made.oss_path, file_name: made.file_name })).data as unknown as Buffer
  const sections = zipEntries(bytes)
  const [sheet] = (await readXlsx(sections['我的资料.xlsx'] ?? Buffer.alloc(0))).sheets
  const text = (sections['我的资料.json'] ?? Buffer.alloc(0)).toString()
  const rows = (sheet?.rows ?? []).map((row) => row.map((cell) => cell ?? ''))
  return { ...made, bytes, sheet, rows, text, data: JSON.parse(text), both: text + JSON.stringify(rows) }
}

describe('access log of own payslips', () => {
  it('lists the user, item and time of each access to own payslips, one entry per day', async () => {
    const [current, other] = [await corp.person({ name: '本人' }), await corp.person({ name: '旁人' })]
    const { batch_id, slips } = await paid([current, other])
    const [my_slip = '', others_slip = ''] = slips
    const me = await world.signIn(current)
    expect((await me.must(own.getAccessLog)).list).toEqual([])
    world.clock.advance(60_000)
    await payroll.must(slip.getSalary, { salary_id: my_slip })
    await payroll.must(slip.getSalary, { salary_id: my_slip })
    await payroll.must(slip.getSalary, { salary_id: others_slip })
    world.clock.advance(60_000)
    await head.must(slip.getMemberSlips, { member_id: current.member_id })
    await head.must(revealIdCard, { id: current.member_id })
    world.clock.advance(60_000)
    await payroll.must(slip.getWageDetail, { batch_id })
    const format = async (who: Caller) =>
      (await who.must(own.getAccessLog)).list.map(({ by, kind, count, title }) => [by, kind, count, title])
    expect(await format(me)).toEqual([
      ['算薪的人', 'list', 1, '十月工资'],
      ['总管', 'id_card', 1, null],
      ['总管', 'person', 1, null],
      ['算薪的人', 'slip', 2, '十月工资'],
    ])
    expect(await format(await world.signIn(other))).toEqual([
      ['算薪的人', 'list', 1, '十月工资'],
      ['算薪的人', 'slip', 1, '十月工资'],
    ])
    expect(JSON.stringify(await me.must(own.getAccessLog))).not.toContain(String(getNet(2)))
    const [first] = (await me.must(own.getAccessLog, { pagesize: 1, page: 2 })).list
    expect([first?.kind, (await me.must(own.getAccessLog, { pagesize: 1 })).page.total]).toEqual(['id_card', 4])
  })

  it('omits rejected views, withdrawn payslips and other companies', async () => {
    const current = await corp.person()
    const { slips } = await paid([current])
    const [salary_id = ''] = slips
    const outsider = await world.signIn(await corp.person({ power: ['3'] }))
    expect((await outsider.call(slip.getSalary, { salary_id })).code).toBe(errorCodes.not_permitted.code)
    const me = await world.signIn(current)
    expect((await me.must(own.getAccessLog)).list).toEqual([])
    await payroll.must(slip.getSalary, { salary_id })
    expect((await me.must(own.getAccessLog)).list).toHaveLength(1)
    await payroll.must(slip.withdrawSingleSalary, { salary_id })
    expect((await me.must(own.getAccessLog)).list).toEqual([])
    const elsewhere = await world.createCompany()
    expect((await (await world.signIn(await elsewhere.person())).must(own.getAccessLog)).list).toEqual([])
    expect((await head.call(own.getAccessLog)).code).toBe(0)
  })
})

describe('messages sent to the employee', () => {
  it('lists the messages about own payslips, readable after unlocking', async () => {
    const [current, other] = [await corp.person({ name: '本人' }), await corp.person()]
    const { slips } = await paid([current, other], { rules: { feedback: true } })
    const [slip_id = ''] = slips
    const me = await world.signIn(current)
    const notify = async () =>
      (await me.must(own.getReceivedMessageList)).list.map(({ kind, title, read }) => [kind, title, read])
    expect(await notify()).toEqual([['slip', '十月工资', false]])
    await me.must(employee.getSlip, { slip_id })
    expect(await notify()).toEqual([['slip', '十月工资', true]])
    const { id } = await me.must(employee.feedbackSlip, { slip_id, content: '少了一天' })
    world.clock.advance(60_000)
    payroll = await world.signIn(clerk)
    await payroll.must(feedback.handleFeedback, { id, action: 'reply', content: '下月补上' })
    await world.product.jobs.drain()
    expect(await notify()).toEqual([
      ['answered', '十月工资', false],
      ['slip', '十月工资', true],
    ])
    await me.must(employee.getFeedback, { slip_id })
    expect((await notify())[0]).toEqual(['answered', '十月工资', true])
    await payroll.must(slip.withdrawSingleSalary, { salary_id: slip_id })
    expect((await me.must(own.getReceivedMessageList)).list.map((one) => one.slip_id)).toEqual([null, null])
  })
})

describe('export of own data', () => {
  it('refuses an export of own data before identity confirmation and for an unclear phone owner', async () => {
    const current = await withPassword(await corp.person())
    const me = await world.signIn(current)
    expect((await me.call(own.exportOwnData)).code).toBe(view_locked.code)
    await me.must(employee.unlock, { password: secret })
    world.clock.advance(11 * 60_000)
    expect((await me.call(own.exportOwnData)).code).toBe(view_locked.code)
    await me.must(employee.unlock, { password: secret })
    const { oss_path, file_name } = await me.must(own.exportOwnData)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('member').set({ unconfirmed_at: world.clock.now() }).where('id', '=', current.member_id).execute(),
    )
    // Neither the generated copy nor a new one is accessible.
    expect((await me.call(download, { oss_path, file_name })).code).not.toBe(0)
    expect((await me.call(own.exportOwnData)).code).toBe(unconfirmed_holder.code)
    expect((await me.call(own.getAccessLog)).code).toBe(unconfirmed_holder.code)
    expect((await me.call(own.getReceivedMessageList)).code).toBe(unconfirmed_holder.code)
  })

  it('exports all own data and nothing of a namesake in the same batch, department and feedback list', async () => {
    const lab = await corp.department('=实验室')
    const [current, twin] = [
      await withPassword(await corp.person({ name: '王伟', employee_no: 'MINE-77', department_ids: [lab] })),
      await withPassword(await corp.person({ name: '王伟', employee_no: 'TWIN-88', department_ids: [lab] })),
    ]
    for (const [person, card] of [
      [current, '110101199003077715'],
      [twin, '11010519491231002X'],
    ] as const)
      await head.must(member.editMemberInfo, { id: person.member_id, id_card: card, position: '化验员' })
    const parent = { kind: 'elderly', born: '1960-03-08', from: null, to: null, share: 'whole', only_child: true } as const
    for (const [person, owner] of [
      [current, '=我的母亲'],
      [twin, '孪生的母亲'],
    ] as const)
      await payroll.must(saveDeduction, {
        member_id: person.member_id,
        version: 0,
        items: [{ ...parent, whose: owner, amount_fen: null, city_tier: null }],
      })
    const { slips } = await paid([current, twin], { rules: { feedback: true, confirm: true } })
    for (const [at, person, word] of [
      [0, current, '=HYPERLINK("本人问")'],
      [1, twin, '孪生的问题'],
    ] as const) {
      const caller = await world.signIn(person)
      const slip_id = slips[at] ?? ''
      const { hash: viewed, version } = await caller.must(employee.getSlip, { slip_id })
      if (at === 0) await caller.must(employee.confirmSlip, { slip_id, version, hash: viewed, signature: 'M1 1L2 2' })
      else await caller.must(employee.feedbackSlip, { slip_id, content: word })
    }
    const second = await paid([current, twin], { title: '十一月工资', month: '2026-11', rules: { feedback: true } })
    const me = await world.signIn(current)
    await me.must(employee.feedbackSlip, { slip_id: second.slips[0] ?? '', content: '=HYPERLINK("本人问")' })
    await payroll.must(slip.getSalary, { salary_id: slips[1] ?? '' })
    await payroll.must(slip.getSalary, { salary_id: slips[0] ?? '' })
    const copy = await getCopy(me)
    expect(copy.file_name).toMatch(/^我的资料-\d{4}-\d\d-\d\d\.zip$/)
    expect(copy.slips).toBe(2)
    expect(copy.data.times).toMatchObject([{ employee_no: 'MINE-77', id_card: '110101199003077715', departments: ['=实验室'] }])
    expect(copy.data.changes.length).toBeGreaterThan(0)
    expect(copy.data.slips).toMatchObject([
      {
        title: '十月工资',
        status: 'confirmed',
        signature: 'M1 1L2 2',
        receipt: expect.any(String),
        slip: { net: { fen: getNet(2) } },
      },
      { title: '十一月工资', questions: [{ content: '=HYPERLINK("本人问")' }] },
    ])
    expect(copy.data.told).toHaveLength(2)
    expect(copy.data.looks.map((one: { kind: string }) => one.kind)).toEqual(['slip'])
    expect(copy.data.sessions.length).toBe((await me.must(getSessionList)).list.length)
    // The spreadsheet has the same value.
    const money = copy.rows.find(([, , item]) => item === '实发工资')
    expect(money?.[3]).toBe(getNet(2) / 100)
    expect(copy.rows.some(([kind, , item, value]) => kind === '任职' && item === '工号' && value === 'MINE-77')).toBe(true)
    // Values that start like a formula are text for another reader as well.
    expect([...(copy.sheet?.cells?.values() ?? [])].filter((cell) => 'formula' in cell && cell.formula)).toEqual([])
    expect(copy.data.tax_deductions).toMatchObject([{ kind: 'elderly', whose: '=我的母亲' }])
    expect(copy.rows.some(([kind, , item]) => kind === '专项附加扣除' && String(item).includes('=我的母亲'))).toBe(true)
    const canaries = [
      '孪生的母亲',
      'TWIN-88',
      '11010519491231002X',
      twin.mobile,
      twin.member_id,
      twin.account_id,
      slips[1] ?? '?',
      second.slips[1] ?? '?',
      '孪生的问题',
      String(getNet(3)),
      (getNet(3) / 100).toFixed(2),
    ]
    expect(canaries.filter((one) => copy.both.includes(one))).toEqual([])
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select(['outcome', 'details']).where('call', '=', own.exportOwnData.route).execute(),
    )
    expect(lines).toEqual([{ outcome: 'done', details: { slips: 2 } }])
  })

  it('withholds closed payslips and those that close after opening, omits withdrawn ones, and does not count as a first view', async () => {
    const current = await withPassword(await corp.person())
    const burning = await paid([current], { title: '会关闭', rules: { burn_after_minutes: 5 } })
    const closed = await paid([current], { title: '已关闭', rules: { burn_after_minutes: 5 } })
    const plain = await paid([current], { title: '普通' })
    const removed = await paid([current], { title: '撤回的' })
    await payroll.must(slip.withdrawSingleSalary, { salary_id: removed.slips[0] ?? '' })
    const me = await world.signIn(current)
    await me.must(employee.getSlip, { slip_id: closed.slips[0] ?? '', confirm_open: true })
    world.clock.advance(6 * 60_000)
    const { data } = await getCopy(me)
    expect(data.slips.map((one: Record<string, unknown>) => [one.title, one.slip === null, one.withheld])).toEqual([
      ['会关闭', true, expect.stringContaining('打开后会自动关闭')],
      ['已关闭', true, expect.stringContaining('阅后即焚')],
      ['普通', false, null],
    ])
    for (const { batch_id } of [burning, plain])
      expect(await salaries(world, corp, batch_id)).toMatchObject([{ status: 'sent', viewed_at: null }])
  })

  it('offers the export of own data to a terminated employee after a code, as long as the company allows reading', async () => {
    const current = await withPassword(await corp.person({ name: '老赵' }))
    await paid([current])
    world.clock.advance(1000)
    await head.must(member.clearMember, { id: current.member_id })
    const browser = createClient(world)
    await browser.call(account.login, { phone: current.mobile, password: secret })
    expect((await browser.call(own.exportOwnData)).code).toBe(view_locked.code)
    world.clock.advance(61_000)
    const before = await codesSent(world, current.mobile)
    const { sms } = (await browser.call(account.getVerifyCode, { type: 'view' })).data
    await browser.call(employee.unlock, { sms, code: await lastCode(world, current.mobile, before) })
    expect((await browser.call(own.exportOwnData)).data.slips).toBe(1)
    await payroll.must(slip.setTerminatedAccess, { months: 0 })
    expect((await browser.call(own.exportOwnData)).code).toBe(errorCodes.signed_out.code)
  })

  it('includes invitations in the export, limits it to ten requests an hour, and keeps one file', async () => {
    const current = await withPassword(await corp.person())
    const before = await corp.person({ joined: false })
    await head.must(sendInviteCode, { member_ids: [before.member_id] })
    // The earlier row belongs to the employee who joined with it.
    await world.database.inCompany(corp.company_id, async (tx) => {
      await tx.updateTable('invite').set({ member_id: current.member_id }).where('member_id', '=', before.member_id).execute()
    })
    const me = await world.signIn(current)
    const { data } = await getCopy(me)
    expect(data.invites).toMatchObject([{ channel: 'sms', mobile: before.mobile, used_at: null }])
    for (let at = 1; at < 10; at += 1) await me.must(own.exportOwnData)
    expect((await me.call(own.exportOwnData)).code).toBe(too_often.code)
    const files = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('file').select('id').where('account_id', '=', current.account_id).execute(),
    )
    expect(files).toHaveLength(1)
  })
})

describe('number of queries', () => {
  it('takes as many queries for a page of payslips as for one', async () => {
    const [few, many] = [await withPassword(await corp.person()), await withPassword(await corp.person())]
    await paid([few, many])
    for (let at = 1; at < 4; at += 1) await paid([many], { title: `第 ${at} 批`, month: `2026-0${at}` })
    const request = async (person: Person) => {
      const me = await world.signIn(person)
      await me.must(employee.unlock, { password: secret })
      return (await getStatements(() => me.must(own.exportOwnData))).length
    }
    const one = await request(few)
    expect(one).toBeGreaterThan(10)
    expect(await request(many)).toBe(one)
  })
})
