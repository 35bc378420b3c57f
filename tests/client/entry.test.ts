/** Which chat program shows the page, what each is asked for, and where /entry sends users who cannot be signed in. */
import { describe, expect, it, vi } from 'vitest'
import { AuthCodeError, type AuthCodeParams, type ChatHost, detectChatHost } from '../../platform/client/index.ts'
import { errorCodes } from '../../server/contract/errors.ts'
import { ApiError, NetworkError } from '../../src/api-core.ts'
import { getEntryCompany, getEntryUrl, getRequestedMethod } from '../../src/features/auth/entry/entry-params.ts'
import { getLoginUrl, getSignInErrorReason, handleEntry } from '../../src/features/auth/entry/handle-entry.ts'

const requested: AuthCodeParams = { corp_id: 'corp-1', app_id: 'app-1', agent_id: '1000001', state: 'lark-state' }
const agents = {
  lark: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 26_4_1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.6778.268 Safari/537.36 Lark/7.53.16 LarkLocale/zh_CN ttnet SDK-Version/7.53.10',
  wecom:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 wxwork/4.1.30 MicroMessenger/7.0.1 Language/zh ColorScheme/Light wwmver/3.26.13.714',
  dingtalk:
    'Mozilla/5.0 Mobile Safari/537.36 AliApp(DingTalk/5.1.5) com.alibaba.android.rimet/13534898 Channel/212200 language/zh-CN UT4Aplus/0.2.25 colorScheme/light',
  wechat: 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 MicroMessenger/8.0.50 NetType/WIFI',
  chrome: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36',
}
const getHost = (agent: keyof typeof agents, window: object = {}): ChatHost =>
  detectChatHost({ userAgent: agents[agent] }, window as Window)
const getCode = async (agent: 'lark' | 'dingtalk' | 'wecom', window: object): Promise<string | null> => {
  const host = getHost(agent, window)
  if (host.kind === 'browser') throw new Error('a browser gives no codes')
  return host.getAuthCode(requested)
}

describe('chat host', () => {
  it.each([
    ['lark', 'lark'],
    ['wecom', 'wecom'],
    ['dingtalk', 'dingtalk'],
    ['wechat', 'browser'],
    ['chrome', 'browser'],
  ] as const)('detects %s as %s', (agent, kind) => expect(getHost(agent).kind).toBe(kind))

  it('requests access from Lark with the application and our state', async () => {
    const requestAccess = vi.fn((request: { success(given: object): void }) =>
      request.success({ code: 'c-1', state: requested.state }),
    )
    expect(await getCode('lark', { tt: { requestAccess } })).toBe('c-1')
    expect(requestAccess).toHaveBeenCalledWith(expect.objectContaining({ appID: 'app-1', scopeList: [], state: 'lark-state' }))
  })
  it('refuses a Lark code that comes with a foreign state', async () => {
    const requestAccess = (request: { success(given: object): void }) => request.success({ code: 'c-1', state: 'another' })
    await expect(getCode('lark', { tt: { requestAccess } })).rejects.toBeInstanceOf(AuthCodeError)
  })
  it('uses the older call in an older Lark', async () => {
    const tt = {
      requestAccess: (request: { fail(error: object): void }) =>
        request.fail({ errno: 103, errMsg: 'requestAccess:fail not support' }),
      requestAuthCode: (request: { appId: string; success(given: object): void }) =>
        request.success({ code: `old-${request.appId}` }),
    }
    expect(await getCode('lark', { tt, h5sdk: { ready: (then: () => void) => then() } })).toBe('old-app-1')
  })
  it('distinguishes a user who declines from a call that fails', async () => {
    const no = {
      requestAccess: (request: { fail(error: object): void }) => request.fail({ errMsg: 'requestAccess:fail user cancel' }),
    }
    await expect(getCode('lark', { tt: no })).rejects.toMatchObject({ cancelled: true })
    const broken = {
      requestAccess: (request: { fail(error: object): void }) => request.fail({ errMsg: 'requestAccess:fail internal' }),
    }
    await expect(getCode('lark', { tt: broken })).rejects.toMatchObject({ cancelled: false })
  })
  it('uses the sign-in page of a client without such a call', async () => {
    expect(await getCode('lark', { tt: {} })).toBeNull()
    expect(await getCode('dingtalk', { dd: {} })).toBeNull()
    expect(await getCode('wecom', {})).toBeNull()
  })
  it('calls DingTalk with the company and the application in either spelling', async () => {
    const requestAuthCode = vi.fn((request: { onSuccess(given: object): void }) => request.onSuccess({ code: 'd-1' }))
    expect(await getCode('dingtalk', { dd: { requestAuthCode, ready: (then: () => void) => then() } })).toBe('d-1')
    expect(requestAuthCode).toHaveBeenCalledWith(expect.objectContaining({ corpId: 'corp-1', clientId: 'app-1' }))
    expect(await getCode('dingtalk', { dd: { runtime: { permission: { requestAuthCode } } } })).toBe('d-1')
    const cancel = { requestAuthCode: (request: { onFail(error: object): void }) => request.onFail({ errorMessage: '用户取消' }) }
    await expect(getCode('dingtalk', { dd: cancel })).rejects.toMatchObject({ cancelled: true })
  })
})

describe('/entry', () => {
  const open = (search: string, host: ChatHost = { kind: 'browser' }, width = 1440) =>
    handleEntry(new URL(`https://pay.example.cn/entry${search}`), host, { width })

  it.each([
    ['an ordinary browser', '', 'not_here'],
    ['a user who refused on the page', '?error=access_denied&state=larkp0', 'cancelled'],
    ['an unrequested code', '?code=abc', 'expired'],
    ['a state of no platform', '?code=abc&state=slack0', 'expired'],
  ] as const)('redirects /entry to the login page without any request: %s', async (_what, search, why) => {
    // There is no server here, so a request would end with `unavailable`.
    expect(await open(search)).toEqual({ kind: 'leave', to: `/pc/page/login/login.html?why=${why}` })
  })
  it('keeps the target page where sign-in fails', async () => {
    const page = `?page=${encodeURIComponent('/m/slip/1?v=2')}`
    const to = (await handleEntry(new URL(`https://pay.example.cn/entry${page}`), { kind: 'browser' }, { width: 360, page })) as {
      to: string
    }
    const login = new URL(to.to, 'https://pay.example.cn')
    expect([login.pathname, ...login.searchParams]).toEqual(['/m/login', ['why', 'not_here'], ['page', '/m/slip/1?v=2']])
  })
  it.each([
    ['?page=/m/slip/1', true, '/m/slip/1'],
    ['?page=/m/slip/1', false, '/m/login?why=not_here&page=/m/slip/1'],
    // Only mobile pages are allowed; everything else goes through sign-in.
    ['?page=https://evil.example', true, '/m/login?why=not_here&page=https://evil.example'],
    ['?page=//evil.example/m/x', true, '/m/login?why=not_here&page=//evil.example/m/x'],
    ['', true, '/m/login?why=not_here'],
  ])('leads from a card with %j, signed in: %s, to %s', async (page, isSignedIn, to) => {
    expect(
      await handleEntry(new URL(`https://pay.example.cn/entry${page}`), { kind: 'browser' }, { width: 360, page, isSignedIn }),
    ).toEqual({
      kind: 'leave',
      to,
    })
  })
  it.each([
    ['lark', '', false, '/entry'],
    ['wecom', '?page=%2Fm%2Fslip%2F1', false, '/entry?page=%2Fm%2Fslip%2F1'],
    ['dingtalk', '?page=/m/slip/1?v=2', false, '/entry?page=%2Fm%2Fslip%2F1%3Fv%3D2'],
    ['wecom', '?why=refused', false, null],
    ['wecom', '', true, null],
    ['wechat', '', false, null],
    ['chrome', '?page=/m/slip/1', false, null],
  ] as const)('redirects /m/login in %s with %j (just signed out: %s) to %s', (agent, search, stays, to) =>
    expect(getEntryUrl({ userAgent: agents[agent] }, search, stays)).toBe(to),
  )
  it.each([
    ['', 'password'],
    ['?page=%2Fm%2Fslip%2F1', 'password'],
    ['?page=%2Fm%2Fslip%2F1%3Ffrom%3Dsms', 'code'],
    ['?from=sms', 'password'],
  ])('starts the login page with %j with %s', (search, channel) => expect(getRequestedMethod(search)).toBe(channel))
  it('sends narrow windows to the mobile login page', () => {
    expect([getLoginUrl('refused', 799), getLoginUrl('refused', 800)]).toEqual([
      '/m/login?why=refused',
      '/pc/page/login/login.html?why=refused',
    ])
  })
  it.each([
    ['not_found', {}, 'no_app'],
    ['wrong_state', {}, 'expired'],
    ['platform_refused', { kind: 'code_refused' }, 'expired'],
    ['platform_refused', { kind: 'temporary' }, 'unavailable'],
    ['platform_refused', { kind: 'out_of_scope' }, 'refused'],
    ['locked', {}, 'unavailable'],
  ] as const)('reports %s %j as %s', (name, data, why) => {
    expect(getSignInErrorReason(new ApiError(errorCodes[name].code, '', data))).toBe(why)
  })
  it('takes the application from the address and remembers it for later visits without one', () => {
    const stored = new Map<string, string>()
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    })
    expect(getEntryCompany('?page=/m/slips')).toEqual({ isRemembered: false })
    expect(getEntryCompany('?corpId=$CORPID$')).toEqual({ isRemembered: false })
    expect(getEntryCompany('?page=/m/slip/1?v=2&corp=ww1')).toEqual({ companyId: 'ww1', isRemembered: false })
    expect(getEntryCompany('')).toEqual({ companyId: 'ww1', isRemembered: true })
    expect(getEntryCompany('?corpId=ding2')).toEqual({ companyId: 'ding2', isRemembered: false })
    vi.stubGlobal('localStorage', undefined)
    expect(getEntryCompany('?corp=ww1')).toEqual({ companyId: 'ww1', isRemembered: false })
  })
  it('reports a lost network as unavailable, not as the user’s refusal', () =>
    expect(getSignInErrorReason(new NetworkError())).toBe('unavailable'))
})
