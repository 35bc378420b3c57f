/** An agency's own people: from the list of companies to roster and administrators, in Chromium. */
import { expect, it } from 'vitest'
import { examine } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const [head, limited] = ['代理企业负责人', '代理企业管理员']

it('leads from the list of companies to roster and administrators, and appoints a colleague', async () => {
  const page = await journey.enter(head)
  await page.waitForURL(/\/companyList/i)
  const tabs = page.getByRole('navigation', { name: '代理企业' })
  await tabs.getByRole('link', { name: '花名册' }).click()
  await page.getByText('共 5 人').waitFor()
  await tabs.getByRole('link', { name: '管理员' }).click()
  await page.getByText('申请服务企业，进入已授权的企业').waitFor()
  // The menu stays as the specification has it, and keeps its place.
  await until(() => page.getByRole('link', { name: '企业列表' }).first().getAttribute('aria-current')).toBe('page')
  await page.getByRole('link', { name: '全部管理员' }).click()
  await page.getByText('共 2 人').waitFor()
  await page.getByRole('button', { name: '添加管理员' }).click()
  const add = page.getByRole('dialog', { name: '添加管理员' })
  await add.getByRole('checkbox', { name: /肖星野/ }).click()
  await add.getByRole('checkbox', { name: /薪酬管理员/ }).click()
  await add.getByRole('radio', { name: '全公司' }).click()
  await examine(page, 'agency-add-1440')
  await add.getByRole('button', { name: '添加', exact: true }).click()
  await toasted(page, '肖星野 已成为薪酬管理员')
  await page.getByText('共 3 人').waitFor()
  await page.getByRole('button', { name: '肖星野的更多操作' }).click()
  // An agency has no pay runs that could be handed over.
  const actions = await page.getByRole('menuitem').allInnerTexts()
  expect(actions.map((text) => text.split('\n')[0])).toEqual(['修改管理范围', '取消薪酬管理员', '强制退出登录'])
})

it('offers an administrator no power that they do not hold', async () => {
  const page = await journey.enter(limited, { width: 360, scheme: 'dark' }, '/roleAdmin')
  await page.getByRole('button', { name: '添加管理员' }).click()
  const add = page.getByRole('dialog', { name: '添加管理员' })
  await add.getByText('您没有员工管理员权限，不能授予他人').waitFor()
  expect(await add.getByRole('checkbox', { name: /员工管理员/ }).isDisabled()).toBe(true)
  expect(await add.getByRole('checkbox', { name: /薪酬管理员/ }).isDisabled()).toBe(false)
  await examine(page, 'agency-add-360')
})
