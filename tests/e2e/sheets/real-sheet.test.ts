/**
 * A real wage sheet of other companies: only names and departments, four worksheets that repeat each other, one name
 * shared by two employees. Its issues are found and resolved manually, and 24 employees get exactly one message each.
 * The test is visibly skipped where the folder of real wage sheets is missing next to the project.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertMember } from '../../../server/contract/directory/members.ts'
import { getWageDetail, getWageList } from '../../../server/contract/payslips/send.ts'
import { readSheet } from '../../../server/spreadsheets/child/read-sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { rowsIn } from '../../support/files/grid.ts'
import { examine, mustFit, picture, type Tab } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'

const file = join(import.meta.dirname, '../../../../shared/sheets/cn-dept-sheets-repeat.xlsx')

describe.skipIf(!existsSync(file))('real wage sheet with manual corrections', () => {
  const journey = useJourney()
  let page: Tab
  let caller: HttpCaller
  let names: string[]

  beforeAll(async () => {
    caller = await journey.caller('薪酬管理员（全公司）')
    names = []
    const read = await readSheet(readFileSync(file), { file_name: 'real.xlsx' })
    for await (const page of read.pages) names.push(...rowsIn(page).map(({ cells }) => cells['c0']?.value ?? ''))
    for (const [at, name] of names.entries()) await caller.must(insertMember, { name, mobile: journey.freePhone(at) })
    page = await journey.enter('薪酬管理员（全公司）', {}, '/wageSend1')
  })
  it('explains at the drop area why a file is not a wage sheet', async () => {
    const input = page.locator('input[type=file]')
    await input.setInputFiles({
      name: '工资.xlsx',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('各位同事：本月工资将于十日发放。\n请留意。\n'),
    })
    const error = page
      .getByRole('alert')
      .filter({ hasText: /[一-鿿]{4,}/ })
      .first()
    await error.waitFor()
    await examine(page, '20-refused')
  })

  it('recognizes header, employees and amounts of a real wage sheet without a template', async () => {
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText(`识别到 ${names.length} 人`).waitFor()
    await page.getByRole('textbox', { name: '标题' }).fill('门店工资')
    await examine(page, '21-real-understood')
    await mustFit(page)
    await page.getByRole('button', { name: `核对 ${names.length} 人` }).click()
    // There are only names, and two employees share one, so the product asks for a better column first.
    await page.getByRole('button', { name: '没有，下一步手动匹配' }).click()
    await page.waitForURL('**/check?**')
  })

  it('blocks sending because of a name that two employees share until each row is matched', async () => {
    await page.getByText('可能是多个人').first().waitFor()
    await until(() => page.getByRole('button', { name: /排版 \d+ 人的工资条/ }).isEnabled()).toBe(false)
    await examine(page, '22-two-of-a-name')
    // There are two rows for two employees: the first candidate for one, the second for the other.
    for (const candidate of [0, 1]) {
      await page
        .getByRole('button', { name: /可能是多个人/ })
        .first()
        .click()
      const before = await page.getByRole('list', { name: '可能是这些人' }).count()
      await page
        .getByRole('list', { name: '可能是这些人' })
        .first()
        .getByRole('button', { name: '匹配此人' })
        .nth(candidate)
        .click()
      await until(() => page.getByRole('list', { name: '可能是这些人' }).count()).toBeLessThan(before)
    }
    await picture(page, '23-told-apart')
    const next = page.getByRole('button', { name: /排版 \d+ 人的工资条/ })
    await until(() => next.isEnabled()).toBe(true)
    await next.click()
    const requested = page.getByRole('button', { name: /仍然排版/ })
    await Promise.race([page.waitForURL('**/wageSend2?**'), requested.waitFor()])
    if (await requested.isVisible()) await requested.click()
    await page.waitForURL('**/wageSend2?**')
    await page.getByText('13,').or(page.getByText('¥')).first().waitFor()
    await picture(page, '24-real-arrange')
  })

  it('sends a real wage sheet to every employee once', async () => {
    await page.getByRole('button', { name: '下一步：发送设置' }).click()
    await page.getByRole('button', { name: `发送 ${names.length} 人` }).click()
    // For a company's first wage sheet three payslips must be reviewed first.
    await page.getByRole('dialog').getByRole('checkbox', { name: '我看过了' }).check()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `发送 ${names.length} 人` })
      .click()
    await page.waitForURL('**/SendSucc?**')
    await until(async () => (await caller.must(getWageList, { name: '门店工资' })).list[0]?.status).toBe('sent')
    await page.getByText('正在发送').waitFor({ state: 'detached' })
    await examine(page, '25-real-sent')
    const batch_id = (await caller.must(getWageList, { name: '门店工资' })).list[0]?.batch_id ?? ''
    const phones = async () => (await journey.getSent(batch_id)).map(({ mobile }) => mobile).toSorted()
    await until(phones).toEqual(names.map((_, at) => journey.freePhone(at)).toSorted())
    const detail = await caller.must(getWageDetail, { batch_id, pagesize: 100 })
    // The net total of the wage sheet by its own record: 136,706.00.
    expect(detail.list.reduce((sum, one) => sum + (one.net_fen ?? 0), 0)).toBe(13_670_600)
  })
})
