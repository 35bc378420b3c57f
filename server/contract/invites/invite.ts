/** Invites and joining by invite. calls.md §4 and §9. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { signInResult } from '../auth/sign-in.ts'
import { defineChange, defineRead, defineSignIn } from '../call.ts'
import { providers } from '../shared/providers.ts'
import {
  codeOrCodePair,
  emptyObject,
  id,
  mobile,
  newPassword,
  optionalText,
  pageParams,
  paginatedList,
  requiredText,
  time,
} from '../shared/schemas.ts'

/** The code in the invite link or QR code: identifies the company and has at least 128 random bits. */
const inviteCode = z.string().check(z.regex(/^[\w-]{20,80}$/, '邀请码不正确'))

export const sendInviteCode = defineChange('POST /api/Member/sendInviteCode', requirePowerAnywhere('2', '3'), {
  summary: 'Invites members who have not joined yet. Each gets a personal link that is valid once and for 72 hours.',
  rateLimit: 'costly',
  input: z.object({
    member_ids: z.optional(z.array(id).check(z.minLength(1, '请选择成员'), z.maxLength(500, '一次最多邀请 500 人'))),
    all: z.optional(z.boolean()),
    /** Members created by this import of the current user. */
    import_id: z.optional(id),
  }),
  output: z.object({ queued: z.object({ platform: z.int(), sms: z.int() }), skipped: z.int() }),
  errors: ['not_found', 'sms_used_up', 'wrong_state'],
})

/** `none`: never invited · `expired`: expired before the member joined, or sent to a phone that is no longer theirs. */
export const inviteStatuses = ['none', 'queued', 'sent', 'opened', 'joined', 'failed', 'expired'] as const
export type InviteStatus = (typeof inviteStatuses)[number]
/** `reason` is the cause of a failure or an uncertain result. */
const inviteStatus = { state: z.enum(inviteStatuses), reason: z.nullable(z.string()) }

export const getInviteStatuses = defineRead('POST /api/Member/getInviteStates', requirePowerAnywhere('1', '2', '3'), {
  summary: "Returns the invitation status of the members of one roster page. Members outside the caller's scope are omitted.",
  input: z.object({ member_ids: z.array(id).check(z.maxLength(100)) }),
  output: z.object({ list: z.array(z.object({ member_id: id, ...inviteStatus })) }),
})

export const getInviteList = defineRead('POST /api/Member/getInviteList', requirePowerAnywhere('1', '2', '3'), {
  summary: 'Lists the invitations of one member, newest first, and whether the chat platform knows the member.',
  input: z.object({ member_id: id, ...pageParams }),
  output: z.extend(
    paginatedList(
      z.object({
        invite_id: id,
        channel: z.enum(['sms', 'platform']),
        mobile: z.string(),
        created_at: time,
        expires_at: time,
        opened_at: z.nullable(time),
        ...inviteStatus,
      }),
    ),
    /** The value is null where the company is not bound to a platform. */
    { platform: z.nullable(z.object({ provider: z.enum(providers), linked: z.boolean() })) },
  ),
  errors: ['not_found'],
})

const joinCode = z.object({
  url: z.string(),
  svg: z.string(),
  expires_at: time,
  /** Whether the user may create a new code: the code is shared by all administrators. */
  can_reset: z.boolean(),
})

export const getJoinQrCode = defineRead('GET /api/member/qr_code', requirePowerAnywhere('2', '3'), {
  summary: "Returns the company's join code as address and picture. Creates one if there is none.",
  input: emptyObject,
  output: joinCode,
})

export const resetQrCode = defineChange('POST /api/Member/resetQrCode', requirePowerAnywhere('2', '3'), {
  summary: 'Creates a new join code. The old one becomes invalid at once.',
  idempotent: false,
  input: emptyObject,
  output: joinCode,
})

export const getJoinRequestList = defineRead('POST /api/Member/getJoinList', requirePowerAnywhere('2', '3'), {
  summary:
    'Lists the pending join requests of users who came by the join code and are on no roster, newest first, with masked phones.',
  input: z.object(pageParams),
  output: paginatedList(
    z.object({
      join_id: id,
      name: z.string(),
      mobile: z.string(),
      created_at: time,
      /** The applicant asked the whole company, so only administrators with the whole company in scope may reject. */
      can_reject: z.boolean(),
    }),
  ),
})

export const decideJoinRequest = defineChange('POST /api/Member/decideJoin', requirePowerAnywhere('2', '3'), {
  summary: "Accepts a join request into the roster (1), within the caller's departments, or rejects it (2).",
  input: z.object({
    join_id: id,
    status: z.union([z.literal(1), z.literal(2)]),
    /** The name for the roster; the applicant typed it. */
    name: z.optional(requiredText(50, '请填写姓名')),
    department_ids: z.optional(z.array(id).check(z.maxLength(20, '一个人最多属于 20 个部门'))),
  }),
  output: z.object({ member_id: z.nullable(id) }),
  errors: ['not_found'],
})

export const getInvite = defineRead('POST /Api/Mobile/getInvite', 'public', {
  summary: 'Returns what an invitation is for: the company and the phone that it was sent to (masked; null for the join code).',
  rateLimit: 'guess',
  input: z.object({ code: inviteCode }),
  output: z.object({ corp_name: z.string(), phone_masked: z.nullable(z.string()) }),
  errors: ['not_found', 'locked'],
})

export const acceptInvite = defineSignIn('POST /Api/Mobile/acceptInvite', 'public', {
  summary:
    'Joins a company with an invitation, a code sent to the phone and a new password. A user of the join code who is not on the roster submits a join request.',
  rateLimit: 'guess',
  input: z.object({
    code: inviteCode,
    phone: mobile,
    verify_code: codeOrCodePair,
    sms: id,
    /** Required unless the account already has one. */
    password: z.optional(newPassword),
    /** States that the user is not the person of the account that has this phone: after `other_holder`. */
    next_holder: z.optional(z.boolean()),
    /** The name that administrators see; only needed for the join code, when the phone is not on the roster. */
    name: z.optional(optionalText(30)),
  }),
  /** `waiting`: not on the roster; administrators were notified, and there is no session. */
  output: z.extend(signInResult, { waiting: z.boolean() }),
  errors: ['not_found', 'wrong_code', 'wrong_state', 'other_holder', 'locked'],
})
