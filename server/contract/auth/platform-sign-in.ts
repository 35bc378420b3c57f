/** Signing in through a chat platform, and joining its person to a phone. calls.md §2 and §7. */
import * as z from 'zod/mini'
import { defineCall } from '../call.ts'
import { type ChatProvider, codeOrCodePair, emptyObject, id, mobile, password, providers } from '../shared/schemas.ts'
import { signInResult } from './sign-in.ts'

/** Ids of the platforms: a tenant key, a corp id. */
const corp = z.string().check(z.maxLength(128), z.regex(/^[\w-]+$/, '企业编号不正确'))
/** Signed by us, bound to the browser that asked, good once and for ten minutes. It begins with the provider's name. */
const state = z.string().check(z.regex(/^[a-z0-9]{60,128}$/, '登录请求不完整，请从登录页重新进入'))

/** An unknown person of the platform is answered `not_found` with `data.binding_token`. */
export const loginByPlatform = defineCall('POST /api/index/loginByPlatform', {
  summary: "Sign in with a chat platform's code; a person nobody knows yet gets a binding_token",
  access: 'public',
  idempotent: false,
  audit: 'sign_in',
  rateLimit: 'guess',
  input: z.object({
    provider: z.enum(providers),
    // WeCom says up to 512 bytes.
    code: z.string().check(z.minLength(1, '缺少授权码'), z.maxLength(600)),
    corp: z.optional(corp),
    state,
  }),
  output: signInResult,
  errors: ['not_found', 'wrong_state', 'platform_refused', 'locked'],
})

/**
 * First with the code that was sent to the phone. Where that phone's account has a password, the answer is `invalid` with the field
 * `password`; then once more with it, and without a code.
 */
export const bindAccount = defineCall('POST /api/index/bindAccount', {
  summary:
    "Join the platform's person to a phone, by a code sent to it (and the account's password, where it has one), and sign in",
  access: 'public',
  idempotent: false,
  audit: 'sign_in',
  rateLimit: 'guess',
  input: z.object({
    binding_token: z.string().check(z.minLength(1), z.maxLength(100)),
    phone: mobile,
    code: z.optional(codeOrCodePair),
    sms: z.optional(id),
    password: z.optional(password),
    /** After `other_holder`: the account of this phone is somebody else's. */
    next_holder: z.optional(z.boolean()),
  }),
  output: signInResult,
  errors: ['not_found', 'wrong_code', 'wrong_password', 'wrong_state', 'other_holder', 'locked'],
})

/** Why a sign-in through a platform ended on the login page, in `?why=`; the page has a sentence for each. */
export const signInErrorReasons = ['no_app', 'cancelled', 'refused', 'expired', 'not_here', 'unavailable'] as const
export type SignInErrorReason = (typeof signInErrorReasons)[number]

const defineAuthorizeCall = (provider: ChatProvider) =>
  defineCall(`GET /api/platform/${provider}/authorize`, {
    summary: "Go to the platform's sign-in page; it leads back to /entry",
    access: 'public',
    idempotent: false,
    audit: 'none',
    rateLimit: 'costly',
    requestType: 'query',
    responseType: 'redirect',
    input: z.object({ corp: z.optional(corp) }),
    output: emptyObject,
    errors: [],
  })
export const larkAuthorize = defineAuthorizeCall('lark')
export const wecomAuthorize = defineAuthorizeCall('wecom')
export const dingtalkAuthorize = defineAuthorizeCall('dingtalk')

const defineJsConfigCall = (provider: ChatProvider) =>
  defineCall(`GET /api/platform/${provider}/jsConfig`, {
    summary:
      "What the chat client's script needs: ids, a state for the code it will give, and the signature of the page's address",
    access: 'public',
    idempotent: false,
    audit: 'none',
    rateLimit: 'costly',
    requestType: 'query',
    input: z.object({
      url: z.string().check(z.maxLength(2000)),
      corp: z.optional(corp),
      /** WeCom: whose signature it is to be; what only an application of its store needs is signed for the application. */
      of: z._default(z.enum(['company', 'application']), 'company'),
    }),
    output: z.object({
      provider: z.enum(providers),
      corp_id: z.string(),
      app_id: z.string(),
      agent_id: z.string(),
      state: z.string(),
      /** Null while the platform does not answer: signing in needs none. */
      config: z.nullable(z.object({ timestamp: z.string(), nonce: z.string(), signature: z.string() })),
    }),
    errors: ['not_found'],
  })
export const larkJsConfig = defineJsConfigCall('lark')
export const wecomJsConfig = defineJsConfigCall('wecom')
export const dingtalkJsConfig = defineJsConfigCall('dingtalk')
export const authorizeCalls: Readonly<Record<ChatProvider, typeof larkAuthorize>> = {
  lark: larkAuthorize,
  wecom: wecomAuthorize,
  dingtalk: dingtalkAuthorize,
}
export const jsConfigCalls: Readonly<Record<ChatProvider, typeof larkJsConfig>> = {
  lark: larkJsConfig,
  wecom: wecomJsConfig,
  dingtalk: dingtalkJsConfig,
}
