/**
 * Spec §8, every row: how the client handles a response. Uses the client's own code and the real app over HTTP; only
 * `window` is a fake.
 */
import { type MutationMeta, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  applyTransferWageManager,
  getSystemManagerTransferInfo,
  transferManagerBySystemManager,
} from '../../server/contract/approvals/approvals.ts'
import * as account from '../../server/contract/auth/sign-in.ts'
import type { Call, CallRequest } from '../../server/contract/call.ts'
import { getIndex } from '../../server/contract/company/company.ts'
import { getMemberInfo } from '../../server/contract/directory/members.ts'
import { errorCodes } from '../../server/contract/errors.ts'
import type * as Api from '../../src/api.ts'
import type * as Core from '../../src/api-core.ts'
import { changeMessages } from '../../src/features/auth/account/change-messages.ts'
import { redirectSeconds } from '../../src/features/auth/account/messages.ts'
import { type StandIn, standIn } from '../support/callers/stand-in.ts'
import { codesSent, lastCode } from '../support/callers/visitor.ts'
import { demo } from '../support/demo.ts'
import { type Caller, type Person } from '../support/world.ts'

let head: Person
let address = ''
let page: StandIn
/** The client as on a freshly opened page, because it remembers that it is navigating away. */
let client: typeof Api & Pick<typeof Core, 'setTransport'>
let messages: string[]

const { world, corp } = demo({ own: true })
beforeAll(async () => {
  head = await corp.person({ name: '林总', power: ['4'] })
  address = (await world.listen()).origin
})
beforeEach(async () => {
  // Timers of the page advance only when a test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.unstubAllGlobals()
  vi.resetModules()
  page = standIn(() => address)
  client = { ...(await import('../../src/api.ts')), ...(await import('../../src/api-core.ts')) }
  const { setToastHandler } = await import('../../src/components/overlay/toast.ts')
  messages = []
  setToastHandler(({ kind, title, text }) => messages.push([kind, title, text].filter(Boolean).join(' ')))
})
afterEach(() => void vi.useRealTimers())

/** Returns where the page navigates by itself: exactly at the given time, not before. */
async function remove(after_ms = 1500): Promise<string[]> {
  vi.advanceTimersByTime(after_ms - 1)
  expect(page.left).toEqual([])
  vi.advanceTimersByTime(1)
  await vi.waitFor(() => expect(page.left).not.toEqual([]), { timeout: 60_000 })
  return page.left
}
/** Runs a mutation as a button does and describes its effect. */
async function press<C extends Call>(call: C, input: CallRequest<C>, meta?: MutationMeta): Promise<string> {
  const { MutationObserver } = await import('@tanstack/react-query')
  const button = new MutationObserver(client.queryClient, {
    mutationFn: () => client.callApi(call, input),
    ...(meta ? { meta } : {}),
  })
  await button.mutate().catch(() => undefined)
  const { status, error } = button.getCurrentResult()
  return error ? `${status}: ${error.message}` : status
}
const signedIn = async (person: Person = head): Promise<Caller> => {
  const caller = await world.signIn(person)
  page.signInAs(caller)
  return caller
}
const anonymous = '0197f0a1-7c3e-7aaa-8bbb-0123456789ab'

describe('0: success', () => {
  test('shows no message for code 0, returns the response and refetches everything on the page', async () => {
    await signedIn()
    const first = await client.queryClient.fetchQuery(client.callQuery(getIndex, {}))
    expect(client.queryClient.getQueryData(client.callQuery(getIndex, {}).queryKey)).toEqual(first)
    expect(
      await press(account.sendSuggestion, { contact_name: '林总', contact_tel: '13800138000', type: '1', content: '好用' }),
    ).toBe('success')
    expect(client.queryClient.getQueryState(client.callQuery(getIndex, {}).queryKey)?.isInvalidated).toBe(true)
    expect([messages, page.left]).toEqual([[], []])
  })
})

describe('100018: session expired', () => {
  test.each([
    ['the desktop', '/home', '/pc/page/login/login.html?page=%2Fhome'],
    [
      'a page with its filters',
      '/wageAdmin?name=%E5%BC%A0',
      '/pc/page/login/login.html?page=%2FwageAdmin%3Fname%3D%25E5%25BC%25A0',
    ],
    ['the landing page, which passes on the requested page', '/landing?page=%2Fhome', '/pc/page/login/login.html?page=%2Fhome'],
    ['the mobile app', '/m/slips', '/m/login?page=%2Fm%2Fslips'],
    ['the mobile app in any letter case', '/M/slips', '/m/login?page=%2FM%2Fslips'],
    ['the front page, without a page to return to', '/', '/pc/page/login/login.html'],
  ])('%s: shows the server’s message, then the sign-in page', async (_, at, to) => {
    page.at(at)
    page.stored.set('user-token', 'no session has this')
    expect(await press(getMemberInfo, { id: anonymous })).toBe('error: 登录已失效，请重新登录')
    expect(await remove()).toEqual([to])
    expect([messages, page.stored.has('user-token')]).toEqual([['fail 登录已失效，请重新登录'], false])
    // The toast is gone by then: the sign-in page repeats the message.
    expect(page.tab.get('signed-out')).toBe('登录已失效，请重新登录')
  })
  test('shows the message once for any number of pending requests', async () => {
    await Promise.all([1, 2, 3].map(() => press(getMemberInfo, { id: anonymous })))
    expect(await remove()).toHaveLength(1)
    expect(messages).toEqual(['fail 登录已失效，请重新登录'])
  })
  test('handles 100018 globally even for a button that shows its errors itself', async () => {
    await press(getMemberInfo, { id: anonymous }, { handles: () => true })
    expect(await remove()).toHaveLength(1)
    expect(messages).toEqual(['fail 登录已失效，请重新登录'])
  })
})

test('100038: shows 移交成功, then the sign-in page', async () => {
  const [from, to] = [await corp.person({ name: '孙工资', power: ['2'] }), await corp.person({ name: '周接手' })]
  await signedIn(from)
  await (await world.signIn(head)).must(transferManagerBySystemManager, { id: from.admin_id ?? '', member_id: to.member_id })
  page.at('/wageAdmin')
  expect(await press(getMemberInfo, { id: anonymous })).toBe('error: 移交成功')
  expect(await remove()).toEqual(['/pc/page/login/login.html?page=%2FwageAdmin'])
  expect(messages).toEqual(['done 移交成功'])
})

describe('any other code', () => {
  test('calls the error handler of the action for any other code if it has one', async () => {
    await signedIn()
    expect(await press(getMemberInfo, { id: anonymous }, { handles: (error) => error.is('not_found') })).toMatch(/^error: /)
    expect([messages, page.left]).toEqual([[], []])
  })
  test.each([
    ['an action without a handler', undefined],
    [
      'an action with a handler for another error',
      { handles: (error: { is(name: 'wrong_state'): boolean }) => error.is('wrong_state') },
    ],
  ])('%s: shows a toast titled 失败 with the server’s message', async (_, meta) => {
    await signedIn()
    const answer = await press(getMemberInfo, { id: anonymous }, meta)
    expect(messages).toEqual([`fail 失败 ${answer.replace('error: ', '')}`])
    expect(answer).toMatch(/[一-龥]/)
    expect(page.left).toEqual([])
  })
})

describe('no response', () => {
  test('shows 网络异常 with what to do for a missing response, and keeps the error of the failed request', async () => {
    address = 'http://127.0.0.1:9'
    try {
      expect(await press(getMemberInfo, { id: anonymous })).toBe('error: 网络错误，请刷新后重试…')
      expect(messages).toEqual(['fail 网络异常 网络错误，请刷新后重试…'])
      const { toFormError } = await import('../../src/features/auth/sign-in/calls.ts')
      const lost = await client.callApi(account.login, { phone: '13800138000', password: 'x' }).catch((error: unknown) => error)
      expect(toFormError(lost)).toEqual({ field: 'form', text: '网络不通，请检查网络后再点一次' })
    } finally {
      address = (await world.listen()).origin
    }
  })
  test('retries a request rejected by an overloaded server automatically with the same key', async () => {
    const keys: (string | null)[] = []
    const shed = { error_code: errorCodes.too_often.code, error_msg: '服务繁忙', data: { shed: true, retry_after: 1 } }
    await signedIn()
    client.setTransport(async (path, request) => {
      keys.push(new Headers(request.headers).get('idempotency-key'))
      return keys.length < 3 ? Response.json(shed) : fetch(path, request)
    })
    const requested = client.callApi(account.sendSuggestion, {
      contact_name: '林总',
      contact_tel: '13800138000',
      type: '1',
      content: '想要年报',
    })
    // The client waits between attempts; the fake clock is advanced here.
    while (keys.length < 3) await vi.advanceTimersByTimeAsync(1_000)
    await requested
    expect(keys[0]).toMatch(/.{16}/)
    expect(new Set(keys).size).toBe(1)
  })
  test('says that the time is up where a gateway answers 504 in place of the server', async () => {
    client.setTransport(async () => new Response('<html>504 Gateway Time-out</html>', { status: 504 }))
    expect(await press(getMemberInfo, { id: anonymous })).toBe('error: 请求超时，请刷新后重试…')
    expect(messages).toEqual(['fail 网络异常 请求超时，请刷新后重试…'])
  })
  test('keeps the sentence of our own server, whatever its HTTP status', async () => {
    const envelope = { error_code: errorCodes.too_often.code, error_msg: '请稍后再试', errmsg: '', data: {} }
    client.setTransport(async () => Response.json(envelope, { status: 504 }))
    expect(await press(getMemberInfo, { id: anonymous })).toBe('error: 请稍后再试')
  })
  test('treats a foreign page in place of a response as no response', async () => {
    const { sendRequest } = await import('../../src/api-core.ts')
    const strange = { ...getIndex, method: 'GET', path: '/healthz' } as unknown as typeof getIndex
    await expect(sendRequest(strange, {})).rejects.toThrow('网络错误，请刷新后重试…')
  })
})

describe('建议反馈: only 0 is recognised', () => {
  const good = { contact_name: '林总', contact_tel: '13800138000', type: '1', content: '想要年报' } as const
  test.each([
    ['sent', good, 'success', []],
    ['an error at a field, without a toast', { ...good, contact_tel: '123' }, 'error: 手机号格式有误', []],
  ] as const)('%s', async (_, input, becomes, toasts) => {
    await signedIn()
    expect(await press(account.sendSuggestion, input, { handles: (error) => error.field !== undefined })).toBe(becomes)
    expect(messages).toEqual(toasts)
  })
})

describe('sign-in pages, including /m/login, show errors in place', () => {
  test.each([
    ['an unknown phone, by password', { phone: '19900000001', password: 'kqzwvm73' }, 'password', '手机号或密码不正确'],
    ['a password of nothing but emojis', { phone: '19900000001', password: '😀'.repeat(32) }, 'password', '手机号或密码不正确'],
    ['an empty form that passed validation', { phone: '', password: '' }, 'phone', /[一-龥]/],
  ])('%s', async (_, typed, field, text) => {
    page.at('/m/login')
    const { signInWithPassword, toFormError } = await import('../../src/features/auth/sign-in/calls.ts')
    const error = toFormError(await signInWithPassword(typed.phone, typed.password).catch((error: unknown) => error))
    expect(error.field).toBe(field)
    expect(error.text).toMatch(text)
    expect([messages, page.left]).toEqual([[], []])
  })
  test('shows a wrong code at its field', async () => {
    // The server needs real time to send it.
    vi.useRealTimers()
    page.at('/m/login')
    const { requestCode, signInWithCode, toFormError } = await import('../../src/features/auth/sign-in/calls.ts')
    const before = await codesSent(world, head.mobile)
    const sms = await requestCode(head.mobile, 'login')
    const sent = await lastCode(world, head.mobile, before)
    const other = String((Number(sent) + 1) % 1_000_000).padStart(6, '0')
    const error = toFormError(await signInWithCode(head.mobile, other, sms).catch((error: unknown) => error))
    expect(error).toEqual({ field: 'code', text: expect.stringContaining('验证码不正确') })
    expect((await signInWithCode(head.mobile, sent, sms)).token).toMatch(/./)
  })
})

describe('transfer and the current administrator', () => {
  test('proceeds only with code 0: a user without the power neither transfers nor sees the current administrator', async () => {
    const clerk = await corp.person({ name: '许员工', power: ['3'] })
    await signedIn(clerk)
    for (const answer of [
      await press(getSystemManagerTransferInfo, { id: anonymous }),
      await press(applyTransferWageManager, { member_id: anonymous }),
    ])
      expect(answer).toBe('error: 没有权限进行此操作')
    expect(messages).toEqual(['fail 失败 没有权限进行此操作', 'fail 失败 没有权限进行此操作'])
  })
  test('shows the server’s message from the specification', async () => {
    const [from, to] = [await corp.person({ name: '钱工资', power: ['2'] }), await corp.person({ name: '吴接手' })]
    await signedIn(from)
    expect((await client.callApi(applyTransferWageManager, { member_id: to.member_id })).message).toBe(
      changeMessages.transfer.done,
    )
  })
})

test('ends the session on sign-out: the next request returns 100018', async () => {
  await signedIn()
  await client.callApi(account.logout, {})
  expect(await press(getMemberInfo, { id: anonymous })).toBe('error: 登录已失效，请重新登录')
  expect(await remove()).toHaveLength(1)
})

test('opens the sign-in page three seconds after a change of password and ends the session on the server', async () => {
  await signedIn()
  page.at('/settings')
  const { signOutAfter } = await import('../../src/features/auth/account/sign-out.ts')
  signOutAfter(redirectSeconds)
  expect(await remove(3000)).toEqual(['/pc/page/login/login.html'])
  expect(messages).toEqual([])
})

describe('single flight (§4)', () => {
  const options = { contact_name: '林总', contact_tel: '13800138000', content: '好用' }
  /** A button as on a page, and the suggestions that it sends. */
  const getButton = (options?: Parameters<typeof Api.useCallMutation>[1]) => {
    const requested: string[] = []
    client.setTransport(async (path, request) => {
      requested.push(JSON.parse(String(request.body)).content)
      const answer = await fetch(path, request)
      requested.push('答')
      return answer
    })
    let press: ((input: CallRequest<typeof account.sendSuggestion>) => Promise<unknown>) | undefined
    const Page = () => {
      press = client.useCallMutation(account.sendSuggestion, options).mutateAsync
      return null
    }
    renderToStaticMarkup(createElement(QueryClientProvider, { client: client.queryClient }, createElement(Page)))
    if (!press) throw new Error('no button')
    return { press, requested }
  }

  test('sends nothing for a second press during the request and returns the same result', async () => {
    await signedIn()
    const { press, requested } = getButton()
    expect(await Promise.all([press(options), press({ ...options }), press(options)])).toEqual([{}, {}, {}])
    expect(requested).toEqual(['好用', '答'])
    await press(options)
    expect(requested).toEqual(['好用', '答', '好用', '答'])
  })
  test('allows the next press after an error', async () => {
    const { press, requested } = getButton()
    const both = await Promise.allSettled([press(options), press(options)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await signedIn()
    await press(options)
    expect(requested).toEqual(['好用', '答', '好用', '答'])
  })
  test('waits with a different request for the response to the first one', async () => {
    await signedIn()
    const { press, requested } = getButton()
    await Promise.all([press(options), press({ ...options, content: '再快些' })])
    expect(requested).toEqual(['好用', '答', '再快些', '答'])
  })
  test('sends with every press if the action opts out', async () => {
    await signedIn()
    const { press, requested } = getButton({ parallel: true })
    await Promise.all([press(options), press(options)])
    expect(requested.filter((one) => one === '好用')).toHaveLength(2)
  })
})
