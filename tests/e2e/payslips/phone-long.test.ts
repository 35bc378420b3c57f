/** Long names, titles and columns, and larger letters: nothing overlaps, and the net pay is always visible. */
import { expect, it } from 'vitest'
import { editMemberInfo, getMemberList } from '../../../server/contract/directory/members.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { checkRequireColumnData, insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { mustBeAccessible, mustFit, picture } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'
import { enlarge, textsInTheChannel } from '../../support/journey/layout.ts'
import { smallTargets } from '../../support/journey/targets.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const employee = '，员工'
const long = {
  name: '阿卜杜热合曼买买提江古丽仙艾合买提托合提',
  title: '2026年第四季度华东大区重点客户项目攻坚团队专项绩效奖励与补发合并发放',
  department: '华东大区重点客户事业部综合解决方案与交付服务中心第二项目组',
  position: '高级资深解决方案架构师兼大客户交付项目群总负责人',
  item: '重点项目攻坚阶段性专项绩效奖励（含加急交付补贴）',
}
let slip_id = ''
it('sends a wage sheet with long texts', async () => {
  const keeper = await journey.caller('系统管理员（全部权限）')
  const clerk = await journey.caller('薪酬管理员（全公司）')
  const mobile = journey.getPhone(employee)
  const people = (await keeper.must(getMemberList, { status: 'active', pagesize: 50 })).list
  const me = people.find((one) => one.MOBILE === mobile)
  await keeper.must(editMemberInfo, { id: me?.ID ?? '', name: long.name })
  const rows = [{ NAME: long.name, MOBILE: mobile }, ...people.filter((one) => one !== me).slice(0, 2)].map((one, at) => [
    one.NAME,
    one.MOBILE,
    long.department,
    long.position,
    1234567.89 + at,
    1234567.89 + at,
    234567.01,
    234567.01,
    1000000.88 + at,
  ])
  const head = ['姓名', '手机号', '部门', '岗位', long.item, '应发合计', '代扣代缴个人所得税及其他', '扣款合计', '实发金额']
  const bytes = makeXlsx({ sheets: [{ name: '奖金', rows: [head, ...rows] }] })
  const { batch_id } = await clerk.must(uploadWageExcel, {}, { name: '长.xlsx', bytes })
  await clerk.must(insertBatchTitle, { batch_id, title: long.title, month: '2026-11', kind: 'bonus' })
  await clerk.must(checkRequireColumnData, { batch_id, columns: [] })
  const { plan_id } = await clerk.must(slip.sendPaySheet, { batch_id, channels: ['link'], rules: { confirm: true } })
  await clerk.must(slip.doSend, { plan_id, looked: true })
  const getOwn = async () => (await clerk.must(slip.getWageDetail, { batch_id, name: long.name, pagesize: 5 })).list[0]
  await until(async () => (await getOwn())?.status).toBe('sent')
  slip_id = (await getOwn())?.salary_id ?? ''
})

const pages = [
  ['the list', () => '/m/slips', '.m-slip-row .ui-money'],
  ['a slip', () => `/m/slip/${slip_id}`, '.slip-net .ui-money'],
  ['mine', () => '/m/me', '.m-me-head strong'],
] as const
const views = [
  [360, 'light', 1],
  [360, 'dark', 1.3],
  [1440, 'light', 1.3],
  [360, 'light', 2],
] as const

it('reads a payslip to a screen reader in page order: title, net pay, items, actions', async () => {
  const page = await journey.enter(employee, { width: 360 }, `/m/slip/${slip_id}`)
  await page.getByText(long.item).waitFor()
  const visible = page.getByRole('button', { name: '显示金额' })
  if (await visible.count()) await visible.first().click()
  const read = await page.locator('body').ariaSnapshot()
  const messages = [
    `heading "${long.title}"`,
    '发放',
    'heading "实发',
    '1,000,000.88',
    '应发',
    long.item,
    '代扣代缴',
    '有疑问',
    '确认',
  ]
  const places: number[] = []
  for (const text of messages) places.push(read.indexOf(text, places.at(-1) ?? 0))
  expect(Object.fromEntries(messages.map((text, at) => [text, (places[at] ?? -1) >= 0]))).toEqual(
    Object.fromEntries(messages.map((text) => [text, true])),
  )
})

/** Each page is tested in one of the views, and in trials in each of them. */
const visits = pages.flatMap((page) => pickOne(page[0], views).map((view) => [...view, ...page] as const))
it.each(visits)('overlaps nothing at %d px, %s, letters × %d: %s', async (width, scheme, times, name, path, full) => {
  const page = await journey.enter(employee, { width, scheme }, path())
  const what = page.locator(full).first()
  await what.waitFor()
  if (name === 'a slip') await page.getByText(long.item).waitFor()
  const visible = page.getByRole('button', { name: '显示金额' })
  if (await visible.count()) await visible.first().click()
  await enlarge(page, times)
  await picture(page, `long-${name}-${width}-${scheme}-${times}`)
  expect(await textsInTheChannel(page)).toEqual([])
  await mustFit(page)
  const [box, card] = [
    await what.boundingBox(),
    await what.locator('xpath=ancestor::*[self::li or self::section][1]').boundingBox(),
  ]
  expect((box?.x ?? -1) >= (card?.x ?? 0) && (box?.x ?? 0) + (box?.width ?? 0) <= (card?.x ?? 0) + (card?.width ?? 0)).toBe(true)
  if (width === 360) await until(() => smallTargets(page)).toEqual([])
  await mustBeAccessible(page)
})
