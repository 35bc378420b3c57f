/**
 * The sign-in steps as rendered on desktop and on /m/login: input is cleaned as during typing, and each error is shown
 * at its field. For the focus in a real browser see tests/e2e/auth/login.test.ts.
 */
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { signInErrorReasons } from '../../server/contract/auth/platform-sign-in.ts'
import { session, signOutNotice } from '../../src/browser.ts'
import { accountFields } from '../../src/features/auth/account/account-fields.ts'
import {
  accountMessages,
  type SignInMethod,
  type ValidationError,
  validatePhoneAndCode,
  validateRegistration,
  validateSignIn,
} from '../../src/features/auth/account/messages.ts'
import { SignInForm } from '../../src/features/auth/sign-in/form.tsx'
import { RegisterForm } from '../../src/features/auth/sign-in/register.tsx'
import type { SignInState } from '../../src/features/auth/sign-in/sign-in.ts'

beforeEach(() => void vi.stubGlobal('location', { search: '', href: 'http://xinhan.test/' }))

const fine = '13900139000'
const cleanText = (name: string, text: string) => (name === 'phone' || name === 'code' ? accountFields[name].clean(text) : text)
/** Cleans typed or pasted values as the fields do. */
const typedInto = <T extends Record<string, string>>(empty: T, typed: Partial<T>): T =>
  Object.fromEntries(Object.entries(empty).map(([name, none]) => [name, cleanText(name, typed[name] ?? none)])) as T
const nothing = { phone: '', password: '', code: '' }
const getState = (channel: SignInMethod, fields: typeof nothing, error: SignInState['formError']): SignInState =>
  ({
    method: channel,
    fields,
    field: (name: keyof typeof nothing) => ({ name, value: fields[name], error, onChange: () => undefined }),
    formError: error,
    busy: false,
    forbidden: null,
    sent: null,
    unclearOwnerField: null,
  }) as Partial<SignInState> as SignInState

/** Lists every error: with the field that is marked invalid and described by it, or with the form. */
function format(html: string): string[] {
  const at = [...html.matchAll(/<input[^>]*aria-invalid="true"[^>]*>/g)].map(([input]) => ({
    name: /name="([^"]+)"/.exec(input)?.[1] ?? '',
    below: /aria-describedby="([^"]+)"/.exec(input)?.[1] ?? '',
  }))
  const alerts = [...html.matchAll(/id="([\w-]+)-message"[^>]*><p role="alert">([^<]*)/g)]
  // An error that belongs to no field has no id to refer to.
  const ofForm = [...html.matchAll(/<div class="[^"]*"><p role="alert">([^<]*)/g)].map(([, text]) => `form: ${text}`)
  for (const { name, below } of at) expect(below).toBe(`${name}-message`)
  expect(alerts.map(([, name]) => name)).toEqual(at.map(({ name }) => name))
  return [...alerts.map(([, name, text]) => `${name}: ${text}`), ...ofForm]
}

/** The session storage of this tab. */
function keeping(stored: Record<string, string>) {
  const store = new Map(Object.entries(stored))
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => void store.set(key, value),
    removeItem: (key: string) => void store.delete(key),
  })
}
describe('the reason for signing out', () => {
  const form = () => renderToStaticMarkup(<SignInForm signIn={getState('password', nothing, null)} info={null} registerAt="/" />)
  test('stays on the sign-in page until a user is signed in', () => {
    keeping({})
    expect(form()).not.toContain('<output')
    signOutNotice.save('您的密码已修改，请重新登录')
    expect(form()).toMatch(/<output class="[^"]+">您的密码已修改，请重新登录<\/output>/)
    session.setToken('token')
    expect(form()).not.toContain('<output')
    vi.unstubAllGlobals()
  })
})

describe('the sign-in form on desktop and on /m/login', () => {
  test.each<[typed: string, method: SignInMethod, fields: Partial<typeof nothing>, sentence: string]>([
    ['nothing', 'password', {}, 'phone: 手机号不能为空'],
    ['a phone that is too short', 'password', { phone: '1390013' }, 'phone: 手机号格式有误，请重新输入'],
    ['a phone that begins with 2', 'password', { phone: '29001390001' }, 'phone: 手机号格式有误，请重新输入'],
    ['an input without digits', 'password', { phone: '😀一二三' }, 'phone: 手机号不能为空'],
    ['a phone', 'password', { phone: fine }, 'password: 请输入登录密码'],
    ['nothing', 'code', {}, 'phone: 手机号不能为空'],
    ['a phone', 'code', { phone: fine }, 'code: 验证码不能为空'],
    ['a code of two digits', 'code', { phone: fine, code: '12' }, 'code: 请输入 6 位验证码'],
    ['a phone of three digits', 'code', { phone: '139' }, 'phone: 手机号格式有误，请重新输入'],
  ])('shows an error for %s, by %s %#', (_, channel, typed, sentence) => {
    const fields = typedInto(nothing, typed)
    const rendered = renderToStaticMarkup(
      <SignInForm signIn={getState(channel, fields, validateSignIn(channel, fields))} info={null} registerAt="#register" />,
    )
    expect(format(rendered)).toEqual([sentence])
  })

  test.each([
    [{ field: 'code', text: accountMessages.signIn.codeNotSent }, 'code', 'code: 请先获取验证码'],
    [{ field: 'password', text: '手机号或密码不正确' }, 'password', 'password: 手机号或密码不正确'],
    // An error of a field that is not visible.
    [{ field: 'code', text: '验证码不正确' }, 'password', 'form: 验证码不正确'],
  ] as const)('shows an error from outside the form: %j by %s', (error, channel, sentence) => {
    const rendered = renderToStaticMarkup(
      <SignInForm signIn={getState(channel, { ...nothing, phone: fine }, error)} info={null} registerAt="#register" />,
    )
    expect(format(rendered)).toEqual([sentence])
  })

  test.each([...signInErrorReasons, 'whatever'])(
    'shows a status and what to do when returning from a platform with ?why=%s',
    (why) => {
      vi.stubGlobal('location', { search: `?why=${why}`, href: 'http://xinhan.test/' })
      const rendered = renderToStaticMarkup(<SignInForm signIn={getState('password', nothing, null)} info={null} registerAt="" />)
      expect(/<output[^>]*>([^<]*)<\/output>/.exec(rendered)?.[1]).toMatch(/手机号登录$/)
    },
  )
})

describe('company registration', () => {
  const empty = { corp_name: '', user_name: '', phone: '', code: '', password: '' }
  const company = { corp_name: '晨星', user_name: '林一', phone: fine, code: '123456' }
  test.each<[Partial<typeof empty>, string]>([
    [{}, 'corp_name: 请填写企业名称'],
    [{ corp_name: ' ' }, 'corp_name: 请填写企业名称'],
    [{ corp_name: '晨星' }, 'user_name: 请填写您的姓名'],
    [{ corp_name: '晨星', user_name: '林一' }, 'phone: 手机号不能为空'],
    [{ ...company, phone: '1' }, 'phone: 手机号格式有误，请重新输入'],
    [{ ...company, code: '' }, 'code: 短信验证码不能为空'],
    [company, 'password: 请输入6-16位字母、数字或组合'],
    [{ ...company, password: 'abcde' }, 'password: 密码至少 6 位'],
  ])('validates registration with %j: %s', (typed, sentence) => {
    const error = validateRegistration(typedInto(empty, typed))
    const rendered = renderToStaticMarkup(<RegisterForm signIn={getState('password', nothing, error)} info={null} />)
    expect(format(rendered)).toEqual([sentence])
  })
})

test.each<[{ phone: string; code: string }, ValidationError<string>]>([
  [
    { phone: '', code: '' },
    { field: 'phone', text: '手机号不能为空' },
  ],
  [
    { phone: '1', code: '' },
    { field: 'phone', text: '手机号格式有误，请重新输入' },
  ],
  [
    { phone: fine, code: '' },
    { field: 'code', text: '短信验证码不能为空' },
  ],
])('validates a forgotten password: %j', (typed, problem) =>
  expect(validatePhoneAndCode(typedInto({ phone: '', code: '' }, typed))).toEqual(problem),
)
