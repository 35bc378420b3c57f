/** The search box on every page: by keyboard to a member and a pay run, to a setting and to help. */
import { expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { examine, mustFit, nightAtDesk } from '../../support/journey/browser.ts'
import { composing, settle, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney({ first: true })
const head = '系统管理员（全部权限）'

it.each(pickOne('find', nightAtDesk))('finds by typing, opens with Enter and remembers the query, at $width', async (view) => {
  const caller = await journey.caller(head)
  const { list } = await caller.must(getMemberList, { page: 2 })
  const [name, id] = [list[0]?.NAME ?? '', list[0]?.ID ?? '']
  const page = await journey.enter(head, view, '/companyInfo')
  await page.getByRole('heading', { name: '基本信息' }).waitFor()
  await settle(page)
  await page.keyboard.press('Control+k')
  const box = page.getByRole('searchbox', { name: '搜索' })
  await box.fill(name)
  const person = page.getByRole('region', { name: '员工', exact: true }).getByRole('link').first()
  await person.waitFor()
  await examine(page, `84-find-${view.width}`)
  await mustFit(page)
  // During composition Enter accepts the letters and opens nothing.
  await box.fill('')
  const write = await composing(page, name)
  await person.waitFor()
  await write(name)
  // It lies over the page, which stays.
  expect(new URL(page.url()).pathname).toBe('/companyInfo')
  expect(await box.inputValue()).toBe(name)
  await person.waitFor()
  await box.press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/memberFile')
  expect(new URL(page.url()).searchParams.get('id')).toBe(id)

  await page
    .getByRole('heading', { name: new RegExp(name) })
    .first()
    .waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('region', { name: '最近打开' }).getByText(name).waitFor()
  await examine(page, `85-find-recent-${view.width}`)
  await box.fill('撤回')
  await page.getByRole('region', { name: '常见问题' }).getByText('发错了怎么撤回？').waitFor()
  await page.getByRole('region', { name: '页面与设置' }).getByText('工资条管理').waitFor()
  await box.fill('没有的东西')
  await page.getByText('没有找到和「没有的东西」有关的内容').waitFor()
  // Esc empties the box first, and then closes the search.
  await box.press('Escape')
  expect(await box.inputValue()).toBe('')
  await box.press('Escape')
  await box.waitFor({ state: 'hidden' })
  expect(new URL(page.url()).pathname).toBe('/memberFile')
})
