/** What a file of journeys has: people of its own on the server of the run, and tabs that are closed behind it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { HttpCaller, type OutboxMessage } from '../callers/http.ts'
import { type Stage, stageVariable } from '../run/e2e-setup.ts'
import type { SignIn } from '../run/server.ts'
import { nextAddress, type Options, openBrowser, patience_ms, picture, type Tab, Tabs, type View } from './browser.ts'
import { getCounts, getDeliveries, holdUploads, matchDemo } from './demo.ts'

export const desk = '/pc/page/login/login.html'
export const mobile = '/m/login'
export const password = 'xinhan2026'

export type Journey = {
  readonly address: string
  /** The phone of whoever is described so at the server's start: `薪酬管理员（全公司）`. */
  getPhone(text: string): string
  getName(text: string): string
  /** A phone that nobody has, the same each time for one number. */
  freePhone(number: number): string
  /** A tab, signed out. It is closed after the test, or after the file where it was opened before any test. */
  open(path?: string, look?: View & Options): Promise<Tab>
  /** A tab of somebody who has signed in, on the page that is his, or on this one. */
  enter(who: string, look?: View & Options, path?: string): Promise<Tab>
  /** His hands without a browser. */
  caller(who: string): Promise<HttpCaller>
  /** What was sent to this phone, or to anybody; the newest first. */
  outbox(mobile?: string): Promise<OutboxMessage[]>
  /** What was sent of one batch: its messages do not say which it is. */
  getSent(batch_id: string): Promise<OutboxMessage[]>
  /** What he uploads from now on is held at its last step, until the answer is called. */
  holdUploads(who: string): Promise<() => Promise<void>>
  close(page: Page): Promise<void>
}

/** One browser and its tabs for all files that a worker runs; it ends with the worker. One for all workers cost every word to it a way more. */
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

/** `first`: the server's own demo, with the chat platform, for who changes nothing that others see there; at the end of the file that is looked at. */
export function useJourney({ first = false } = {}): Journey {
  let context: { stage: Stage; tabs: Tabs; set: number; signIns: readonly SignIn[] } | null = null
  /** Opened in a test, or kept for the whole file. */
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
      // Both halves of the session lie where the client keeps them before its first script runs.
      const first_half = await page.addInitScript((half) => localStorage.setItem('user-token', half), token)
      await page.goto(path)
      await first_half.dispose()
      return page
    },
    // From an address of its own, as each tab: guesses are counted by it.
    caller: (who) => new HttpCaller(at().stage.address, nextAddress()).signIn(getPhone(who)),
    outbox,
    async getSent(batch_id) {
      const ids = new Set(await getDeliveries(at().stage.data, batch_id))
      return (await outbox()).filter(({ delivery_id }) => delivery_id !== null && ids.has(delivery_id))
    },
    holdUploads: (who) => holdUploads(at().stage.data, getPhone(who)),
    async close(page) {
      const context = page.context()
      const complaints = await at().tabs.give(context)
      for (const some of Object.values(opened)) some.delete(context)
      expect(complaints, 'the console of a page complained').toEqual([])
    },
  }
}

/** Signs in on the desk's own page, as a person does. */
export async function signInAtDesk(page: Page, phone: string, secret = password): Promise<void> {
  if (!page.url().includes(desk)) await page.goto(desk)
  await page.getByLabel('手机号').fill(phone)
  await page.getByLabel('密码', { exact: true }).fill(secret)
  await page.getByRole('button', { name: '登录', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.includes('/login/'))
}

/** What comes, comes; a busy machine answers late. */
export const until = <T>(call: () => Promise<T> | T) => expect.poll(call, { timeout: patience_ms, interval: 50 })

/** A toast is gone after three seconds, which a busy machine may let pass between two looks: it is looked for among those that ever came. */
export async function toasted(page: Tab, text: string | RegExp): Promise<void> {
  const setPosition = () => page.toasts.findIndex((one) => (typeof text === 'string' ? one.includes(text) : text.test(one)))
  await until(() => (setPosition() < 0 ? page.toasts.join('\n') : text)).toBe(text)
  // The same sentence once more is another toast.
  page.toasts.splice(0, setPosition() + 1)
}

/** What the app's own router is called in a page. */
type Router = {
  navigate(to: { href: string }): Promise<void>
  state: { status: string; location: { href: string }; resolvedLocation?: { href: string } }
}
/**
 * Goes to a page of the app as a link in it does, where loading all of it anew is not the subject. Answers when that page is drawn, and is not about to be
 * drawn anew: a list that is known from before stands there at once, and when it is asked again its rows may go elsewhere below a hand.
 */
export async function visitNode(page: Page, path: string): Promise<void> {
  const router = await page.evaluateHandle(() => (window as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__)
  await router.evaluate((one, href) => one.navigate({ href }), path)
  await page.waitForFunction(
    ({ state }) => state.status === 'idle' && state.resolvedLocation?.href === state.location.href,
    router,
  )
  await router.dispose()
  // What a test itself holds back is not waited for.
  for (const end = Date.now() + long_ms; Date.now() < end && (await callsOpen(page)) > 0; ) await sleep(20)
}
const long_ms = 6_000
/** How many calls of the page have no answer yet. */
export const callsOpen = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { callsOpen: number }).callsOpen)

/** The next answer to this call is held until the hand that this gives lets it go. */
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
 * Letters as an input method of Chinese has them in the field that has the focus, not yet the words. What it returns presses Enter as the input
 * method gets it, and then writes the words.
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

/** Where the page's clock stands still: lets a hundredth of a second go by before each look, so that nothing comes and goes unseen. */
export const ticking = <T>(page: Page, view: () => Promise<T> | T) =>
  until(async () => {
    await page.clock.runFor(10)
    return view()
  })

/**
 * Waits until what the page was about to ask has been asked: two frames, and a request of its own that comes after those. Before one says that
 * nothing more has happened. `frames: false` where the page's clock stands still.
 */
export async function settle(page: Page, { frames = true } = {}): Promise<void> {
  await page.evaluate(async (isRendered) => {
    if (isRendered) await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    await (await fetch('/healthz', { cache: 'no-store' })).text()
  }, frames)
}
