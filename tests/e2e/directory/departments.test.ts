/** The department tree on desktop and phone: create, rename, drag, sort, and delete with a move of the members. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { getDepartList, insertDepartment, insertMember } from '../../../server/contract/directory/members.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const clerk = '薪酬管理员（全公司）'
const long = '华东大区数字化转型与战略客户联合解决方案交付中心（苏州工业园区）'
let desk: Tab
let caller: HttpCaller
let lab = ''

beforeAll(async () => {
  caller = await journey.caller(clerk)
  const [root] = (await caller.must(getDepartList, {})).list
  const made = (name: string, pid = root?.ID ?? '') => caller.must(insertDepartment, { name, pid })
  lab = (await made('实验室')).id
  for (const name of ['光学组', '声学组']) await made(name, lab)
  await caller.must(insertMember, { name: '白露', mobile: journey.freePhone(21), department_ids: [lab] })
  await caller.must(insertMember, { name: '夏至', mobile: journey.freePhone(22), department_ids: [lab] })
  desk = await journey.enter(clerk, {}, '/companyMember')
})

const getNode = (page: Page, name: string) => page.locator('[data-department]').filter({ hasText: name }).first()
async function act(page: Page, name: string, what: string): Promise<void> {
  await getNode(page, name).hover()
  await page.getByRole('button', { name: `${name}的更多操作` }).click()
  await page.getByRole('menuitem', { name: what }).click()
}
/** Returns the names below 实验室 from the server. */
async function inLab(): Promise<string[]> {
  const [root] = (await caller.must(getDepartList, {})).list
  return (root?.child.find(({ ID }) => ID === lab)?.child ?? []).map(({ NAME }) => NAME)
}
/** Waits until server and page show these names, so that the next step uses current rows. */
async function labIs(page: Page, names: string[]): Promise<void> {
  await until(inLab).toEqual(names)
  await until(async () => (await page.locator('.tree-dept-name').allTextContents()).slice(-names.length)).toEqual(names)
}
/** Drags a node by its name over another node, to the given part of its row, without dropping it. */
async function hold(page: Page, name: string, over: string, part = 0.5): Promise<void> {
  await page.mouse.up()
  const from = await getNode(page, name).locator('.tree-dept-name').boundingBox()
  const to = await page
    .locator('.ant-tree-treenode')
    .filter({ has: getNode(page, over) })
    .first()
    .boundingBox()
  if (!from || !to) throw new Error('out of sight')
  await page.mouse.move(from.x + 8, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(from.x + 20, from.y + from.height / 2)
  await page.mouse.move(to.x + 80, to.y + to.height * part, { steps: 4 })
}

describe('department tree on desktop', () => {
  it('creates a department with a long name, renames it, and rejects a duplicate name at the field', async () => {
    await act(desk, '实验室', '新建下级部门')
    const dialog = desk.getByRole('dialog')
    await dialog.getByLabel('部门名称').fill('光学组')
    await dialog.getByRole('button', { name: '新建' }).click()
    await dialog.getByText('「实验室」下面已经有一个「光学组」，请换个名称').waitFor()
    await dialog.getByLabel('部门名称').fill(long)
    await dialog.getByLabel('部门名称').press('Enter')
    await toasted(desk, `已新建「${long}」`)
    await getNode(desk, long).waitFor()
    await examine(desk, 'departments-1440')
    await mustFit(desk)
    await act(desk, long, '重命名')
    await desk.getByRole('dialog').getByLabel('部门名称').fill('材料组')
    await desk.getByRole('dialog').getByRole('button', { name: '保存' }).click()
    await toasted(desk, '已改名为「材料组」')
    await labIs(desk, ['光学组', '声学组', '材料组'])
  })

  it('drags a department before another and into one that opens on hover, but not into its own subtree', async () => {
    await hold(desk, '材料组', '光学组', 0.1)
    await desk.getByText('调整「材料组」的顺序').waitFor()
    await desk.mouse.up()
    await labIs(desk, ['材料组', '光学组', '声学组'])
    await getNode(desk, '声学组').waitFor()

    await hold(desk, '实验室', '声学组')
    await desk.getByText('不能把部门移到自己的下级里').waitFor()
    await examine(desk, 'departments-drag-1440')
    await desk.keyboard.press('Escape')
    await desk.mouse.up()

    // A collapsed node opens while a drag hovers over it, and accepts a drop on its child.
    const folded = desk.locator('.ant-tree-treenode').filter({ has: getNode(desk, '实验室') })
    await folded.locator('.ant-tree-switcher').click()
    await getNode(desk, '声学组').waitFor({ state: 'hidden' })
    await hold(desk, '市场部', '实验室')
    await getNode(desk, '声学组').waitFor()
    await desk.getByText('移到「实验室」下').waitFor()
    await desk.mouse.up()
    await labIs(desk, ['材料组', '光学组', '声学组', '市场部'])
  })

  it('moves a department by menu without a mouse: elsewhere, up and down', async () => {
    await getNode(desk, '市场部').hover()
    const menu = desk.getByRole('button', { name: '市场部的更多操作' })
    await menu.focus()
    await desk.keyboard.press('Enter')
    await desk.getByRole('menuitem', { name: '上移' }).click()
    await labIs(desk, ['材料组', '光学组', '市场部', '声学组'])
    await act(desk, '市场部', '移动到…')
    const dialog = desk.getByRole('dialog', { name: '把「市场部」移动到' })
    await dialog.getByLabel('选择上级部门').click()
    await dialog.getByLabel('选择上级部门').fill('营销')
    await desk.locator('.ant-select-tree-title').filter({ hasText: '营销中心' }).click()
    await examine(desk, 'departments-move-1440')
    await dialog.getByRole('button', { name: '移动' }).click()
    await toasted(desk, '已移到「营销中心」下')
    await labIs(desk, ['材料组', '光学组', '声学组'])
  })

  it('moves selected members, and deletes a department once its members have a destination', async () => {
    await getNode(desk, '实验室').locator('.tree-dept-name').click()
    await desk.getByText('负责人 未设置').waitFor()
    for (const name of ['白露', '夏至']) await desk.getByRole('checkbox', { name: `选择 ${name}` }).check()
    await examine(desk, 'departments-many-1440')
    await desk.getByRole('button', { name: '移动到部门' }).click()
    const moving = desk.getByRole('dialog', { name: '把选中的 2 人移动到' })
    await moving.getByLabel('选择部门').click()
    await desk.locator('.ant-select-tree-title').filter({ hasText: '光学组' }).click()
    await moving.getByRole('button', { name: '移动 2 人' }).click()
    await toasted(desk, '已移动 2 人')
    await until(() => getNode(desk, '光学组').innerText()).toMatch(/2/)

    await act(desk, '光学组', '删除')
    const asks = desk.getByRole('dialog', { name: '删除部门「光学组」？' })
    await asks.getByText('里面有 2 位员工').waitFor()
    await examine(desk, 'departments-delete-1440')
    await asks.getByRole('button', { name: '移走 2 人并删除' }).click()
    await toasted(desk, '已删除「光学组」，2 人移到「实验室」')
    await labIs(desk, ['材料组', '声学组'])
    await getNode(desk, '光学组').waitFor({ state: 'detached' })
    await desk.getByRole('row', { name: /夏至/ }).getByText('实验室').waitFor()
  })

  it('shows the department tree as a drawer on a phone, whose menu replaces dragging', async () => {
    const page = await journey.enter(clerk, { width: 360, scheme: 'dark' }, '/companyMember')
    await page.getByRole('button', { name: '部门管理' }).click()
    const drawer = page.getByRole('dialog', { name: '部门' })
    await getNode(page, '声学组').waitFor()
    // `smallTargets` does not treat the page behind as inert, so the drawer's targets are measured here.
    for (const target of await drawer.locator('.row-more, .ant-drawer-close').all()) {
      const { width = 0, height = 0 } = (await target.boundingBox()) ?? {}
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(40)
    }
    await drawer.getByPlaceholder('搜索部门').fill('声学')
    await drawer.getByPlaceholder('搜索部门').press('Enter')
    await getNode(page, '声学组').waitFor()
    await examine(page, 'departments-360-dark')
    await mustFit(page)
    await act(page, '声学组', '设置负责人')
    const leads = page.getByRole('dialog', { name: '「声学组」的负责人' })
    await leads.getByText('负责人只作标注').waitFor()
    await examine(page, 'departments-leader-360')
    await leads.getByRole('button', { name: '取消' }).click()
    await leads.waitFor({ state: 'hidden' })
    // The focus returns to ⋯; from there Esc closes the drawer and returns the focus to its opener.
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('声学组的更多操作')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: '部门管理' }).click()
    await getNode(page, '声学组').locator('.tree-dept-name').click()
    await page.getByText('「声学组」里还没有员工。').waitFor()
    await examine(page, 'departments-empty-360')
    await mustFit(page)
  })
})
