/**
 * Attacks on access rights: sessions that should have ended, replayed responses, unreadable payslips, files fetched too
 * late.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Power } from '../../../server/contract/access.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import type { Call } from '../../../server/contract/call.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { getNet, makeBatch, salaries, send } from '../../support/slips.ts'
import { type Answer, type Caller, type Person } from '../../support/world.ts'

const { world, corp } = demo({ own: true })

const { signed_out, not_permitted, not_found, view_locked, invalid } = errorCodes
const first = '一个够长的旧密码'
const second = '另一个够长的密码'
async function withPassword(person: Person): Promise<Person> {
  const password_hash = await hashPassword(first)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
const getCaller = (answer: Answer<{ token: string | null }>): Caller => world.caller(answer.data.token ?? '', answer.cookies)
const signedIn = (phone: string, password: string) => world.anybody.call(account.login, { phone, password })
const isAlive = async (caller: Caller) => (await caller.call(employee.getCurrentEmployee, {})).code === 0

describe('session integrity', () => {
  it('never signs in with the old password once the new one is set, however close in time', async () => {
    for (let round = 0; round < 4; round += 1) {
      const person = await withPassword(await corp.person())
      const own = getCaller(await signedIn(person.mobile, first))
      const change = async (late: number) => {
        await sleep(late)
        return own.call(account.updatePassword, { old_password: first, password: second, confirm_password: second })
      }
      const [changed, ...logins] = await Promise.all([
        change(round * 15),
        ...Array.from({ length: 8 }, () => signedIn(person.mobile, first)),
      ])
      expect(changed.code).toBe(0)
      const alive = await Promise.all(logins.filter((one) => one.code === 0).map((one) => isAlive(getCaller(one))))
      expect(alive.filter(Boolean)).toEqual([])
      expect(await isAlive(own)).toBe(true)
      expect((await signedIn(person.mobile, second)).code).toBe(0)
    }
  })

  it('allows one company selection after a sign-in, and none after a sign-out', async () => {
    const person = await withPassword(await corp.person())
    const other = await world.createCompany()
    await other.person({ same_as: person })
    const half = getCaller(await signedIn(person.mobile, first))
    const choices = await Promise.all(
      Array.from({ length: 10 }, () => half.call(account.selectCorp, { corp_id: other.company_id })),
    )
    expect(choices.filter((one) => one.code === 0)).toHaveLength(1)
    expect(new Set(choices.map((one) => one.code))).toEqual(new Set([0, signed_out.code]))

    const again = getCaller(await signedIn(person.mobile, first))
    const own = getCaller(choices.find((one) => one.code === 0) as Answer<{ token: string | null }>)
    const [, selected] = await Promise.all([
      own.call(account.updatePassword, { old_password: first, password: second, confirm_password: second }),
      sleep(25).then(() => again.call(account.selectCorp, { corp_id: corp.company_id })),
    ])
    expect(selected.code === 0 && (await isAlive(getCaller(selected)))).toBe(false)
  })

  it('refuses sessions with mismatched token halves, an old half, or another XSRF token', async () => {
    const [a, b] = (await corp.people(2)) as [Person, Person]
    const [one, two] = [(await world.signIn(a)).headers, (await world.signIn(b)).headers]
    const call = (headers: Record<string, string | undefined>) =>
      world.product.app.inject({
        method: 'POST',
        url: employee.getCurrentEmployee.path,
        payload: {},
        headers: JSON.parse(JSON.stringify(headers)) as Record<string, string>,
      })
    const cases = [
      { ...one, 'user-token': two['user-token'] },
      { ...one, cookie: two.cookie },
      { ...one, cookie: undefined },
      { ...one, 'user-token': undefined },
      { ...one, 'x-xsrf-token': undefined },
      { ...one, 'x-xsrf-token': two['x-xsrf-token'] },
      { ...one, 'x-xsrf-token': `${one['x-xsrf-token']} `, cookie: `${one.cookie}x` },
    ]
    for (const headers of cases) expect((await call(headers)).json<{ error_code: number }>().error_code).toBe(signed_out.code)
    expect((await call(one)).json<{ error_code: number }>().error_code).toBe(0)
    for (const origin of ['https://evil.example', 'http://127.0.0.1:8081', 'http://localhost:80@127.0.0.1', 'x'])
      expect((await call({ ...one, origin, host: '127.0.0.1:8080' })).json<{ error_code: number }>().error_code).toBe(
        not_permitted.code,
      )
  })

  it('ends sessions in twenty tabs at once after a termination, a revoked power, or a phone change', async () => {
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const admin = await corp.person({ power: ['2'] })
    const worker = await corp.person()
    const [tabs, own] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => world.signIn(admin))),
      Promise.all(Array.from({ length: 10 }, () => world.signIn(worker))),
    ])
    await head.must(member.clearMember, { id: admin.member_id })
    await head.must(member.editMemberInfo, { id: worker.member_id, mobile: '19955550001' })
    const codes = await Promise.all([
      ...tabs.map((one) => one.call(slip.getWageList, {})),
      ...own.map((one) => one.call(employee.getSlipList, {})),
    ])
    expect(new Set(codes.map((one) => one.code))).toEqual(new Set([signed_out.code]))
  })
})

describe('replayed response to a repeated request', () => {
  it('refuses to replay a response to a user who lost the power or was terminated', async () => {
    const admin = await corp.person({ power: ['2'] })
    const caller = await world.signIn(admin)
    const people = await corp.people(2)
    const key = `again-${newId()}`
    const file = { name: '工资.xlsx', bytes: demoWageSheet(people) }
    const once = await caller.call(sheet.uploadWageExcel, {}, { file, key })
    expect(await caller.must(sheet.uploadWageExcel, {}, { file, key })).toEqual(once.data)
    const set = (power: Power[]) =>
      world.database.inCompany(corp.company_id, (tx) =>
        tx
          .updateTable('admin')
          .set({ power })
          .where('id', '=', admin.admin_id ?? '')
          .execute(),
      )
    await set(['3'])
    const after = await caller.call(sheet.uploadWageExcel, {}, { file, key })
    expect([after.code, after.data]).toEqual([not_permitted.code, {}])
    await set(['2'])
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    await head.must(member.clearMember, { id: admin.member_id })
    expect((await caller.call(sheet.uploadWageExcel, {}, { file, key })).code).toBe(signed_out.code)
  })

  it('binds a replayed response to its user, call and content, and expires it within two days', async () => {
    const [one, two] = await Promise.all(
      [corp.person({ power: ['3'] }), corp.person({ power: ['3'] })].map(async (who) => world.signIn(await who)),
    )
    const key = `shared-${newId()}`
    const a = await (one as Caller).must(member.insertMember, { name: '甲', mobile: '19966660001' }, { key })
    const b = await (two as Caller).must(member.insertMember, { name: '乙', mobile: '19966660002' }, { key })
    expect(a.id).not.toBe(b.id)
    await (one as Caller).must(member.clearMember, { id: a.id }, { key })
    expect((await (one as Caller).call(member.insertMember, { name: '丙', mobile: '19966660001' }, { key })).code).toBe(
      invalid.code,
    )
    expect((await (one as Caller).must(member.insertMember, { name: '甲', mobile: '19966660001' }, { key })).id).toBe(a.id)
    expect((await (two as Caller).must(member.insertMember, { name: '乙', mobile: '19966660002' }, { key })).id).toBe(b.id)
    const count = () =>
      world.database.inCompany(corp.company_id, (tx) =>
        tx.selectFrom('idempotency_key').select('key').where('key', '=', key).execute(),
      )
    expect(await count()).toHaveLength(3)
    world.clock.advance(49 * 3_600_000)
    const later = await world.signIn(await corp.person({ power: ['3'] }))
    await later.must(member.insertMember, { name: '丁', mobile: '19966660003' }, { key: `later-${newId()}` })
    expect(await count()).toEqual([])
  })
})

describe('payslips that are not readable', () => {
  let admin: Person
  let payroll: Caller
  let person: Person
  let reader: Caller
  const reads = [employee.getSlip, employee.getFeedback, employee.confirmSlip, employee.feedbackSlip] as Call[]
  const read = async (slip_id: string) =>
    Promise.all(reads.map(async (call) => (await reader.call(call, { slip_id, version: 1, content: '问' })).code))
  beforeAll(async () => {
    admin = await corp.person({ power: ['2'] })
    payroll = await world.signIn(admin)
    person = await withPassword(await corp.person())
    reader = await world.signIn(person)
  })
  const getBatch = async (month: string, rules: Parameters<typeof send>[3] = {}) => {
    const batch_id = await makeBatch(world, admin, [person], { month })
    await send(payroll, batch_id, ['link'], rules)
    const [row] = await salaries(world, corp, batch_id)
    return { batch_id, slip_id: row?.id ?? '' }
  }

  it('answers identically for planned, queued, failed, withdrawn and nonexistent payslips', async () => {
    const { batch_id, slip_id } = await getBatch('2026-01')
    const all = reads.map(() => not_found.code)
    for (const status of ['waiting', 'queued', 'failed', 'withdrawn'] as const) {
      await world.database.inCompany(corp.company_id, (tx) =>
        tx.updateTable('payslip').set({ status }).where('batch_id', '=', batch_id).execute(),
      )
      expect([status, await read(slip_id)]).toEqual([status, all])
      const [had, none] = await Promise.all([slip_id, newId()].map((id) => reader.call(employee.getSlip, { slip_id: id })))
      expect(JSON.stringify(had)).toBe(JSON.stringify(none))
      expect((await reader.must(employee.getSlipList, {})).list.map((one) => one.slip_id)).not.toContain(slip_id)
    }
  })

  it('reveals no amount through any other call before the view password is entered', async () => {
    const locked = await getBatch('2026-02', { rules: { view_password: true } })
    await world.product.jobs.drain()
    const open = await getBatch('2026-03')
    await world.product.jobs.drain()
    expect(await read(locked.slip_id)).toEqual(reads.map(() => view_locked.code))
    const list = await reader.must(employee.getSlipList, {})
    expect(list.list.find((one) => one.slip_id === locked.slip_id)?.net_fen).toBeNull()
    // Next month's payslip is compared with the locked one.
    expect((await reader.must(employee.getSlip, { slip_id: open.slip_id })).previous).toEqual({ month: '2026-02', net_fen: null })
    await reader.must(employee.unlock, { password: first })
    expect((await reader.must(employee.getSlip, { slip_id: open.slip_id })).previous).toEqual({
      month: '2026-02',
      net_fen: getNet(2),
    })
    const otherTab = await world.signIn(person)
    expect((await otherTab.call(employee.getSlip, { slip_id: locked.slip_id })).code).toBe(view_locked.code)
  })

  it('reveals no pay of a closed payslip, not even as the previous payslip, and still accepts its confirmation and questions', async () => {
    const burning = await getBatch('2026-04', { rules: { burn_after_minutes: 5, confirm: true, feedback: true } })
    const next = await getBatch('2026-05')
    await world.product.jobs.drain()
    expect((await reader.call(employee.getSlip, { slip_id: burning.slip_id })).code).toBe(errorCodes.closes_after_view.code)
    await reader.must(employee.getSlip, { slip_id: burning.slip_id, confirm_open: true })
    world.clock.advance(5 * 60_000)
    reader = await world.signIn(person)
    const closed = await reader.call(employee.getSlip, { slip_id: burning.slip_id, confirm_open: true })
    expect([closed.code, Object.keys(closed.data ?? {}).toSorted()]).toEqual([
      errorCodes.slip_closed.code,
      ['closed_at', 'confirm', 'confirmed_at', 'confirmed_auto', 'feedback', 'slip_id', 'version'],
    ])
    expect(await read(burning.slip_id)).toEqual([errorCodes.slip_closed.code, 0, 0, 0])
    const { list } = await reader.must(employee.getSlipList, {})
    expect(list.find((one) => one.slip_id === burning.slip_id)?.net_fen ?? null).toBeNull()
    expect((await reader.must(employee.getSlip, { slip_id: next.slip_id })).previous).toEqual({ month: '2026-04', net_fen: null })
  })

  it('counts a hundred parallel guesses at the view password as five attempts', async () => {
    const one = await withPassword(await corp.person())
    const caller = await world.signIn(one)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => caller.call(employee.unlock, { password: `falsch${at}` })),
    )
    expect(answers.filter((answer) => answer.code === errorCodes.wrong_password.code)).toHaveLength(5)
    expect((await caller.call(employee.unlock, { password: first })).code).toBe(errorCodes.locked.code)
  })
})

describe('shared files', () => {
  it('refuses file downloads after a share is revoked, and logs every download', async () => {
    const [owner, friend] = (await Promise.all([1, 2].map(() => corp.person({ power: ['2'] })))) as [Person, Person]
    const batch_id = await makeBatch(world, owner, await corp.people(2))
    await send(await world.signIn(owner), batch_id, ['link'])
    await world.product.jobs.drain()
    const inside = <T>(fn: Parameters<typeof world.database.inCompany<T>>[1]) => world.database.inCompany(corp.company_id, fn)
    await inside(async (tx) => {
      const { title_id } = await tx.selectFrom('batch').select('title_id').where('id', '=', batch_id).executeTakeFirstOrThrow()
      await tx
        .insertInto('title_share')
        .values({
          company_id: corp.company_id,
          id: newId(),
          title_id: title_id ?? '',
          admin_id: friend.admin_id ?? '',
          rights: 'view',
        })
        .execute()
    })
    const caller = await world.signIn(friend)
    const { job_id } = await caller.must(slip.exportWageDetail, { batch_id, what: 'detail' })
    await world.product.jobs.drain()
    const ticket = async () => (await caller.must(slip.getExportStatus, { job_id })).oss_path ?? ''
    const fetched = await caller.call(fileCalls.download, { oss_path: await ticket() })
    expect(fetched.code).toBe(0)
    const lines = await inside((tx) =>
      tx
        .selectFrom('audit_log_entry')
        .select(['call', 'outcome', 'name', 'details'])
        .where('account_id', '=', friend.account_id)
        .orderBy('id', 'desc')
        .limit(1)
        .execute(),
    )
    expect(lines).toEqual([
      { call: fileCalls.download.route, outcome: 'done', name: friend.name, details: { file_id: expect.any(String) } },
    ])

    const late = await ticket()
    await inside((tx) =>
      tx
        .deleteFrom('title_share')
        .where('admin_id', '=', friend.admin_id ?? '')
        .execute(),
    )
    expect((await caller.call(slip.getExportStatus, { job_id })).code).toBe(not_found.code)
    expect((await caller.call(fileCalls.download, { oss_path: late })).code).toBe(not_found.code)
  })
})
