/** The current user's account: name, picture, password, phone, second factor, devices. calls.md §2. */
import * as z from 'zod/mini'
import { defineCall } from '../call.ts'
import { notificationKinds } from '../notifications/kinds.ts'
import { code, emptyObject, id, mobile, newPassword, optionalText, password, time } from '../shared/schemas.ts'

export const getProfile = defineCall('POST /api/Member/getProfile', {
  summary: 'My own account as the profile page shows it',
  access: 'signed_in',
  idempotent: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    /** The name in the roster; only administrators of the roster can change it. */
    name: z.string(),
    /** The name shown in the header instead; empty when the user has not chosen one. */
    display_name: z.string(),
    /** A picture as a data: URL, or null. */
    avatar: z.nullable(z.string()),
    phone_masked: z.string(),
    pass_status: z.int(),
    totp_on: z.boolean(),
    recovery_codes_remaining: z.int(),
  }),
  errors: [],
})

/** Hints on pages where new users hesitate; each user dismisses them once. */
export const hintNames = ['upload', 'check', 'send', 'import', 'charts'] as const
export type HintName = (typeof hintNames)[number]

export const dismissHint = defineCall('POST /api/Member/closeHint', {
  summary: 'I have read this hint; it is not shown to me again',
  access: 'admin',
  idempotent: false,
  audit: 'none',
  input: z.object({ hint: z.enum(hintNames) }),
  output: emptyObject,
  errors: [],
})

export const setProfile = defineCall('POST /api/Member/setProfile', {
  summary: 'Change what the header calls me; empty goes back to the name of the roster',
  access: 'signed_in',
  idempotent: false,
  audit: 'none',
  input: z.object({ display_name: optionalText(20) }),
  output: emptyObject,
  errors: [],
})

export const setAvatar = defineCall('POST /api/Member/setAvatar', {
  summary: 'Change my picture: a PNG of at most 256 × 256, which the server draws anew; without a file the picture goes away',
  access: 'signed_in',
  idempotent: false,
  audit: 'none',
  rateLimit: 'costly',
  requestType: 'file',
  input: emptyObject,
  output: z.object({ avatar: z.nullable(z.string()) }),
  errors: [],
})

const notificationPreference = z.object({
  kind: z.enum(notificationKinds),
  /** A message of the chat platform that the company is bound to. */
  chat: z.boolean(),
  /** A mail from the company's mailbox to the user's address in the roster. */
  mail: z.boolean(),
})

export const getNotificationSettings = defineCall('POST /api/Notice/getNoticeSetting', {
  summary: 'How I hear of what happened beside the desk, kind by kind, and which ways there are for me',
  access: 'admin',
  idempotent: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    list: z.array(notificationPreference),
    /** Why the channel is unavailable and what to do about it; null: it is available. */
    chat_disabled_reason: z.nullable(z.string()),
    mail_disabled_reason: z.nullable(z.string()),
  }),
  errors: [],
})

export const saveNotificationSettings = defineCall('POST /api/Notice/saveNoticeSetting', {
  summary: 'Choose how I hear of these kinds; on the desk everything stands in any case. What is not named stays as it is',
  access: 'admin',
  idempotent: false,
  audit: 'none',
  input: z.object({ list: z.array(notificationPreference).check(z.maxLength(notificationKinds.length)) }),
  output: emptyObject,
  errors: [],
})

export const setPassword = defineCall('POST /api/Member/setPassword', {
  summary: 'Set the first password, from the profile; the same rule as setEarlyPassword',
  access: 'signed_in',
  idempotent: false,
  audit: 'sign_in',
  rateLimit: 'guess',
  input: z.object({ password: newPassword, confirm_password: password }),
  output: emptyObject,
  errors: ['wrong_state'],
})

export const changePhone = defineCall('POST /api/Member/changePhone', {
  summary:
    'Change the phone I sign in with: step 1 the password for a token, step 2 the new phone and the code sent to it; ends all my sessions',
  access: 'signed_in',
  idempotent: false,
  audit: 'sign_in',
  rateLimit: 'guess',
  input: z.object({
    password: z.optional(password),
    phone: z.optional(mobile),
    code: z.optional(code),
    sms: z.optional(id),
    token: z.optional(z.string().check(z.maxLength(100))),
  }),
  /** The token of step 1; null once the phone has been changed. */
  output: z.object({ token: z.nullable(z.string()) }),
  errors: ['wrong_password', 'wrong_code', 'wrong_state', 'locked'],
})

export const getSessionList = defineCall('POST /api/Member/getSessionList', {
  summary: 'Where I am signed in, the newest first',
  access: 'signed_in',
  idempotent: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        session_id: id,
        /** The browser's User-Agent string; the page parses it. */
        device: z.string(),
        address: z.string(),
        /** Null until a company is chosen. */
        corp_name: z.nullable(z.string()),
        created_at: time,
        last_active_at: time,
        current: z.boolean(),
      }),
    ),
  }),
  errors: [],
})

export const endSession = defineCall('POST /api/Member/endSession', {
  summary: 'End one of my sessions, or all the others',
  access: 'signed_in',
  idempotent: false,
  audit: 'sign_in',
  input: z.object({ session_id: z.optional(id), all_others: z.optional(z.boolean()) }),
  output: z.object({ ended: z.int() }),
  errors: ['not_found'],
})

export const startTotp = defineCall('POST /api/Member/startTotp', {
  summary: 'Begin to turn on the second factor: a new secret for the authenticator app, not asked for yet',
  access: 'admin',
  idempotent: false,
  audit: 'none',
  rateLimit: 'guess',
  input: z.object({ password }),
  output: z.object({ secret: z.string(), url: z.string() }),
  errors: ['wrong_password', 'wrong_state', 'locked'],
})

export const confirmTotp = defineCall('POST /api/Member/confirmTotp', {
  summary: 'Turn the second factor on with a first code; answers ten recovery codes, shown this once; ends my other sessions',
  access: 'admin',
  idempotent: false,
  audit: 'change',
  rateLimit: 'guess',
  input: z.object({ code }),
  output: z.object({ recovery_codes: z.array(z.string()) }),
  errors: ['wrong_code', 'wrong_state', 'locked'],
})

export const stopTotp = defineCall('POST /api/Member/stopTotp', {
  summary: 'Turn the second factor off, with the password and a code (or a recovery code)',
  access: 'signed_in',
  idempotent: false,
  audit: 'change',
  rateLimit: 'guess',
  input: z.object({ password, code: z.string().check(z.minLength(1, '请输入动态码或恢复码'), z.maxLength(20)) }),
  output: emptyObject,
  errors: ['wrong_password', 'wrong_code', 'wrong_state', 'locked'],
})
