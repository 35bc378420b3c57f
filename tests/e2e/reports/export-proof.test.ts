/** A file with amounts, an hour after the sign-in: the dialog asks who it is, and the export continues by itself. */
import { expect, it } from 'vitest'
import { dress, examine, mustFit, type View } from '../../support/journey/browser.ts'
import { password, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const head = '系统管理员（全部权限）'
const views: readonly View[] =
  process.env.XINHAN_PICTURES === '1'
    ? [
        { width: 1440, scheme: 'light' },
        { width: 360, scheme: 'dark' },
        { width: 1440, scheme: 'dark' },
        { width: 360, scheme: 'light' },
      ]
    : [{ width: 1440, scheme: 'light' }]

it('asks for the password or a code, and then exports', async () => {
  const page = await journey.enter(head, {}, '/chars/home')
  const dialog = page.getByRole('dialog', { name: '请确认是您本人' })
  const exportYear = page.getByRole('button', { name: /^导出 \d{4} 年$/ })
  await exportYear.waitFor()
  await journey.ageSessions(head)
  await exportYear.click()
  await dialog.getByLabel('登录密码').waitFor()
  for (const view of views) {
    await dress(page, view)
    await examine(page, `84-export-proof-${view.width}-${view.scheme}`)
    await mustFit(page)
  }
  await dress(page, {})
  // Whoever closes the dialog exports nothing.
  await dialog.getByRole('button', { name: '取消' }).click()
  await until(() => dialog.count()).toBe(0)
  await exportYear.click()
  await dialog.getByRole('button', { name: '用短信验证码' }).click()
  await dialog.getByText(/发送到 1\d{2}\*{4}\d{4}/).waitFor()
  await examine(page, '85-export-proof-code')
  await dialog.getByRole('button', { name: '用登录密码' }).click()
  await dialog.getByLabel('登录密码').fill('not-the-password')
  await dialog.getByRole('button', { name: '确认并导出' }).click()
  await dialog.getByText('登录密码不正确').waitFor()
  await dialog.getByLabel('登录密码').fill(password)
  const file = page.waitForEvent('download')
  await dialog.getByRole('button', { name: '确认并导出' }).click()
  expect((await file).suggestedFilename()).toMatch(/\.xlsx$/)
  expect(await dialog.count()).toBe(0)
})
