/**
 * Administrators manage each other: grant, change, remove, transfer, decide; in Chromium, wide and narrow, light and
 * dark.
 */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { getManagerMemberList, getUserList } from '../../../server/contract/access/administrators.ts'
import { applyTransferWageManager } from '../../../server/contract/approvals/approvals.ts'
import { examine, mustBeAccessible, mustFit, picture, type Tab, type View } from '../../support/journey/browser.ts'
import { password, toasted, until, useJourney, visitNode } from '../../support/journey/journey.ts'
import { some } from '../../support/run/trial.ts'

const journey = useJourney()
/** The system manager's desktop tab, open during the whole journey. */
let head: Tab
const system = '系统管理员（全部权限）'

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const openMenu = async (page: Page, name: string) => {
  await page.getByRole('button', { name: `${name}的更多操作` }).click()
}
const act = async (page: Page, name: string, word: string) => {
  await openMenu(page, name)
  await page.getByRole('menuitem', { name: word }).click()
}
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
/**
 * Checks that an ended session leads to the sign-in page at the next request, possibly before the requested page has
 * loaded.
 */
const mustLeave = async (page: Tab, message?: string) => {
  await page.goto('/wageAdmin', { waitUntil: 'commit' })
  if (message) await toasted(page, message)
  await page.waitForURL((url) => url.pathname.includes('/login/'))
}

beforeAll(async () => {
  head = await journey.enter(system, {}, '/roleAdmin')
})

describe('granting powers', () => {
  it('filters the list of administrators by the address, which the back button and a shared link keep', async () => {
    await head.getByText('共 5 人').waitFor()
    await head.getByRole('combobox', { name: '权限' }).click()
    await head.locator('.ant-select-item-option').filter({ hasText: '薪酬管理员' }).click()
    await head.getByText('共 2 人').waitFor()
    expect(new URL(head.url()).searchParams.get('power')).toBeTruthy()
    await head.reload()
    await head.getByText('共 2 人').waitFor()
    await head.goBack()
    await head.getByText('共 5 人').waitFor()
    const search = head.getByRole('textbox', { name: '搜索姓名' })
    await search.fill('没有这个人')
    await search.press('Enter')
    await head.getByText('没有符合条件的管理员').waitFor()
    await head.getByRole('button', { name: '移除筛选：姓名：没有这个人' }).click()
    await head.getByText('共 5 人').waitFor()
  })

  it('grants powers to several members at once, found by name, for a branch of the tree', async () => {
    await head.getByRole('button', { name: '添加管理员' }).click()
    const add = dialog(head, '添加管理员')
    await add.getByRole('button', { name: '添加', exact: true }).click()
    for (const text of ['请选择成员', '请选择至少一种权限']) await add.getByText(text).waitFor()
    const search = add.getByRole('textbox', { name: /按姓名查找/ })
    // Enter searches and does not submit; a name with a space is not searched.
    await search.fill('汤 思远')
    await search.press('Enter')
    await add.getByText('姓名中间不能有空格').waitFor()
    await search.fill('汤思远')
    await search.press('Enter')
    await add.getByRole('checkbox', { name: /汤思远/ }).click()
    await search.fill('朱予安')
    await search.press('Enter')
    await add.getByRole('checkbox', { name: /朱予安/ }).click()
    await until(() => add.getByRole('button', { name: /^移除：/ }).count()).toBe(2)
    await add.getByRole('checkbox', { name: /员工管理员/ }).click()
    await add.getByRole('button', { name: '添加', exact: true }).click()
    await add.getByText('请选择部门，或选择全公司').waitFor()
    await add.getByRole('combobox', { name: '选择部门' }).click()
    await head.locator('.ant-select-tree-title').getByText('市场部', { exact: true }).click()
    await head.keyboard.press('Escape')
    await examine(head, 'role-add-1440')
    await add.getByRole('button', { name: '添加', exact: true }).click()
    await toasted(head, '2 人已成为员工管理员')
    await head.getByText('共 7 人').waitFor()
    await until(() => row(head, '汤思远').innerText()).toContain('市场部')
  })

  it('changes the scope, revokes a power and signs out everywhere', async () => {
    await act(head, '汤思远', '修改管理范围')
    const scope = dialog(head, '修改 汤思远 的管理范围')
    await scope.getByRole('radio', { name: '全公司' }).click()
    await scope.getByRole('button', { name: '保存范围' }).click()
    await toasted(head, '已修改 汤思远 的管理范围')
    await until(() => row(head, '汤思远').innerText()).toContain('全公司')

    await act(head, '汤思远', '取消员工管理员')
    const take = dialog(head, '取消 汤思远 的员工管理员权限？')
    await take.getByText('不能再维护员工与部门').waitFor()
    await picture(head, 'role-take-1440')
    await take.getByRole('button', { name: '收回权限' }).click()
    await toasted(head, '已取消 汤思远 的员工管理员权限')
    await head.getByText('共 6 人').waitFor()

    const hr = journey.getName('员工管理员')
    const other = await journey.enter('员工管理员', {}, '/companyMember')
    await act(head, hr, '强制退出登录')
    await dialog(head, `让 ${hr} 退出登录？`).getByRole('button', { name: '强制退出' }).click()
    await toasted(head, `已退出 ${hr} 的`)
    await mustLeave(other)
  })

  it('shows how many pay runs stay with which administrator', async () => {
    const payroll = journey.getName('薪酬管理员（全公司）')
    await act(head, payroll, '取消薪酬管理员')
    const take = dialog(head, `取消 ${payroll} 的薪酬管理员权限？`)
    await take.getByText(/他名下的 [1-9]\d* 个工资批次仍归他名下/).waitFor()
    await head.keyboard.press('Escape')
    await take.waitFor({ state: 'hidden' })
  })
})

describe('forbidden actions', () => {
  it('shows an enterprise administrator why own powers, the system manager and payroll authority cannot be changed', async () => {
    const page = await journey.enter('企业管理员', {}, '/roleAdmin')
    const [payroll, me, top] = [
      journey.getName('薪酬管理员（全公司）'),
      journey.getName('企业管理员'),
      journey.getName('系统管理员（全部权限）'),
    ]
    for (const [name, reason] of [
      [payroll, '只有系统管理员可以移交薪酬管理权限'],
      [me, '不能更改自己的权限，请由其他管理员操作'],
      [top, '系统管理员总是管理全公司'],
    ] as const) {
      await openMenu(page, name)
      await page.getByText(reason).waitFor()
      await page.keyboard.press('Escape')
      await page.getByText(reason).waitFor({ state: 'hidden' })
    }
    await visitNode(page, '/rolePersonal')
    const button = page.getByRole('button', { name: '移交系统管理员' })
    await until(() => button.getAttribute('aria-disabled')).toBe('true')
    await button.focus()
    await page.getByRole('tooltip', { name: '只有系统管理员本人可以移交' }).waitFor()
  })

  it('shows a message and makes no call for users without power 1 or 4', async () => {
    const page = await journey.enter('薪酬管理员（市场部', {}, '/profile')
    for (const path of ['/rolePersonal', '/roleWage', '/roleAdmin']) {
      await visitNode(page, path)
      await page.getByText('您没有权限查看这个页面').waitFor()
    }
    // The filter is also applied by the address.
    await page.reload()
    await page.getByText('您没有权限查看这个页面').waitFor()
  })
})

describe('transfer', () => {
  it('transfers payroll authority directly: requires a recipient, moves the records and notifies the former holder', async () => {
    const narrow = '薪酬管理员（市场部、销售部）'
    const from = journey.getName(narrow)
    const his = await journey.enter(narrow)
    await visitNode(head, '/roleWage')
    await act(head, from, '移交薪酬管理权限')
    const move = dialog(head, '移交薪酬管理权限')
    await move.getByText('该管理员名下的工资记录也会一并移交').waitFor()
    await until(() => move.getByRole('term').allInnerTexts()).toEqual(['管理员', '管理范围', '一并移交'])
    await until(() => move.getByRole('definition').allInnerTexts()).toEqual([
      from,
      '市场部\n销售部',
      expect.stringMatching(/^\d+ 个工资批次/),
    ])
    await move.getByRole('radio').first().waitFor()
    expect(await move.getByRole('radio', { name: new RegExp(from) }).count()).toBe(0)
    await move.getByRole('button', { name: '移交', exact: true }).click()
    await move.getByText('请选择移交对象').waitFor()
    await examine(head, 'role-transfer-1440')
    // Ten members a page; the next ones load near the bottom.
    const list = move.getByRole('region', { name: '移交给' }).last()
    const before = await list.getByRole('radio').count()
    await list.evaluate((box) => box.scrollTo({ top: box.scrollHeight }))
    await until(() => list.getByRole('radio').count()).toBeGreaterThan(before)
    await move.getByRole('textbox', { name: /按姓名查找/ }).fill('汤思远')
    await move.getByRole('button', { name: '搜索', exact: true }).click()
    await move.getByRole('radio', { name: /汤思远/ }).click()
    await move.getByRole('button', { name: '移交给 汤思远' }).click()
    await toasted(head, /移交成功，\d+ 个工资批次已归 汤思远/)
    await until(() => row(head, '汤思远').innerText()).toContain('销售部')
    expect(await row(head, from).count()).toBe(0)
    await mustLeave(his, '移交成功')
  })

  it('transfers payroll authority by application: withdrawn, repeated, rejected, repeated, approved', async () => {
    const holder = '薪酬管理员（全公司）'
    const name = journey.getName(holder)
    const caller = await journey.caller(holder)
    const person = async (requested: string) =>
      (await caller.must(getManagerMemberList, { manager: 2, name: requested })).list[0]?.ID ?? ''
    const apply = async () => caller.must(applyTransferWageManager, { member_id: await person('汤思远') })

    await apply()
    const his = await journey.enter(holder, {}, '/agency')
    await his.getByRole('button', { name: /^撤回申请：/ }).click()
    await dialog(his, '撤回这份申请？').getByRole('button', { name: '撤回申请' }).click()
    await toasted(his, '申请已撤回')
    await his.getByText('没有等待审批的申请').waitFor()

    await apply()
    await visitNode(head, '/agency')
    await head.getByText('1 份申请等您审批').waitFor()
    await examine(head, 'role-agency-1440')
    await head.getByRole('button', { name: /^驳回：/ }).click()
    const reject = dialog(head, '驳回这份申请？')
    await reject.getByRole('textbox', { name: /原因/ }).fill('月底再移交')
    await reject.getByRole('button', { name: '驳回申请' }).click()
    await toasted(head, '已驳回')
    await visitNode(his, '/agency?view=approval&status=2')
    await his.getByText('原因：月底再移交').waitFor()

    await apply()
    await head.reload()
    await head.getByRole('button', { name: /^同意：/ }).click()
    const approve = dialog(head, '同意这份申请？')
    await approve.getByText(name).first().waitFor()
    await approve.getByRole('button', { name: /^同意并移交 \d+ 个批次$/ }).click()
    await toasted(head, '已同意')
    await mustLeave(his, '移交成功')
  })

  const views: (View & { axe: boolean })[] = [
    { width: 1440, scheme: 'dark', axe: true },
    { width: 360, axe: true },
    { width: 360, scheme: 'dark', axe: false },
  ]
  it.each(some(views, 0))('shows the administrator pages correctly at $width px $scheme', async ({ axe, ...view }) => {
    const page = await journey.enter(system, view, '/rolePersonal')
    const suffix = `${view.width}${view.scheme ? '-dark' : ''}`
    const mustViewRight = async (name: string) => {
      await picture(page, `role${name}-${suffix}`)
      if (axe) await mustBeAccessible(page)
      await mustFit(page)
    }
    for (const path of [
      '/rolePersonal',
      '/roleWage',
      '/roleAdmin',
      '/agency',
      '/agency?view=approval',
      '/strategic',
      '/dev/ui',
    ]) {
      await page.goto(path)
      await page
        .locator('.ui-skeleton')
        .first()
        .waitFor({ state: path === '/dev/ui' ? 'attached' : 'detached' })
      await mustViewRight(path.replace(/\W+/g, '-'))
    }
    await page.goto('/roleAdmin')
    await page.getByRole('button', { name: '添加管理员' }).click()
    await dialog(page, '添加管理员').getByRole('checkbox').first().waitFor()
    await mustViewRight('-add')
  })

  it('gives each news item an address', async () => {
    await visitNode(head, '/strategic')
    const first = head.getByRole('table').getByRole('link').first()
    const title = await first.innerText()
    await first.click()
    await head.getByRole('heading', { name: title, level: 1 }).waitFor()
    await head.reload()
    await head.getByRole('heading', { name: title, level: 1 }).waitFor()
    await head.getByRole('link', { name: '全部资讯' }).click()
    await head.getByRole('table').getByRole('link', { name: title }).waitFor()
  })

  it('shows a wrong password at its field when transferring power 4, and ends the session after the right one', async () => {
    await visitNode(head, '/rolePersonal')
    await head.getByRole('button', { name: '移交系统管理员' }).click()
    const worker = dialog(head, '移交系统管理员权限')
    await worker.getByRole('radio').first().click()
    await worker.getByLabel('登录密码').fill('不是这个密码')
    await worker.getByRole('button', { name: '移交并退出登录' }).click()
    await worker.getByText('密码不正确，请重新输入').waitFor()
    await picture(head, 'role-hand-over-1440')
    await worker.getByLabel('登录密码').fill(password)
    await worker.getByLabel('登录密码').press('Enter')
    await toasted(head, '移交成功')
    await head.waitForURL((url) => url.pathname.includes('/login/'))
    const after = await journey.caller('企业管理员')
    const heads = (await after.must(getUserList, { power: '4' })).list
    expect(heads.map(({ name }) => name)).not.toContain(journey.getName('系统管理员（全部权限）'))
    expect(heads).toHaveLength(1)
  })
})
