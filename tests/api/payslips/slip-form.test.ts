/** The form that a confirmation is bound to (docs/slip-form.md), and payslips encrypted by a newer server. */
import { beforeAll, describe, expect, test } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { hashPayslip } from '../../../server/modules/payslip-records/index.ts'
import { demo } from '../../support/demo.ts'
import { payOne } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

let caller: Caller
const { world, corp, clerk: payer } = demo({ own: true, company: { name: '甲公司' } })
beforeAll(async () => {
  caller = await world.signIn(payer)
})

const paid = (person: Person) => payOne({ world, corp, clerk: payer, caller }, person, { rules: { confirm: true } })
const rename = (person: Person, name: string) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('member').set({ name }).where('id', '=', person.member_id).execute(),
  )
const loadStored = (slip_id: string) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('payslip').select(['confirmed_hash', 'version']).where('id', '=', slip_id).executeTakeFirstOrThrow(),
  )

describe('confirmation', () => {
  test('refuses a confirmation with a message if the payslip would now be shown differently', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const own = await world.signIn(person)
    const viewed = await own.must(employee.getSlip, { slip_id })
    expect(viewed.hash).toBe(hashPayslip({ slip_id, version: 1, slip: viewed.slip }))
    await rename(person, '另一个名字')
    const stale = await own.call(employee.confirmSlip, { slip_id, version: 1, hash: viewed.hash })
    expect([stale.code, stale.message]).toEqual([errorCodes.wrong_state.code, '工资条上显示的内容刚刚有变化，请重新查看后确认'])
    expect((await loadStored(slip_id)).confirmed_hash).toBeNull()
    const again = await own.must(employee.getSlip, { slip_id })
    expect(again.slip.name).toBe('另一个名字')
    await own.must(employee.confirmSlip, { slip_id, version: 1, hash: again.hash })
    expect((await own.call(employee.confirmSlip, { slip_id, version: 1, hash: 'not a hash' })).code).toBe(errorCodes.invalid.code)
  })

  test('confirms what was on the screen, regardless of later rendering, stores it encrypted, and ends with a correction', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const own = await world.signIn(person)
    const { hash } = await own.must(employee.getSlip, { slip_id })
    const { receipt } = await own.must(employee.confirmSlip, { slip_id, version: 1, hash })
    await rename(person, '改名以后')
    const later = await own.must(employee.getSlip, { slip_id })
    expect(later.hash).not.toBe(hash)
    expect(later.receipt).toBe(receipt)
    const { confirmed_hash } = await loadStored(slip_id)
    for (const text of [hash, Buffer.from(hash, 'base64url').toString('latin1'), 'xinhan-slip'])
      expect(confirmed_hash?.toString('latin1')).not.toContain(text)
    await caller.must(slip.editSalaryDetail, { salary_id: slip_id, cells: [{ key: 'c4', value: '8100' }], reason: '补发' })
    expect(await loadStored(slip_id)).toEqual({ confirmed_hash: null, version: 2 })
  })

  test('uses the hash of the first view, stored from then on, for a confirmation without an action by the employee', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('payslip')
        .set({ status: 'confirmed', confirmed_at: world.clock.now(), confirmed_version: 1, confirmed_auto: true })
        .where('id', '=', slip_id)
        .execute(),
    )
    const own = await world.signIn(person)
    const first = await own.must(employee.getSlip, { slip_id })
    await rename(person, '改名以后')
    const second = await own.must(employee.getSlip, { slip_id })
    expect(second.receipt).toBe(first.receipt)
    expect(second.hash).not.toBe(first.hash)
  })
})

describe('payslip encrypted by a newer server', () => {
  test('reports a payslip encrypted by a newer server as such and leaves it unchanged', async () => {
    const person = await corp.person()
    const { slip_id, batch_id } = await paid(person)
    const own = await world.signIn(person)
    const sealed = await world.database.inCompany(corp.company_id, async (tx) => {
      const vault = await world.secrets.vault(tx, corp.company_id)
      const cells = vault.seal({ table: 'payslip', row: slip_id, column: 'cells', version: 1 }, { version: 99, pay: [] })
      await tx.updateTable('payslip').set({ cells }).where('id', '=', slip_id).execute()
      return cells
    })
    const answers = [
      await own.call(employee.getSlip, { slip_id }),
      await own.call(employee.confirmSlip, { slip_id, version: 1 }),
      await caller.call(slip.getWageDetail, { batch_id }),
      await caller.call(slip.getSalary, { salary_id: slip_id }),
    ]
    for (const { code, message } of answers)
      expect([code, message]).toEqual([
        errorCodes.internal_error.code,
        '这条内容由更新版本的服务写入，当前版本读不了，也没有改动它；请联系系统运维升级服务后再看',
      ])
    const row = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('payslip').select(['cells', 'status']).where('id', '=', slip_id).executeTakeFirstOrThrow(),
    )
    expect(row).toEqual({ cells: sealed, status: 'sent' })
  })
})
