/**
 * Spec §5, every row: the input in each field and the resulting error. The forms are rendered as both sign-in pages
 * render them.
 */
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { applyTransferWageManager } from '../../server/contract/approvals/approvals.ts'
import { sendSuggestion } from '../../server/contract/auth/sign-in.ts'
import { validateInput } from '../../src/api.ts'
import { ApiError } from '../../src/api-core.ts'
import {
  validateEarlyPassword,
  validatePasswordChange,
  validatePasswordStep,
  validatePhoneChange,
  validateTransfer,
} from '../../src/features/auth/account/change-messages.ts'
import {
  passwordHint,
  type SignInFields,
  type SignInMethod,
  validateNewPassword,
  validatePhoneAndCode,
  validateRegistration,
  validateSignIn,
} from '../../src/features/auth/account/messages.ts'
import { SignInForm } from '../../src/features/auth/sign-in/form.tsx'
import { type SignInState } from '../../src/features/auth/sign-in/sign-in.ts'
import { parseMemberSearch } from '../../src/features/directory/member-picker-search.ts'

const phone = '13800138000'
const code = '123456'
/** Returns the field and the error, or null where nothing is wrong. */
const format = (problem: { field: string; text: string } | null): string | null => problem && `${problem.field}: ${problem.text}`
const getError = async (requested: Promise<void>): Promise<string | null> =>
  requested.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? `${error.field}: ${error.message}` : String(error)),
  )

describe('validation of phone fields', () => {
  const places: [where: string, problem: (phone: string) => { field: string; text: string } | null][] = [
    [
      '/pc/page/login/login.html and /m/login, by password',
      (typed) => validateSignIn('password', { phone: typed, password: 'x', code: '' }),
    ],
    ['/pc/page/login/login.html and /m/login, by code', (typed) => validateSignIn('code', { phone: typed, password: '', code })],
    ['forgot password', (typed) => validatePhoneAndCode({ phone: typed, code })],
    ['changing the phone', (typed) => validatePhoneChange({ phone: typed, code })],
    [
      'company registration',
      (typed) => validateRegistration({ corp_name: '云杉', user_name: '林一', phone: typed, code, password: 'abcdef' }),
    ],
  ]
  const phones: [typed: string, sentence: string | null][] = [
    ['', 'phone: 手机号不能为空'],
    ['1', 'phone: 手机号格式有误，请重新输入'],
    ['1380013800', 'phone: 手机号格式有误，请重新输入'],
    ['138001380000', 'phone: 手机号格式有误，请重新输入'],
    ['23800138000', 'phone: 手机号格式有误，请重新输入'],
    ['01380013800', 'phone: 手机号格式有误，请重新输入'],
    ['1380013800a', 'phone: 手机号格式有误，请重新输入'],
    [' 13800138000', 'phone: 手机号格式有误，请重新输入'],
    [phone, null],
    ['19900000000', null],
  ]
  test.each(places.flatMap(([where, problem]) => phones.map(([typed, sentence]) => [where, typed, sentence, problem] as const)))(
    '%s: reads %j and shows %s',
    (_, typed, sentence, problem) => expect(format(problem(typed))).toBe(sentence),
  )
})

describe('code', () => {
  test.each([
    ['changing the phone', '', 'code: 验证码不能为空', validatePhoneChange],
    ['changing the phone', '12345', 'code: 请输入 6 位验证码', validatePhoneChange],
    ['changing the phone', code, null, validatePhoneChange],
    ['forgot password', '', 'code: 短信验证码不能为空', validatePhoneAndCode],
    ['forgot password', '12345a', 'code: 请输入 6 位验证码', validatePhoneAndCode],
    ['forgot password', code, null, validatePhoneAndCode],
  ] as const)('%s: reads %j and shows %s', (_, typed, sentence, problem) =>
    expect(format(problem({ phone, code: typed }))).toBe(sentence),
  )
})

describe('passwords', () => {
  test.each([
    ['step 1 of changing the phone', validatePasswordStep({ password: '' }), 'password: 请输入登录密码'],
    ['a space, which is a password like any other', validatePasswordStep({ password: ' ' }), null],
    [
      'forgotten password: both empty',
      validateNewPassword({ password: '', confirm_password: '' }),
      'password: 请输入6-16位字母、数字或组合',
    ],
    [
      'forgotten password: only the second',
      validateNewPassword({ password: '', confirm_password: 'b' }),
      'password: 请输入6-16位字母、数字或组合',
    ],
    [
      'forgotten password: two that differ',
      validateNewPassword({ password: 'a', confirm_password: 'A' }),
      'confirm_password: 两次输入的密码不一致',
    ],
    [
      '修改密码: no old password',
      validatePasswordChange({ old_password: '', password: 'n', confirm_password: 'n' }),
      'old_password: 密码不能为空',
    ],
    [
      '修改密码: no new password',
      validatePasswordChange({ old_password: 'o', password: '', confirm_password: '' }),
      'password: 密码不能为空',
    ],
    [
      '修改密码: two new passwords that differ',
      validatePasswordChange({ old_password: 'o', password: 'n', confirm_password: 'n ' }),
      'confirm_password: 两次输入的新密码不一致，请重新输入',
    ],
    [
      '修改密码: all empty',
      validatePasswordChange({ old_password: '', password: '', confirm_password: '' }),
      'old_password: 密码不能为空',
    ],
    [
      '修改密码: only the first new password',
      validatePasswordChange({ old_password: 'o', password: 'n', confirm_password: '' }),
      'confirm_password: 两次输入的新密码不一致，请重新输入',
    ],
    [
      '设置登录密码: only the second password',
      validateEarlyPassword({ password: '', confirm_password: 'x' }),
      'password: 请输入登录密码',
    ],
    ['设置登录密码: both empty', validateEarlyPassword({ password: '', confirm_password: '' }), 'password: 请输入登录密码'],
    [
      '设置登录密码: two different passwords',
      validateEarlyPassword({ password: 'n', confirm_password: '' }),
      'confirm_password: 两次密码不一致',
    ],
  ])('%s', (_, problem, sentence) => expect(format(problem)).toBe(sentence))

  test.each(['a', 'abcde', 'a'.repeat(17), 'a'.repeat(64), '六个字的密码', '!@#$%^&*()'])(
    'shows 6-16 letters or digits only as a hint: the form accepts %j',
    (typed) => {
      const twice = { password: typed, confirm_password: typed }
      expect([
        validateNewPassword(twice),
        validateEarlyPassword(twice),
        validatePasswordChange({ ...twice, old_password: 'o' }),
      ]).toEqual([null, null, null])
      expect(passwordHint.replaceAll(' ', '')).toBe('6-16位字母、数字或组合')
    },
  )
})

describe('validation of a transfer', () => {
  test.each([
    ['nobody', [], '请选择移交对象'],
    ['one', ['a'], null],
    ['two', ['a', 'b'], '请选择移交对象'],
  ])('checks the selection of a transfer: %s', (_, selected, sentence) => expect(validateTransfer(selected)).toBe(sentence))
  test('accepts exactly one member id in the contract of a transfer', async () => {
    expect(await getError(validateInput(applyTransferWageManager, { member_id: '' }))).toMatch(/^member_id: /)
    expect(await getError(validateInput(applyTransferWageManager, { member_id: ['a', 'b'] }))).toMatch(/^member_id: /)
    expect(
      await getError(validateInput(applyTransferWageManager, { member_id: '0197f0a1-7c3e-7aaa-8bbb-0123456789ab' })),
    ).toBeNull()
  })
})

describe('member search', () => {
  const space = '姓名中间不能有空格，请删除空格再搜索'
  test.each([
    [undefined, null, ''],
    ['', null, ''],
    ['张三', '张三', ''],
    ['张 三', undefined, space],
    ['张　三', undefined, space],
    [' ', undefined, space],
  ])('%j searches for %j', (typed, search, sentence) => expect(parseMemberSearch(typed)).toEqual({ search, message: sentence }))
})

describe('建议反馈, in the order of its fields', () => {
  const good = { contact_name: '沈知遥', contact_tel: phone, type: '1', content: '想要年报' }
  test.each<[string, Record<string, unknown>, string | null]>([
    ['an empty form', { type: '1' }, 'contact_name: 请填写姓名'],
    ['an empty name', { ...good, contact_name: '' }, 'contact_name: 请填写姓名'],
    ['a name of spaces', { ...good, contact_name: '　 ' }, 'contact_name: 请填写姓名'],
    ['a name of ten characters', { ...good, contact_name: '十'.repeat(10) }, null],
    ['an input with only a name', { contact_name: '沈', type: '1' }, 'contact_tel: 手机号格式有误'],
    ['ten digits', { ...good, contact_tel: '1380013800' }, 'contact_tel: 手机号格式有误'],
    ['ten digits that begin with 2', { ...good, contact_tel: '2380013800' }, 'contact_tel: 手机号格式有误'],
    ['a phone and a content without a name', { ...good, contact_name: '' }, 'contact_name: 请填写姓名'],
    ['twelve digits', { ...good, contact_tel: '138001380000' }, 'contact_tel: 手机号格式有误'],
    ['any eleven digits that begin with 1', { ...good, contact_tel: '10000000000' }, null],
    ['a landline', { ...good, contact_tel: '02012345678' }, 'contact_tel: 手机号格式有误'],
    [
      'invalid phone and content, of which the phone is reported first',
      { ...good, contact_tel: '', content: '' },
      'contact_tel: 手机号格式有误',
    ],
    ['no content', { ...good, content: '' }, 'content: 请填写需求描述'],
    ['a content of spaces', { ...good, content: ' \n ' }, 'content: 请填写需求描述'],
    ['a content of 200 characters', { ...good, content: '字'.repeat(200) }, null],
    ['a valid form', good, null],
  ])('%s', async (_, typed, sentence) => expect(await getError(validateInput(sendSuggestion, typed))).toBe(sentence))

  test.each([
    ['contact_name', 11],
    ['content', 201],
  ])('refuses %s of %i characters at its field', async (field, length) =>
    expect(await getError(validateInput(sendSuggestion, { ...good, [field]: '字'.repeat(length) }))).toMatch(
      new RegExp(`^${field}: .*[一-龥]`),
    ),
  )
})

describe('sign-in form on desktop and on /m/login', () => {
  beforeEach(() => void vi.stubGlobal('location', { search: '', href: 'http://xinhan.test/' }))
  const nothing: SignInFields = { phone: '', password: '', code: '' }
  const render = (channel: SignInMethod, fields: SignInFields): string => {
    const signIn: Partial<SignInState> = {
      method: channel,
      field: (name) => ({ name, value: fields[name as keyof SignInFields] ?? '', error: null, onChange: () => undefined }),
      formError: validateSignIn(channel, fields),
      busy: false,
      forbidden: null,
      sent: null,
    }
    return renderToStaticMarkup(<SignInForm signIn={signIn as SignInState} info={null} registerAt="#register" />)
  }
  /** The marked inputs and the error text below each. */
  const display = (html: string): string[] =>
    [...html.matchAll(/<input[^>]*>/g)].flatMap(([input]) => {
      if (!input.includes('aria-invalid="true"')) return []
      const id = /aria-describedby="([^"]+)"/.exec(input)?.[1] ?? ''
      const labels = new RegExp(`id="${id}"[^>]*>(?:<[^>]+>)*([^<]*)`).exec(html)?.[1]
      return [`${/name="([^"]+)"/.exec(input)?.[1]}: ${labels}`]
    })
  test.each<[string, SignInMethod, SignInFields, string[]]>([
    ['an empty form', 'password', nothing, ['phone: 手机号不能为空']],
    ['a phone that is too short', 'password', { ...nothing, phone: '138' }, ['phone: 手机号格式有误，请重新输入']],
    ['a missing password', 'password', { ...nothing, phone }, ['password: 请输入登录密码']],
    ['a missing code', 'code', { ...nothing, phone }, ['code: 验证码不能为空']],
    ['a code that is too short', 'code', { ...nothing, phone, code: '123' }, ['code: 请输入 6 位验证码']],
    ['a complete form', 'code', { ...nothing, phone, code }, []],
  ])('%s', (_, channel, fields, sentences) => expect(display(render(channel, fields))).toEqual(sentences))
})
