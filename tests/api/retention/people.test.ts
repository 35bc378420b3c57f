/**
 * Retention of payslips and of terminated members: by the rule of the company and never below the bound; on request of one
 * person, what no law demands is deleted at once.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { download } from '../../../server/contract/files/files.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { exportMemberData } from '../../../server/contract/payslips/member-data.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { eraseMemberData } from '../../../server/contract/retention/member-data.ts'
import { getRetention, type RetentionKind, saveRetention } from '../../../server/contract/retention/retention.ts'
import { deleteExpiredData } from '../../../server/modules/retention/delete-expired.ts'
import { createLogger } from '../../../server/observability/log.ts'
import { zipEntries } from '../../support/files/xlsx.ts'
import { asOwner } from '../../support/run/database.ts'
import { payOne } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

type Company = { readonly corp: Corp; readonly head: Person; readonly manager: Caller }
async function startCompany(): Promise<Company> {
  const corp = await world.createCompany()
  const head = await corp.person({ power: ['4'] })
  return { corp, head, manager: await world.signIn(head) }
}
async function setRules(manager: Caller, change: Partial<Record<RetentionKind, number>>, hold_reason = ''): Promise<void> {
  const { rules, revision } = await manager.must(getRetention)
  await manager.must(saveRetention, { rules: { ...rules, ...change }, legal_hold: hold_reason !== '', hold_reason, revision })
}
const runNight = () => deleteExpiredData({ ...world, log: createLogger('silent') }, new AbortController().signal)
const owner = <T extends object>({ corp }: Company, text: string) =>
  asOwner(world, async (client) => {
    await client.query(`select set_config('app.company', $1, false)`, [corp.company_id])
    return (await client.query<T>(text, [corp.company_id])).rows
  })
const count = async (company: Company, table: string) =>
  (await owner<{ count: number }>(company, `select count(*)::int as count from ${table} where company_id = $1`))[0]?.count
const age = (company: Company, batch_id: string, months: number) =>
  owner(
    company,
    `update batch set sent_at = now() - interval '${months} months', updated_at = now() - interval '${months} months'
      where company_id = $1 and id = '${batch_id}'`,
  )

/** A payslip that was viewed, corrected, confirmed with a receipt. */
async function payWithHistory(company: Company, person: Person) {
  const { head, manager } = company
  const paid = await payOne({ world, ...company, clerk: head, caller: manager }, person, {
    rules: { confirm: true, feedback: true },
  })
  const own = await world.signIn(person)
  const { slip_id } = paid
  await manager.must(slip.editSalaryDetail, { salary_id: slip_id, cells: [{ key: 'c4', value: '8100' }], reason: '补发' })
  const { version } = await own.must(employee.getSlip, { slip_id })
  await own.must(employee.confirmSlip, { slip_id, version })
  await owner(company, `update payslip set corrected_at = corrected_at - interval '40 months' where company_id = $1`)
  return { ...paid, own, head }
}

it('deletes old pay runs with their payslips and receipts by the rule, and keeps newer ones', async () => {
  const company = await startCompany()
  const person = await company.corp.person()
  const old = await payWithHistory(company, person)
  const newer = await payOne({ world, ...company, clerk: company.head, caller: company.manager }, person)
  await age(company, old.batch_id, 37)
  await age(company, newer.batch_id, 35)
  expect(await count(company, 'receipt')).toBe(1)
  await setRules(company.manager, { payslip: 36 }, '劳动争议')
  await runNight()
  expect(await count(company, 'payslip')).toBe(2)
  await setRules(company.manager, {})
  await runNight()
  expect([await count(company, 'payslip'), await count(company, 'receipt'), await count(company, 'payslip_change')]).toEqual([
    1, 0, 0,
  ])
  expect((await old.own.call(employee.getSlip, { slip_id: old.slip_id })).code).toBe(100404)
  await old.own.must(employee.getSlip, { slip_id: newer.slip_id })
  const { deletions } = await company.manager.must(getRetention)
  expect(deletions).toMatchObject([{ kind: 'payslip', months: 36, count: 1 }])
})

it('keeps a pay run with an open question or a late correction, and refuses to go below the bound whatever time is given', async () => {
  const company = await startCompany()
  const person = await company.corp.person()
  const open = await payOne({ world, ...company, clerk: company.head, caller: company.manager }, person, {
    rules: { feedback: true },
  })
  await (await world.signIn(person)).must(employee.feedbackSlip, { slip_id: open.slip_id, content: '少了补贴', pictures: [] })
  await age(company, open.batch_id, 60)
  const corrected = await payOne({ world, ...company, clerk: company.head, caller: company.manager }, person)
  await company.manager.must(slip.editSalaryDetail, {
    salary_id: corrected.slip_id,
    cells: [{ key: 'c4', value: '8100' }],
    reason: '补发',
  })
  await age(company, corrected.batch_id, 60)
  const recent = await payOne({ world, ...company, clerk: company.head, caller: company.manager }, person)
  await age(company, recent.batch_id, 23)
  await world.database.inCompany(company.corp.company_id, async (tx) => {
    const { deleteOldestPayslips } = await import('../../../server/modules/sheets/index.ts')
    const ctx = { db: tx, company_id: company.corp.company_id }
    expect(await deleteOldestPayslips(ctx, new Date('2999-01-01'))).toBe(0)
  })
  expect(await count(company, 'payslip')).toBe(3)
})

async function terminate(company: Company, months: number): Promise<Person> {
  const person = await company.corp.person()
  await company.manager.must(member.editMemberInfo, {
    id: person.member_id,
    id_card: '11010119900307889X',
    bank_account: '6222020200112233440',
    email: 'a@example.cn',
  })
  await company.manager.must(member.clearMember, { id: person.member_id })
  await owner(
    company,
    `update member set left_on = (now() - interval '${months} months')::date where company_id = $1 and id = '${person.member_id}'`,
  )
  return person
}
const load = async (company: Company, person: Person) =>
  (
    await owner<{ private: Buffer | null; email: string; name: string; bank: Buffer | null; card: Buffer | null }>(
      company,
      `select private, email, name, bank_account_index as bank, id_card_index as card from member
        where company_id = $1 and id = '${person.member_id}'`,
    )
  )[0]

it('deletes the data of members who left long ago, but not their names', async () => {
  const company = await startCompany()
  const [early, late] = [await terminate(company, 90), await terminate(company, 80)]
  await setRules(company.manager, { terminated_member: 84 })
  await runNight()
  expect(await load(company, early)).toMatchObject({ private: null, email: '', bank: null, card: null })
  expect((await load(company, early))?.name).not.toBe('')
  expect(await load(company, late)).toMatchObject({ email: 'a@example.cn' })
  expect((await company.manager.must(getRetention)).deletions).toMatchObject([{ kind: 'terminated_member', count: 1 }])
  await runNight()
  expect((await company.manager.must(getRetention)).deletions).toHaveLength(1)
})

it('deletes on request what no law demands, and names the rest with its term', async () => {
  const company = await startCompany()
  const person = await terminate(company, 12)
  const { stored } = await company.manager.must(eraseMemberData, { id: person.member_id })
  expect(stored.map(({ kind }) => kind)).toEqual(['tax_basis', 'tax_results', 'roster'])
  const left = await load(company, person)
  expect(left).toMatchObject({ email: '', bank: null })
  // The tax office may ask for it: kept.
  expect([left?.private, left?.card]).not.toContain(null)
  const [entry] = await owner<{ details: object }>(
    company,
    `select details from audit_log_entry where company_id = $1 and call like '%eraseMemberData' and outcome = 'done'`,
  )
  expect(entry?.details).toMatchObject({ member_id: person.member_id })
})

it('refuses a deletion during a hold, of an active member, long after the proof of identity, and to other powers', async () => {
  const company = await startCompany()
  const person = await terminate(company, 12)
  const active = await company.corp.person()
  const erase = (caller: Caller, id: string) => caller.call(eraseMemberData, { id })
  expect((await erase(company.manager, active.member_id)).code).toBe(errorCodes.wrong_state.code)
  const members = await world.signIn(await company.corp.person({ power: ['1', '2', '3'] }))
  expect((await erase(members, person.member_id)).code).toBe(errorCodes.not_permitted.code)
  await setRules(company.manager, {}, '劳动仲裁')
  expect((await erase(company.manager, person.member_id)).message).toContain('暂停一切删除')
  await setRules(company.manager, {})
  world.clock.advance(11 * 60_000)
  expect((await erase(company.manager, person.member_id)).code).toBe(errorCodes.view_locked.code)
  expect((await company.manager.call(exportMemberData, { id: person.member_id })).code).toBe(errorCodes.view_locked.code)
})

it('exports the data of one member for the person, with payslips and without their account', async () => {
  const company = await startCompany()
  const person = await company.corp.person()
  const other = await company.corp.person()
  await payOne({ world, ...company, clerk: company.head, caller: company.manager }, person)
  await payOne({ world, ...company, clerk: company.head, caller: company.manager }, other)
  const { oss_path, file_name, slips } = await company.manager.must(exportMemberData, { id: person.member_id })
  expect([slips, file_name]).toEqual([1, expect.stringMatching(/^员工资料-/)])
  const bytes = (await company.manager.call(download, { oss_path, file_name })).data as unknown as Buffer
  const copy = JSON.parse((zipEntries(bytes)['员工资料.json'] ?? Buffer.alloc(0)).toString()) as Record<string, unknown>
  expect(copy).toMatchObject({ times: [{ member_id: person.member_id }], slips: [{ status: 'sent' }] })
  expect(copy).not.toHaveProperty('sessions')
  expect(JSON.stringify(copy)).not.toContain(other.member_id)
})
