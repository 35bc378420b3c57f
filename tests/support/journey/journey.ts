/** The environment of a journey file: its own users on the server of the run, and tabs that are closed afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { HttpCaller, type OutboxMessage } from '../callers/http.ts'
import { type Stage, stageVariable } from '../run/e2e-setup.ts'
import type { SignIn } from '../run/server.ts'
import { nextAddress, type Options, openBrowser, patience_ms, picture, type Tab, Tabs, type View } from './browser.ts'
import { ageSessions, getCounts, getDeliveries, holdUploads, matchDemo } from './demo.ts'

export const desk = '/pc/page/login/login.html'
export const mobile = '/m/login'
export const password = 'xinhan2026'

export type Journey = {
  readonly address: string
  /** Returns the phone of the user whom the server's start message describes so: `薪酬管理员（全公司）`. */
  getPhone(text: string): string
  getName(text: string): string
  /** Returns an unused phone, the same each time for one number. */
  freePhone(number: number): string
  /** Opens a signed-out tab. It is closed after the test, or after the file if it was opened before any test. */
  open(path?: string, look?: View & Options): Promise<Tab>
  /** Opens a tab of a signed-in user, on their landing page or the given page. */
  enter(who: string, look?: View & Options, path?: string): Promise<Tab>
  /** Returns the user's caller without a browser. */
  caller(who: string): Promise<HttpCaller>
  /** Returns the messages sent to this phone, or to all phones, newest first. */
  outbox(mobile?: string): Promise<OutboxMessage[]>
  /** Returns the messages of one batch. Their texts do not name it. */
  getSent(batch_id: string): Promise<OutboxMessage[]>
  /** Holds the user's uploads from now on at their last step, until the returned function is called. */
  holdUploads(who: string): Promise<() => Promise<void>>
  /** Lets an hour pass since the user's sign-in. */
  ageSessions(who: string): Promise<void>
  close(page: Page): Promise<void>
}

/**
 * One browser with its tabs for all files of a worker; it ends with the worker. One browser for all workers would add a
 * hop to every command.
 */
let shared: Promise<{ stage: Stage; tabs: Tabs }> | null = null
const join = () => {
  shared ??= (async () => {
    const text = process.env[stageVariable]
    if (!text) throw new Error('no server: e2e-setup.ts starts it')
    const stage = JSON.parse(text) as Stage
    return { stage, tabs: new Tabs(await openBrowser(), stage.address) }
  })()
  return shared
}

/**
 * Sets up a journey. `first`: the server's own demo with the chat platform, for tests that leave its shared data
 * unchanged; this is checked at the end of the file.
 */
export function useJourney({ first = false } = {}): Journey {
  let context: { stage: Stage; tabs: Tabs; set: number; signIns: readonly SignIn[] } | null = null
  /** Contexts opened in a test, or shared by the whole file. */
  const opened = { test: new Set<BrowserContext>(), file: new Set<BrowserContext>() }
  let position: keyof typeof opened = 'file'
  const at = () => {
    if (!context) throw new Error('a journey begins in beforeAll')
    return context
  }

  beforeAll(async () => {
    const { stage, tabs } = await join()
    context = { stage, tabs, ...(first ? { set: 0, signIns: stage.signIns } : await matchDemo(stage.data)) }
  })
  beforeEach(() => {
    position = 'test'
  })
  afterEach(async ({ task }) => {
    position = 'file'
    if (task.result?.state === 'fail') await show(task.id)
    await closeAll('test')
  })
  afterAll(async () => {
    await closeAll('file')
    if (!first) return
    const { stage, signIns } = at()
    const phones = signIns.map(({ phone }) => phone)
    expect(await getCounts(stage.data, phones), 'it left something behind that the next file sees').toBe(stage.counts)
  })

  async function show(id: string): Promise<void> {
    for (const [number, context] of [...opened.test, ...opened.file].entries())
      for (const page of context.pages()) await picture(page, `failed-${id}-${number}`).catch(() => undefined)
  }
  async function closeAll(where: keyof typeof opened): Promise<void> {
    const complaints: string[] = []
    for (const context of opened[where]) complaints.push(...(await at().tabs.give(context)))
    opened[where].clear()
    expect(complaints, 'the console of a page complained').toEqual([])
  }

  async function open(path?: string, view: View & Options = {}): Promise<Tab & { peer: string }> {
    const page = await at().tabs.take(view)
    opened[position].add(page.context())
    if (path) await page.goto(path)
    return page
  }
  const getPhone = (text: string): string => {
    const match = at().signIns.find((one) => one.text.includes(text))
    if (!match) throw new Error(`nobody in the demo is ${text}`)
    return match.phone
  }
  const outbox = async (mobile?: string): Promise<OutboxMessage[]> => {
    const query = mobile ? `?mobile=${mobile}` : ''
    const { list } = (await (await fetch(`${at().stage.address}/dev/outbox.json${query}`)).json()) as { list: OutboxMessage[] }
    return list
  }
  return {
    get address() {
      return at().stage.address
    },
    getPhone,
    getName: (text) => /· (.+?)，/.exec(at().signIns.find((one) => one.text.includes(text))?.text ?? '')?.[1] ?? '',
    freePhone: (number) => `188${String(at().set).padStart(2, '0')}${String(number).padStart(6, '0')}`,
    open,
    async enter(who, view = {}, path = '/landing') {
      const page = await open(undefined, view)
      const { cookies, token } = await new HttpCaller(at().stage.address, page.peer).signIn(getPhone(who))
      await page.context().addCookies(cookies)
      // Both halves of the session are stored before the client's first script runs.
      const first_half = await page.addInitScript((half) => localStorage.setItem('user-token', half), token)
      await page.goto(path)
      await first_half.dispose()
      return page
    },
    // The client sends its own client address, as each tab does, because failed attempts are counted by address.
    caller: (who) => new HttpCaller(at().stage.address, nextAddress()).signIn(getPhone(who)),
    outbox,
    async getSent(batch_id) {
      const ids = new Set(await getDeliveries(at().stage.data, batch_id))
      return (await outbox()).filter(({ delivery_id }) => delivery_id !== null && ids.has(delivery_id))
    },
    holdUploads: (who) => holdUploads(at().stage.data, getPhone(who)),
    ageSessions: (who) => ageSessions(at().stage.data, getPhone(who)),
    async close(page) {
      const context = page.context()
      const complaints = await at().tabs.give(context)
      for (const some of Object.values(opened)) some.delete(context)
      expect(complaints, 'the console of a page complained').toEqual([])
    },
  }
}

/** Signs in on the desktop's own page, as a user does. */
export async function signInAtDesk(page: Page, phone: string, secret = password): Promise<void> {
  if (!page.url().includes(desk)) await page.goto(desk)
  await page.getByLabel('手机号').fill(phone)
  await page.getByLabel('密码', { exact: true }).fill(secret)
  await page.getByRole('button', { name: '登录', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.includes('/login/'))
}

/** Polls until the expectation holds; a busy machine responds late. */
export const until = <T>(call: () => Promise<T> | T) => expect.poll(call, { timeout: patience_ms, interval: 50 })

/**
 * Waits for a toast. A toast is gone after three seconds, which a busy machine may miss between two polls, so all
 * toasts ever shown are searched.
 */
export async function toasted(page: Tab, text: string | RegExp): Promise<void> {
  const setPosition = () => page.toasts.findIndex((one) => (typeof text === 'string' ? one.includes(text) : text.test(one)))
  await until(() => (setPosition() < 0 ? page.toasts.join('\n') : text)).toBe(text)
  // The same text shown again is another toast.
  page.toasts.splice(0, setPosition() + 1)
}

/** The app's own router in a page. */
type Router = {
  navigate(to: { href: string }): Promise<void>
  state: { status: string; location: { href: string }; resolvedLocation?: { href: string } }
}
/**
 * Navigates within the app like a link, where a full load is not the subject. Returns when the page is drawn and will
 * not be drawn again: a cached list appears at once, and when it is reloaded its rows may move.
 */
export async function visitNode(page: Page, path: string): Promise<void> {
  const router = await page.evaluateHandle(() => (window as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__)
  await router.evaluate((one, href) => one.navigate({ href }), path)
  await page.waitForFunction(
    ({ state }) => state.status === 'idle' && state.resolvedLocation?.href === state.location.href,
    router,
  )
  await router.dispose()
  // Calls that the test itself holds back are not waited for.
  for (const end = Date.now() + long_ms; Date.now() < end && (await callsOpen(page)) > 0; ) await sleep(20)
}
const long_ms = 6_000
/** Returns the number of calls of the page without a response. */
export const callsOpen = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { callsOpen: number }).callsOpen)

/** Holds the next response of this call until the returned function is called. */
export async function pendingResponse(page: Page, { path }: { readonly path: string }): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = async (route: Route) => {
    await promise
    await route.continue()
  }
  await page.route(`**${path}`, late, { times: 1 })
  return resolve
}

/**
 * Types letters as a Chinese input method does in the focused field, before they become text. The returned function
 * presses Enter as the input method receives it and then commits the text.
 */
export async function composing(page: Page, letters: string): Promise<(words: string) => Promise<void>> {
  const typist = await page.context().newCDPSession(page)
  const end = letters.length
  await typist.send('Input.imeSetComposition', { text: letters, selectionStart: end, selectionEnd: end })
  return async (labels) => {
    await typist.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 })
    await typist.send('Input.insertText', { text: labels })
    await typist.detach()
  }
}

/**
 * Polls while the page's clock is paused: advances it by a hundredth of a second before each poll, so that nothing is
 * missed.
 */
export const ticking = <T>(page: Page, view: () => Promise<T> | T) =>
  until(async () => {
    await page.clock.runFor(10)
    return view()
  })

/**
 * Waits until the page has sent what it was about to request: two frames, and a later request of its own. Use it before
 * a check that nothing more has happened. `frames: false` while the page's clock is paused.
 */
export async function settle(page: Page, { frames = true } = {}): Promise<void> {
  await page.evaluate(async (isRendered) => {
    if (isRendered) await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    await (await fetch('/healthz', { cache: 'no-store' })).text()
  }, frames)
}
