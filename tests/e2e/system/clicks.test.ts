/** Counts the clicks of one job from home to sent. Only the counts are asserted; the seconds depend on the machine. */
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { getVerifyCode, registerCorp } from '../../../server/contract/auth/sign-in.ts'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { doSend, getWageDetail, sendPaySheet } from '../../../server/contract/payslips/send.ts'
import { insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { HttpCaller, lastCode } from '../../support/callers/http.ts'
import { type DemoPerson, demoWageSheet } from '../../support/files/demo-sheet.ts'
import { examine, mustFit, picture, type Tab } from '../../support/journey/browser.ts'
import { desk, signInAtDesk, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

type Sheet = { name: string; buffer: Buffer }
type Press = (what: Locator) => Promise<void>
/** Drops a file like a user who drags it from the desktop. */
async function dropOn(page: Tab, { name, buffer }: Sheet): Promise<void> {
  const data = await page.evaluateHandle(
    ({ bytes, called, type }) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], called, { type }))
      return transfer
    },
    { bytes: buffer.toString('base64'), called: name, type: xlsx },
  )
  await page.locator('.home-drop').dispatchEvent('drop', { dataTransfer: data })
}

/** Runs a job and counts its clicks, with a dropped file as one. Returns what was clicked and prints the time. */
async function counted(page: Tab, job: (press: Press, pressed: string[]) => Promise<void>): Promise<string[]> {
  const pressed: string[] = []
  const began = performance.now()
  await job(async (what) => {
    await what.waitFor()
    pressed.push(`${new URL(page.url()).pathname} ${(await what.innerText().catch(() => '')).trim()}`)
    await what.click()
  }, pressed)
  await page.waitForURL('**/SendSucc?**')
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(`${pressed.length} clicks, ${seconds} s on this machine: ${pressed.join(' → ')}\n`)
  return pressed
}
const button = (page: Tab, name: RegExp) => page.getByRole('button', { name })
const inDialog = (page: Tab, name: RegExp) => page.getByRole('dialog').getByRole('button', { name })

it('completes the next month in few clicks when only some amounts have changed', { timeout: 200_000 }, async () => {
  const caller = await journey.caller(payroll)
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 60 })
  const typical = { base: 350_000, post: 50_000, performance: 30_000 }
  const people: DemoPerson[] = [...new Map(list.map((one) => [one.NAME, one])).values()].slice(0, 20).map((one) => ({
    name: one.NAME,
    mobile: one.MOBILE,
    employee_no: one.EMPLOYEE_NO,
    department: one.DEPARTMENTS[0]?.NAME ?? '',
    terms: typical,
  }))
  const risen = people.map((one, at) => (at === 3 ? { ...one, terms: { ...typical, performance: 31_000 } } : one))
  const kind = 'monthly'
  // The template comes from the last wage sheet of this payroll administrator with this form; no other test uploads
  // this form.
  const remark = '备注栏'
  const { batch_id } = await caller.must(
    uploadWageExcel,
    {},
    { name: '10.xlsx', bytes: demoWageSheet(people, { title: '2027年1月工资表', remark }) },
  )
  await caller.must(insertBatchTitle, { batch_id, title: '2027年1月全员工资', month: '2027-01', kind })
  const { plan_id } = await caller.must(sendPaySheet, { batch_id, channels: ['link'] })
  await caller.must(doSend, { plan_id, looked: true })
  // A month that is still being sent is not used for the comparison.
  const sent = async () =>
    (await caller.must(getWageDetail, { batch_id, pagesize: 60 })).list.filter(({ status }) => status === 'sent')
  await until(async () => (await sent()).length).toBe(people.length)
  const page = await journey.enter(payroll, {}, '/home')
  await page.getByText('本月批次').waitFor()
  const file = { name: '2027年2月工资表.xlsx', buffer: demoWageSheet(risen, { title: '2027年2月工资表', remark }) }
  const pressed = await counted(page, async (press, all) => {
    all.push('/home (a sheet is dropped)')
    await dropOn(page, file)
    await press(button(page, /^核对 20 人$/))
    await picture(page, 'clicks-next-check')
    await press(button(page, /^发送 20 人…$/))
    const plan = page.getByRole('region', { name: '发送计划' })
    await plan.getByText('接收人数').waitFor()
    await examine(page, 'clicks-next-plan')
    await mustFit(page)
    await press(button(page, /^发送 20 人$/))
    await press(inDialog(page, /^发送 20 人$/))
  })
  expect(pressed).toHaveLength(5)
})

it('completes the first wage sheet of a new company in few clicks', { timeout: 200_000 }, async () => {
  const phone = journey.freePhone(41)
  const secret = '月落乌啼 霜满天'
  const guest = new HttpCaller(journey.address)
  const { sms } = await guest.must(getVerifyCode, { phone, type: 'register' })
  const proof = { phone, sms, code: await lastCode(journey.address, phone) }
  await guest.must(registerCorp, { corp_name: '晨曦测试', user_name: '林一', password: secret, ...proof })
  const page = await journey.open(desk)
  await signInAtDesk(page, phone, secret)
  await page.waitForURL('**/home')
  const people: DemoPerson[] = Array.from({ length: 12 }, (_, at) => ({
    name: `${'赵钱孙李周吴郑王冯陈褚卫'[at]}小明`,
    mobile: journey.freePhone(100 + at),
  }))
  const file = { name: '2026年10月工资表.xlsx', buffer: demoWageSheet(people) }
  // The trial dialog opens before all other dialogs.
  await page.getByRole('dialog').waitFor()
  const pressed = await counted(page, async (press, all) => {
    await press(inDialog(page, /^开始使用$/))
    // By buttons, it takes one more click: 上传工资表, 选择文件.
    all.push('/home (a sheet is dropped)')
    await dropOn(page, file)
    await press(button(page, /^核对 12 人$/))
    await press(button(page, /^全部创建$/))
    await press(inDialog(page, /^创建 12 人$/))
    await press(button(page, /^排版 12 人的工资条$/))
    await press(button(page, /^下一步：发送设置/))
    await press(button(page, /^发送 12 人$/))
    await press(page.getByRole('checkbox', { name: /我看过了/ }))
    await press(inDialog(page, /^发送 12 人$/))
  })
  expect(pressed.length).toBeLessThanOrEqual(10)
})
