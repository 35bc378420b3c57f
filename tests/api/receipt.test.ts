/** Receipts: made with a confirmation, kept when the slip is corrected, and checked by anybody, with the server and without. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import * as employee from '../../server/contract/employee.ts'
import { formatFen } from '../../server/contract/money.ts'
import { getReceipt } from '../../server/contract/people/own.ts'
import { verifyReceipt } from '../../server/contract/people/verify.ts'
import { refusals } from '../../server/contract/refusals.ts'
import * as slip from '../../server/contract/slip.ts'
import { checkFile } from '../../server/domain/proof/verifier/file.ts'
import { readReceipt } from '../../server/domain/proof/verifier/receipt.ts'
import { demo } from '../kit/demo.ts'
import { makeBatch, netOf, salaries, send } from '../kit/slips.ts'
import type { Caller, Person } from '../kit/world.ts'

let caller: Caller
const { world, corp, clerk: payer } = demo({ own: true, company: { name: '甲公司' } })
beforeAll(async () => {
  caller = await world.signIn(payer)
})

async function paid(person: Person) {
  const batch_id = await makeBatch(world, payer, [person], {})
  await send(caller, batch_id, ['link'], { rules: { confirm: true } })
  await world.product.jobs.drain()
  const [row] = await salaries(world, corp, batch_id)
  return { batch_id, slip_id: row?.id ?? '' }
}
const verified = (receipt: string) => world.anybody.must(verifyReceipt, { receipt })
const raw = (statement: string) => world.database.inCompany(corp.company_id, (tx) => sql.raw(statement).execute(tx))

describe('a receipt', () => {
  test('is made with the confirmation, is a file that verifies without us, and tells no amount', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const own = await world.signIn(person)
    expect((await own.must(getReceipt, { slip_id })).list).toEqual([])
    const handwriting = 'M10 10L20 20Q25 5 30 10'
    const { receipt } = await own.must(employee.confirmSlip, { slip_id, version: 1, signature: handwriting })
    const shown = await own.must(employee.getSlip, { slip_id })
    expect(shown.receipt).toBe(receipt)

    const [kept] = (await own.must(getReceipt, { slip_id })).list
    expect(kept).toMatchObject({ version: 1, stands: true, kind: 'person', handwriting })
    expect(kept?.url).toBe(`http://127.0.0.1:8080/m/verify#${receipt}`)
    expect(checkFile(Buffer.from(kept?.file ?? ''))).toMatchObject({ genuine: true })
    const { says, kid } = readReceipt(receipt)
    const written = JSON.stringify(says) + (kept?.file ?? '')
    for (const amount of [formatFen(netOf(2)), String(netOf(2)), shown.hash]) expect(written).not.toContain(amount)

    for (const given of [receipt, kept?.url ?? '', kept?.file ?? ''])
      expect(await verified(given)).toEqual({
        genuine: true,
        why: null,
        message: '',
        receipt: expect.objectContaining({
          company: '甲公司',
          person: person.name,
          version: 1,
          handwritten: true,
          kid,
          since: 'stands',
        }),
      })
    expect(await verified((kept?.file ?? '').replace('第', '弟').replace('"keys"', '"keyz"'))).toMatchObject({ genuine: false })
  })

  test('of a version stays genuine when the slip is corrected, and says so; the next version has its own', async () => {
    const person = await corp.person()
    const { slip_id, batch_id } = await paid(person)
    const own = await world.signIn(person)
    const { receipt } = await own.must(employee.confirmSlip, { slip_id, version: 1 })
    await caller.must(slip.editSalaryDetail, {
      salary_id: slip_id,
      cells: [{ key: 'c4', value: '8100' }],
      reason: '补发',
      why_not: '补发',
    })
    expect((await verified(receipt)).receipt).toMatchObject({ version: 1, since: 'corrected', handwritten: false })
    expect((await own.must(employee.getSlip, { slip_id })).receipt).toBeNull()
    const next = await own.must(employee.confirmSlip, { slip_id, version: 2 })
    expect((await own.must(getReceipt, { slip_id })).list.map(({ version, stands }) => [version, stands])).toEqual([
      [2, true],
      [1, false],
    ])
    await caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '算错' })
    expect((await verified(next.receipt)).receipt).toMatchObject({ since: 'withdrawn' })
    expect((await own.ask(getReceipt, { slip_id })).code).toBe(refusals.not_found.code)
  })

  test('of another company, of nobody, or of another key is refused, and nothing is told', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const { receipt } = await (await world.signIn(person)).must(employee.confirmSlip, { slip_id, version: 1 })
    const [head = '', body = '', signature = ''] = receipt.split('.')
    const other = await world.found({ name: '乙公司' })
    const moved = (more: object) => {
      const says = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...more }
      return `${head}.${Buffer.from(JSON.stringify(says)).toString('base64url')}.${signature}`
    }
    const nothing = (why: string) => ({ genuine: false, why, receipt: null })
    expect(await verified(moved({ company_id: other.company_id }))).toMatchObject(nothing('unknown_key'))
    expect(await verified(moved({ person: '别人' }))).toMatchObject(nothing('forged'))
    expect(await verified(moved({ amount: 1 }))).toMatchObject(nothing('damaged'))
    expect(await verified('回执')).toMatchObject(nothing('unreadable'))
  })

  test('cannot be changed or taken away by the application, and lies sealed', async () => {
    await expect(raw('update receipt set version = version + 1')).rejects.toThrow(/permission denied/)
    await expect(raw('delete from receipt')).rejects.toThrow(/permission denied/)
    await expect(raw('delete from receipt_key')).rejects.toThrow(/permission denied/)
    const rows = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('receipt').select('proof').execute())
    for (const { proof } of rows) expect(proof.toString('latin1')).not.toMatch(/xinhan-(slip|receipt)/)
  })

  test('is signed with a new key after a year: the old one vouches for it and can sign no more; what it signed stays genuine', async () => {
    const person = await corp.person()
    const [before, after] = [await paid(person), await paid(person)]
    const own = await world.signIn(person)
    const old = await own.must(employee.confirmSlip, { slip_id: before.slip_id, version: 1 })
    await world.database.inCompany(corp.company_id, (tx) =>
      sql`update receipt_key set since = since - interval '366 days'`.execute(tx),
    )
    const [first] = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('receipt_key').selectAll().execute())
    expect(first?.private_key).not.toBeNull()
    world.clock.advance(60_000)
    const { receipt } = await own.must(employee.confirmSlip, { slip_id: after.slip_id, version: 1 })
    const keys = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('receipt_key').select(['kid', 'private_key']).orderBy('number').execute(),
    )
    expect(keys.map(({ private_key }) => private_key === null)).toEqual([true, false])
    expect(readReceipt(receipt).kid).toBe(keys[1]?.kid)
    expect([(await verified(old.receipt)).genuine, (await verified(receipt)).genuine]).toEqual([true, true])
  })
})
