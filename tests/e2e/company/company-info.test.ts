/** The page of company information, corrected by one administrator while another has it open. */
import { it } from 'vitest'
import * as company from '../../../server/contract/company/company.ts'
import { dayAtDesk, examine, mustFit, nightAtDesk } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const head = '系统管理员（全部权限）'

it.each(pickOne('business info', dayAtDesk))(
  'business information shows input errors at the field and prevents overwriting, at $width',
  async (view) => {
    const page = await journey.enter(head, view, '/companyInfo')
    const dialog = page.getByRole('dialog', { name: '修改企业信息' })
    const edit = () => page.getByRole('button', { name: '修改', exact: true }).click()
    await edit()
    await dialog.getByLabel('统一社会信用代码').fill('91350100M000100Y44')
    const address = `上海市浦东新区世纪大道 ${view.width} 号，${'很长的园区名称'.repeat(6)} 3 号楼`
    await dialog.getByLabel('地址').fill(address)
    await dialog.getByRole('button', { name: '保存' }).click()
    await dialog.getByText('校验位不对').waitFor()
    await examine(page, `62-company-wrong-${view.width}`)
    await dialog.getByLabel('统一社会信用代码').fill('9135 0100 M000 100Y 43')
    await dialog.getByLabel('联系电话').fill('021-62345678')
    await dialog.getByRole('button', { name: '保存' }).click()
    await toasted(page, '企业信息已更新')
    await page.getByText(address).waitFor()
    await page.getByText('91350100M000100Y43').waitFor()
    await examine(page, `63-company-${view.width}`)
    await mustFit(page)

    await edit()
    const caller = await journey.caller(head)
    const { logo: _logo, created_at: _at, people: _people, ...now } = await caller.must(company.getCompanyInfo, {})
    await caller.must(company.saveCompanyInfo, { ...now, contact_name: '林同事' })
    await dialog.getByLabel('所属行业').fill('制造业')
    await dialog.getByRole('button', { name: '保存' }).click()
    await toasted(page, /您的修改没有保存/)
    await until(() => dialog.getByLabel('所属行业').inputValue()).toBe('制造业')
    await dialog.getByRole('button', { name: '取消' }).click()
    await page.getByText('林同事').waitFor()
  },
)

it.each(pickOne('webhook', nightAtDesk))(
  'a webhook address is saved with its secret, tested and deleted, at $width',
  async (view) => {
    const page = await journey.enter(head, view, '/companyInfo')
    await page.getByRole('button', { name: '添加接收地址' }).click()
    const add = page.getByRole('dialog', { name: '添加接收地址' })
    await add.getByLabel('接收地址').fill('http://hr.example.com/hook')
    await add.getByRole('button', { name: '添加' }).click()
    await add.getByText('接收地址必须使用 https').waitFor()
    await examine(page, `64-webhook-wrong-${view.width}`)
    const url = `https://127.0.0.1:1/${'hr-system-'.repeat(8)}${view.width}`
    await add.getByLabel('接收地址').fill(url)
    await add.getByRole('button', { name: '添加' }).click()
    const secret = page.getByRole('dialog', { name: '签名密钥' })
    await secret.getByText(/^whsec_/).waitFor()
    await examine(page, `65-webhook-secret-${view.width}`)
    await secret.getByRole('button', { name: '我已保存' }).click()
    await page.getByRole('button', { name: `测试：${url}` }).click()
    const log = page.getByRole('dialog', { name: '通知记录' })
    await log.getByText('测试', { exact: true }).first().waitFor()
    await examine(page, `66-webhook-log-${view.width}`)
    await mustFit(page)
    await page.keyboard.press('Escape')
    await log.waitFor({ state: 'hidden' })
    await examine(page, `67-webhook-${view.width}`)
    await page.getByRole('button', { name: `补发：${url}` }).click()
    const replay = page.getByRole('dialog', { name: '补发一段时间的通知？' })
    await replay.getByText('编号（webhook-id）不变').waitFor()
    await examine(page, `67-webhook-replay-${view.width}`)
    await replay.getByRole('button', { name: '补发' }).click()
    // The test event is not repeated.
    await toasted(page, '这段时间没有可以补发的通知，请换一段时间')
    await page.getByRole('button', { name: `删除：${url}` }).click()
    await page.getByRole('dialog', { name: '删除接收地址？' }).getByRole('button', { name: '删除地址' }).click()
    await toasted(page, '已删除接收地址')
  },
)

it.each(pickOne('retention', dayAtDesk))(
  'retention terms are saved within the bounds, and deletion is put on hold, at $width',
  async (view) => {
    const page = await journey.enter(head, view, '/companyInfo')
    await page.getByRole('button', { name: '修改保存期限' }).click()
    const dialog = page.getByRole('dialog', { name: '修改保存期限' })
    await dialog.getByLabel('登录记录').fill('18')
    await dialog.getByLabel('操作记录').fill('12')
    await dialog.getByLabel('暂停一切删除').click()
    await dialog.getByRole('button', { name: '保存' }).click()
    await dialog.getByText('请写明为什么暂停删除').waitFor()
    // A number below the bound becomes the bound.
    await until(() => dialog.getByLabel('操作记录').inputValue()).toBe('36')
    await examine(page, `68-retention-${view.width}`)
    await dialog.getByLabel('暂停的原因').fill('劳动争议')
    await dialog.getByRole('button', { name: '保存' }).click()
    await toasted(page, /保存期限已更新/)
    await page.getByText('已暂停：劳动争议').waitFor()
    await page.getByText('18 个月').waitFor()
    await page.getByText('3 年', { exact: true }).waitFor()
    await examine(page, `69-retention-${view.width}`)
    await mustFit(page)
  },
)
