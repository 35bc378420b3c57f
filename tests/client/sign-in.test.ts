import { describe, expect, test } from 'vitest'
import { signInErrorReasons } from '../../server/contract/auth/platform-sign-in.ts'
import { sendSuggestion } from '../../server/contract/auth/sign-in.ts'
import { validateInput } from '../../src/api.ts'
import { ApiError, NetworkError } from '../../src/api-core.ts'
import { getPasswordStrength } from '../../src/components/form/password-strength.tsx'
import {
  validateEarlyPassword,
  validatePasswordChange,
  validatePhoneChange,
} from '../../src/features/auth/account/change-messages.ts'
import {
  cleanPhone,
  cleanTwoCodes,
  extractVerificationCode,
  validateNewPassword,
  validatePhoneAndCode,
  validateRegistration,
  validateSignIn,
} from '../../src/features/auth/account/messages.ts'
import { getCodePairChallenge, toFormError } from '../../src/features/auth/sign-in/calls.ts'
import { getSignInErrorText, getUrlAfterSignIn, isCodeCompleted } from '../../src/features/auth/sign-in/sign-in.ts'
import type { SignInCompany } from '../../src/features/auth/sign-in/types.ts'
import { renderCodeMessage } from '../support/message-patterns.ts'

const phone = '13800138000'
const format = (problem: { field: string; text: string } | null) => problem && [problem.field, problem.text]

describe('validation shows one error at a time, in the order of the fields (spec §5)', () => {
  const fields = { phone: '', password: '', code: '' }
  test.each([
    ['password', fields, ['phone', '手机号不能为空']],
    ['password', { ...fields, phone: '1380013800' }, ['phone', '手机号格式有误，请重新输入']],
    ['password', { ...fields, phone: '23800138000' }, ['phone', '手机号格式有误，请重新输入']],
    ['password', { ...fields, phone }, ['password', '请输入登录密码']],
    ['password', { ...fields, phone, password: 'x' }, null],
    ['code', fields, ['phone', '手机号不能为空']],
    ['code', { ...fields, phone }, ['code', '验证码不能为空']],
    ['code', { ...fields, phone, code: '12' }, ['code', '请输入 6 位验证码']],
    ['code', { ...fields, phone, code: '123456' }, null],
    ['code', { ...fields, phone, code: '1234567' }, ['code', '请输入 6 位验证码']],
    ['code', { ...fields, phone, code: '123456654321' }, null],
  ] as const)('validates sign-in by %s with %j', (channel, provided, expected) =>
    expect(format(validateSignIn(channel, provided))).toEqual(expected),
  )

  test.each([
    [{ phone: '', code: '' }, ['phone', '手机号不能为空']],
    [{ phone: '1', code: '' }, ['phone', '手机号格式有误，请重新输入']],
    [{ phone, code: '' }, ['code', '短信验证码不能为空']],
    [{ phone, code: '1234' }, ['code', '请输入 6 位验证码']],
    [{ phone, code: '123456' }, null],
  ])('validates the phone of a forgotten password: %j', (provided, expected) =>
    expect(format(validatePhoneAndCode(provided))).toEqual(expected),
  )

  test.each([
    ['', '', ['password', '请输入6-16位字母、数字或组合']],
    ['', 'b', ['password', '请输入6-16位字母、数字或组合']],
    ['a', 'b', ['confirm_password', '两次输入的密码不一致']],
    ['a', '', ['confirm_password', '两次输入的密码不一致']],
    ['a', 'a', null],
  ])('validates the new passwords after a forgotten one: %j and %j', (password, confirm_password, expected) =>
    expect(format(validateNewPassword({ password, confirm_password }))).toEqual(expected),
  )

  test.each([
    ['', '', '', ['old_password', '密码不能为空']],
    ['o', '', 'n', ['password', '密码不能为空']],
    ['o', 'n', 'm', ['confirm_password', '两次输入的新密码不一致，请重新输入']],
    ['o', 'n', 'n', null],
  ])('validates a change of password: %j, %j, %j', (old_password, password, confirm_password, expected) =>
    expect(format(validatePasswordChange({ old_password, password, confirm_password }))).toEqual(expected),
  )

  test.each([
    ['', '', ['password', '请输入登录密码']],
    ['n', 'm', ['confirm_password', '两次密码不一致']],
    ['n', 'n', null],
  ])('validates a first password: %j and %j', (password, confirm_password, expected) =>
    expect(format(validateEarlyPassword({ password, confirm_password }))).toEqual(expected),
  )

  test.each([
    [{ phone: '', code: '' }, ['phone', '手机号不能为空']],
    [{ phone: '138', code: '' }, ['phone', '手机号格式有误，请重新输入']],
    [{ phone, code: '' }, ['code', '验证码不能为空']],
    [{ phone, code: '123456' }, null],
  ])('validates a change of phone: %j', (provided, expected) => expect(format(validatePhoneChange(provided))).toEqual(expected))

  const company = { corp_name: '云杉', user_name: '林一', phone, code: '123456', password: 'abcdef' }
  test.each([
    [{ corp_name: ' ', user_name: '' }, ['corp_name', '请填写企业名称']],
    [{ user_name: '　', phone: '' }, ['user_name', '请填写您的姓名']],
    [{ phone: '', code: '' }, ['phone', '手机号不能为空']],
    [{ phone: '1', code: '' }, ['phone', '手机号格式有误，请重新输入']],
    [{ code: '', password: '' }, ['code', '短信验证码不能为空']],
    [{ password: '' }, ['password', '请输入6-16位字母、数字或组合']],
    [{ password: 'abcde' }, ['password', '密码至少 6 位']],
    [{}, null],
  ])('validates a registration with %j', (provided, expected) =>
    expect(format(validateRegistration({ ...company, ...provided }))).toEqual(expected),
  )
})

describe('pasted input is cleaned', () => {
  test.each([
    [' +86 138-0013-8000', phone],
    ['+8613800138000', phone],
    ['008613800138000', phone],
    ['86 138 0013 8000', phone],
    ['１３８００１３８０００', phone],
    ['(138) 0013 8000 转 1', phone],
    ['\u202d13800138000\u202c', phone],
    ['手机：138·0013·8000', phone],
    ['8613800138', '8613800138'],
    ['😀', ''],
    ['1'.repeat(5000), '1'.repeat(11)],
  ])('cleans the pasted phone %j', (typed, expected) => expect(cleanPhone(typed)).toBe(expected))

  test('cleans a phone with +86 typed digit by digit', () => {
    let value = ''
    for (const key of '+8613800138000') value = cleanPhone(value + key)
    expect(value).toBe(phone)
  })

  test.each([
    [renderCodeMessage('123456'), '123456'],
    ['1 2 3 4 5 6', '123456'],
    ['１２３４５６', '123456'],
    ['123-456', '123456'],
    ['12', '12'],
    ['1234567', '123456'],
    ['abc', ''],
  ])('cleans the pasted code %j', (typed, expected) => expect(extractVerificationCode(typed)).toBe(expected))

  test.each([
    ['123456654321', '123456654321'],
    ['123456 654321', '123456654321'],
    ['1234566', '1234566'],
    [renderCodeMessage('123456') + renderCodeMessage('654321'), '123456654321'],
    ['１２３４５６６５４３２１0', '123456654321'],
    ['abc', ''],
  ])('cleans two codes from earlier messages %j', (typed, expected) => {
    expect(cleanTwoCodes(typed)).toBe(expected)
    // One of two codes is incomplete, so the form is not submitted automatically.
    expect(isCodeCompleted('', expected, true)).toBe(false)
  })

  test('submits a pasted code at once and waits for the button after a typed one', () => {
    expect(isCodeCompleted('', '123456')).toBe(true)
    expect(isCodeCompleted('12345', '123456')).toBe(true)
    expect(isCodeCompleted('123456', '123456')).toBe(false)
    expect(isCodeCompleted('000000', '123456')).toBe(true)
    expect(isCodeCompleted('12345', '12345')).toBe(false)
  })
})

test('shows an error at its field and the waiting time of a lock', () => {
  expect(toFormError(new ApiError(100101, '手机号或密码不正确', {}))).toEqual({ field: 'password', text: '手机号或密码不正确' })
  expect(toFormError(new ApiError(100102, '验证码不正确', {})).field).toBe('code')
  expect(toFormError(new ApiError(100103, '', { retry_after: 600 })).text).toBe('尝试次数过多，请 10 分钟后再试')
  // Where others have used up the phone's limit, the message explains the remaining way to sign in, and the error
  // carries the challenge id.
  const usedUp = new ApiError(100103, '请把最近收到的两条验证码连着填写', { retry_after: 600, sms: 'q' })
  expect([toFormError(usedUp).text, getCodePairChallenge(usedUp)]).toEqual(['请把最近收到的两条验证码连着填写', 'q'])
  expect(getCodePairChallenge(new ApiError(100103, '', { retry_after: 600 }))).toBeNull()
  expect(toFormError(new ApiError(100103, '', { retry_after: 40 })).text).toBe('尝试次数过多，请 40 秒后再试')
  expect(toFormError(new ApiError(100429, '验证码刚刚发过，请稍后再获取', { retry_after: 53 })).text).toBe(
    '验证码刚刚发过，请 53 秒后再获取',
  )
  expect(toFormError(new ApiError(100001, '太常见', { field: 'newpass' })).field).toBe('password')
  expect(toFormError(new ApiError(100001, '编号不正确', { field: 'sms' })).field).toBe('form')
  expect(toFormError(new NetworkError())).toEqual({ field: 'form', text: '网络不通，请检查网络后再点一次' })
  expect(toFormError(new TypeError('x'))).toEqual({ field: 'form', text: '页面出了问题，请刷新后重试' })
})

test('explains a failed platform sign-in in our own text, never in text from the address', () => {
  expect(getSignInErrorText('')).toBeNull()
  expect(getSignInErrorText('?why=cancelled')).toContain('没有同意授权')
  const existing = signInErrorReasons.map((why) => getSignInErrorText(`?why=${why}`))
  expect(new Set([...existing, getSignInErrorText('?why=x')]).size).toBe(signInErrorReasons.length + 1)
  for (const why of ['', 'constructor', '__proto__', '您中奖了，请致电 400'])
    expect(getSignInErrorText(`?why=${encodeURIComponent(why)}`)).toBe('自动登录没有完成，请用手机号登录')
})

const corp = (as: SignInCompany['as'], corp_role: 10 | 20 = 10): SignInCompany => ({ corp_id: 'x', name: '云杉', corp_role, as })
test.each([
  ['', ['admin'], 'admin', '/landing'],
  ['', ['admin', 'employee'], 'admin', '/landing'],
  ['', ['admin', 'employee'], 'employee', '/m/slips'],
  ['', ['employee'], 'admin', '/m/slips'],
  ['', ['admin'], 'employee', '/m/admin'],
  ['?page=/m/admin', ['admin', 'employee'], 'employee', '/landing?page=%2Fm%2Fadmin'],
  ['?page=/wageAdmin', ['admin'], 'admin', '/landing?page=%2FwageAdmin'],
  ['?page=/wageAdmin', ['employee'], 'admin', '/m/slips'],
  ['?page=/m/slip/1', ['employee'], 'admin', '/landing?page=%2Fm%2Fslip%2F1'],
  ['?page=/m/slip/1', ['admin'], 'admin', '/landing'],
  ['?page=https://evil.example', ['admin'], 'admin', '/landing?page=https%3A%2F%2Fevil.example'],
] as const)('sends a user signed in with %j as %j from the page for %s: %s', (search, as, prefer, expected) => {
  expect(getUrlAfterSignIn(corp([...as]), prefer, search)).toBe(expected)
})

test.each([
  ['', 0, ''],
  ['abc', 1, '太短'],
  ['123456', 1, '太常见'],
  ['qwertyuiop', 1, '太常见'],
  ['Password2026', 1, '太常见'],
  ['xinhan2026', 1, '太常见'],
  ['20080808', 1, '太常见'],
  ['abababab', 1, '太常见'],
  ['13800138000', 1, '手机号'],
  ['云杉科技2026', 1, '企业名称'],
  ['13812345678', 1, '弱'],
  ['kqzwvm', 1, '弱'],
  ['kqzw vm73', 3, '强'],
  ['kqzwvm73', 2, '中等'],
  ['月落乌啼霜满天江枫渔火', 2, '中等'],
  ['correct horse battery staple', 3, '强'],
] as const)('rates the strength of %j as %i: %s', (password, level, word) => {
  const match = getPasswordStrength(password, [phone, '云杉科技'])
  expect([match.level, match.label.includes(word)]).toEqual([level, true])
})

const refused = async (input: unknown) => {
  try {
    await validateInput(sendSuggestion, input)
    return null
  } catch (error) {
    return error instanceof ApiError ? [error.field, error.message] : error
  }
}

test('validates a suggestion in the order of the specification, one error at a time', async () => {
  const good = { contact_name: '沈知遥', contact_tel: phone, type: '1', content: '想要年度报表' }
  expect(await refused({ type: '1' })).toEqual(['contact_name', '请填写姓名'])
  expect(await refused({ ...good, contact_tel: '12345' })).toEqual(['contact_tel', '手机号格式有误'])
  expect(await refused({ ...good, contact_tel: undefined, content: '' })).toEqual(['contact_tel', '手机号格式有误'])
  expect(await refused({ ...good, content: undefined })).toEqual(['content', '请填写需求描述'])
  expect(await refused(good)).toBeNull()
})

test('treats a suggestion without a type as a report', () => {
  const { type: _, ...typeless } = { contact_name: '沈知遥', contact_tel: phone, type: '2', content: '想要年度报表' }
  expect(sendSuggestion.input.parse(typeless)).toEqual({ ...typeless, type: '1' })
})
