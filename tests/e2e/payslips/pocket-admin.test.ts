/** An administrator on a phone: current work, a reply to feedback, a reminder, and a withdrawn batch. */
import { expect, it } from 'vitest'
import { getIndex } from '../../../server/contract/company/company.ts'
import { uploadFile } from '../../../server/contract/files/files.ts'
import { feedbackSlip, getSlip, getSlipList } from '../../../server/contract/payslips/employee.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import { formatFen } from '../../../server/contract/shared/money.ts'
import { examine, mustFit } from '../../support/journey/browser.ts'
import { callsOpen, settle, toasted, until, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const head = '系统管理员（全部权限）'

it.each(pickOne('month', [{ scheme: 'light' }, { scheme: 'dark' }] as const))(
  'shows this month, replies to feedback and sends a reminder on mobile, $scheme',
  async (view) => {
    const caller = await journey.caller(head)
    const { batches } = await caller.must(getIndex, {})
    const { list } = await caller.must(feedback.getFeedBackList, { status: 'open' })
    const page = await journey.enter(head, { width: 360, ...view }, '/m/admin')
    await page.getByRole('heading', { name: '本月批次' }).waitFor()
    await examine(page, `86-pocket-${view.scheme}`)
    await mustFit(page)
    await page
      .getByText(batches[0]?.title ?? '', { exact: true })
      .first()
      .waitFor()
    if (list[0]) {
      await page.locator('.mobile-admin-thread').first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('回复').fill('已经核对，会在下个月补发。')
      await examine(page, `87-pocket-answer-${view.scheme}`)
      await dialog.getByRole('button', { name: '回复', exact: true }).click()
      await toasted(page, '已回复')
      const after = await caller.must(feedback.getFeedBackDetail, { id: list[0].id })
      expect(after.status).toBe('answered')
    }
    // The answered thread leaves the list above the batches.
    await until(() => callsOpen(page)).toBe(0)
    await settle(page)
    const card = page.locator('.mobile-admin-card', { has: page.getByRole('button', { name: '撤回', exact: true }) }).first()
    await card.getByRole('button', { name: '撤回', exact: true }).click()
    const asks = page.getByRole('dialog', { name: '撤回整批工资条？' })
    await asks.getByRole('button', { name: /^撤回 [\d,]+ 人$/ }).waitFor()
    await examine(page, `88-pocket-withdraw-${view.scheme}`)
    await asks.getByRole('button', { name: '取消' }).click()
    await asks.waitFor({ state: 'detached' })
  },
)

it('leads from the mobile app to the desktop and back', async () => {
  const page = await journey.enter(head, { width: 360 }, '/m/slips')
  await page.getByRole('link', { name: '我的', exact: true }).click()
  // Navigates within the app, because a full address would load the whole app.
  await page.evaluate(() => history.pushState(null, '', '/m/admin'))
  await page.getByRole('link', { name: '完整版' }).click()
  await page.waitForURL('**/home')
  await page.getByRole('link', { name: '工资条管理' }).first().waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: '本月批次' }).waitFor()
})

it.each(
  pickOne('answer', [
    { scheme: 'light', width: 320 },
    { scheme: 'dark', width: 390 },
  ] as const),
)('shows the figure, the picture and the due day when answering, $scheme at $width', async (view) => {
  const asking = await journey.caller('，员工')
  const { slip_id } = (await asking.must(getSlipList, {})).list.find((one) => one.withdrawn_at === null) ?? { slip_id: '' }
  const { slip } = await asking.must(getSlip, { slip_id, confirm_open: true })
  const item = slip.groups.flatMap(({ cells }) => cells).find(({ fen }) => fen !== null && fen > 0)
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const { file_id } = await asking.must(uploadFile, { for: 'question' }, { name: '考勤.png', bytes })
  await asking.must(feedbackSlip, { slip_id, column_key: item?.key ?? '', content: '这一项和考勤不同', pictures: [file_id] })
  const page = await journey.enter(head, view, '/m/admin')
  await page.locator('.mobile-admin-thread', { hasText: '这一项和考勤不同' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: '放大图片 1' }).waitFor()
  const figure = dialog.locator('.mobile-admin-subject')
  await figure.getByText(item?.label ?? '', { exact: true }).waitFor()
  await figure
    .getByText(formatFen(item?.fen ?? 0), { exact: true })
    .first()
    .waitFor()
  await figure.getByText(/前回复|已超时/).waitFor()
  await examine(page, `89-pocket-answer-${view.width}-${view.scheme}`)
  await mustFit(page)
})
