/** The whole wizard by touch: on a phone from the upload to the withdrawal, without a mouse. */
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getWageDetail } from '../../../server/contract/payslips/send.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { mustFit, picture } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'
import { isFull } from '../../support/run/trial.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
const head = ['姓名', '手机号', '项目奖金', '交通补贴', '实发金额']

// The test takes a minute on a phone; main-job does the same with a mouse in every run.
it.runIf(isFull)(
  'uploads, answers, corrects, lays out, sends and withdraws a wage sheet by touch',
  { timeout: 200_000 },
  async () => {
    const caller = await journey.caller(payroll)
    const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 40 })
    const people = [...new Map(list.map((one) => [one.NAME, one])).values()].slice(0, 5)
    const rows = people.map((one, at) => [one.NAME, one.MOBILE, at === 3 ? '见备注' : 900 + at * 40, 100, 1000 + at * 40])
    // The second employee is hidden in the file, so the product asks whether to pay them.
    const buffer = makeXlsx({ sheets: [{ name: '奖金', rows: [head, ...rows], hidden_rows: [3] }] })
    const page = await journey.enter(payroll, { width: 360, touch: true }, '/wageSend1')
    expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true)
    const tap = async (what: Locator): Promise<void> => {
      await what.waitFor()
      await what.tap()
    }
    const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
    const view = async (name: string) => {
      await picture(page, `wizard-touch-${name}`)
      await mustFit(page)
    }

    const choosing = page.waitForEvent('filechooser')
    await tap(button('选择文件'))
    await (await choosing).setFiles({ name: '2027年4月项目奖.xlsx', mimeType: 'application/octet-stream', buffer })
    const requested = page.getByRole('region', { name: '需要您确认的' })
    await page.getByText('识别到 5 人').first().waitFor()
    await view('1-asked')
    await tap(requested.getByRole('button', { name: /^要发/ }))
    await view('1-answered')
    await page.getByRole('textbox', { name: '标题' }).fill('2027年4月项目奖')
    await tap(button('核对 5 人'))

    await page.waitForURL('**/check?**')
    await page.locator('[data-problem]').first().waitFor()
    await view('2-wrong')
    await tap(
      page
        .locator('[data-problem]')
        .first()
        .getByRole('button', { name: /修改|填写|改正|改/ })
        .first(),
    )
    await page.getByRole('textbox').filter({ visible: true }).last().fill('1020')
    await view('2-mending')
    await tap(button('保存'))
    await page.getByText('最近改过').waitFor()
    await view('2-mended')
    // A tenth of the usual monthly pay raises a question; here the amount is intended.
    await tap(button('接受'))
    await tap(button(/^(?:排版|发送) 5 人/))
    const still = page.getByRole('button', { name: /^仍然排版/ })
    await Promise.race([page.waitForURL('**/wageSend2?**'), still.waitFor()])
    if (await still.isVisible()) await tap(still)

    await page.waitForURL('**/wageSend2?**')
    await page.getByText('实发金额').first().waitFor()
    await view('3-arranged')
    await tap(button('下一步：发送设置'))

    await page.waitForURL('**/wageSend3?**')
    const plan = page.getByRole('region', { name: '发送计划' })
    await plan.getByText('接收人数').waitFor()
    await tap(page.getByRole('switch').first())
    await plan.getByText('接收人数').waitFor()
    await view('4-options')
    await tap(button(/^发送 5 人$/))
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await view('4-ask')
    const looked = dialog.getByRole('checkbox', { name: /我看过了/ })
    if (await looked.count()) await tap(looked)
    await tap(dialog.getByRole('button', { name: /^发送 5 人$/ }))

    await page.waitForURL('**/SendSucc?**')
    const batch_id = new URL(page.url()).searchParams.get('batch_id') ?? ''
    await until(async () => (await caller.must(getWageDetail, { batch_id })).batch.counts.sent).toBe(5)
    await view('5-sent')
    await page.goto(`/wageDetail?batch_id=${batch_id}`)
    await tap(button('撤回全部'))
    await page.getByLabel('撤回原因').fill('金额算错')
    await view('6-withdraw')
    await tap(button('撤回 5 人'))
    await toasted(page, '已撤回 5 人的工资条')
    await until(async () => (await caller.must(getWageDetail, { batch_id })).list.map(({ status }) => status)).toEqual(
      Array.from({ length: 5 }, () => 'withdrawn'),
    )
    await view('6-withdrawn')
  },
)
