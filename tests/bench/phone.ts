/**
 * Measures how long an employee with an ordinary phone on a slow connection waits for a payslip: 400 ms a request, 1.6
 * Mbit/s down, a quarter of this machine's CPU. A bare page for comparison, one small file that requests and writes the
 * same response, shows what connection and machine cost by themselves.
 */
import { type AddressInfo, createServer } from 'node:net'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { getSlip, getSlipList } from '../../server/contract/payslips/employee.ts'
import { confirmPrivacyNotice } from '../../server/contract/retention/privacy-notice.ts'
import { HttpCaller } from '../support/callers/http.ts'
import { chromiumArgs, ensureChromium, findChromium } from '../support/run/chromium.ts'
import { startServer } from '../support/run/server.ts'

const password = 'xinhan2026'
/** Network conditions for CDP. */
const line = { offline: false, latency: 400, downloadThroughput: 200_000, uploadThroughput: 90_000 }
const slower = 4
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** `viewed`: when the relevant content was shown; `full`: when all of the content was shown. */
type Observed = { paint: number; viewed: number; full: number }
type Channel = 'bare' | 'slip, cold' | 'slip, warm' | 'another slip, warm' | 'sign-in, cold' | 'sign-in, warm'
export type Notified = Observed & { channel: Channel; best: number; ratio: number; goal: string }
const goals: Partial<Record<Channel, number>> = { 'slip, cold': 2500, 'slip, warm': 800 }
/** A payslip is readable after 1.3 times the bare page at most, and sooner when it is opened again. */
const maxRatio = 1.3

type Box = { viewed: number; full: number }
/** Runs in the page: checks once a frame when the relevant content and when all content was first on the screen. */
function searchFor(requested: Record<keyof Box, string>): void {
  const box = Object.assign(window, { viewed: 0, full: 0 })
  const view = (which: keyof Box) => () => {
    const match = document.querySelector<HTMLElement>(requested[which])
    if (match && match.getBoundingClientRect().height > 0)
      requestAnimationFrame(() => setTimeout(() => Object.assign(box, { [which]: performance.now() })))
    else requestAnimationFrame(view(which))
  }
  requestAnimationFrame(view('viewed'))
  requestAnimationFrame(view('full'))
}
const both = (selector: string): Record<keyof Box, string> => ({ viewed: selector, full: selector })
/** A payslip counts as read when its net pay is shown. The page draws that before the app has loaded. */
const when = {
  slip: { viewed: '.slip-net .ui-money, .wait-net', full: '.slip-group dd' },
  'sign-in': both('#phone'),
  bare: both('#answer'),
}

async function open(context: BrowserContext, address: string, what: keyof typeof when): Promise<Observed> {
  const page: Page = await context.newPage()
  page.setDefaultTimeout(180_000)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', line)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower })
  await page.addInitScript(searchFor, when[what])
  await page.goto(address, { waitUntil: 'commit' })
  await page.waitForFunction(() => (window as unknown as Box).full > 0, undefined, { polling: 200 })
  const notified = await page.evaluate(() => ({
    viewed: (window as unknown as Box).viewed,
    full: (window as unknown as Box).full,
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  }))
  await page.close()
  return notified
}

/** Serves one small file that requests the response and writes it, and the response itself, on an own address. */
async function bareServer(answer: string): Promise<{ address: string; close: () => void }> {
  const html = `<!doctype html><meta charset="utf-8"><body><script>fetch('/answer',{method:'POST'}).then(a=>a.text()).then(t=>{document.body.innerHTML='<p id=answer>'+t.length+'</p>'})</script>`
  const server = createServer((socket) => {
    socket.on('data', (requested) => {
      const body = requested.toString().startsWith('GET ') ? html : answer
      const kind = body === html ? 'text/html' : 'application/json'
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: ${kind}\r\ncontent-length: ${Buffer.byteLength(body)}\r\ncache-control: no-store\r\n\r\n${body}`,
      )
    })
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}

/** Returns the browser storage of a signed-in user; nothing of the product has been loaded yet. */
async function loadStored(browser: Browser, address: string, phone: string) {
  const context = await browser.newContext({ baseURL: address })
  const page = await context.newPage()
  await page.goto('/healthz')
  await page.evaluate(
    async (requested) => {
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(requested) }
      const { data } = (await (await fetch('/api/index/login', request)).json()) as { data: { token: string } }
      localStorage.setItem('user-token', data.token)
    },
    { phone, password },
  )
  const state = await context.storageState()
  await context.close()
  return state
}

export async function phone(times: number): Promise<Notified[]> {
  ensureChromium()
  const server = await startServer()
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
  const close: (() => void)[] = []
  try {
    const employee = server.signIns.find(({ text }) => text.includes('员工'))?.phone ?? ''
    const caller = await new HttpCaller(server.address).signIn(employee)
    await caller.must(confirmPrivacyNotice, {})
    const [slip_id = '', other_id = ''] = (await caller.must(getSlipList, {})).list.map((one) => one.slip_id)
    const bare = await bareServer(JSON.stringify(await caller.must(getSlip, { slip_id })))
    close.push(bare.close)
    const storageState = await loadStored(browser, server.address, employee)
    const view = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
    const matches = new Map<Channel, Observed[]>()
    const note = (channel: Channel, viewed: Observed) => matches.set(channel, [...(matches.get(channel) ?? []), viewed])
    const slip = (id: string): string => `${server.address}/m/slip/${id}`
    // The first round warms the server up and is not reported. The variants alternate, so that a busy moment affects
    // all of them.
    for (let round = -1; round < times; round += 1) {
      const viewed = new Map<Channel, Observed>()
      const context = await browser.newContext({ storageState, ...view })
      viewed.set('bare', await open(context, bare.address, 'bare'))
      viewed.set('slip, cold', await open(context, slip(slip_id), 'slip'))
      viewed.set('slip, warm', await open(context, slip(slip_id), 'slip'))
      viewed.set('another slip, warm', await open(context, slip(other_id), 'slip'))
      await context.close()
      const outsider = await browser.newContext(view)
      viewed.set('sign-in, cold', await open(outsider, `${server.address}/m/login`, 'sign-in'))
      viewed.set('sign-in, warm', await open(outsider, `${server.address}/m/login`, 'sign-in'))
      await outsider.close()
      if (round >= 0) for (const [channel, one] of viewed) note(channel, one)
    }
    const bareRounds = matches.get('bare') ?? []
    return [...matches].map(([channel, all]) => {
      const viewed = median(all.map((one) => one.viewed))
      // The best value is nearest to that of an idle machine.
      const best = Math.min(...all.map((one) => one.viewed))
      const [paint, full] = [median(all.map((one) => one.paint)), median(all.map((one) => one.full))]
      // Both openings of one round met about the same load.
      const ratio = median(all.map((one, at) => one.viewed / (bareRounds[at]?.viewed ?? Number.NaN)))
      const max = goals[channel]
      return { channel, paint, viewed, full, best, ratio, goal: max ? ` (goal ≤ ${max} ms and ≤ ${maxRatio} ×)` : '' }
    })
  } finally {
    for (const one of close) one()
    await browser.close()
    await server.stop()
  }
}
