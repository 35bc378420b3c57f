/**
 * The chat program's window around a page: forwarding is disabled, the title is set, the page can be closed, and a
 * failure of the program never affects the page.
 */
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDingtalkFrame } from '../../platform/chat/dingtalk/frame.ts'
import { createLarkFrame } from '../../platform/chat/lark/frame.ts'
import { createWecomFrame } from '../../platform/chat/wecom/frame.ts'
import { getClientScript, type SimulatedClientCall } from '../../platform/simulator/client.ts'
import type { Provider } from '../../platform/types.ts'

type Meta = { name: string; content: string; setAttribute(name: string): void; on?: boolean }
type Fake = Window & { simulatedClient?: SimulatedClientCall[]; simulatedRefusals?: string[] }
/** A fake page with the parts that the code uses. With `comes`, a fetched script is the fake's. */
function getPage(provider: Provider, { comes = true, before = false } = {}): Fake {
  const metas: Meta[] = []
  const window: Record<string, unknown> = { setTimeout }
  const run = () => runInNewContext(getClientScript(provider).body, { window, document, setTimeout, JSON })
  const document = {
    createElement: (tag: string) =>
      tag === 'meta'
        ? { name: '', content: '', setAttribute: () => undefined }
        : {
            on: {} as Record<string, () => void>,
            addEventListener(name: string, then: () => void) {
              this.on[name] = then
            },
          },
    querySelectorAll: () => metas,
    head: {
      append(one: Meta | { on: Record<string, () => void> }) {
        if ('content' in one) return void metas.push(one)
        if (comes) run()
        one.on[comes ? 'load' : 'error']?.()
      },
    },
  }
  window.document = document
  if (before) run()
  return window as unknown as Fake
}
const request = (window: Fake) => window.simulatedClient ?? []
const soon = () => new Promise((done) => setTimeout(done, 5))

it('Lark: removes forwarding from the menu, sets the title and closes the window', async () => {
  const window = getPage('lark')
  const frame = await createLarkFrame(window)
  frame?.setTitle('工资条')
  expect(await frame?.close()).toBe(true)
  expect(request(window)).toEqual([
    ['meta', [['hideMenuItems', 'sendToChat,shareViaOtherApp,copyLink']]],
    ['setTitle', { title: '工资条' }],
    ['closeWindow', {}],
  ])
  window.simulatedRefusals = ['closeWindow']
  expect(await frame?.close()).toBe(false)
})

it('DingTalk: removes the menu button, sets the title and closes the page', async () => {
  const window = getPage('dingtalk')
  const frame = await createDingtalkFrame(window)
  frame?.setTitle('我的')
  expect(await frame?.close()).toBe(true)
  await soon()
  expect(request(window)).toEqual([
    ['setRight', { show: false, control: false, text: '' }],
    ['setTitle', { title: '我的' }],
    ['closePage', {}],
  ])
  window.simulatedRefusals = ['closePage']
  expect(await frame?.close()).toBe(false)
})

it.each(['lark', 'dingtalk'] as const)('leaves the page unchanged without its script or with an older one: %s', async (kind) => {
  const getFrame = { lark: createLarkFrame, dingtalk: createDingtalkFrame }[kind]
  expect(await getFrame(getPage(kind, { comes: false }))).toBeNull()
  const older = { document: getPage(kind).document, tt: {}, dd: {} } as unknown as Window
  const frame = await getFrame(older)
  frame?.setTitle('工资条')
  expect(await frame?.close()).toBe(false)
})

const agent =
  'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/116.0 Mobile Safari/537.36 wxwork/4.1.30 MicroMessenger/7.0.1'
const address = 'https://pay.example.cn/m/slip/1?v=2'
/** WeCom's package inspects the page once, when it is loaded; the reset lets the next test file load it again. */
afterAll(() => void vi.resetModules())
function inWecom(): Fake {
  const window = getPage('wecom', { before: true })
  Object.assign(window, { addEventListener: () => undefined, removeEventListener: () => undefined })
  const document = Object.assign(window.document, {
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    title: '',
  })
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', document)
  vi.stubGlobal('navigator', { userAgent: agent, platform: 'Linux armv8l', maxTouchPoints: 5, language: 'zh' })
  vi.stubGlobal('location', new URL(`${address}#there`))
  Object.assign(window, { navigator: globalThis.navigator, location: globalThis.location })
  vi.stubGlobal('WeixinJSBridge', (window as unknown as { WeixinJSBridge: unknown }).WeixinJSBridge)
  return window
}
const signed = { corp_id: 'ww1', agent_id: '1000007', config: { timestamp: '1767225600', nonce: 'n', signature: 's' } }
beforeEach(() => void vi.resetModules())
afterEach(() => void vi.unstubAllGlobals())

it('WeCom: uses its own package, signed for this address, and hides the sharing menu items, or the whole menu if that fails', async () => {
  const window = inWecom()
  window.simulatedRefusals = ['hideMenuItems']
  const sign = vi.fn(async () => signed)
  const frame = await createWecomFrame({ sign })
  expect(await frame?.close()).toBe(true)
  await soon()
  expect(sign).toHaveBeenCalledExactlyOnceWith(address)
  const [first, ...rest] = request(window)
  expect(first).toMatchObject(['preVerifyJSAPI', { appId: 'ww1', verifySignature: 's', verifyNonceStr: 'n' }])
  expect(rest.map(([name]) => name).toSorted()).toEqual(['closeWindow', 'hideMenuItems', 'hideOptionMenu'])
  expect(rest.find(([name]) => name === 'hideMenuItems')?.[1]).toMatchObject({
    menuList: [
      'menuItem:share:appMessage',
      'menuItem:share:wechat',
      'menuItem:favorite',
      'menuItem:copyUrl',
      'menuItem:share:email',
    ],
  })
})

it('WeCom: calls nothing without a signature', async () => {
  const window = inWecom()
  expect(await createWecomFrame({ sign: async () => null })).toBeNull()
  expect(await createWecomFrame({ sign: async () => ({ ...signed, config: null }) })).toBeNull()
  expect(request(window)).toEqual([])
})
