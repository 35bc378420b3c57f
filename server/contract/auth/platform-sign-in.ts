/** Sign-in through a chat platform, and linking a platform user to a phone. calls.md §2 and §7. */
import * as z from 'zod/mini'
import { defineRead, defineSignIn } from '../call.ts'
import { type ChatProvider, mapProviders, providers } from '../shared/providers.ts'
import { codeOrCodePair, emptyObject, id, mobile, password } from '../shared/schemas.ts'
import { signInResult } from './sign-in.ts'

/** A company id of a platform: a tenant key or a corp id. */
const corp = z.string().check(z.maxLength(128), z.regex(/^[\w-]+$/, '企业编号不正确'))
/** Signed by the server, bound to the requesting browser, valid once and for ten minutes. It begins with the provider's name. */
const state = z.string().check(z.regex(/^[a-z0-9]{60,128}$/, '登录请求不完整，请从登录页重新进入'))

/** An unknown platform user is answered `not_found` with `data.binding_token`. */
export const loginByPlatform = defineSignIn('POST /api/index/loginByPlatform', 'public', {
  summary: "Signs in with a chat platform's code. An unknown platform user gets a `binding_token`.",
  rateLimit: 'guess',
  input: z.object({
    provider: z.enum(providers),
    // WeCom documents codes of up to 512 bytes.
    code: z.string().check(z.minLength(1, '缺少授权码'), z.maxLength(600)),
    corp: z.optional(corp),
    state,
  }),
  output: signInResult,
  errors: ['not_found', 'wrong_state', 'platform_refused', 'locked'],
})

/**
 * The first request carries the code that was sent to the phone. Where that phone's account has a password, the
 * response is `invalid` with the field
 * `password`; the second request carries the password and no code.
 */
export const bindAccount = defineSignIn('POST /api/index/bindAccount', 'public', {
  summary: "Links a platform user to a phone by a code sent to it (and by the account's password, if it has one), and signs in.",
  rateLimit: 'guess',
  input: z.object({
    binding_token: z.string().check(z.minLength(1), z.maxLength(100)),
    phone: mobile,
    code: z.optional(codeOrCodePair),
    sms: z.optional(id),
    password: z.optional(password),
    /** After `other_holder`: states that this phone's account belongs to another person. */
    next_holder: z.optional(z.boolean()),
  }),
  output: signInResult,
  errors: ['not_found', 'wrong_code', 'wrong_password', 'wrong_state', 'other_holder', 'locked'],
})

/** Why a platform sign-in ended on the login page, passed in `?why=`; the page has a message for each. */
export const signInErrorReasons = ['no_app', 'cancelled', 'refused', 'expired', 'not_here', 'unavailable'] as const
export type SignInErrorReason = (typeof signInErrorReasons)[number]

const defineAuthorizeCall = (provider: ChatProvider) =>
  defineRead(`GET /api/platform/${provider}/authorize`, 'public', {
    summary: "Redirects to the platform's sign-in page, which leads back to /entry.",
    rateLimit: 'costly',
    responseType: 'redirect',
    input: z.object({ corp: z.optional(corp) }),
    output: emptyObject,
  })

const defineJsConfigCall = (provider: ChatProvider) =>
  defineRead(`GET /api/platform/${provider}/jsConfig`, 'public', {
    summary:
      "Returns what the chat client's script needs: ids, a state for the code that it will issue, and the signature of the page's address.",
    rateLimit: 'costly',
    input: z.object({
      url: z.string().check(z.maxLength(2000)),
      corp: z.optional(corp),
      /** WeCom: which signature is requested. Functions that only a store application needs are signed for the application. */
      of: z._default(z.enum(['company', 'application']), 'company'),
    }),
    output: z.object({
      provider: z.enum(providers),
      corp_id: z.string(),
      app_id: z.string(),
      agent_id: z.string(),
      state: z.string(),
      /** Null while the platform does not respond: sign-in does not need it. */
      config: z.nullable(z.object({ timestamp: z.string(), nonce: z.string(), signature: z.string() })),
    }),
    errors: ['not_found'],
  })
/** One call per provider, because the specification names the provider in the path. */
export const authorizeCalls = mapProviders(defineAuthorizeCall)
export const jsConfigCalls = mapProviders(defineJsConfigCall)
