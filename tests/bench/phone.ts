/**
 * How long somebody with an ordinary phone on a slow line waits for his slip: 400 ms a request, 1.6 Mbit/s down, a quarter of this machine.
 * A bare page beside it, one small file that asks for the same answer and writes it, says what line and machine cost by themselves.
 */
import { type AddressInfo, createServer } from 'node:net'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { getSlip, getSlipList } from '../../server/contract/payslips/employee.ts'
import { HttpCaller } from '../support/callers/http.ts'
import { chromiumArgs, ensureChromium, findChromium } from '../support/run/chromium.ts'
import { startServer } from '../support/run/server.ts'

const password = 'xinhan2026'
/** What CDP is told. */
const line = { offline: false, latency: 400, downloadThroughput: 200_000, uploadThroughput: 90_000 }
const slower = 4
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** `seen`: what counts; `whole`: all of it, where a part of it counts. */
type Seen = { paint: number; seen: number; whole: number }
type Way = 'bare' | 'slip, cold' | 'slip, warm' | 'another slip, warm' | 'sign-in, cold' | 'sign-in, warm'
export type Told = Seen & { way: Way; best: number; ratio: number; goal: number | null }
const goals: Partial<Record<Way, number>> = { 'slip, cold': 2500, 'slip, warm': 800 }

type Box = { seen: number; whole: number }
/** In the page: when what counts was first on the screen, and when all of it was, looked for once a frame. */
function lookFor(wanted: Record<keyof Box, string>): void {
  const box = Object.assign(window, { seen: 0, whole: 0 })
  const look = (which: keyof Box) => () => {
    const found = document.querySelector<HTMLElement>(wanted[which])
    if (found && found.getBoundingClientRect().height > 0)
      requestAnimationFrame(() => setTimeout(() => Object.assign(box, { [which]: performance.now() })))
    else requestAnimationFrame(look(which))
  }
  requestAnimationFrame(look('seen'))
  requestAnimationFrame(look('whole'))
}
const both = (selector: string): Record<keyof Box, string> => ({ seen: selector, whole: selector })
/** A slip is read when its net pay is: the page draws that before the app has come with the rest. */
const when = {
  slip: { seen: '.slip-net .ui-money, .wait-net', whole: '.slip-group dd' },
  'sign-in': both('#phone'),
  bare: both('#answer'),
}

async function open(context: BrowserContext, address: string, what: keyof typeof when): Promise<Seen> {
  const page: Page = await context.newPage()
  page.setDefaultTimeout(180_000)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', line)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower })
  await page.addInitScript(lookFor, when[what])
  await page.goto(address, { waitUntil: 'commit' })
  await page.waitForFunction(() => (window as unknown as Box).whole > 0, undefined, { polling: 200 })
  const told = await page.evaluate(() => ({
    seen: (window as unknown as Box).seen,
    whole: (window as unknown as Box).whole,
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  }))
  await page.close()
  return told
}

/** One small file that asks for the answer and writes it, and the answer: on an address of its own. */
async function bareServer(answer: string): Promise<{ address: string; close: () => void }> {
  const html = `<!doctype html><meta charset="utf-8"><body><script>fetch('/answer',{method:'POST'}).then(a=>a.text()).then(t=>{document.body.innerHTML='<p id=answer>'+t.length+'</p>'})</script>`
  const server = createServer((socket) => {
    socket.on('data', (asked) => {
      const body = asked.toString().startsWith('GET ') ? html : answer
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

/** Somebody who is signed in, as the browser keeps it; nothing of ours has been loaded. */
async function kept(browser: Browser, address: string, phone: string) {
  const context = await browser.newContext({ baseURL: address })
  const page = await context.newPage()
  await page.goto('/healthz')
  await page.evaluate(
    async (asked) => {
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked) }
      const { data } = (await (await fetch('/api/index/login', request)).json()) as { data: { token: string } }
      localStorage.setItem('user-token', data.token)
    },
    { phone, password },
  )
  const state = await context.storageState()
  await context.close()
  return state
}

export async function phone(times: number): Promise<Told[]> {
  ensureChromium()
  const server = await startServer()
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
  const close: (() => void)[] = []
  try {
    const employee = server.signIns.find(({ text }) => text.includes('员工'))?.phone ?? ''
    const caller = await new HttpCaller(server.address).signIn(employee)
    const [slip_id = '', other_id = ''] = (await caller.must(getSlipList, {})).list.map((one) => one.slip_id)
    const bare = await bareServer(JSON.stringify(await caller.must(getSlip, { slip_id })))
    close.push(bare.close)
    const storageState = await kept(browser, server.address, employee)
    const look = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
    const found = new Map<Way, Seen[]>()
    const note = (way: Way, seen: Seen) => found.set(way, [...(found.get(way) ?? []), seen])
    const slip = (id: string): string => `${server.address}/m/slip/${id}`
    // The first round warms the server up and is not told. Turn by turn, so that a busy moment falls on all of them.
    for (let round = -1; round < times; round += 1) {
      const seen = new Map<Way, Seen>()
      const context = await browser.newContext({ storageState, ...look })
      seen.set('bare', await open(context, bare.address, 'bare'))
      seen.set('slip, cold', await open(context, slip(slip_id), 'slip'))
      seen.set('slip, warm', await open(context, slip(slip_id), 'slip'))
      seen.set('another slip, warm', await open(context, slip(other_id), 'slip'))
      await context.close()
      const stranger = await browser.newContext(look)
      seen.set('sign-in, cold', await open(stranger, `${server.address}/m/login`, 'sign-in'))
      seen.set('sign-in, warm', await open(stranger, `${server.address}/m/login`, 'sign-in'))
      await stranger.close()
      if (round >= 0) for (const [way, one] of seen) note(way, one)
    }
    const base = median((found.get('bare') ?? []).map((one) => one.seen))
    return [...found].map(([way, all]) => {
      const seen = median(all.map((one) => one.seen))
      // The best one is nearest to what a machine that has nothing else to do would say.
      const best = Math.min(...all.map((one) => one.seen))
      const [paint, whole] = [median(all.map((one) => one.paint)), median(all.map((one) => one.whole))]
      return { way, paint, seen, whole, best, ratio: seen / base, goal: goals[way] ?? null }
    })
  } finally {
    for (const one of close) one()
    await browser.close()
    await server.stop()
  }
}
