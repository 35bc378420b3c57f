/** The notice of article 17: an employee reads it, and the first display and confirmation are recorded once. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { getSlip } from '../../../server/contract/payslips/employee.ts'
import { confirmPrivacyNotice, getPrivacyNotice } from '../../../server/contract/retention/privacy-notice.ts'
import { getRetention, saveRetention } from '../../../server/contract/retention/retention.ts'
import { asOwner } from '../../support/run/database.ts'
import { payOne } from '../../support/slips.ts'
import { startWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

it('names the company and its terms, and records the first display and the first confirmation', async () => {
  const corp = await world.createCompany({ name: '蓝天公司' })
  const manager = await world.signIn(await corp.person({ power: ['4'] }))
  const { rules, revision } = await manager.must(getRetention)
  await manager.must(saveRetention, { rules: { ...rules, export_file: 3 }, legal_hold: false, hold_reason: '', revision })
  const employee = await world.signIn(await corp.person())
  const first = await employee.must(getPrivacyNotice)
  expect(first).toMatchObject({ corp_name: '蓝天公司', rules: { export_file: 3, audit_log: null }, read_at: null })
  expect(first.displayed_at).not.toBeNull()
  world.clock.advance(60_000)
  const { read_at } = await employee.must(confirmPrivacyNotice)
  world.clock.advance(60_000)
  expect((await employee.must(confirmPrivacyNotice)).read_at).toBe(read_at)
  expect(await employee.must(getPrivacyNotice)).toMatchObject({ displayed_at: first.displayed_at, read_at })
  // Another employee has a record of their own.
  const other = await world.signIn(await corp.person())
  expect((await other.must(getPrivacyNotice)).read_at).toBeNull()
})

it('is due before the first payslip until it is confirmed, and never keeps a payslip back', async () => {
  const corp = await world.createCompany()
  const payer = await corp.person({ power: ['2'] })
  const person = await corp.person()
  const { slip_id } = await payOne({ world, corp, clerk: payer, caller: await world.signIn(payer) }, person)
  const employee = await world.signIn(person)
  const isDue = async () => (await employee.must(getSlip, { slip_id })).notice_due
  expect(await isDue()).toBe(true)
  // Shown without a confirmation: the connection may have broken.
  await employee.must(getPrivacyNotice)
  expect(await isDue()).toBe(true)
  const failing = `create function fail_always() returns trigger language plpgsql as $$ begin raise exception 'failed'; end $$;
    create trigger failing before insert or update on privacy_notice for each row execute function fail_always()`
  await asOwner(world, (owner) => owner.query(failing))
  expect((await employee.call(confirmPrivacyNotice, {})).code).not.toBe(0)
  expect(await isDue()).toBe(true)
  await asOwner(world, (owner) => owner.query('drop function fail_always cascade'))
  await employee.must(confirmPrivacyNotice)
  expect(await isDue()).toBe(false)
})
