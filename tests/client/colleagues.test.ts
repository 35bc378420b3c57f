/**
 * WeCom hides member names from us: its own program draws the names and lets the user choose a colleague. The tests
 * cover signing as the application, the choice, and the reasons why names cannot be shown.
 */
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PageSigner, SignedPage, UserPickerErrorReason } from '../../platform/chat/client-module.ts'
import { createWecomUserPicker } from '../../platform/chat/wecom/user-picker.ts'
import { getClientScript, namesScript, type SimulatedClientCall } from '../../platform/simulator/client.ts'

type Fake = Window & {
  simulatedClient?: SimulatedClientCall[]
  simulatedRefusals?: string[]
  simulatedScript?: boolean
  simulatedPick?: () => unknown
  WWOpenData?: object
  /** Scripts that the page has fetched; `comes` says whether a script can be loaded. */
  fetched: { src: string; referrerPolicy: string }[]
  comes: boolean
}
const agent = 'Mozilla/5.0 (Linux; Android 14) Chrome/116.0 Mobile Safari/537.36 wxwork/4.1.30 MicroMessenger/7.0.1'
const nothing = () => undefined
type Script = Fake['fetched'][number] & { on: Record<string, () => void> }
/** A fake page inside the program with the parts that the code uses. */
const document = {
  title: '',
  addEventListener: nothing,
  removeEventListener: nothing,
  createElement: () => ({
    on: {} as Script['on'],
    src: '',
    referrerPolicy: '',
    addEventListener(name: string, then: () => void) {
      this.on[name] = then
    },
  }),
  head: {
    append(one: Script) {
      window.fetched.push(one)
      if (window.comes) runInNewContext(namesScript.body, { window })
      one.on[window.comes ? 'load' : 'error']?.()
    },
  },
}
const navigator = { userAgent: agent, platform: 'Linux armv8l', maxTouchPoints: 5, language: 'zh' }
const position = { href: '' }
const events = { addEventListener: nothing, removeEventListener: nothing }
const window = { setTimeout, document, navigator, location: position, ...events } as unknown as Fake
runInNewContext(getClientScript('wecom').body, { window, document, setTimeout, JSON })
const signed: SignedPage = {
  corp_id: 'ww1',
  agent_id: '1000007',
  config: { timestamp: '1767225600', nonce: 'n', signature: 's' },
}
const sign: PageSigner['sign'] = async () => signed
const request = (name: string) => (window.simulatedClient ?? []).filter(([one]) => one === name).map(([, what]) => what)
const element = (type: string, openid: string) => {
  const root = { textContent: '' }
  return { getAttribute: (name: string) => ({ type, openid })[name] ?? null, shadowRoot: root } as unknown as Element
}
// WeCom's package inspects the page once, when it is loaded. All tests share one page at a different address each time;
// the reset lets the next test file load it again.
afterAll(() => void vi.resetModules())
let opened = 0
beforeEach(() => {
  opened += 1
  position.href = `https://pay.example.cn/companyThird?${opened}#there`
  Object.assign(window, { simulatedRefusals: [], simulatedScript: false, WWOpenData: undefined, fetched: [], comes: true })
  window.simulatedClient?.splice(0)
  for (const [name, value] of Object.entries({ window, document, navigator, location: position })) vi.stubGlobal(name, value)
  vi.stubGlobal('WeixinJSBridge', (window as unknown as { WeixinJSBridge: unknown }).WeixinJSBridge)
})
afterEach(() => void vi.unstubAllGlobals())

it('signs the page for the application, passes the agent to the script and lets the program draw the names', async () => {
  const signing = vi.fn(sign)
  const colleagues = await createWecomUserPicker(window, { sign: signing })
  expect(signing).toHaveBeenCalledExactlyOnceWith('https://pay.example.cn/companyThird?1')
  expect(request('agentConfig')).toMatchObject([
    { corpid: 'ww1', agentid: '1000007', nonceStr: 'n', signature: 's', jsApiList: ['selectPrivilegedContact'] },
  ])
  expect(window.fetched).toMatchObject([
    { src: 'https://open.work.weixin.qq.com/wwopen/js/jwxwork-1.0.0.js', referrerPolicy: 'origin' },
  ])
  colleagues.renderName(element('userName', 'wo1'))
  expect(request('bind')).toEqual([['userName', 'wo1']])
})

it('returns the selected colleague, an unknown one where the application cannot see them, and null where none is selected', async () => {
  const colleagues = await createWecomUserPicker(window, { sign })
  window.simulatedPick = () => ({ selectedTicket: 't1', userList: [{ openUserId: 'wo1' }] })
  expect(await colleagues.selectUser()).toEqual({ ticket: 't1', user_id: 'wo1' })
  expect(request('selectPrivilegedContact')).toMatchObject([
    { fromDepartmentId: 0, mode: 'single', selectedContextContact: false },
  ])
  window.simulatedPick = () => ({ selectedTicket: 't2', userList: [] })
  expect(await colleagues.selectUser()).toEqual({ ticket: 't2', user_id: null })
  window.simulatedPick = () => null
  expect(await colleagues.selectUser()).toBeNull()
  window.simulatedRefusals = ['selectPrivilegedContact']
  await expect(colleagues.selectUser()).rejects.toMatchObject({ errMsg: 'selectPrivilegedContact:fail' })
})

it.each<[string, UserPickerErrorReason, Partial<Fake>, PageSigner['sign']]>([
  ['no signature', 'unsigned', {}, async () => ({ ...signed, config: null })],
  ['no company', 'unsigned', {}, async () => null],
  ['a client that cannot show names', 'old', { simulatedRefusals: ['wwapp.initWwOpenData'] }, sign],
  ['a script that does not load', 'old', { comes: false }, sign],
])('shows no names: %s', async (_, reason, page, signing) => {
  Object.assign(window, page)
  await expect(createWecomUserPicker(window, { sign: signing })).rejects.toMatchObject({ name: 'UserPickerError', reason })
  expect(request('agentConfig')).toHaveLength(reason === 'unsigned' ? 0 : 1)
})
