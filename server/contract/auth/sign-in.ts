/** Sign-in and sign-out, the current user's account, properties of the installation. calls.md §2. */
import * as z from 'zod/mini'
import { defineRead, defineSignIn } from '../call.ts'
import { providers } from '../shared/providers.ts'
import {
  codeOrCodePair,
  emptyObject,
  id,
  mobile,
  newPassword,
  optionalText,
  password,
  phoneOwnerFields,
  requiredText,
  time,
} from '../shared/schemas.ts'

const as = z.array(z.enum(['admin', 'employee']))
const corp = z.object({ corp_id: id, name: z.string(), corp_role: z.literal([10, 20]), as })
/**
 * With one company the session is in it; with several `corp_id` is null until `selectCorp`. A user with the second
 * factor turned on gets no session yet:
 * `token` is null, `corps` is empty, and `factor_token` is what `checkTotp` requires beside the code.
 */
export const signInResult = z.object({
  token: z.nullable(z.string()),
  corps: z.array(corp),
  corp_id: z.nullable(id),
  factor_token: z.nullable(z.string()),
})

export const login = defineSignIn('POST /api/index/login', 'public', {
  summary: 'Signs in with phone and password.',
  rateLimit: 'guess',
  input: z.object({ phone: mobile, password }),
  output: signInResult,
  errors: ['wrong_password', 'locked', 'not_found'],
})

export const loginByCode = defineSignIn('POST /api/index/loginByCode', 'public', {
  summary:
    "Signs in with phone and a code sent to it. After `other_holder`: with the account's password or the name of its owner, or as the next owner of the phone.",
  rateLimit: 'guess',
  input: z.object({ phone: mobile, code: codeOrCodePair, sms: id, password: z.optional(password), ...phoneOwnerFields }),
  output: signInResult,
  errors: ['wrong_code', 'other_holder', 'locked', 'not_found'],
})

export const checkTotp = defineSignIn('POST /api/index/checkTotp', 'public', {
  summary: 'Checks the second factor of a sign-in: a code of the authenticator app or a recovery code.',
  rateLimit: 'guess',
  input: z.object({
    factor_token: z.string().check(z.maxLength(100)),
    code: z.string().check(z.regex(/^(\d{6}|[0-9a-z]{5}-[0-9a-z]{5})$/, '请输入 6 位动态码，或形如 abcde-12345 的恢复码')),
  }),
  output: signInResult,
  errors: ['wrong_code', 'locked', 'not_found'],
})

export const registerCorp = defineSignIn('POST /api/index/registerCorp', 'public', {
  summary: 'Registers a company. The account gets power 4, and a 30-day trial of the advanced edition starts.',
  rateLimit: 'guess',
  // Fields are validated in this order.
  input: z.object({
    corp_name: requiredText(50, '请填写企业名称'),
    user_name: requiredText(30, '请填写您的姓名'),
    phone: mobile,
    code: codeOrCodePair,
    sms: id,
    // A user who already has an account founds another company with their existing password: it is checked, not
    // changed.
    password: newPassword,
  }),
  output: signInResult,
  errors: ['wrong_code', 'wrong_password', 'wrong_state', 'other_holder', 'locked'],
})

export const signInByLink = defineSignIn('POST /api/index/signInByLink', 'public', {
  summary:
    'Sets the password of the first administrator of a company that an operator created, and signs them in. The link is valid once within an hour.',
  rateLimit: 'guess',
  input: z.object({
    token: z.string().check(z.maxLength(100)),
    password: newPassword,
    confirm_password: z.string().check(z.maxLength(200)),
  }),
  output: signInResult,
  errors: ['wrong_code', 'not_found'],
})

export const getAvailableCorps = defineRead('POST /api/index/getMyCorps', 'half_signed_in', {
  summary: 'Lists the companies between which this account can switch.',
  input: emptyObject,
  output: z.object({ corps: z.array(corp) }),
})

export const selectCorp = defineSignIn('POST /api/index/selectCorp', 'half_signed_in', {
  summary: 'Selects the company of this session and reissues token and cookie.',
  input: z.object({ corp_id: id }),
  output: z.object({ token: z.string() }),
  errors: ['not_found'],
})

export const logout = defineSignIn('POST /api/index/logout', 'half_signed_in', {
  summary: 'Ends the current session on the server.',
  input: emptyObject,
  output: emptyObject,
})

const codePurpose = z.enum(['login', 'register', 'resetpwd', 'changephone', 'invite', 'view'])
export const getVerifyCode = defineRead('POST /api/index/getVerifyCode', 'public', {
  summary:
    'Sends a code by SMS. The response is the same whether or not the phone is known. For `view` a signed-in user need not give the phone. `locked` with `data.sms`: no more SMS are sent to this phone today; the two earlier unused codes, entered one after the other, are accepted instead.',
  rateLimit: 'guess',
  input: z.object({ phone: z.optional(mobile), type: codePurpose }),
  output: z.object({ sms: id, expires_in: z.int(), resend_after: z.int() }),
  errors: ['locked', 'wrong_state'],
})

export const validatePhoneCode = defineSignIn('POST /api/index/validatePhoneCode', 'public', {
  summary: 'Exchanges a code for a token that is valid once, for 10 minutes.',
  rateLimit: 'guess',
  input: z.object({ phone: mobile, code: codeOrCodePair, sms: id }),
  output: z.object({ token: z.string() }),
  errors: ['wrong_code', 'locked'],
})

export const updatePassword = defineSignIn('POST /api/index/updatePassword', 'public', {
  summary: 'Changes the password, given the old one while signed in or a token of `validatePhoneCode`. Ends all other sessions.',
  rateLimit: 'guess',
  input: z.object({
    old_password: z.optional(password),
    password: z.optional(newPassword),
    type: z.optional(z.literal('resetpwd')),
    phone: z.optional(mobile),
    token: z.optional(z.string().check(z.maxLength(100))),
    newpass: z.optional(newPassword),
    confirm_password: password,
    ...phoneOwnerFields,
  }),
  output: emptyObject,
  errors: ['wrong_password', 'wrong_code', 'other_holder', 'locked', 'wrong_state'],
})

export const setEarlyPassword = defineSignIn('POST /api/index/setEarlyPassword', 'signed_in', {
  summary: 'Sets the first password while `pass_status` is 10.',
  rateLimit: 'guess',
  input: z.object({ password: newPassword, confirm_password: password }),
  output: emptyObject,
  errors: ['wrong_state'],
})

export const getCurrentUser = defineRead('POST /api/User/role', 'admin', {
  summary: 'Returns the current user: company, powers, notifications and service.',
  input: emptyObject,
  output: z.object({
    corp: z.object({
      corp_id: id,
      corp_role: z.union([z.literal(10), z.literal(20)]),
      name: z.string(),
      logo: z.nullable(z.string()),
      platform_status: z.int(),
      corp_origin: z.int(),
    }),
    power: z.array(z.enum(['1', '2', '3', '4'])),
    /** The user works in this company for an agency, until that day. */
    agency_service: z.nullable(z.object({ until: z.string() })),
    user: z.object({
      pass_status: z.int(),
      /** Notifications not read since the last visit to /agency: shown as the red dot. */
      notice_number: z.int(),
      user_name: z.string(),
      logo: z.nullable(z.string()),
      phone_masked: z.string(),
      is_employee: z.boolean(),
      /** Whether the second factor is turned on. */
      totp_on: z.boolean(),
    }),
    trail_info: z.object({ trail_status: z.int(), days_left: z.int() }),
    dismissed_hints: z.array(z.string()),
    service_info: z.object({ TYPE: z.union([z.literal(50), z.literal(53), z.literal(60)]), expires_at: z.nullable(time) }),
  }),
})

export const getPublicInfo = defineRead('GET /api/index/getPublicInfo', 'public', {
  summary: 'Returns what a client needs before sign-in.',
  input: emptyObject,
  output: z.object({
    service_phone: z.string(),
    service_hours: z.string(),
    chat_qr: z.nullable(z.string()),
    phone_pattern: z.string(),
    corp_origin: z.int(),
    demo: z.boolean(),
    /** Whether anybody may register a company; joining by invite is always possible. */
    registration_open: z.boolean(),
    providers: z.array(
      z.object({
        provider: z.enum(providers),
        login_url: z.string(),
        client: z.object({ corp_id: z.string(), agent_id: z.string() }),
      }),
    ),
    upload: z.object({ max_bytes: z.int(), max_rows: z.int() }),
  }),
})

export const getTimeInfo = defineRead('GET /api/Index/getTimeInfo', 'public', {
  summary: 'Returns the server time in Shanghai.',
  input: emptyObject,
  output: z.object({ now: time, month: z.string(), weekday: z.int(), is_workday: z.boolean() }),
})

export const logClientError = defineRead('POST /api/front_end/log', 'public', {
  summary: 'Logs a client error, scrubbed and without payslip values.',
  rateLimit: 'costly',
  input: z.object({
    level: z.enum(['error', 'warn']),
    message: optionalText(1000),
    stack: z.optional(optionalText(3000)),
    url: optionalText(300),
    release: optionalText(60),
  }),
  output: emptyObject,
})

export const sendSuggestion = defineRead('POST /api/User/userFeedBack', 'admin', {
  summary: 'Sends a suggestion to the makers of the product.',
  idempotent: true,
  rateLimit: 'costly',
  // Fields are validated in this order (spec §5); a missing type is '1' (§9).
  input: z.object({
    contact_name: requiredText(10, '请填写姓名'),
    contact_tel: z.string().check(z.regex(/^1\d{10}$/, '手机号格式有误')),
    type: z._default(z.enum(['1', '2', '3']), '1'),
    content: requiredText(200, '请填写需求描述'),
  }),
  output: emptyObject,
})
