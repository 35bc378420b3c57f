/** The notice of article 17: an employee reads it, and the first display and confirmation are recorded once. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { confirmPrivacyNotice, getPrivacyNotice } from '../../../server/contract/retention/privacy-notice.ts'
import { getRetention, saveRetention } from '../../../server/contract/retention/retention.ts'
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
