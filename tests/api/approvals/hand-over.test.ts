/** The transfer of payroll authority: what moves, what stays, and simultaneous actions. Refusals first. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import * as roles from '../../../server/contract/access/administrators.ts'
import type { Power } from '../../../server/contract/access.ts'
import * as contract from '../../../server/contract/approvals/approvals.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as desk from '../../../server/contract/notifications/notifications.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { openTitle } from '../../../server/modules/sheets/display/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { trial } from '../../support/run/trial.ts'
import { makeBatch, salaries, send, sender, untilStopped } from '../../support/slips.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

const world = demoWorld(true)

const { not_found, not_permitted, wrong_state, signed_out, transferred } = errorCodes
const getId = (person: Person) => person.admin_id ?? ''
const transfer = (caller: Caller, from: Person, to: { member_id: string }) =>
  caller.call(contract.transferManagerBySystemManager, { id: getId(from), member_id: to.member_id })

type Scene = { corp: Corp; heads: Caller; from: Person; own: Caller; to: Person }
async function scene(power: Power[] = ['2'], to_power?: Power[]): Promise<Scene> {
  const corp = await world.createCompany()
  const heads = await world.signIn(await corp.person({ name: '沈知遥', power: ['4'] }))
  const from = await corp.person({ name: '江望舒', power })
  const to = await corp.person({ name: '许清扬', ...(to_power ? { power: to_power } : {}) })
  return { corp, heads, from, own: await world.signIn(from), to }
}
const getAdmins = (corp: Corp) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('admin').select(['id', 'member_id', 'power', 'scope_all']).orderBy('id').execute(),
  )
const getRights = async (corp: Corp, person: Person) => (await getAdmins(corp)).find((one) => one.member_id === person.member_id)
/** Returns title, month, kind and file names of the batches, with the owner's member id. */
const getRuns = (corp: Corp) =>
  world.database.inCompany(corp.company_id, async (tx) => {
    const { rows } = await sql<{
      id: string
      title_id: string | null
      title: Buffer | null
      title_owner: string | null
      owner: string
    }>`
      select batch.id, title.id as title_id, title.name as title, of_title.member_id as title_owner, of_batch.member_id as owner
      from batch left join title on title.company_id = batch.company_id and title.id = batch.title_id
      left join admin as of_title on of_title.company_id = title.company_id and of_title.id = title.owner_id
      join admin as of_batch on of_batch.company_id = batch.company_id and of_batch.id = batch.owner_id
      order by batch.id`.execute(tx)
    const vault = await world.secrets.vault(tx, corp.company_id)
    return rows.map(({ title_id, title, ...row }) => ({ ...row, title: openTitle(vault, title_id, title) }))
  })
const share = (corp: Corp, batch_id: string, admin_id: string, rights: 'view' | 'manage') =>
  world.database.inCompany(corp.company_id, (tx) =>
    sql`insert into title_share (company_id, id, title_id, admin_id, rights)
      select company_id, ${newId()}, title_id, ${admin_id}, ${rights} from batch where id = ${batch_id}`.execute(tx),
  )
const getShares = (corp: Corp) =>
  world.database.inCompany(corp.company_id, async (tx) => {
    const { rows } = await sql<{ title_id: string; title: Buffer; admin_id: string; rights: string }>`
      select title.id as title_id, title.name as title, title_share.admin_id, rights from title_share join title on title.id = title_share.title_id
      order by title_share.admin_id`.execute(tx)
    const vault = await world.secrets.vault(tx, corp.company_id)
    const shares = rows.map(({ title_id, title, ...row }) => ({ title: openTitle(vault, title_id, title) ?? '', ...row }))
    return shares.toSorted((one, other) => (one.title < other.title ? -1 : one.title > other.title ? 1 : 0))
  })

describe('refused transfer', () => {
  it('refuses a transfer by anyone but the system manager, to oneself, to or from strangers, and without any authority', async () => {
    const { corp, heads, from, own, to } = await scene()
    const boss = await world.signIn(await corp.person({ power: ['1'] }))
    expect((await transfer(own, from, to)).code).toBe(not_permitted.code)
    expect((await transfer(boss, from, to)).code).toBe(not_permitted.code)
    const other = await world.createCompany()
    const outsider = await other.person({ power: ['2'] })
    expect((await transfer(heads, outsider, to)).code).toBe(not_found.code)
    expect((await transfer(heads, from, outsider)).code).toBe(not_found.code)
    expect(await transfer(heads, from, from)).toMatchObject({ code: wrong_state.code, data: { status: 'self' } })
    expect(await transfer(heads, from, await corp.person({ joined: false }))).toMatchObject({ code: wrong_state.code })
    const people = await corp.person({ name: '苏砚清', power: ['3'] })
    expect(await transfer(heads, people, to)).toMatchObject({
      code: wrong_state.code,
      message: '苏砚清 没有薪酬管理权限，也没有工资记录，无需移交',
    })
    expect((await heads.call(contract.getSystemManagerTransferInfo, { id: getId(people) })).code).toBe(not_found.code)
    expect((await heads.call(contract.getSystemManagerTransferInfo, { id: getId(outsider) })).code).toBe(not_found.code)
    expect((await own.must(account.getCurrentUser)).power).toEqual(['2'])
    expect(await getRights(corp, to)).toBeUndefined()
  })
})

describe('transferred authority', () => {
  it("moves power, scope and batches, keeps the former administrator's other powers with their scope, and ends their sessions as transferred", async () => {
    const corp = await world.createCompany()
    const [sales, lab] = [await corp.department('销售部'), await corp.department('研发部')]
    const heads = await world.signIn(await corp.person({ power: ['4'] }))
    const from = await corp.person({ name: '江望舒', power: ['2', '3'], scope: { all: false, department_ids: [sales] } })
    const to = await corp.person({ name: '许清扬', power: ['3'], scope: { all: false, department_ids: [lab] } })
    const batch_id = await makeBatch(world, from, await corp.people(2), { title: '10月工资' })
    const tabs = await Promise.all([world.signIn(from), world.signIn(from)])
    const next = await world.signIn(to)
    expect(await heads.must(contract.getSystemManagerTransferInfo, { id: getId(from) })).toEqual({
      user_id: from.admin_id,
      name: '江望舒',
      scope: { all: false, departments: ['销售部'] },
      batches: 1,
      shares: 0,
      to: null,
    })
    expect((await transfer(heads, from, to)).data).toEqual({ batches: 1 })
    for (const tab of tabs)
      expect(await tab.call(account.getCurrentUser)).toMatchObject({ code: transferred.code, message: '移交成功' })
    // The administrator may sign in again with the remaining powers.
    const again = await world.signIn(from)
    expect((await again.must(account.getCurrentUser)).power).toEqual(['3'])
    expect((await again.call(slip.getWageDetail, { batch_id })).code).toBe(not_permitted.code)
    expect((await next.must(account.getCurrentUser)).power).toEqual(['2', '3'])
    const { list } = await heads.must(roles.getUserList, { name: '许清扬' })
    expect(list[0]?.scope.departments.sort()).toEqual(['研发部', '销售部'])
    expect((await heads.must(roles.getUserList, { name: '江望舒' })).list[0]).toMatchObject({
      power: ['3'],
      scope: { departments: ['销售部'] },
      batches: 0,
    })
    expect((await next.must(slip.getWageDetail, { batch_id })).page.total).toBe(0)
    expect(await getRuns(corp)).toEqual([{ id: batch_id, title: '10月工资', title_owner: to.member_id, owner: to.member_id }])
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('audit_log_entry')
        .select(['outcome', 'details'])
        .where('call', '=', contract.transferManagerBySystemManager.route)
        .execute(),
    )
    expect(lines).toEqual([
      {
        outcome: 'done',
        details: expect.objectContaining({ from_user_id: from.admin_id, to_user_id: to.admin_id, batches: 1, shares: 0 }),
      },
    ])
  })

  it('transfers authority to a member who was no administrator, and leaves the former row without any power', async () => {
    const { corp, heads, from, to } = await scene()
    await transfer(heads, from, to)
    expect(await getRights(corp, from)).toMatchObject({ power: [], scope_all: false })
    expect(await getRights(corp, to)).toMatchObject({ power: ['2'], scope_all: true })
    expect((await (await world.signIn(from)).call(account.getCurrentUser)).code).toBe(not_permitted.code)
    // They remain an employee.
    expect((await (await world.signIn(from)).call(employee.getCurrentEmployee)).code).toBe(0)
  })

  it('transfers the pay runs of an administrator whose power was revoked earlier, without a sign-out', async () => {
    const { corp, heads, from, to } = await scene(['2', '3'])
    await makeBatch(world, from, await corp.people(1))
    await heads.must(roles.clearRole, { user_id: getId(from), power: '2' })
    const own = await world.signIn(from)
    expect((await transfer(heads, from, to)).data).toEqual({ batches: 1 })
    expect((await own.must(account.getCurrentUser)).power).toEqual(['3'])
  })

  it('merges titles of the same name and month if nobody gains access, and renames them otherwise', async () => {
    const { corp, heads, from, to } = await scene(['2'], ['2'])
    const reader = await corp.person({ power: ['2'] })
    const people = await corp.people(1)
    const same = { title: '10月工资', month: '2026-10' }
    const both = [await makeBatch(world, from, people, same), await makeBatch(world, to, people, same)]
    const nine = { title: '9月工资', month: '2026-09' }
    const split = [await makeBatch(world, from, people, nine), await makeBatch(world, to, people, nine)]
    await share(corp, split[1] as string, getId(reader), 'view')
    const other_month = await makeBatch(world, from, people, { title: '10月工资', month: '2025-10' })
    expect((await transfer(heads, from, to)).data).toEqual({ batches: 3 })
    const runs = await getRuns(corp)
    expect(runs).toHaveLength(5)
    for (const run of runs) expect([run.owner, run.title_owner]).toEqual([to.member_id, to.member_id])
    const getTitle = (id: string | undefined) => runs.find((run) => run.id === id)?.title
    expect(both.map(getTitle)).toEqual(['10月工资', '10月工资'])
    expect(split.map(getTitle)).toEqual(['9月工资（移交自江望舒）', '9月工资'])
    expect(getTitle(other_month)).toBe('10月工资')
    const reads = await world.signIn(reader)
    expect((await reads.call(slip.getWageDetail, { batch_id: split[1] as string })).code).toBe(0)
    expect((await reads.call(slip.getWageDetail, { batch_id: split[0] as string })).code).toBe(not_found.code)
    // A second title with the same batches gets a number.
    const third = await corp.person({ name: '江望舒', power: ['2'] })
    const last = await makeBatch(world, third, people, nine)
    await transfer(heads, third, to)
    expect((await getRuns(corp)).find((run) => run.id === last)?.title).toBe('9月工资（移交自江望舒 2）')
  })

  it('keeps the stronger right of shared titles and shares nothing with its owner', async () => {
    const { corp, heads, from, to } = await scene(['2'], ['2'])
    const third = await corp.person({ power: ['2'] })
    const people = await corp.people(1)
    const batch = (owner: Person, title: string) => makeBatch(world, owner, people, { title })
    const [a, b, c, d, e] = [
      await batch(third, 'a 只给了原管理员'),
      await batch(third, 'b 两人都有，原管理员的更强'),
      await batch(third, 'c 两人都有，新管理员的更强'),
      await batch(from, 'd 原管理员给了新管理员'),
      await batch(to, 'e 新管理员给了原管理员'),
    ] as [string, string, string, string, string]
    await share(corp, a, getId(from), 'view')
    await share(corp, b, getId(from), 'manage')
    await share(corp, b, getId(to), 'view')
    await share(corp, c, getId(from), 'view')
    await share(corp, c, getId(to), 'manage')
    await share(corp, d, getId(to), 'view')
    await share(corp, d, getId(third), 'view')
    await share(corp, e, getId(from), 'manage')
    expect((await heads.must(contract.getSystemManagerTransferInfo, { id: getId(from) })).shares).toBe(4)
    await transfer(heads, from, to)
    expect(await getShares(corp)).toEqual([
      { title: 'a 只给了原管理员', admin_id: to.admin_id, rights: 'view' },
      { title: 'b 两人都有，原管理员的更强', admin_id: to.admin_id, rights: 'manage' },
      { title: 'c 两人都有，新管理员的更强', admin_id: to.admin_id, rights: 'manage' },
      { title: 'd 原管理员给了新管理员', admin_id: third.admin_id, rights: 'view' },
    ])
  })

  it("clears the former administrator's wizard state and moves notifications about the pay runs", async () => {
    const { corp, heads, from, own, to } = await scene(['2', '3'])
    const batch_id = await makeBatch(world, from, [await corp.person({ name: '收款人' })])
    await own.must(sheet.insertCache, { wizard: { step: 'check', batch_id } })
    await send(own, batch_id)
    await world.product.jobs.drain()
    expect((await own.must(desk.getNotificationList)).list.map((one) => one.kind)).toEqual(['sent'])
    await transfer(heads, from, to)
    const next = await world.signIn(to)
    expect((await next.must(desk.getNotificationList)).list.map((one) => one.kind).sort()).toEqual(['role', 'sent'])
    const again = await world.signIn(from)
    expect((await again.must(desk.getNotificationList)).list.map((one) => one.text)).toEqual([
      '您的薪酬管理权限已移交给 许清扬，包括 1 批工资记录',
    ])
    const wizards = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('wizard').selectAll().execute())
    expect(wizards).toEqual([])
  })

  it('keeps scheduled sends and routes feedback about them to the new owner', async () => {
    const { corp, heads, from, own, to } = await scene()
    const reader = await corp.person({ name: '收款人' })
    const batch_id = await makeBatch(world, from, [reader])
    const before = world.clock.now()
    const when = new Date(before.getTime() + 3_600_000).toISOString()
    await send(own, batch_id, ['sms'], { when })
    await transfer(heads, from, to)
    world.clock.advance(3_600_000)
    await sender(world, world.sms).send({ company_id: corp.company_id, batch_id }, untilStopped)
    const next = await world.signIn(to)
    expect((await salaries(world, corp, batch_id)).map((one) => one.status)).toEqual(['sent'])
    const his = await world.signIn(reader)
    const [current] = (await his.must(employee.getSlipList, {})).list
    await his.must(employee.feedbackSlip, { slip_id: current?.slip_id ?? '', content: '请核对绩效' })
    expect((await next.must(desk.getNotificationList)).list.map((one) => one.kind)).toEqual(
      expect.arrayContaining(['sent', 'feedback', 'role']),
    )
    world.clock.set(before)
  })

  it('approves the application that names the new owner and voids the others', async () => {
    const { corp, heads, from, own, to } = await scene()
    const { approval_no } = await own.must(contract.applyTransferWageManager, { member_id: to.member_id })
    await transfer(heads, from, to)
    const [first] = (await heads.must(contract.getApprovalList)).list
    expect(first).toMatchObject({ approval_no, status: 1, decided_by: '沈知遥' })
    const again = await world.signIn(to)
    await again.must(contract.applyTransferWageManager, { member_id: from.member_id })
    const somebody = await corp.person()
    await transfer(heads, { ...to, admin_id: (await getRights(corp, to))?.id ?? '' }, somebody)
    const [second] = (await heads.must(contract.getApprovalList)).list
    expect(second).toMatchObject({ status: 3, decided_by: null, reason: '薪酬管理权限已移交' })
  })
})

describe('simultaneous transfers', () => {
  const moments = { full: 60, sample: 3, of: 'hand-overs' }
  trial(
    'hand-over',
    'assigns every batch that the former administrator was uploading during a transfer to the new owner',
    moments,
    async ({ size }) => {
      for (let round = 0; round < size; round += 1) {
        const { corp, heads, from, own, to } = await scene()
        const file = { name: '工资.xlsx', bytes: demoWageSheet(await corp.people(3)) }
        const uploads = Array.from({ length: 3 }, () => own.call(sheet.uploadWageExcel, {}, { file }))
        // The next action starts at once, after the first response, or after all but one.
        const answered = round % 3
        if (answered > 0) await Promise.race(uploads)
        if (answered > 1) await Promise.race(uploads.map((one, at) => Promise.all([one, uploads[(at + 1) % 3]])))
        const moved = await transfer(heads, from, to)
        expect(moved.code).toBe(0)
        const answers = await Promise.all(uploads)
        const done = answers.filter((one) => one.code === 0)
        // The sessions end with the power: an upload that has not been admitted yet is refused.
        for (const { code, message } of answers)
          expect([0, not_permitted.code, transferred.code, signed_out.code], message).toContain(code)
        const runs = await getRuns(corp)
        expect(runs.map((run) => run.id).sort()).toEqual(done.map((one) => one.data.batch_id).sort())
        expect(runs.every((run) => run.owner === to.member_id)).toBe(true)
        expect(moved.data.batches).toBe(done.length)
      }
    },
  )

  it('neither lose a batch, send twice nor duplicate a title when transfers coincide with naming and sending', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { corp, heads, from, own, to } = await scene(['2'], ['2'])
      const people = await corp.people(5)
      const [going, ...drafts] = await Promise.all(Array.from({ length: 5 }, () => makeBatch(world, from, people)))
      await makeBatch(world, to, people, { title: '十月', month: '2026-10' })
      const plan = await own.must(slip.sendPaySheet, { batch_id: going as string, channels: ['sms'] })
      const [moved, sent, , ...named] = await Promise.all([
        transfer(heads, from, to),
        own.call(slip.doSend, { plan_id: plan.plan_id, looked: true }),
        world.product.jobs.drain(),
        ...drafts.map((batch_id) => own.call(sheet.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })),
      ])
      expect(moved.code).toBe(0)
      await world.product.jobs.drain()
      const fine = [0, not_found.code, not_permitted.code, transferred.code, signed_out.code]
      for (const one of [sent, ...named]) expect(fine).toContain(one.code)
      const runs = await getRuns(corp)
      expect(runs).toHaveLength(6)
      expect(runs.every((run) => run.owner === to.member_id && run.title_owner === to.member_id)).toBe(true)
      const messages = await world.database.withoutCompany((tx) =>
        tx
          .selectFrom('outbox')
          .select('mobile')
          .where(
            'mobile',
            'in',
            people.map((one) => one.mobile),
          )
          .execute(),
      )
      expect(messages).toHaveLength(sent.code === 0 ? people.length : 0)
    }
  })

  it('leave one owner with the power when transfers go to two members, back and forth, or in a ring', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { corp, heads, from, to } = await scene(['2'], ['2'])
      const second = await world.signIn(await corp.person({ power: ['4'] }))
      const third = await corp.person({ name: '第三人', power: ['2'] })
      for (const owner of [from, to, third]) await makeBatch(world, owner, await corp.people(1), { title: '十月' })
      const moves: [Person, Person][][] = [
        [
          [from, to],
          [from, third],
        ],
        [
          [from, to],
          [to, from],
        ],
        [
          [from, to],
          [to, third],
          [third, from],
        ],
      ]
      const answers = await Promise.all(
        (moves[round % 3] ?? []).map(([one, other], at) => transfer(at % 2 === 0 ? heads : second, one, other)),
      )
      for (const { code } of answers) expect([0, wrong_state.code]).toContain(code)
      expect(answers.some((one) => one.code === 0)).toBe(true)
      const runs = await getRuns(corp)
      expect(runs).toHaveLength(3)
      const holders = (await getAdmins(corp)).filter((one) => one.power.includes('2')).map((one) => one.member_id)
      for (const run of runs) {
        expect(holders).toContain(run.owner)
        expect(run.title_owner).toBe(run.owner)
      }
    }
  })
})
