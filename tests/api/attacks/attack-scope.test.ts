/**
 * A payroll administrator whose scope was reduced, one of a single department who tries company-wide settings, and an
 * upload that outlives its session.
 */
import { Readable } from 'node:stream'
import { readXlsx } from 'hucre'
import { describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import type { Call } from '../../../server/contract/call.ts'
import * as company from '../../../server/contract/company/company.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import { allCalls } from '../../../server/contract/index.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { getAccessLog } from '../../../server/contract/payslips/employee-data.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import * as tax from '../../../server/contract/tax/periods.ts'
import { newId } from '../../../server/shared/ids.ts'
import { anonymous, examples, type Ids, idsOfNothing } from '../../contract/examples.ts'
import { demoWorld } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { book, getUpload } from '../../support/office.ts'
import { getNet, makeBatch, salaries, send } from '../../support/slips.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

const world = demoWorld(true)
const { not_found, not_permitted, signed_out } = errorCodes

/**
 * Creates a payroll administrator of two departments with one member each, and a function that removes one department
 * from the scope.
 */
async function twoDepartments() {
  const corp = await world.createCompany()
  const [stored, lost] = [await corp.department('甲部'), await corp.department('乙部')]
  const head = await world.signIn(await corp.person({ power: ['4'] }))
  const clerk = await corp.person({ power: ['2'], scope: { all: false, department_ids: [stored, lost] } })
  const current = await corp.person({ name: '留下的甲', department_ids: [stored] })
  const theirs = await corp.person({ name: '失去的乙', department_ids: [lost] })
  const cut = async (): Promise<Caller> => {
    await head.must(role.editUserScope, { user_id: clerk.admin_id ?? '', scope: { all: false, department_ids: [stored] } })
    return world.signIn(clerk)
  }
  return { corp, stored, lost, head, clerk, current, theirs, cut }
}

/** Sends a batch of the payroll administrator; then removes the department. */
async function cutScope() {
  const opened = await twoDepartments()
  const { corp, clerk, current, theirs } = opened
  const before = await world.signIn(clerk)
  const batch_id = await makeBatch(world, clerk, [current, theirs], { month: '2026-10' })
  const { plan } = await send(before, batch_id, ['sms'])
  await world.product.jobs.drain()
  const [a, b] = (await salaries(world, corp, batch_id)).map((one) => one.id) as [string, string]
  const person = await world.signIn(theirs)
  await person.must(employee.feedbackSlip, { slip_id: b, content: '加班费怎么算的' })
  await before.must(slip.editSalaryDetail, { salary_id: b, cells: [{ key: 'c4', value: '7654.32' }], reason: '更正' })
  const thread = (await before.must(feedback.getFeedBackList, {})).list[0]?.id ?? ''
  const { job_id } = await before.must(slip.exportWageDetail, { batch_id, what: 'detail' })
  await world.product.jobs.drain()
  const { period_id } = await before.must(tax.createPeriod, { month: '2026-10' })
  await before.must(tax.saveIncome, { period_id, from: { batch_id } })
  const after = await opened.cut()
  return { ...opened, period_id, before, after, person, batch_id, plan, a, b, thread, job_id }
}
const secrets = (text: string) =>
  ['7654.32', '765432', `${getNet(3)}`, (getNet(3) / 100).toFixed(2), '加班费'].filter((one) => text.includes(one))

describe('reduced scope', () => {
  it('hides payslips of the removed department in every call and prevents changes to them', async () => {
    const { period_id, corp, after, theirs, batch_id, plan, b, thread, job_id, lost } = await cutScope()
    const { title_id, file_id } = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('batch').select(['title_id', 'file_id']).where('id', '=', batch_id).executeTakeFirstOrThrow(),
    )
    const ids: Ids = {
      ...idsOfNothing,
      batch_id,
      draft_id: batch_id,
      salary_id: b,
      plan_id: plan.plan_id,
      member_id: theirs.member_id,
      other_member_id: theirs.member_id,
      department_id: lost,
      feedback_id: thread,
      title_id: title_id ?? anonymous,
      job_id,
      file_id: file_id ?? anonymous,
      corp_id: corp.company_id,
      period_id,
      row: 3,
    }
    const before = JSON.stringify((await salaries(world, corp, batch_id))[1])
    const leaks: string[] = []
    for (const call of allCalls) {
      if (/logout|selectCorp|withdrawBatch|endSession|updatePassword|setEarlyPassword/.test(call.route)) continue
      const answer = await after.call(call, examples[call.route]?.(ids) ?? {})
      const matches = secrets(JSON.stringify(answer.data ?? {}))
      if (matches.length > 0) leaks.push(`${call.route}: ${matches.join()}`)
    }
    expect(leaks).toEqual([])
    expect(JSON.stringify((await salaries(world, corp, batch_id))[1])).toBe(before)
  })

  it('treats payslips of the removed department as nonexistent', async () => {
    const { after, person, batch_id, b, thread } = await cutScope()
    // The access log tells the employee who viewed the payslip; a refused attempt is not a view.
    const matches = async () => (await person.must(getAccessLog, { page: 1, pagesize: 50 })).list
    const before = await matches()
    const requested: [Call, object][] = [
      [slip.getSalary, { salary_id: b }],
      [slip.editSalaryDetail, { salary_id: b, cells: [{ key: 'c4', value: '1' }], reason: '试' }],
      [slip.withdrawSingleSalary, { salary_id: b }],
      [slip.sendSingle, { salary_id: b }],
      [slip.getSalaryModifyLog, { salary_id: b }],
      [sheet.getPreview, { batch_id, salary_id: b }],
      [feedback.getFeedBackDetail, { id: thread }],
      [feedback.handleFeedback, { id: thread, action: 'resolve', content: '' }],
    ]
    const codes = []
    for (const [call, input] of requested) codes.push([call.name, (await after.call(call, input)).code])
    expect(codes).toEqual(requested.map(([call]) => [call.name, not_found.code]))
    expect(await matches()).toEqual(before)
    expect(await after.call(sheet.getSheetGrid, { batch_id, from: 1, count: 50 })).toMatchObject({ code: not_permitted.code })
  })

  it('counts, lists, exports, reminds and withdraws only the remaining payslips', async () => {
    const { corp, after, person, batch_id, a, b } = await cutScope()
    const detail = await after.must(slip.getWageDetail, { batch_id })
    expect([detail.list.map((one) => one.salary_id), detail.page.total, detail.batch.counts.total]).toEqual([[a], 1, 1])
    expect(await after.must(slip.getSendInfo, { batch_id })).toMatchObject({ total: 1, sent: 1 })
    expect((await after.must(slip.getWageList, {})).list[0]).toMatchObject({ people: 1, sent: 1, feedback: 0 })
    expect((await after.must(feedback.getFeedBackList, {})).page.total).toBe(0)
    expect((await after.must(slip.getSalaryModifyLog, { batch_id })).page.total).toBe(0)
    expect((await after.must(company.getIndex)).trend).toMatchObject([{ month: '2026-10', people: 1, net_fen: null }])
    expect(await after.must(slip.sendBatch, { batch_id, only: 'unviewed' })).toMatchObject({ queued: 1 })

    const { job_id } = await after.must(slip.exportWageDetail, { batch_id, what: 'detail' })
    await world.product.jobs.drain()
    const { oss_path } = await after.must(slip.getExportStatus, { job_id })
    const { data } = await after.call(fileCalls.download, { oss_path: oss_path ?? '' })
    const book = JSON.stringify((await readXlsx(data as never)).sheets[0]?.rows)
    expect([book.includes('留下的甲'), book.includes('失去的乙'), secrets(book)]).toEqual([true, false, []])

    expect(await after.must(slip.withdrawBatchPaySheet, { batch_id })).toMatchObject({ withdrawn: 1 })
    expect((await salaries(world, corp, batch_id)).map((one) => one.status)).toEqual(['withdrawn', 'sent'])
    expect((await person.must(employee.getSlip, { slip_id: b })).version).toBe(2)
  })

  it('sends no reminder to a named employee of the removed department', async () => {
    const { corp, clerk, current, theirs, cut } = await twoDepartments()
    const batch_id = await makeBatch(world, clerk, [current, theirs])
    await send(await world.signIn(clerk), batch_id, ['sms'])
    await world.product.jobs.drain()
    const salary_ids = (await salaries(world, corp, batch_id)).map((one) => one.id)
    const after = await cut()
    expect(await after.must(slip.sendBatch, { batch_id, only: 'unviewed', salary_ids })).toMatchObject({ queued: 1 })
    await world.product.jobs.drain()
    const notified = (await world.outbox()).filter(({ mobile }) => mobile === theirs.mobile)
    expect(notified).toHaveLength(1)
  })

  it('refuses a file that was created with the larger scope before the reduction', async () => {
    const { after, job_id } = await cutScope()
    const status = await after.call(slip.getExportStatus, { job_id })
    const answer = await after.call(fileCalls.download, { oss_path: status.data.oss_path ?? 'x'.repeat(43) })
    expect(answer.code).toBe(not_found.code)
  })

  it('refuses to send a plan that was frozen with the larger scope', async () => {
    const { corp, clerk, current, theirs, cut } = await twoDepartments()
    const batch_id = await makeBatch(world, clerk, [current, theirs])
    const plan = await (await world.signIn(clerk)).must(slip.sendPaySheet, { batch_id })
    const answer = await (await cut()).call(slip.doSend, { plan_id: plan.plan_id, looked: true })
    expect(answer).toMatchObject({ code: errorCodes.wrong_state.code, message: expect.stringContaining('您已不管理的部门') })
    expect((await salaries(world, corp, batch_id)).map((one) => one.status)).toEqual(['waiting', 'waiting'])
  })

  it('restores access when the department is granted again, and lets a company-wide administrator always see everything', async () => {
    const { head, clerk, batch_id, lost, stored } = await cutScope()
    expect((await head.must(slip.getWageDetail, { batch_id })).page.total).toBe(2)
    await head.must(role.editUserScope, { user_id: clerk.admin_id ?? '', scope: { all: false, department_ids: [stored, lost] } })
    const again = await world.signIn(clerk)
    expect((await again.must(slip.getWageDetail, { batch_id })).page.total).toBe(2)
    expect((await again.call(sheet.getSheetGrid, { batch_id, from: 1, count: 5 })).code).not.toBe(not_permitted.code)
  })
})

describe('wage sheet draft', () => {
  /**
   * Uploads and checks a wage sheet of two departments as their payroll administrator, and shares it with a colleague
   * of one department.
   */
  async function drafted() {
    const corp = await world.createCompany()
    const [stored, lost] = [await corp.department('甲部'), await corp.department('乙部')]
    const below = await corp.department('乙部一组', lost)
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const clerk = await corp.person({ power: ['2'], scope: { all: false, department_ids: [stored, lost] } })
    const narrow = await corp.person({ power: ['2'], scope: { all: false, department_ids: [stored] } })
    const people = [
      await corp.person({ name: '留下的甲', department_ids: [stored] }),
      await corp.person({ name: '失去的乙', department_ids: [below] }),
    ]
    const caller = await world.signIn(clerk)
    const rows = people.map((one, at) => [one.name, one.mobile, 7654.32 + at, 7654.32 + at])
    const { batch_id } = await getUpload(caller, book(['姓名', '手机号', '基本工资', '实发工资'], rows))
    const { title_id } = await caller.must(sheet.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
    await caller.must(sheet.checkWageData, { batch_id })
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .insertInto('title_share')
        .values({ company_id: corp.company_id, id: newId(), title_id, admin_id: narrow.admin_id ?? '', rights: 'manage' })
        .execute(),
    )
    const [member_id = ''] = people.slice(1).map((one) => one.member_id)
    return { corp, head, clerk, caller, narrow, batch_id, title_id, member_id, stored, lost, below }
  }
  /** Returns what any call reveals of the row of the removed department when called with the ids of this draft. */
  async function getLeaks(
    who: Caller,
    { corp, batch_id, title_id, member_id, lost }: Awaited<ReturnType<typeof drafted>>,
  ): Promise<string[]> {
    const ids: Ids = {
      ...idsOfNothing,
      batch_id,
      draft_id: batch_id,
      member_id,
      other_member_id: member_id,
      department_id: lost,
      title_id,
      corp_id: corp.company_id,
      row: 3,
    }
    const leaks: string[] = []
    for (const call of allCalls) {
      const input = examples[call.route]?.(ids) ?? {}
      // Calls only what concerns this draft; deleting it comes last.
      if (!JSON.stringify(input).includes(batch_id) || call.route.includes('clearBatchTitle')) continue
      const answer = await who.call(call, input)
      if (/7655.32|765532/.test(JSON.stringify(answer.data ?? {}))) leaks.push(call.route)
    }
    return leaks
  }

  it('hides draft rows of a department outside the scope while there are no payslips yet', async () => {
    const draft = await drafted()
    const { head, clerk, narrow, batch_id, stored, lost } = draft
    expect((await getLeaks(draft.caller, draft)).length).toBeGreaterThan(3)
    expect(await getLeaks(await world.signIn(narrow), draft)).toEqual([])
    const getScope = (department_ids: string[]) =>
      head.must(role.editUserScope, { user_id: clerk.admin_id ?? '', scope: { all: false, department_ids } })
    await getScope([stored])
    const after = await world.signIn(clerk)
    expect(await getLeaks(after, draft)).toEqual([])
    const refused = await after.call(sheet.getSheetGrid, { batch_id, from: 1, count: 50 })
    expect(refused).toMatchObject({ code: not_permitted.code, message: expect.stringContaining('重新上传') })
    // The draft rows return together with the department.
    await getScope([stored, lost])
    const back = await world.signIn(clerk)
    expect(JSON.stringify(await back.must(sheet.getSheetGrid, { batch_id, from: 1, count: 50 }))).toContain('失去的乙')
  })

  it('keeps a draft with its members when their department is deleted, and does not open it to everybody', async () => {
    const draft = await drafted()
    const { corp, head, clerk, narrow, batch_id, stored, lost, below } = draft
    await head.must(role.editUserScope, { user_id: clerk.admin_id ?? '', scope: { all: false, department_ids: [stored] } })
    await head.must(member.clearDepartment, { id: below, move_to: lost })
    await head.must(member.clearDepartment, { id: lost, move_to: corp.root_id })
    for (const who of [clerk, narrow]) {
      const caller = await world.signIn(who)
      expect(await getLeaks(caller, draft)).toEqual([])
      expect((await caller.call(sheet.getSheetGrid, { batch_id, from: 1, count: 50 })).code).toBe(not_permitted.code)
    }
    await head.must(role.editUserScope, { user_id: clerk.admin_id ?? '', scope: { all: false, department_ids: [corp.root_id] } })
    const back = await world.signIn(clerk)
    expect(JSON.stringify(await back.must(sheet.getSheetGrid, { batch_id, from: 1, count: 50 }))).toContain('失去的乙')
  })

  it('allows deleting a draft after the scope was reduced, and shows a new upload to its uploader', async () => {
    const { head, clerk, batch_id, stored } = await drafted()
    await head.must(role.editUserScope, { user_id: clerk.admin_id ?? '', scope: { all: false, department_ids: [stored] } })
    const after = await world.signIn(clerk)
    await after.must(sheet.clearBatchTitle, { batch_id })
    const fresh = await getUpload(after, book(['姓名', '手机号', '实发工资'], [['留下的甲', '13900001111', 5000]]))
    expect((await after.must(sheet.getSheetGrid, { batch_id: fresh.batch_id, from: 1, count: 9 })).rows).toHaveLength(2)
  })
})

describe('company-wide settings', () => {
  it('refuses changes of company-wide settings, including report recipients, by a payroll administrator of one department', async () => {
    const corp = await world.createCompany()
    const kitchen = await corp.department('后厨')
    const clerk = await corp.person({ power: ['2'], scope: { all: false, department_ids: [kitchen] } })
    const [limited, full] = [await world.signIn(clerk), await world.signIn(await corp.person({ power: ['2'] }))]
    const changes: [Call, object][] = [
      [invite.resetQrCode, {}],
      [slip.setFeedback, { status: false }],
      [slip.setConfirm, { status: false }],
      [slip.setConfirmRule, { auto_confirm_days: 1 }],
      [slip.setConfirmRule, { remind_day: 3 }],
      [slip.clearConfirmRule, { remind_day: 3 }],
      [slip.setSendRule, { sms: false }],
      [slip.setSendRule, { remind_member: clerk.member_id }],
      [slip.clearSendRule, { remind_member: clerk.member_id }],
    ]
    const stored = await full.must(slip.getWageSettings)
    for (const [call, input] of changes)
      expect([call.name, (await limited.call(call, input as never)).code]).toEqual([call.name, not_permitted.code])
    expect(await full.must(slip.getWageSettings)).toEqual(stored)
    // The administrators can read the settings, because their plans depend on them.
    expect(await limited.must(slip.getWageSettings)).toEqual({ ...stored, can_edit: false })
    expect(stored.can_edit).toBe(true)
    await full.must(slip.setSendRule, { remind_member: clerk.member_id })
    expect((await full.must(slip.getWageSettings)).send_rule.remind_members).toHaveLength(1)
  })
})

describe('interrupted authority during an upload', () => {
  /** Sends the form in two halves; `between` runs after the server received the first. */
  async function uploaded(corp: Corp, caller: Caller, people: Person[], between: () => Promise<unknown>) {
    const boundary = '----halves'
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\ncontent-type: application/octet-stream\r\n\r\n`
    const bytes = Buffer.concat([Buffer.from(head), demoWageSheet(people), Buffer.from(`\r\n--${boundary}--\r\n`)])
    async function* halves() {
      yield bytes.subarray(0, 600)
      await between()
      yield bytes.subarray(600)
    }
    const answer = await world.product.app.inject({
      method: 'POST',
      url: sheet.uploadWageExcel.path,
      headers: {
        ...caller.headers,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(bytes.length),
      },
      payload: Readable.from(halves()),
    })
    const { count } = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('batch')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    )
    return [answer.json<{ error_code: number }>().error_code, Number(count)]
  }

  it('refuses an upload at its end and stores nothing if the session was ended or the password changed meanwhile', async () => {
    const corp = await world.createCompany()
    const people = await corp.people(5)
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const clerk = await corp.person({ power: ['2'] })
    const kick = () => head.must(role.endUserSessions, { user_id: clerk.admin_id ?? '' })
    expect(await uploaded(corp, await world.signIn(clerk), people, kick)).toEqual([signed_out.code, 0])
    const password = () =>
      world.database.withoutCompany((tx) =>
        tx
          .updateTable('account')
          .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
          .where('id', '=', clerk.account_id)
          .execute(),
      )
    expect(await uploaded(corp, await world.signIn(clerk), people, password)).toEqual([signed_out.code, 0])
    expect(await uploaded(corp, await world.signIn(clerk), people, async () => undefined)).toEqual([0, 1])
  })
})
