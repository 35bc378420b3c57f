/**
 * Dialogs, drawers and sheets on a phone, each opened by its button at 360 px: every target is large enough for a
 * thumb, and nothing is wider than the window.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getWageList } from '../../../server/contract/payslips/send.ts'
import { insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { mustFit, picture, type Tab } from '../../support/journey/browser.ts'
import { settle, until, useJourney } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'
import { freshPhone } from '../../support/random.ts'
import { isSelected } from '../../support/run/trial.ts'

const journey = useJourney()
const [payroll, system, employee] = ['薪酬管理员（全公司）', '系统管理员（全部权限）', '，员工']
/** The header shows the user's name after its first letter. */
const user = /林晚秋$/
const dialogs = '[role=dialog], dialog[open], .ant-popover-container'
const menu = '.ant-dropdown'
let batch_id = ''
/** A batch in the middle of the wizard: two worksheets of one file. */
let draft_id = ''
/** A batch with missing employees and changed phones, and one with a duplicate row that only raises a question. */
let faulty_id = ''
let warned_id = ''
beforeAll(async () => {
  const caller = await journey.caller(payroll)
  const { list } = await caller.must(getWageList, {})
  batch_id = list.find(({ status }) => status === 'sent')?.batch_id ?? ''
  const { list: people } = await caller.must(getMemberList, { status: 'active', pagesize: 6 })
  const sheets = ['生产', '后勤'].map((name, part) => ({
    name,
    rows: [
      ['姓名', '手机号', '应发工资', '个税', '实发工资'],
      ...people.slice(part * 3, part * 3 + 3).map((one) => [one.NAME, one.MOBILE, 8000, 50, 7950]),
    ],
  }))
  const info = await caller.must(uploadWageExcel, {}, { name: '触屏.xlsx', bytes: makeXlsx({ sheets }) })
  draft_id = info.batch_id
  await caller.must(uploadWageExcel, { batch_id: draft_id, sheet: '生产\n后勤', upload_id: newId() })
  await caller.must(insertBatchTitle, { batch_id: draft_id, title: '触屏', month: '2027-02', kind: 'monthly' })
  const head = ['姓名', '手机号', '补贴', '实发']
  const bring = async (title: string, lines: readonly (readonly (string | number)[])[]) => {
    const bytes = makeXlsx({ sheets: [{ name: '补贴', rows: [head, ...lines.map((line) => [...line])] }] })
    const made = await caller.must(uploadWageExcel, {}, { name: `${title}.xlsx`, bytes })
    await caller.must(insertBatchTitle, { batch_id: made.batch_id, title, month: '2027-03', kind: 'other' })
    return made.batch_id
  }
  const existing = people.slice(3).map((one, at) => [one.NAME, one.MOBILE, 310 + at, 310 + at])
  faulty_id = await bring('缺人', [
    ...existing,
    [people[0]?.NAME ?? '', freshPhone(), 300, 300],
    ['殷触屏', freshPhone(), 301, 301],
    ['毕触屏', freshPhone(), 302, 302],
  ])
  await bring('头一份', existing)
  warned_id = await bring('又一份', existing)
})

/** The clicks in their order: a button, then a menu entry or a button of the dialog that it opened. */
type Channel = readonly (string | RegExp)[]
const more = /的更多操作$/
const places: readonly { who: string; path: string; viewed: string | RegExp; ways: readonly Channel[] }[] = [
  {
    who: payroll,
    path: '/companyMember',
    viewed: /^\d+ 人$/,
    ways: [['添加员工'], ['邀请'], ['二维码'], ['二维码', '重新生成'], [more, '编辑资料'], [more, '标记离职']],
  },
  {
    who: payroll,
    path: '/wageDetail?batch_id=BATCH',
    viewed: '撤回全部',
    ways: [
      ['修改记录'],
      ['选择列'],
      ['撤回全部'],
      [/^重发失败/],
      [/^提醒未读/],
      [more, '查看工资条'],
      [more, '更正'],
      [more, '撤回'],
    ],
  },
  { who: payroll, path: '/wageAdmin?status=sent', viewed: '2026年10月工资', ways: [[more, '撤回']] },
  { who: payroll, path: '/wageSend1', viewed: /把工资表拖到这里|选择工资表文件/, ways: [['粘贴表格']] },
  {
    who: payroll,
    path: '/wageSend1?batch_id=DRAFT',
    viewed: '识别到 6 人',
    ways: [['合并工作表'], [more, '用已存的模板'], [more, '把这些设置存为模板']],
  },
  {
    who: payroll,
    path: '/check?batch_id=FAULTY',
    viewed: '花名册里没有',
    ways: [[/^创建其中/], ['全部跳过'], [/^花名册改用此号码/]],
  },
  { who: payroll, path: '/check?batch_id=WARNED', viewed: '文件上传过', ways: [[/^(?:排版|发送) \d+ 人/]] },
  { who: payroll, path: '/wageSend2?batch_id=WARNED', viewed: '用模板', ways: [['用模板'], ['存为模板'], [more]] },
  { who: payroll, path: '/wageSend3?batch_id=DRAFT', viewed: '发送渠道', ways: [[/^发送 \d+ 人$/]] },
  {
    who: payroll,
    path: '/companyMember?status=active',
    viewed: /^\d+ 人$/,
    ways: [['部门管理'], ...['新建下级部门', '设置负责人'].map((act): Channel => ['部门管理', more, act])],
  },
  {
    who: payroll,
    path: '/profile',
    viewed: '上传头像',
    ways: [['修改'], ['更换'], ['开启'], [/^退出其他/], [/^退出 /], ['打开菜单'], [user, '修改密码'], [user, '退出登录']],
  },
  {
    who: system,
    path: '/roleAdmin',
    viewed: '共 5 人',
    ways: [['添加管理员'], ...['修改管理范围', /^取消/, '强制退出登录'].map((act): Channel => ['林晚秋的更多操作', act])],
  },
  { who: employee, path: '/m/me', viewed: '登录的设备', ways: [['修改密码'], [/^更换手机号/], ['登录的设备'], ['退出登录']] },
]
const getPath = (path: string) =>
  path.replace('BATCH', batch_id).replace('DRAFT', draft_id).replace('FAULTY', faulty_id).replace('WARNED', warned_id)

/** Each run covers some of them; the trial covers all. */
const selected = places.filter(({ path }) => isSelected(path, 2))
describe.each([...new Set(selected.map(({ who }) => who))])('dialogs opened by "%s"', (who) => {
  let page: Tab
  beforeAll(async () => {
    page = await journey.enter(who, { width: 360 }, '/dev/outbox')
  })
  afterAll(() => journey.close(page))

  it.each(selected.filter((one) => one.who === who))(
    'shows dialogs that are usable by touch on $path',
    async ({ path, viewed, ways }) => {
      await page.goto(getPath(path))
      await page.getByText(viewed).filter({ visible: true }).first().waitFor()
      const small: Record<string, string[]> = {}
      for (const [first = '', ...steps] of ways) {
        await page.getByRole('button', { name: first, exact: true }).filter({ visible: true }).first().click()
        const what = first === more && steps.length === 0 ? menu : dialogs
        const open = page.locator(what).filter({ visible: true }).last()
        const display = () => page.locator(what).filter({ visible: true }).count()
        for (const [at, step] of steps.entries()) {
          const next = page
            .getByRole('menuitem', { name: step, exact: true })
            .or(open.getByRole('button', { name: step, exact: true }))
            .and(page.locator(':not([aria-disabled=true])'))
            .first()
          await next.waitFor()
          const drawers = await page.locator('.ant-drawer-close:visible').count()
          const before = await display()
          await next.click()
          // Examines the opened dialog and not the drawer that opened it.
          if (at === steps.length - 1 && drawers > 0) await until(display).toBeGreaterThan(before)
        }
        await open.waitFor()
        await until(() => page.locator('.ui-skeleton:visible').count()).toBe(0)
        await settle(page)
        const name = [first, ...steps].join(' ')
        await picture(page, `touch-${path.replace(/\W+/g, '-')}-${name.replace(/[^\p{L}]+/gu, '')}`)
        const matches = await smallTargets(page, what)
        if (matches.length > 0) small[name] = matches
        await mustFit(page)
        const box = await open.boundingBox()
        expect([name, Math.round(box?.x ?? -1) >= 0, Math.round((box?.x ?? 0) + (box?.width ?? 0)) <= 360]).toEqual([
          name,
          true,
          true,
        ])
        // A dialog that another one opened closes first.
        await until(async () => {
          // A popover is closed by its button.
          const comparison = page.locator('.ant-popover-container:visible')
          if (await comparison.count()) await page.getByRole('button', { name: first }).click()
          else await page.keyboard.press('Escape')
          await settle(page)
          return display()
        }).toBe(0)
      }
      expect(small).toEqual({})
      expect(page.complaints.splice(0), 'the console complained').toEqual([])
    },
  )
})
