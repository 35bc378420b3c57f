/** Company details: stored encrypted, changed by its enterprise administrators, and never overwritten unnoticed. */
import { expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as company from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { demo } from '../../support/demo.ts'

const { world, corp } = demo()
const details = {
  name: '云杉（上海）信息科技有限公司',
  credit_code: '91350100m000100y43',
  industry: '软件和信息技术服务业',
  address: '上海市浦东新区世纪大道 100 号 "38F"',
  contact_name: '沈知遥',
  contact_phone: '021-62345678',
  contact_email: 'hr@example.com',
}
const head = async () => world.signIn(await corp.person({ power: ['1'] }))

it('starts company details with the name alone and returns what was saved', async () => {
  const caller = await head()
  const first = await caller.must(company.getCompanyInfo)
  expect(first).toMatchObject({ credit_code: '', address: '', contact_phone: '', revision: 0, logo: null })
  expect(await caller.must(company.saveCompanyInfo, { ...details, revision: 0 })).toEqual({ revision: 1 })
  const saved = await caller.must(company.getCompanyInfo)
  expect(saved).toMatchObject({ ...details, credit_code: '91350100M000100Y43', revision: 1 })
  expect(saved.people).toBeGreaterThan(0)
  // All users see the new name at once.
  expect((await caller.must(account.getCurrentUser)).corp.name).toBe(details.name)
  const row = await world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('company').select('info').where('id', '=', corp.company_id).executeTakeFirstOrThrow(),
  )
  expect(row.info?.includes('62345678')).toBe(false)
})

it('reports a conflict to the second of two simultaneous changes and keeps the first', async () => {
  const [one, other] = [await head(), await head()]
  const { revision } = await one.must(company.getCompanyInfo)
  await one.must(company.saveCompanyInfo, { ...details, address: '甲路 1 号', revision })
  const late = await other.call(company.saveCompanyInfo, { ...details, address: '乙路 2 号', revision })
  expect(late).toMatchObject({ code: errorCodes.wrong_state.code, data: { revision: revision + 1 } })
  expect(late.message).toContain('您的修改没有保存')
  expect((await other.must(company.getCompanyInfo)).address).toBe('甲路 1 号')
})

it.each([
  ['name', '', '请填写企业名称'],
  ['name', '【】', '不能只有符号'],
  ['name', '长'.repeat(51), '最多 50 个字'],
  ['credit_code', '91350100M000100Y44', '校验位不对'],
  ['credit_code', '91350100M000100', '现在是 15 位'],
  ['contact_phone', '拨打总机', '电话只能包含数字'],
  ['contact_email', 'hr@', '邮箱格式有误'],
  ['address', '路\u0000', '不可见的控制字符'],
] as const)('reports an invalid %s 「%s」 at its field', async (field, value, why) => {
  const caller = await head()
  const before = await caller.must(company.getCompanyInfo)
  const answer = await caller.call(company.saveCompanyInfo, { ...details, [field]: value, revision: before.revision })
  expect(answer).toMatchObject({ code: errorCodes.invalid.code, data: { field } })
  expect(answer.message).toContain(why)
  expect(await caller.must(company.getCompanyInfo)).toEqual(before)
})

it('stores separate company details for an agency', async () => {
  const agency = await world.createCompany({ name: '代理公司', corp_role: 20 })
  const caller = await world.signIn(await agency.person({ power: ['1'] }))
  expect(await caller.must(company.getCompanyInfo)).toMatchObject({ name: '代理公司', revision: 0 })
  await caller.must(company.saveCompanyInfo, { ...details, name: '好帮手人力', revision: 0 })
  expect((await caller.must(company.getCompanyInfo)).name).toBe('好帮手人力')
})
