/** Keys for the company's own programs: created, shown once, used without a session, and revoked at once. */
import { expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { dress, examine, mustFit, type Tab, type View } from '../../support/journey/browser.ts'
import { toasted, useJourney } from '../../support/journey/journey.ts'

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
    : [{ width: 360, scheme: 'dark' }]
async function show(page: Tab, name: string): Promise<void> {
  for (const view of views) {
    await dress(page, view)
    await examine(page, `${name}-${view.width}-${view.scheme}`)
    await mustFit(page)
  }
  await dress(page, {})
}

it('creates a key that a program can use until it is revoked', async () => {
  const page = await journey.enter(head, {}, '/companyInfo')
  await page.getByRole('button', { name: '创建密钥' }).click()
  const dialog = page.getByRole('dialog', { name: '创建接口密钥' })
  await dialog.getByRole('button', { name: '创建', exact: true }).click()
  await dialog.getByText('请填写名称').waitFor()
  await dialog.getByText('请至少选择一项权限').waitFor()
  await show(page, '80-api-key-error')
  await dialog.getByLabel('名称').fill('集团人力资源共享服务中心的人事系统')
  await dialog.getByRole('checkbox').first().check()
  await show(page, '81-api-key')
  await dialog.getByRole('button', { name: '创建', exact: true }).click()
  const secret = page.getByRole('dialog', { name: '接口密钥' })
  const key = await secret.getByText(/^xh_live_/).innerText()
  await show(page, '82-api-key-secret')
  await page.keyboard.press('Escape')
  await page.getByText(`xh_live_…${key.slice(-4)}`).waitFor()
  await show(page, '83-api-keys')

  const call = async () =>
    (
      await fetch(`${journey.address}${getMemberList.path}`, {
        method: getMemberList.method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({}),
      })
    ).status
  expect(await call()).toBe(200)
  await page.getByRole('button', { name: /^停用：集团/ }).click()
  await page.getByRole('dialog', { name: '停用接口密钥？' }).getByRole('button', { name: '停用密钥' }).click()
  await toasted(page, '已停用密钥')
  expect(await call()).toBe(401)
})
