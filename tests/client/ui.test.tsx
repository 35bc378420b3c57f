/** The shared widgets of spec §2 as users use them, in a real browser with a fake clock. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { cssModulesOptions } from '../../build/styles.ts'
import { mustBeAccessible, newPage, openBrowser, patience_ms } from '../support/journey/browser.ts'
import { ensureChromium } from '../support/run/chromium.ts'

vi.setConfig({ hookTimeout: 120_000 })

let browser: Browser
let page: Page & { complaints: string[] }
let stage: { code: string; style: string }

beforeAll(async () => {
  ensureChromium()
  browser = await openBrowser()
  // As in production: in test mode, antd gives all dialogs the same id.
  vi.stubEnv('NODE_ENV', 'production')
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'error',
    plugins: [react()],
    css: { modules: cssModulesOptions },
    build: {
      write: false,
      minify: false,
      cssCodeSplit: false,
      rolldownOptions: { input: join(import.meta.dirname, 'ui-stage.tsx'), output: { format: 'iife' } },
    },
  })
  vi.unstubAllEnvs()
  const files = (Array.isArray(built) ? built : [built]).flatMap((one) => ('output' in one ? one.output : []))
  stage = {
    code: files.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n'),
    style: files
      .flatMap((file) => (file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : []))
      .join('\n'),
  }
  page = await opened()
})
afterAll(() => browser?.close())

/** Uses one address for all tests, so that the browser has the scripts compiled from the second time on. */
async function opened(): Promise<typeof page> {
  const tab = await newPage(browser, origin)
  await tab.route(`${origin}/**`, (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/stage.js') return route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: stage.code })
    if (pathname === '/stage.css') return route.fulfill({ contentType: 'text/css; charset=utf-8', body: stage.style })
    return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html })
  })
  // The window is high enough for the whole page, so that nothing scrolls automatically.
  await tab.setViewportSize({ width: 1440, height: 2400 })
  tab.setDefaultTimeout(patience_ms)
  return tab
}
const origin = 'http://127.0.0.1'
const html = `<!doctype html><html lang="zh-CN"><title>控件</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/stage.css">
<body><div id="root"></div><script src="/stage.js"></script></body></html>`

beforeEach(async () => {
  await page.goto(origin)
})
afterEach(() => {
  expect(page.complaints.splice(0)).toEqual([])
})

const story = (name: string) => page.getByRole('region', { name, exact: true })
const format = (name: string) => page.getByRole('status', { name: `${name}的结果` })
/** Expects a story to show this text. */
const says = async (name: string, text: string) =>
  expect.poll(() => format(name).innerText(), { timeout: patience_ms }).toBe(text)

describe('buttons', () => {
  it('show the icon before the label and ignore clicks while loading or disabled', async () => {
    for (const name of ['添加', '保存', '下载', '上传'])
      expect(await story('按钮').getByRole('button', { name, exact: true }).locator('svg').count(), name).toBe(1)
    await page.getByRole('button', { name: '按不动' }).click({ force: true })
    await page.getByRole('tooltip', { name: '还没有选人' }).waitFor()
    await says('按钮', '')
    await page.getByRole('button', { name: '添加', exact: true }).click()
    await says('按钮', '添加')
  })

  it('explains why an action is not available for a row', async () => {
    await page.getByRole('button', { name: '示例的更多操作' }).click()
    await page.getByText('已经发送，不能删除').click({ force: true })
    await says('按钮', '')
    await page.getByRole('menuitem', { name: '修改' }).click()
    await says('按钮', '修改')
    // The menu is closed and the focus is back on its button.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('示例的更多操作')
  })

  it('allows a new code after 60 seconds, not earlier', async () => {
    const alone = await opened()
    await alone.clock.install({ time: new Date('2026-11-21T09:00:00+08:00') })
    await alone.goto(origin)
    // The clock stands still except where it is advanced, so that a slow machine sees every second, too.
    await alone.clock.pauseAt(new Date('2026-11-21T09:10:00+08:00'))
    const button = alone.getByRole('region', { name: '按钮', exact: true }).locator('button', { hasText: /验证码|重发|重新发送/ })
    await button.click()
    await expect.poll(() => button.innerText()).toBe('60秒后重发')
    expect(await button.isDisabled()).toBe(true)
    await alone.clock.runFor(30_000)
    await expect.poll(() => button.innerText()).toBe('30秒后重发')
    await alone.clock.runFor(29_000)
    await expect.poll(() => button.innerText()).toBe('1秒后重发')
    expect(await button.isDisabled()).toBe(true)
    await alone.clock.runFor(1500)
    await expect.poll(() => button.innerText()).toBe('重新发送')
    expect(await button.isEnabled()).toBe(true)
    expect(alone.complaints).toEqual([])
    await alone.context().close()
  })
})

describe('dialog', () => {
  const width = (name: string) => page.getByRole('dialog', { name }).evaluate((box) => (box as HTMLElement).offsetWidth)

  it('dialog is 520 px wide, shows a single button for the result when done, and returns the focus', async () => {
    await page.getByRole('button', { name: '对话框', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: '更换手机号' })
    await dialog.waitFor()
    expect(await width('更换手机号')).toBe(520)
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['', '就地更换', '取消', '更换'])
    await page.mouse.click(5, 5)
    expect(await dialog.isVisible()).toBe(true)
    await dialog.getByRole('button', { name: '更换', exact: true }).click()
    await dialog.getByText('手机号已更换。').waitFor()
    // The pressed button is gone, and the focus must not be behind the dialog.
    await expect.poll(() => dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true)
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['', '用新手机号登录'])
    await dialog.getByRole('button', { name: '用新手机号登录' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('对话框')
  })

  it('dialog keeps the focus when its content is replaced', async () => {
    await page.getByRole('button', { name: '对话框', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: '更换手机号' })
    await dialog.getByRole('button', { name: '就地更换' }).click()
    await dialog.getByText('手机号已更换。').waitFor()
    await expect.poll(() => dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('对话框')
  })

  it('dialog is 416 px wide as a confirmation and closes with Esc', async () => {
    await page.getByRole('button', { name: '确认框' }).click()
    const dialog = page.getByRole('dialog', { name: '撤回整批工资条？' })
    await dialog.waitFor()
    expect(await width('撤回整批工资条？')).toBe(416)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })
})

describe('stacked dialogs', () => {
  it('closes a dialog with Esc before it is shown without closing the drawer below', async () => {
    await page.getByRole('button', { name: '抽屉' }).click()
    const drawer = page.getByRole('dialog', { name: '下面的抽屉' })
    await drawer.getByText('没有对话框').waitFor()
    await drawer.getByRole('button', { name: '选了对话框' }).click()
    await page.waitForFunction('busy.rendered > 2')
    await page.keyboard.press('Escape')
    await drawer.getByText('没有对话框').waitFor()
    await expect.poll(() => page.getByRole('dialog', { name: '来得晚的对话框' }).isVisible()).toBe(false)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
  })
})

describe('form in a dialog', () => {
  it('sends a form in a dialog once per press, shows an error at its field until it changes, and closes when done', async () => {
    await page.getByRole('button', { name: '填表' }).click()
    const dialog = page.getByRole('dialog', { name: '表单' })
    const field = dialog.getByLabel('名称')
    await field.fill('甲')
    // The button is pressed twice before anything is rendered.
    await field.evaluate((input: HTMLInputElement) => {
      input.form?.requestSubmit()
      input.form?.requestSubmit()
    })
    const wrong = dialog.getByText('已有同名的')
    await wrong.waitFor()
    expect(await page.evaluate('sent.length')).toBe(1)
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
    await field.fill('乙')
    await wrong.waitFor({ state: 'detached' })
    // An error of a field that is not in the form is shown all the same.
    await field.press('Enter')
    await page.getByText('另一栏不对').waitFor()
    await field.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.evaluate('sent.at(-1)')).toEqual({ name: '乙' })
  })
})

it('keeps a form that did not reach the server, with a retry that sends it with the same key', async () => {
  const requests: { key: string | undefined; name: unknown }[] = []
  let isLost = true
  await page.route('**/api/Member/insertDepartment', (route) => {
    const request = route.request()
    requests.push({ key: request.headers()['idempotency-key'], name: request.postDataJSON().name })
    const data = { ID: '01980000-0000-7000-8000-000000000003' }
    return isLost ? route.abort() : route.fulfill({ json: { error_code: 0, error_msg: '', errmsg: '', data } })
  })
  await page.getByRole('button', { name: '新建部门', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: '在「总部」下新建部门' })
  const name = dialog.getByRole('textbox', { name: '部门名称' })
  await name.fill('研发部')
  await dialog.getByRole('button', { name: '新建' }).click()
  const message = dialog.getByRole('alert').filter({ hasText: '网络断开，没有提交。填写的内容还在。' })
  await message.waitFor()
  expect(await name.inputValue()).toBe('研发部')
  isLost = false
  await message.getByRole('button', { name: '重试' }).click()
  await expect.poll(() => dialog.count()).toBe(0)
  // Other content is another request.
  isLost = true
  await page.getByRole('button', { name: '新建部门', exact: true }).click()
  await name.fill('市场部')
  await dialog.getByRole('button', { name: '新建' }).click()
  await message.waitFor()
  await name.fill('销售部')
  isLost = false
  await message.getByRole('button', { name: '重试' }).click()
  await expect.poll(() => dialog.count()).toBe(0)
  expect(requests.map((request) => request.name)).toEqual(['研发部', '研发部', '市场部', '销售部'])
  expect(requests[1]?.key).toBe(requests[0]?.key)
  expect(new Set(requests.map(({ key }) => key)).size).toBe(3)
  await page.unroute('**/api/Member/insertDepartment')
  page.complaints.length = 0
})

describe('selects and checkboxes', () => {
  it('lists the default option first with the value -1', async () => {
    const dropdown = page.getByRole('combobox', { name: '水果', exact: true })
    await dropdown.click()
    await page.getByTitle('香梨').click()
    await says('选择', '单选 1，多选 无')
    await dropdown.click()
    expect(await page.locator('.ant-select-item-option').first().innerText()).toBe('全部水果')
    await page.locator('.ant-select-item-option').first().click()
    await says('选择', '单选 -1，多选 无')
  })

  it('finds several of many options by typing', async () => {
    await page.getByRole('combobox', { name: '选择几种水果' }).fill('葡')
    await page.getByTitle('葡萄').click()
    await page.getByRole('combobox', { name: '选择几种水果' }).fill('石')
    await page.keyboard.press('Enter')
    await says('选择', '单选 未动，多选 2、3')
  })

  it('limits the length of an input, shows whether a checkbox is ticked and uses Chinese in the calendar', async () => {
    await page.getByRole('textbox', { name: '姓名', exact: true }).fill('一二三四五六七八九十多')
    await page.getByRole('checkbox', { name: '发给全公司' }).click()
    await says('输入', '一二三四五六七八九十 已勾选 2026-10-08')
    await page.getByRole('textbox', { name: '入职日期' }).click()
    await page.getByText('10月', { exact: true }).waitFor()
    await page.getByTitle('2026-10-09').click()
    await says('输入', '一二三四五六七八九十 已勾选 2026-10-09')
  })
})

describe('departments', () => {
  const branches = ['云杉科技', '研发部', '测试组', '销售部', '华东大区']

  it('expands a department tree fully, collapses it by branch, and deselects on a second click', async () => {
    const tree = story('部门').getByRole('tree')
    expect(await tree.locator('.ant-tree-title').allInnerTexts()).toEqual(branches)
    await tree.getByText('测试组').click()
    await says('部门', '树 test，单选 无，范围 无')
    await tree.getByText('测试组').click()
    await says('部门', '树 无，单选 无，范围 无')
    await tree.locator('.ant-tree-switcher').nth(1).click()
    await expect.poll(() => tree.locator('.ant-tree-title').allInnerTexts()).toEqual(branches.filter((name) => name !== '测试组'))
  })

  it('expands a tree select fully within 400 px and selects descendants with their parent', async () => {
    await page.getByRole('combobox', { name: '选择管理范围' }).click()
    const list = page.locator('.ant-select-dropdown:visible')
    expect(await list.locator('.ant-select-tree-title').allInnerTexts()).toEqual(branches)
    expect(await list.evaluate((box) => getComputedStyle(box).maxHeight)).toBe('400px')
    await list.getByText('研发部').click()
    await says('部门', '树 无，单选 无，范围 build')
    await list.getByText('销售部').click()
    await says('部门', '树 无，单选 无，范围 all')
  })
})

describe('search and lists', () => {
  it('searches on Enter, on the icon and on clearing, not while typing', async () => {
    const box = page.getByRole('textbox', { name: '按姓名查找' })
    await box.pressSequentially('王')
    await says('搜索与筛选', '还没有搜索')
    await box.press('Enter')
    await says('搜索与筛选', '王')
    await box.fill('李')
    await page.getByRole('button', { name: '搜索', exact: true }).click()
    await says('搜索与筛选', '王 李')
    await page.getByRole('button', { name: '移除筛选：姓名：李' }).click()
    await says('搜索与筛选', '王 李 清空')
    expect(await box.inputValue()).toBe('')
  })

  it('loads the next page within 30 px of the bottom, not at 31', async () => {
    const list = page.getByRole('region', { name: '很长的名单' })
    const toBottom = (left: number) =>
      list.evaluate((box, left) => box.scrollTo({ top: box.scrollHeight - box.clientHeight - left }), left)
    await toBottom(31)
    await page.waitForTimeout(200)
    await says('滚动加载', '第 1 页')
    await toBottom(30)
    await says('滚动加载', '第 2 页')
    await toBottom(0)
    await says('滚动加载', '第 3 页')
    await toBottom(0)
    await page.waitForTimeout(200)
    await says('滚动加载', '第 3 页')
  })
})

describe('a failing part', () => {
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  it('that cannot be loaded says so above the page, and loads on retry', async () => {
    await button('加载失败').click()
    const message = page.getByRole('alert').filter({ hasText: '网络断开，没有打开。请检查网络后重试。' })
    await message.waitFor()
    await button('关闭').click()
    await expect.poll(() => message.count()).toBe(0)
    // The page behind it still works; React remembers the failure until the user retries.
    await button('添加').click()
    await says('按钮', '添加')
    await button('加载失败').click()
    await message.getByRole('button', { name: '重试' }).click()
    await page.getByRole('dialog', { name: '重试后打开的对话框' }).waitFor()
    expect(await message.count()).toBe(0)
    expect(page.complaints.splice(0)).toHaveLength(2)
  })

  it('that cannot be loaded loads when the same button is pressed again', async () => {
    await button('加载失败').click()
    const message = page.getByRole('alert').filter({ hasText: '网络断开，没有打开。请检查网络后重试。' })
    await message.waitFor()
    await button('加载失败').click()
    await page.getByRole('dialog', { name: '重试后打开的对话框' }).waitFor()
    expect(await message.count()).toBe(0)
    expect(page.complaints.splice(0)).toHaveLength(1)
  })

  it('inside a drawer keeps the drawer and the page, and renders again on retry', async () => {
    await button('内容出错').click()
    const drawer = page.getByRole('dialog', { name: '内容出错的抽屉' })
    await drawer.getByText(/问题编号 [A-Z2-9]{8}/).waitFor()
    const again = drawer.getByRole('button', { name: '重试' })
    await again.click()
    await drawer.getByText('问题编号').waitFor()
    await page.evaluate(() => {
      ;(window as unknown as { remaining: { broken: number } }).remaining.broken = 0
    })
    await again.click()
    await drawer.getByText('内容好了').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => drawer.count()).toBe(0)
    await button('添加').click()
    await says('按钮', '添加')
    expect(page.complaints.splice(0)).toHaveLength(2)
  })
})

it('keeps the tick and the button of a confirmation with 20 people in a window of 900 pixels', async () => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: '确认发送', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: '现在发送？' })
  const list = dialog.getByRole('list', { name: '需要核对的人' })
  await list.getByText('员工20', { exact: true }).waitFor()
  expect(await list.evaluate((box) => box.scrollHeight > box.clientHeight)).toBe(true)
  const getBottom = async (name: RegExp, role: 'checkbox' | 'button') => {
    const box = await dialog.getByRole(role, { name }).boundingBox()
    return (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN)
  }
  expect(await getBottom(/^我看过了，20 位/, 'checkbox')).toBeLessThan(900)
  expect(await getBottom(/^发送 20 人$/, 'button')).toBeLessThan(900)
  await page.setViewportSize({ width: 1440, height: 2400 })
})

it('leads from a roster import that the check of a wage sheet asked for back to that check', async () => {
  await page.getByRole('button', { name: '从核对导入' }).click()
  const back = page.getByRole('button', { name: '返回核对' })
  expect(await back.getAttribute('class')).toContain('ant-btn-primary')
  await back.click()
  const getAddress = () => page.evaluate(() => (window as unknown as { getAddress: () => string }).getAddress())
  await expect.poll(getAddress).toBe('/check?batch_id=01980000-0000-7000-8000-000000000001')
})

it.each(['light', 'dark'] as const)('has no serious accessibility violations, %s', async (colorScheme) => {
  await page.emulateMedia({ colorScheme })
  await page.waitForTimeout(200)
  await mustBeAccessible(page)
})
