/** Prepaid messages and wage settings: the functions of the `company` module. Refusals first. */

import { beforeEach, describe, expect, it } from 'vitest'
import { getCurrentUser, getPublicInfo } from '../../../server/contract/auth/sign-in.ts'
import { getWageSettings as contractSetting, setSendRule } from '../../../server/contract/payslips/send.ts'
import { chargeSms, refundSms } from '../../../server/modules/billing/index.ts'
import { getAutoConfirmation, loadWageSettings, saveWageSettings } from '../../../server/modules/company/settings/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { getOutcome, inside } from '../../support/callers/inside.ts'
import { demo } from '../../support/demo.ts'
import type { Person } from '../../support/world.ts'

let boss: Person

const { world, corp } = demo({ company: { sms_left: 10 }, each: true })
beforeEach(async () => {
  boss = await corp.person({ power: ['4'] })
})

const getSum = (entries: readonly { amount: number }[]) => entries.reduce((sum, { amount }) => sum + amount, 0)
const left = () =>
  inside(world, boss, async ({ db, company_id }) => {
    const company = await db.selectFrom('company').select('sms_left').where('id', '=', company_id).executeTakeFirstOrThrow()
    const entries = await db
      .selectFrom('prepaid_entry')
      .select(['side', 'amount', 'move_id'])
      .where('company_id', '=', company_id)
      .execute()
    expect(company.sms_left).toBe(10 + getSum(entries.filter(({ side }) => side === 'stock')))
    // Double entry: every credit has a debit.
    expect(getSum(entries)).toBe(0)
    expect(entries).toHaveLength(2 * new Set(entries.map(({ move_id }) => move_id)).size)
    return company.sms_left
  })
const take = (count: number, ref: string) => inside(world, boss, (ctx) => chargeSms(ctx, count, 'plan', ref))

describe('prepaid messages', () => {
  it('refuses a debit beyond the SMS balance and takes nothing', async () => {
    expect(await getOutcome(take(11, newId()))).toMatchObject({ error: 'sms_used_up', details: { needed: 11, left: 10 } })
    expect(await left()).toBe(10)
  })

  it('debits and refunds once per reason', async () => {
    const ref = newId()
    await take(4, ref)
    await take(4, ref)
    expect(await left()).toBe(6)
    await inside(world, boss, (ctx) => refundSms(ctx, 3, 'unsent', ref))
    await inside(world, boss, (ctx) => refundSms(ctx, 3, 'unsent', ref))
    expect(await left()).toBe(9)
  })

  it('uses the last message once among simultaneous requests', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => getOutcome(take(1, newId()))))
    expect(outcomes.filter((one) => one.error === 'done')).toHaveLength(10)
    expect(outcomes.filter((one) => one.error === 'sms_used_up')).toHaveLength(40)
    expect(await left()).toBe(0)
  })

  it('debits once per plan among simultaneous requests', async () => {
    const ref = newId()
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => getOutcome(take(2, ref))))
    expect(outcomes.every((one) => one.error === 'done')).toBe(true)
    expect(await left()).toBe(8)
  })

  it.each([-1, 1.5, Number.NaN])('refuses %s as a number of messages', async (count) => {
    await expect(take(count, newId())).rejects.toThrow(RangeError)
  })
})

describe('wage settings', () => {
  const setting = () => inside(world, boss, (ctx) => loadWageSettings(ctx))
  const save = (change: Parameters<typeof saveWageSettings>[1]) => inside(world, boss, (ctx) => saveWageSettings(ctx, change))

  it('refuses report recipients who are not members of the company', async () => {
    const outsider = await (await world.createCompany()).person()
    expect(await getOutcome(save({ add_remind_member: outsider.member_id }))).toMatchObject({ error: 'not_found' })
    expect(await getOutcome(save({ add_remind_member: newId() }))).toMatchObject({ error: 'not_found' })
  })

  it('starts a company with the default wage settings', async () => {
    expect(await setting()).toEqual({
      feedback: true,
      confirm: true,
      confirm_rule: { auto_confirm_days: 0, remind_days: [] },
      has_mailbox: false,
      terminated_access_months: 24,
      answer_within_days: 3,
      send_rule: {
        weChat: 1,
        email: false,
        sms: true,
        link: true,
        remind_members: [],
        // The test companies send at once; `slip-undo` covers the undo minute.
        undo_seconds: 0,
        approve_from: 0,
        view_password: false,
        burn_after_minutes: 0,
        watermark: true,
      },
    })
  })

  it('changes one wage setting and keeps the others', async () => {
    await save({ feedback: false, auto_confirm_days: 7 })
    await save({ view_password: true, feedback: undefined })
    expect(await setting()).toMatchObject({
      feedback: false,
      confirm: true,
      confirm_rule: { auto_confirm_days: 7 },
      send_rule: { view_password: true },
    })
  })

  it('restarts the automatic confirmation period when it changes, not when the same value is saved again', async () => {
    const [monday, friday] = [new Date('2026-11-16T09:00:00+08:00'), new Date('2026-11-20T09:00:00+08:00')]
    const rule = () => inside(world, boss, (ctx) => getAutoConfirmation(ctx))
    await save({ auto_confirm_days: 3, at: monday })
    expect(await rule()).toEqual({ days: 3, since: monday })
    await save({ auto_confirm_days: 3, at: friday })
    await save({ feedback: true, at: friday })
    expect(await rule()).toEqual({ days: 3, since: monday })
    await save({ auto_confirm_days: 5, at: friday })
    expect(await rule()).toEqual({ days: 5, since: friday })
  })

  it('keeps the report recipients that two administrators add at the same moment', async () => {
    await Promise.all([5, 3, 1, 3].map((day) => save({ add_remind_day: day })))
    expect((await setting()).confirm_rule.remind_days).toEqual([1, 3, 5])
    await save({ clear_remind_day: 3 })
    expect((await setting()).confirm_rule.remind_days).toEqual([1, 5])
  })

  it('drops terminated members from the report recipients', async () => {
    const [anna, bert] = [await corp.person({ name: '安娜' }), await corp.person({ name: '伯特' })]
    await save({ add_remind_member: anna.member_id })
    await save({ add_remind_member: bert.member_id })
    expect((await setting()).send_rule.remind_members.map((one) => one.name)).toEqual(['伯特', '安娜'].sort())
    await inside(world, boss, ({ db }) =>
      db.updateTable('member').set({ status: 'left' }).where('id', '=', anna.member_id).execute(),
    )
    expect((await setting()).send_rule.remind_members).toEqual([{ member_id: bert.member_id, name: '伯特' }])
    await save({ clear_remind_member: bert.member_id })
    expect((await setting()).send_rule.remind_members).toEqual([])
  })

  it('never enables chat messages for a company of origin 10', async () => {
    await inside(world, boss, ({ db, company_id }) =>
      db.updateTable('company').set({ corp_origin: 10 }).where('id', '=', company_id).execute(),
    )
    await save({ weChat: true })
    expect((await setting()).send_rule.weChat).toBe(0)
    // The current company is reported accordingly.
    const caller = await world.signIn(boss)
    expect((await caller.must(getCurrentUser)).corp.corp_origin).toBe(10)
    expect((await caller.must(getPublicInfo)).corp_origin).toBe(10)
    const elsewhere = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
    expect((await elsewhere.must(getPublicInfo)).corp_origin).toBe(0)
    expect(await caller.must(contractSetting)).toMatchObject({ send_rule: { weChat: 0 } })
    expect(await caller.call(setSendRule, { weChat: true } as never)).toMatchObject({ code: 100001, data: { field: 'weChat' } })
  })
})
