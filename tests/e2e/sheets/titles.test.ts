/** Titles on the page of pay runs: from a title to its batches, and shared with a colleague. */
import { expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { dayAtDesk, examine, mustFit } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'

it.each(pickOne('titles', dayAtDesk))('leads from a title to its batches, shares and unshares it, at $width', async (view) => {
  const page = await journey.enter(payroll, view, '/wageAdmin')
  await page.getByRole('button', { name: '按标题' }).click()
  const clerk = await journey.caller(payroll)
  const [first] = (await clerk.must(wage.getTitleList, {})).list.filter(({ is_own }) => is_own)
  if (!first) throw new Error('the demo has titles')
  await examine(page, `60-titles-${view.width}`)
  await mustFit(page)

  await page
    .getByRole('button', { name: `${first.title}的更多操作` })
    .first()
    .click()
  await page.getByRole('menuitem', { name: '共享给其他薪酬管理员' }).click()
  const dialog = page.getByRole('dialog', { name: `共享「${first.title}」` })
  const [user] = (await clerk.must(wage.getShareUserList, { title_id: first.title_id })).list
  if (!user) throw new Error('the demo has another payroll administrator')
  const rights = async () =>
    (await clerk.must(wage.getShareUserList, { title_id: first.title_id })).list.find(({ user_id }) => user_id === user.user_id)
      ?.rights
  const choose = async (text: string) => {
    await dialog.getByRole('combobox', { name: `${user.name}的权限` }).click()
    await page.locator('.ant-select-item-option', { hasText: text }).click()
  }
  await choose('可查看')
  await toasted(page, `${user.name}：已共享，可查看`)
  expect(await rights()).toBe('view')
  await examine(page, `61-share-${view.width}`)
  await choose('不共享')
  await until(rights).toBe(null)
  await dialog.getByRole('button', { name: '完成' }).click()
  await dialog.waitFor({ state: 'hidden' })

  await page.getByRole('link', { name: first.title, exact: true }).first().click()
  await page.getByText(`标题：${first.title}`).waitFor()
  await until(() => page.getByText(`共 ${first.batches} 批`).count()).toBeGreaterThan(0)
  await page.goBack()
  await page.getByRole('button', { name: '按标题' }).waitFor()
})
