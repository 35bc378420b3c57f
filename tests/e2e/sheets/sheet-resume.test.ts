/**
 * An upload survives a reload of its page: reloaded while the wage sheet is read, the page shows the progress and leads
 * to the wage sheet.
 */
import type { Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { getWageList } from '../../../server/contract/payslips/send.ts'
import { getUploadProgress, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { examine, mustFit } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
const people = Array.from({ length: 12 }, (_, at) => [`员工${at + 1}`, `1997000${String(at).padStart(4, '0')}`, 5000 + at])
const file = {
  name: '十月工资.xlsx',
  mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  buffer: makeXlsx({ sheets: [{ name: '工资', rows: [['姓名', '手机号', '实发工资'], ...people] }] }),
}

/** Holds the progress responses until the returned function is called, so that the progress can be examined. */
async function hearsNothing(page: Page): Promise<() => Promise<void>> {
  const requested: Route[] = []
  const progress = `**${getUploadProgress.path}*`
  await page.route(progress, (route) => void requested.push(route))
  return async () => {
    await page.unroute(progress)
    for (const route of requested) await route.continue()
  }
}

it.each(pickOne('refresh', [1440, 360]))('continues after a reload while the wage sheet is read, at %i', async (width) => {
  const page = await journey.enter(payroll, { width }, '/wageSend1')
  const clerk = await journey.caller(payroll)
  const batches = async () => (await clerk.must(getWageList, { pagesize: 1 })).page.total
  const before = await batches()
  const goOn = await journey.holdUploads(payroll)
  // If the server gives up after a long wait, the page resumes from the stored file; the file itself is sent once.
  const sent: string[] = []
  page.on('request', (requested) => {
    const isResumed = requested.postData()?.includes('name="resume"') ?? false
    if (!isResumed && requested.url().includes(uploadWageExcel.path)) sent.push(requested.url())
  })
  await page.getByLabel('工资表文件').setInputFiles(file)
  const busy = page.locator('.upload-busy[role=status]')
  await busy.getByText('正在保存').waitFor()
  await page.reload()
  await busy.getByText('正在保存').waitFor()
  await busy.getByText('刷新或离开这个页面不会中断').waitFor()
  const hear = await hearsNothing(page)
  await goOn()
  expect(await page.getByRole('button', { name: '选择文件' }).count()).toBe(0)
  await examine(page, `49-under-way-${width}`)
  await mustFit(page)
  await hear()
  await page.getByText('识别到 12 人').waitFor()
  expect(page.url()).toContain('batch_id=')
  expect(sent.length).toBe(1)
  expect(await batches()).toBe(before + 1)
})

it('discards an upload from where it is found, even if the user leaves the page in the same moment', async () => {
  const page = await journey.enter(payroll, {}, '/wageSend1')
  const goOn = await journey.holdUploads(payroll)
  await page.getByLabel('工资表文件').setInputFiles(file)
  await page.locator('.upload-busy').getByText('正在保存').waitFor()
  await page.reload()
  await page.getByRole('button', { name: '取消上传' }).click()
  await page.goto('about:blank')
  // The last step of the upload may come after it was discarded: the discard takes precedence.
  const clerk = await journey.caller(payroll)
  await until(async () => (await clerk.must(getUploadProgress, {})).upload_id).toBe(null)
  await goOn()
  await page.goto(`${journey.address}/wageSend1`)
  await page.getByRole('button', { name: '选择文件' }).waitFor()
  await until(() => page.locator('.upload-busy').count()).toBe(0)
})
