/**
 * A payslip as a document on a phone of 360 px: explained, questioned, corrected from the question, confirmed by
 * signature, and verified in another browser.
 */
import { PNG } from 'pngjs'
import { extractText, getDocumentProxy } from 'unpdf'
import { beforeAll, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getSalary } from '../../../server/contract/payslips/correct-and-export.ts'
import { getCurrentEmployee } from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { checkRequireColumnData, insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { verifyFile } from '../../../server/modules/payslip-records/verifier/file.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { pendingResponse, settle, toasted, until, useJourney } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
const employee = '，员工'
const head = ['姓名', '手机号', '讲课费', '应发合计', '代扣水电', '扣款合计', '实发金额']
let clerk: HttpCaller
let name = ''
beforeAll(async () => {
  clerk = await journey.caller(payroll)
  name = (await (await journey.caller(employee)).must(getCurrentEmployee, {})).name
})

/** Sends the employee an unopened payslip, from a wage sheet with two colleagues. */
async function paid(month: string, fee: number): Promise<string> {
  const { list } = await clerk.must(getMemberList, { status: 'active', pagesize: 20 })
  const others = list.filter((one) => one.NAME !== name).slice(0, 2)
  const people = [{ NAME: name, MOBILE: journey.getPhone(employee) }, ...others]
  const rows = people.map((one, at) => [one.NAME, one.MOBILE, fee + at * 11, fee + at * 11, 200, 200, fee - 200 + at * 11])
  const bytes = makeXlsx({ sheets: [{ name: '讲课费', rows: [head, ...rows] }] })
  const { batch_id } = await clerk.must(uploadWageExcel, {}, { name: `讲课费${month}.xlsx`, bytes })
  await clerk.must(insertBatchTitle, { batch_id, title: `讲课费 ${month}`, month, kind: 'other' })
  await clerk.must(checkRequireColumnData, { batch_id, columns: [] })
  const { plan_id } = await clerk.must(slip.sendPaySheet, { batch_id, channels: ['link'], rules: { confirm: true } })
  await clerk.must(slip.doSend, { plan_id, looked: true })
  const getOwn = async () => (await clerk.must(slip.getWageDetail, { batch_id, name, pagesize: 5 })).list[0]
  await until(async () => (await getOwn())?.status).toBe('sent')
  return (await getOwn())?.salary_id ?? ''
}

async function view(page: Tab, at: string): Promise<void> {
  await mustFit(page)
  await until(() => smallTargets(page)).toEqual([])
  await examine(page, `receipt-${at}`)
}

/** The administrator follows the question to the payslip and corrects it. */
async function correctFromThread(scheme: 'light' | 'dark'): Promise<void> {
  const desk = await journey.enter(payroll, { scheme }, '/memberFeedback')
  const arrive = await pendingResponse(desk, getSalary)
  await desk.getByText('讲课费应该是 3500').first().click()
  await desk.getByText('关于「讲课费」').waitFor()
  await desk.getByRole('button', { name: '放大图片 1' }).waitFor()
  // Nothing moves while the user is about to click it.
  const channel = desk.getByRole('link', { name: '去更正这张工资条' })
  await settle(desk)
  const position = await channel.boundingBox()
  arrive()
  await desk.getByRole('region', { name: '相关工资条' }).locator('.slip-sums').waitFor()
  expect(await channel.boundingBox()).toEqual(position)
  await examine(desk, `receipt-thread-${scheme}`)
  await channel.click()
  await desk.getByRole('dialog').getByRole('button', { name: '更正' }).click()
  const form = desk.getByRole('dialog', { name: /更正 .* 的工资条/ })
  await form.getByLabel(/讲课费$/).fill('3500')
  await form.getByLabel(/更正原因/).fill('少算一次课')
  await form.getByRole('button', { name: /^更正 \d 项$/ }).click()
  await toasted(desk, '已更正')
}

/** Checks the print layout of 打印 on A5: figures as text, no buttons. */
async function printed(phone: Tab): Promise<void> {
  const requested = phone.evaluate(() => new Promise<boolean>((done) => Object.assign(window, { print: () => done(true) })))
  await phone.getByRole('button', { name: '打印或存为 PDF' }).click()
  expect(await requested).toBe(true)
  const pdf = await extractText(await getDocumentProxy(new Uint8Array(await phone.pdf({ format: 'A5' }))), { mergePages: true })
  const text = pdf.text.normalize('NFKC').replace(/\s+/g, '')
  for (const message of ['3,500.00', '讲课费', name]) expect(text).toContain(message.normalize('NFKC'))
  for (const button of ['有疑问', '打印']) expect(text).not.toContain(button)
}

/** Returns a picture to attach to a question. */
function timetable(): Buffer {
  const png = new PNG({ width: 640, height: 480 })
  for (let at = 0; at < png.data.length; at += 4) png.data.writeUInt32BE(at % 1280 < 640 ? 0xf7f6f3ff : 0x0f766eff, at)
  return PNG.sync.write(png)
}

async function write(page: Tab): Promise<void> {
  const field = await page.getByRole('img', { name: '在这里手写签名' }).boundingBox()
  if (!field) throw new Error('no field to write on')
  for (const [from, to] of [
    [0.2, 0.4],
    [0.5, 0.8],
  ] as const) {
    await page.mouse.move(field.x + field.width * from, field.y + field.height * 0.3)
    await page.mouse.down()
    await page.mouse.move(field.x + field.width * to, field.y + field.height * 0.5, { steps: 6 })
    await page.mouse.move(field.x + field.width * from, field.y + field.height * 0.8, { steps: 6 })
    await page.mouse.up()
  }
}

it.each(process.env.XINHAN_PICTURES ? (['light', 'dark'] as const) : (['light'] as const))(
  'reads, questions, corrects and confirms a payslip by signature and verifies the receipt elsewhere, %s',
  async (scheme) => {
    await paid('2026-09', 3000)
    const slip_id = await paid('2026-10', 3300)
    const phone = await journey.enter(employee, { width: 360, scheme }, `/m/slip/${slip_id}`)
    await phone.getByRole('button', { name: '为什么' }).click()
    await phone.getByText('「讲课费」比上月多 300.00 元（3,000.00 → 3,300.00）。').waitFor()
    await view(phone, `why-${scheme}`)
    await phone.getByRole('button', { name: '关闭' }).click()

    await phone.getByRole('link', { name: '有疑问' }).click()
    await phone.getByLabel('问哪一项').selectOption({ label: '讲课费' })
    await phone.getByText('「讲课费」有什么不对？').waitFor()
    await phone.getByLabel('反馈内容').fill('讲课费应该是 3500')
    await phone.getByLabel('添加图片').setInputFiles({ name: '课表.png', mimeType: 'image/png', buffer: timetable() })
    await phone.getByRole('button', { name: '移除图片 1' }).waitFor()
    await phone.getByRole('button', { name: '发送' }).click()
    await phone.getByRole('list', { name: '对话' }).getByText('讲课费应该是 3500').waitFor()
    await phone.getByRole('button', { name: '放大图片 1' }).waitFor()
    await phone.getByText(/由 .+ 回复，\d\d-\d\d 前/).waitFor()
    await view(phone, `asked-${scheme}`)
    await correctFromThread(scheme)

    await phone.goto(`/m/slip/${slip_id}`)
    await phone.getByText('讲课费：3,300.00 → 3,500.00').waitFor()
    await phone.getByRole('button', { name: '确认', exact: true }).click()
    await phone.getByRole('button', { name: '改为手写签名确认' }).click()
    await phone.getByRole('button', { name: '请先签名' }).waitFor()
    // A signature is not required.
    await phone.getByRole('button', { name: '不签名，直接确认' }).click()
    await phone.getByRole('button', { name: '确认工资条' }).waitFor()
    await phone.getByRole('button', { name: '改为手写签名确认' }).click()
    await phone.getByText('请在框内签名').waitFor()
    await write(phone)
    await view(phone, `sign-${scheme}`)
    await phone.getByRole('button', { name: '确认工资条' }).click()
    await phone.getByText('回执编号').waitFor()
    await printed(phone)
    await phone.getByRole('button', { name: '出示或下载回执' }).click()
    const sheet = phone.getByRole('dialog')
    await sheet.getByRole('img', { name: '手写签名' }).waitFor()
    await view(phone, `receipt-${scheme}`)
    const coming = phone.waitForEvent('download')
    await sheet.getByRole('button', { name: '下载回执文件' }).click()
    const stored = await coming
    expect(stored.suggestedFilename()).toBe(`确认回执-${name}-2026-10-第2版.json`)
    const bytes = await (await stored.createReadStream()).toArray()
    const file = Buffer.concat(bytes)
    expect(verifyFile(file)).toMatchObject({ genuine: true })
    const url = new URL((await sheet.getByRole('link', { name: '打开核验页' }).getAttribute('href')) ?? '')

    // Another, signed-out user in another browser.
    const other = await journey.open(`${url.pathname}${url.hash}`, { width: 360, scheme })
    const result = other.getByRole('region', { name: '核验结果' })
    await result.getByText('真实，没有被改动').waitFor()
    for (const text of [name, '本人手写签名', '2026 年 10 月，第 2 版', '这一版仍然有效']) await result.getByText(text).waitFor()
    expect(await other.content()).not.toMatch(/3,?[35]00/)
    await view(other, `genuine-${scheme}`)
    await other.getByLabel('或粘贴回执、回执网址').fill(`${url.hash.slice(0, -3)}AAA`)
    await other.getByRole('button', { name: '核验' }).click()
    await result.getByText('不能证明是真的').waitFor()
    await view(other, `not-genuine-${scheme}`)
    await other.getByLabel('选择回执文件').setInputFiles({ name: '回执.json', mimeType: 'application/json', buffer: file })
    await result.getByText('真实，没有被改动').waitFor()
  },
)
