/** Chat platform accounts in a wage sheet, compared with those used for sign-in. */
import { describe, expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import type { XlsxCell } from '../../support/files/xlsx.ts'
import { book, getUpload } from '../../support/office.ts'
import type { Person } from '../../support/world.ts'

const { world, corp, payroll } = demo({ each: true })
const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六']
const head = ['姓名', '手机号', '企业微信账号', '基本工资', '实发工资']

/** Binds the company's application on WeCom and returns a function that links a member, like a first sign-in. */
async function bound(corp_id: string) {
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .insertInto('platform_app')
      .values({
        company_id: corp.company_id,
        id: newId(),
        provider: 'wecom',
        corp_id,
        app_id: corp_id,
        secret: Buffer.alloc(0),
        created_at: world.clock.now(),
      })
      .execute(),
  )
  return ({ account_id }: Person, user_id: string) =>
    world.database.withoutCompany((tx) =>
      tx
        .insertInto('platform_identity')
        .values({ provider: 'wecom', corp_id, user_id, account_id, created_at: world.clock.now() })
        .execute(),
    )
}

async function office() {
  const corp_id = `ww${corp.company_id}`
  const join = await bound(corp_id)
  const staff: Person[] = []
  for (const [at, name] of names.entries()) {
    const person = await corp.person({ name })
    staff.push(person)
    await join(person, `u${at}-${corp_id}`.toLowerCase())
  }
  const upload = async (order: readonly number[]) => {
    const rows = staff.map(({ name, mobile }, at): XlsxCell[] => [
      name,
      mobile,
      `U${order[at]}-${corp_id}`,
      5_000 + at * 731,
      5_000 + at * 731,
    ])
    const { batch_id, columns } = await getUpload(payroll, book(head, rows))
    await payroll.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
    return { batch_id, columns }
  }
  const notify = async (batch_id: string) =>
    (await payroll.must(wage.checkWageData, { batch_id })).problems.flatMap(({ id, level, kind, message }) =>
      kind.startsWith('account') ? [{ id, level, message }] : [],
    )
  return { staff, join, upload, notify, corp_id }
}

describe('wage sheet with chat platform accounts', () => {
  it('asks nothing for correctly matched accounts, and blocks moved accounts until they are accepted', async () => {
    const { upload, notify, corp_id } = await office()
    const right = await upload([0, 1, 2, 3, 4, 5])
    expect(right.columns.map(({ role }) => role)).toEqual(['name', 'mobile', 'platform_account', 'earning', 'net'])
    expect(await notify(right.batch_id)).toEqual([])
    const { batch_id } = await upload([1, 2, 3, 4, 5, 0])
    const [one, ...more] = await notify(batch_id)
    expect([one?.id, one?.level, more]).toEqual(['0:account_moved:', 'error', []])
    expect(one?.message).not.toContain(corp_id)
    await payroll.must(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id: '0:account_moved:', fix: 'accept' }] })
    expect(await notify(batch_id)).toEqual([])
  })

  it('checks the wage sheet again after a member was linked to the platform', async () => {
    const { staff, upload, notify, join, corp_id } = await office()
    const { batch_id } = await upload([0, 1, 2, 3, 4, 9])
    expect((await notify(batch_id)).map(({ id }) => id)).toEqual(['7:account_other:c2'])
    const fresh = await corp.person({ name: '新来' })
    await join(fresh, `u9-${corp_id}`.toLowerCase())
    expect((await notify(batch_id)).map(({ id }) => id)).toEqual(['7:account_moved:c2'])
    expect(staff).toHaveLength(names.length)
  })
})
