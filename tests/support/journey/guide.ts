/**
 * `npm run guide`: builds the guide behind 帮助 in the header (`server/modules/files/guide.pdf`) from its text
 * (`docs/guide.zh-CN.md`), the questions for the search, and current screenshots taken in the demo. Run it when its
 * text or its pages have changed.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getSlipList } from '../../../server/contract/payslips/employee.ts'
import { getFeedBackList } from '../../../server/contract/payslips/feedback.ts'
import { getBatchList } from '../../../server/contract/payslips/send.ts'
import { confirmPrivacyNotice } from '../../../server/contract/retention/privacy-notice.ts'
import { HttpCaller } from '../callers/http.ts'
import { type DemoPerson, demoWageSheet } from '../files/demo-sheet.ts'
import { type Server, startServer } from '../run/server.ts'
import { newPage, openBrowser } from './browser.ts'
import { guideLabels, guideQuestions, guideVersion } from './guide-words.ts'
import { getLastPay } from './last-pay.ts'

const root = join(import.meta.dirname, '../../..')
const made = join(root, 'server/modules/files/guide.pdf')
const head = '系统管理员（全部权限）'

const getPhone = ({ signIns }: Server, who: string): string => signIns.find(({ text }) => text.includes(who))?.phone ?? ''
const getCaller = (server: Server, who: string) => new HttpCaller(server.address).signIn(getPhone(server, who))

/** Opens a tab of a signed-in user. */
async function entered(browser: Browser, server: Server, who: string, width = 1280): Promise<Page> {
  const page = await newPage(browser, server.address, { width, scheme: 'light' })
  const { cookies, token } = await getCaller(server, who)
  await page.context().addCookies(cookies)
  await page.addInitScript((half) => localStorage.setItem('user-token', half), token)
  return page
}

/** Uploads a wage sheet of this month for some members of the demo with about last month's pay. Returns its batch. */
async function uploaded(browser: Browser, server: Server): Promise<string> {
  const boss = await getCaller(server, head)
  const { list } = await boss.must(getMemberList, { status: 'active', pagesize: 60 })
  const pay = await getLastPay(boss)
  const people = list.flatMap((one): DemoPerson[] => {
    const last = pay.get(one.NAME)
    const terms = last && { base: last.基本工资 ?? 0, post: last.岗位工资 ?? 0, performance: last.绩效工资 ?? 0 }
    const department = one.DEPARTMENTS[0]?.NAME ?? ''
    return terms ? [{ name: one.NAME, mobile: one.MOBILE, employee_no: one.EMPLOYEE_NO, department, terms }] : []
  })
  const page = await entered(browser, server, head)
  await page.goto('/wageSend1')
  await page.locator('input[type=file]').setInputFiles({
    name: '2026年11月工资表.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: demoWageSheet(people, { title: '云杉科技2026年11月工资表' }),
  })
  await page.getByRole('button', { name: /^核对 \d+ 人/ }).click()
  await page.waitForURL('**/check?**')
  const batch_id = new URL(page.url()).searchParams.get('batch_id') ?? ''
  await page.context().close()
  return batch_id
}

type Shot = { readonly path: string; readonly who?: string; readonly phone?: boolean; readonly wait: string }
/** Returns what each picture of the guide shows. `wait`: what is visible when the page is ready. */
async function getShots(server: Server, checked: string): Promise<Record<string, Shot>> {
  const boss = await getCaller(server, head)
  const sent = (await boss.must(getBatchList, { status: 'sent', pagesize: 1 })).list[0]?.batch_id ?? ''
  const [requested] = (await boss.must(getFeedBackList, { pagesize: 1 })).list
  const employee = server.signIns.find(({ text }) => !text.includes('管理员'))?.text ?? ''
  const reader = await getCaller(server, employee)
  await reader.must(confirmPrivacyNotice, {})
  const [slip] = (await reader.must(getSlipList, {})).list
  return {
    home: { path: '/home', wait: 'h1' },
    people: { path: '/companyMember', wait: '.table-rows-table tbody > tr' },
    upload: { path: '/wageSend1', wait: 'h1' },
    check: { path: `/check?batch_id=${checked}`, wait: '.ui-numbers, .table-rows-table tbody > tr, h2' },
    arrange: { path: `/wageSend2?batch_id=${checked}`, wait: 'h2' },
    send: { path: `/wageSend3?batch_id=${checked}`, wait: 'h2' },
    detail: { path: `/wageDetail?batch_id=${sent}`, wait: '.table-rows-table tbody > tr' },
    feedback: { path: `/memberFeedback?id=${requested?.id ?? ''}`, wait: 'h2' },
    slip: { path: `/m/slip/${slip?.slip_id ?? ''}`, who: employee, phone: true, wait: 'h1, h2' },
    charts: { path: '/chars/home', wait: '.chart-box svg' },
  }
}

async function accept(browser: Browser, server: Server, { path, who = head, phone = false, wait }: Shot): Promise<string> {
  const page = await entered(browser, server, who, phone ? 390 : 1280)
  await page.setViewportSize(phone ? { width: 390, height: 760 } : { width: 1280, height: 800 })
  await page.goto(path)
  await page.locator(wait).first().waitFor()
  await settled(page)
  const bytes = await page.screenshot({ type: 'jpeg', quality: 72 })
  await page.context().close()
  return `data:image/jpeg;base64,${bytes.toString('base64')}`
}

/** Waits until nothing more loads and no placeholder is left. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('.skeleton, .ant-skeleton, .ant-spin-spinning').first().waitFor({ state: 'detached' })
  await page.evaluate(() => document.fonts.ready)
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Converts the little markup of the guide: headings, lists, pictures, paragraphs. */
function getHtml(labels: string, pictures: ReadonlyMap<string, { data: string; phone: boolean }>): string {
  const blocks = labels.trim().split(/\n{2,}/)
  return blocks
    .map((block) => {
      const picture = /^!\[(.+)\]\((\w+)\)$/.exec(block)
      if (picture) {
        const [, caption = '', name = ''] = picture
        const { data = '', phone = false } = pictures.get(name) ?? {}
        return `<figure${phone ? ' class="phone"' : ''}><img src="${data}" alt="${escaped(caption)}"><figcaption>${escaped(caption)}</figcaption></figure>`
      }
      const heading = /^(#{1,2}) (.+)$/.exec(block)
      if (heading) return `<h${heading[1]?.length}>${escaped(heading[2] ?? '')}</h${heading[1]?.length}>`
      if (block.startsWith('- ')) {
        const items = block.split(/\n(?=- )/).map((item) => `<li>${escaped(item.slice(2))}</li>`)
        return `<ul>${items.join('')}</ul>`
      }
      return `<p>${escaped(block.replaceAll('\n', ''))}</p>`
    })
    .join('\n')
}

const questions = () =>
  `<dl>${guideQuestions.map(({ title, answer }) => `<dt>${escaped(title)}</dt><dd>${escaped(answer)}</dd>`).join('')}</dl>`

const view = `
  @page { size: A4; margin: 18mm 18mm 20mm }
  body { font: 11pt/1.7 "Noto Sans CJK SC", sans-serif; color: #1f2937; margin: 0 }
  h1 { font-size: 24pt; color: #0f766e; margin: 0 0 4mm }
  h2 { font-size: 15pt; margin: 7mm 0 1.5mm; break-after: avoid }
  p { margin: 0 0 3mm }
  ul { margin: 0 0 3mm; padding-left: 6mm }
  figure { margin: 2mm 0 4mm; break-inside: avoid; text-align: center }
  img { width: 136mm; border: 0.3mm solid #d6d3d1; border-radius: 2mm }
  .phone img { width: 50mm }
  figcaption { font-size: 9pt; color: #57534e; margin-top: 1mm }
  dt { font-weight: 700; margin-top: 4mm; break-after: avoid }
  dd { margin: 0 }
  .version { margin-top: 8mm; font: 8pt monospace; color: #78716c }`

async function write(): Promise<void> {
  const labels = guideLabels()
  const server = await startServer()
  const browser = await openBrowser()
  try {
    const shots = await getShots(server, await uploaded(browser, server))
    const pictures = new Map<string, { data: string; phone: boolean }>()
    for (const [, name = ''] of labels.matchAll(/^!\[.+\]\((\w+)\)$/gm)) {
      const shot = shots[name]
      if (!shot) throw new Error(`no picture is called ${name}`)
      pictures.set(name, { data: await accept(browser, server, shot), phone: shot.phone ?? false })
      process.stdout.write(`${name} `)
    }
    const page = await browser.newPage()
    const title = /^# (.+)$/m.exec(labels)?.[1] ?? ''
    await page.setContent(
      `<!doctype html><html lang="zh-CN"><title>${title}</title><style>${view}</style>${getHtml(labels, pictures)}${questions()}<p class="version">版本 ${guideVersion()}</p></html>`,
    )
    const footer =
      '<div style="width:100%;text-align:center;font-size:8px;color:#78716c"><span class="pageNumber"></span> / <span class="totalPages"></span></div>'
    const bytes = await page.pdf({
      preferCSSPageSize: true,
      displayHeaderFooter: true,
      headerTemplate: '<span></span>',
      footerTemplate: footer,
      printBackground: true,
      tagged: true,
      outline: true,
    })
    writeFileSync(made, bytes)
    process.stdout.write(`\n${made}: ${Math.round(bytes.length / 1024)} kB\n`)
  } finally {
    await browser.close()
    await server.stop()
  }
}

await write()
