/** Contribution bases of many members from a list: the changes and conflicts by row, then one confirmation. */
import { expect, it } from 'vitest'
import { getInsuranceSchemeList, getMemberInsurance, saveInsuranceScheme } from '../../../server/contract/tax/insurance.ts'
import { examine, mustBeAccessible } from '../../support/journey/browser.ts'
import { toasted, useJourney } from '../../support/journey/journey.ts'
import { book } from '../../support/office.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'

it('imports contribution bases from a list in four clicks', async () => {
  const clerk = await journey.caller(payroll)
  const { templates, list } = await clerk.must(getInsuranceSchemeList, {})
  const template = templates.find(({ city, valid_from }) => city === '上海' && valid_from === '2026-07')
  if (!template) throw new Error('no scheme')
  if (list.length === 0) await clerk.must(saveInsuranceScheme, { scheme_id: null, ...template })
  const [first, second] = (await clerk.must(getMemberInsurance, {})).list
  const page = await journey.enter(payroll, { width: 1440, scheme: 'light' }, '/salaryTax/deduct/fiveRisks')
  await page.getByRole('button', { name: '导入基数' }).click()
  await page.getByLabel('缴费基数表').setInputFiles({
    name: '基数.xlsx',
    mimeType: 'application/octet-stream',
    buffer: book(
      ['姓名', '工号', '社保基数', '公积金基数', '公积金比例', '岗位'],
      [
        [first?.name ?? '', first?.employee_no ?? '', 20_000, 18_000, '7%', '经理'],
        [second?.name ?? '', first?.employee_no ?? '', 20_000, null, '7%', ''],
      ],
    ),
  })
  await page.getByRole('region', { name: '将导入的缴费基数' }).waitFor()
  await page
    .getByRole('list', { name: '不能导入的人' })
    .getByText(`在花名册里是${first?.name ?? ''}的`)
    .waitFor()
  await page.getByText('没有读取的列：岗位').waitFor()
  await examine(page, '62-insurance-import-1440')
  await mustBeAccessible(page)
  await page.getByRole('button', { name: '导入 1 人' }).click()
  await toasted(page, /已导入 1 人的缴费基数/)
  const { entries } = (await clerk.must(getMemberInsurance, { name: first?.name ?? '' })).list[0] ?? { entries: [] }
  expect(entries[0]).toMatchObject({ city: '上海', social_fen: 2_000_000, housing_fund_fen: 1_800_000, housing_fund_ppm: 70_000 })
})
