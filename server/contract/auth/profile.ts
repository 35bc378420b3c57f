/** The current user's account: name, picture, password, phone, second factor, devices. calls.md §2. */
import * as z from 'zod/mini'
import { defineChange, defineRead, defineSignIn } from '../call.ts'
import { notificationKinds } from '../notifications/kinds.ts'
import { providers } from '../shared/providers.ts'
import { code, emptyObject, id, mobile, newPassword, optionalText, password, time } from '../shared/schemas.ts'

export const getProfile = defineRead('POST /api/Member/getProfile', 'signed_in', {
  summary: "Returns the caller's account for the profile page.",
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
})

/** Hints on pages where new users hesitate; each user dismisses them once. */
export const hintNames = ['upload', 'check', 'send', 'import', 'charts'] as const
export type HintName = (typeof hintNames)[number]

export const dismissHint = defineRead('POST /api/Member/closeHint', 'admin', {
  summary: 'Dismisses a hint for the caller, so that it is not shown again.',
  input: z.object({ hint: z.enum(hintNames) }),
  output: emptyObject,
})

export const setProfile = defineRead('POST /api/Member/setProfile', 'signed_in', {
  summary: 'Changes the display name in the header. An empty name restores the name from the roster.',
  input: z.object({ display_name: optionalText(20) }),
  output: emptyObject,
})

export const setAvatar = defineRead('POST /api/Member/setAvatar', 'signed_in', {
  summary:
    "Changes the caller's picture: a PNG of at most 256 × 256, which the server re-encodes. Without a file the picture is removed.",
  rateLimit: 'costly',
  requestType: 'file',
  input: emptyObject,
  output: z.object({ avatar: z.nullable(z.string()) }),
})

const notificationPreference = z.object({
  kind: z.enum(notificationKinds),
  /** A message of the chat platform that the company is bound to. */
  chat: z.boolean(),
  /** A mail from the company's mailbox to the user's address in the roster. */
  mail: z.boolean(),
})

export const getNotificationSettings = defineRead('POST /api/Notice/getNoticeSetting', 'admin', {
  summary: 'Returns by which additional channels the caller is notified, by kind, and which channels are available to them.',
  input: emptyObject,
  output: z.object({
    list: z.array(notificationPreference),
    /** Why the channel is unavailable and what to do about it; null: it is available. */
    chat_disabled_reason: z.nullable(z.string()),
    mail_disabled_reason: z.nullable(z.string()),
  }),
})

export const saveNotificationSettings = defineRead('POST /api/Notice/saveNoticeSetting', 'admin', {
  summary:
    'Sets by which channels the caller is notified of the given kinds; the notification list on the desktop always shows all. Kinds not given stay unchanged.',
  input: z.object({ list: z.array(notificationPreference).check(z.maxLength(notificationKinds.length)) }),
  output: emptyObject,
})

export const setPassword = defineSignIn('POST /api/Member/setPassword', 'signed_in', {
  summary: 'Sets the first password from the profile page, under the same rule as `setEarlyPassword`.',
  rateLimit: 'guess',
  input: z.object({ password: newPassword, confirm_password: password }),
  output: emptyObject,
  errors: ['wrong_state'],
})

export const changePhone = defineSignIn('POST /api/Member/changePhone', 'signed_in', {
  summary:
    'Changes the phone for sign-in: step 1 exchanges the password for a token, step 2 takes the new phone and the code sent to it. Ends all sessions of the caller.',
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

export const getSessionList = defineRead('POST /api/Member/getSessionList', 'signed_in', {
  summary: "Lists the caller's sessions, newest first.",
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        session_id: id,
        /** The browser's User-Agent string; the page parses it. */
        device: z.string(),
        address: z.string(),
        /** The value is null until a company is chosen. */
        corp_name: z.nullable(z.string()),
        created_at: time,
        last_active_at: time,
        current: z.boolean(),
      }),
    ),
  }),
})

export const endSession = defineSignIn('POST /api/Member/endSession', 'signed_in', {
  summary: 'Ends one session of the caller, or all except the current one.',
  input: z.object({ session_id: z.optional(id), all_others: z.optional(z.boolean()) }),
  output: z.object({ ended: z.int() }),
  errors: ['not_found'],
})

export const getPlatformAccounts = defineRead('POST /api/Member/getPlatformAccounts', 'signed_in', {
  summary: "Lists the accounts of the company's chat platform with which the caller signs in.",
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        provider: z.enum(providers),
        /** The id of the user on the platform. */
        account: z.string(),
        linked_at: time,
      }),
    ),
  }),
})

export const unlinkPlatformAccount = defineChange('POST /api/Member/unlinkPlatformAccount', 'signed_in', {
  summary: 'Ends the relation to a platform account: it no longer signs in, and gets no messages until it is matched again.',
  input: z.object({ provider: z.enum(providers), account: z.string().check(z.minLength(1), z.maxLength(128)) }),
  output: emptyObject,
  errors: ['not_found'],
})

export const verifyIdentity = defineSignIn('POST /api/Member/verifyIdentity', 'signed_in', {
  summary:
    "Proves the caller's identity again, by the password or a code sent to their phone (`getVerifyCode` with `view`); files with amounts can then be exported for 10 minutes. A sign-in counts as well.",
  rateLimit: 'guess',
  input: z.object({ password: z.optional(password), code: z.optional(code), sms: z.optional(id) }),
  output: emptyObject,
  errors: ['wrong_password', 'wrong_code', 'wrong_state', 'locked'],
})

export const startTotp = defineRead('POST /api/Member/startTotp', 'admin', {
  summary: 'Starts to enable the second factor: creates a secret for the authenticator app. Sign-in does not require it yet.',
  rateLimit: 'guess',
  input: z.object({ password }),
  output: z.object({ secret: z.string(), url: z.string() }),
  errors: ['wrong_password', 'wrong_state', 'locked'],
})

export const confirmTotp = defineChange('POST /api/Member/confirmTotp', 'admin', {
  summary:
    "Enables the second factor with a first code. Returns ten recovery codes, shown only once, and ends the caller's other sessions.",
  idempotent: false,
  rateLimit: 'guess',
  input: z.object({ code }),
  output: z.object({ recovery_codes: z.array(z.string()) }),
  errors: ['wrong_code', 'wrong_state', 'locked'],
})

export const stopTotp = defineChange('POST /api/Member/stopTotp', 'signed_in', {
  summary: 'Disables the second factor, given the password and a code or recovery code.',
  idempotent: false,
  rateLimit: 'guess',
  input: z.object({ password, code: z.string().check(z.minLength(1, '请输入动态码或恢复码'), z.maxLength(20)) }),
  output: emptyObject,
  errors: ['wrong_password', 'wrong_code', 'wrong_state', 'locked'],
})
