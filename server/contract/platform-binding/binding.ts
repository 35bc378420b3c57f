/**
 * The company's chat platform: binding, member sync, and links between platform users and members. calls.md §7; the
 * reasons for additions are in openapi.ts.
 */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { defineChange, defineRead } from '../call.ts'
import { type ChatProvider, providers } from '../shared/providers.ts'
import { emptyObject, id, optionalText, page, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'

import { linkCandidate, linkMethod, platformUser } from './platform-users.ts'

const heads = requirePowerAnywhere('1')

/** The callback path for a platform's events: one per application, so that its keys are known before the body is read. */
export const getCallbackPath = (provider: ChatProvider, app: string): string => `/api/platform/${provider}/callback/${app}`
/**
 * The path segment, in place of an application id, of the callback for a store application, which receives the events
 * of all companies that installed it.
 */
export const storeAppKey = 'suite'
export const callbackRoute = '/api/platform/:provider/callback/:app'

/** 0 none · 10 bound · 20 syncing · 30 sync failed · 40 unbinding requested · 50 disabled on the platform. */
export const bindingStatuses = [0, 10, 20, 30, 40, 50] as const
export type BindingStatus = (typeof bindingStatuses)[number]
export const bindingStatus = z.union([z.literal(0), z.literal(10), z.literal(20), z.literal(30), z.literal(40), z.literal(50)])

/** The kind of application: a company's own, or ours from the platform's store. */
export const bindingModes = ['self_built', 'store'] as const

/** Ids of platforms: letters, digits and a few punctuation characters. */
const platformId = (empty: string) =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, empty),
      z.maxLength(128, '太长，请核对'),
      z.regex(/^[\w.-]+$/, '只能是字母、数字、横线和下划线，请从平台后台复制'),
    )
const secretField = (max: number) =>
  z.string().check(z.trim(), z.maxLength(max, '太长，请核对'), z.regex(/^[\x21-\x7e]*$/, '含有空格或中文，请从平台后台复制'))

export const platformIssue = z.object({
  area: z.enum(['credentials', 'address', 'app', 'range', 'directory', 'names', 'phones', 'employee_nos', 'messages']),
  /** The binding fails without it. */
  blocking: z.boolean(),
  /** The name of the permission in the platform's console. */
  permission: z.nullable(z.string()),
  code: z.nullable(z.string()),
  /** What is wrong and where to fix it. */
  message: z.string(),
  /** The company to which the application belongs according to the platform, where another one was submitted. */
  actual_corp: z.optional(z.object({ corp_id: z.string(), name: z.string() })),
})

export const bindPlatform = defineChange('POST /api/corp/bindPlatform', heads, {
  summary:
    "Binds the company's chat platform. The credentials are tested at once, encrypted and never returned. While it is bound, the same platform company may replace its credentials.",
  idempotent: false,
  rateLimit: 'guess',
  input: z.object({
    provider: z.enum(providers),
    mode: z._default(z.enum(bindingModes), 'self_built'),
    /** The tenant key on Lark, the CorpId on WeCom and DingTalk. */
    corp_id: platformId('请填写企业的编号'),
    /** Lark: App ID. DingTalk: Client ID (AppKey). WeCom: the AgentId again, or empty. */
    app_id: z.optional(platformId('请填写应用编号')),
    /** WeCom, DingTalk: AgentId. */
    agent_id: z.optional(platformId('请填写 AgentId')),
    /** Omitted for an existing binding: the stored secret is used again. */
    secret: z.optional(secretField(200).check(z.minLength(8, '密钥不完整，请从平台后台复制'))),
    /** Token and key of the callback. '' removes both; if omitted, they remain unchanged. */
    token: z.optional(secretField(64)),
    aes_key: z.optional(secretField(128)),
  }),
  /** Issues that do not block the binding. */
  output: z.object({
    status: bindingStatus,
    corp_name: z.string(),
    restored: z.int(),
    issues: z.array(platformIssue),
    /**
     * Nothing is bound yet, because another company holds the application without verification. The URL where the
     * company signs in to verify ownership (`finishInstall`).
     */
    proof_url: z.nullable(z.string()),
  }),
  errors: ['wrong_state', 'platform_refused'],
})

export const checkPlatform = defineChange('POST /api/corp/checkPlatform', heads, {
  summary: 'Tests the stored credentials again: permissions and visible range.',
  idempotent: false,
  rateLimit: 'costly',
  input: emptyObject,
  output: z.object({ ok: z.boolean(), issues: z.array(platformIssue) }),
  errors: ['not_found', 'platform_refused'],
})

const syncCounts = z.object({ created: z.int(), updated: z.int(), left: z.int(), back: z.int() })
/** `reading` from the platform · `held`: waiting for review · `applying` · `done` · `failed` · `dropped`: superseded. */
export const syncStates = ['reading', 'held', 'applying', 'done', 'failed', 'dropped'] as const
export type SyncState = (typeof syncStates)[number]

export const bindingEventKinds = [
  'bound',
  'restored',
  'rotated',
  'unbind_applied',
  'unbind_kept',
  'unbound',
  'stopped',
  'resumed',
  'synced',
  'sync_held',
  'sync_failed',
  'combined',
  'searched',
] as const
export type BindingEventKind = (typeof bindingEventKinds)[number]

const bindingInfo = z.object({
  provider: z.enum(providers),
  mode: z.enum(bindingModes),
  corp_id: z.string(),
  app_id: z.string(),
  agent_id: z.string(),
  corp_name: z.string(),
  /**
   * The platform has confirmed that the application belongs to this company; otherwise another company that verifies
   * ownership takes over the binding.
   */
  is_verified: z.boolean(),
  bound_at: time,
  by: z.string(),
  callback_url: z.string(),
  /** Whether the callback keys are set, and when the last genuine event arrived from the platform. */
  callback: z.object({ is_configured: z.boolean(), last_received_at: z.nullable(time) }),
  last_sync: z.nullable(z.object({ at: time, state: z.enum(syncStates), ...syncCounts.shape })),
  /** How many departments and individual users the application may see; `whole`: all of them. */
  visible_range: z.nullable(z.object({ whole: z.boolean(), departments: z.int(), people: z.int() })),
  health: z.object({ ok: z.boolean(), checked_at: time, issues: z.array(platformIssue) }),
  /** Which data of users the application receives. */
  capabilities: z.object({
    names: z.boolean(),
    phones: z.boolean(),
    employee_nos: z.boolean(),
    /** The platform hides names, but offers search and name display to the application's developer. */
    search: z.boolean(),
  }),
  /** Users of the platform: known to us, and linked to members. */
  users: z.object({ total: z.int(), linked: z.int(), conflicts: z.int() }),
  pending_unbind: z.nullable(z.object({ approval_no: z.string() })),
})

export const getPlatformInfo = defineRead('POST /api/corp/getPlatformInfo', heads, {
  summary:
    'Returns the binding: platform, since when, health, visible range, last sync, callback address and history. Contains no secret.',
  input: emptyObject,
  output: z.object({
    status: bindingStatus,
    bound: z.nullable(bindingInfo),
    /** Whether the caller may end the binding at once: nobody else could approve, or its ownership is unproven. */
    ends_at_once: z.boolean(),
    /** URLs to enter in the platform's console: the home page, the redirect URL after sign-in, and the trusted host. */
    addresses: z.object({
      home: z.string(),
      redirect: z.string(),
      host: z.string(),
      /** Where the server's calls come from, if the operator has set it; for the platform's list of trusted addresses. */
      server_ips: z.array(z.string()),
    }),
    /**
     * Our applications in the platforms' stores. `installs_here`: the installation starts on our page; otherwise on
     * `page`, and is claimed afterwards.
     */
    stores: z.array(z.object({ provider: z.enum(providers), installs_here: z.boolean(), page: z.nullable(z.string()) })),
    /** The newest first. */
    history: z.array(
      z.object({
        at: time,
        kind: z.enum(bindingEventKinds),
        provider: z.enum(providers),
        by: z.string(),
        /** Numbers and error codes. */
        detail: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    ),
  }),
})

export const applyUnBindingPlatform = defineChange('POST /api/corp/applyUnBindingPlatform', heads, {
  summary:
    'Requests to end the binding. Another administrator decides; if there is none who could, it ends at once. Then platform sessions and secrets end; members and payslips stay.',
  input: z.object({ reason: requiredText(200, '请填写解除绑定的原因') }),
  output: z.object({ approval_no: z.nullable(z.string()), message: z.string() }),
  errors: ['not_found', 'wrong_state'],
})

export const applySync = defineChange('POST /api/Corp/applySync', heads, {
  summary:
    'Syncs the directory: all of it, or what the platform has reported since. With `sync_id` it applies a held sync, or with `drop` discards it.',
  input: z.object({
    mode: z._default(z.enum(['full', 'incremental']), 'full'),
    sync_id: z.optional(id),
    discard: z.optional(z.boolean()),
  }),
  output: z.object({ job_id: id }),
  errors: ['not_found', 'wrong_state'],
})

export const getSyncStatus = defineRead('POST /api/Corp/getSyncStatus', heads, {
  summary: 'Returns progress and results of the latest directory sync.',
  isPolling: true,
  input: emptyObject,
  output: z.object({
    sync: z.nullable(
      z.object({
        sync_id: id,
        mode: z.enum(['full', 'incremental']),
        state: z.enum(syncStates),
        /** Why the sync needs a review: it is the first one, or it would remove too many members. */
        review_reason: z.nullable(z.enum(['first', 'many_left'])),
        /** 0–100. */
        progress: z.int(),
        departments: z.int(),
        people: z.int(),
        ...syncCounts.shape,
        started_at: time,
        ended_at: z.nullable(time),
        by: z.string(),
        errors: z.array(z.object({ code: z.string(), words: z.string() })),
      }),
    ),
  }),
})

export const syncChangeKinds = ['new', 'changed', 'left', 'back'] as const
export type SyncChangeKind = (typeof syncChangeKinds)[number]

export const getSyncChanges = defineRead('POST /api/Corp/getSyncChanges', heads, {
  summary: 'Lists the members whom a directory sync would add, change, terminate or restore, page by page.',
  input: z.object({ sync_id: id, kind: z.optional(z.enum(syncChangeKinds)), ...pageParams }),
  output: paginatedList(z.object({ ...platformUser, change: z.enum(syncChangeKinds), fields: z.array(z.string()) })),
  errors: ['not_found'],
})

/** How a platform user relates to the roster. `left`: linked, but no longer on the platform. */
export const combineKinds = ['conflict', 'suggested', 'new', 'ignored', 'same', 'left'] as const
export type CombineKind = (typeof combineKinds)[number]
/** Why an administrator has to decide. */
export const combineReasons = ['number', 'phone', 'two', 'duplicate', 'department', 'name', 'search', 'claimed'] as const
export type CombineReason = (typeof combineReasons)[number]

export const getCorpCombineInfo = defineRead('POST /api/Corp/getCorpCombineInfo', heads, {
  summary:
    'Lists how platform users match members by the rules: matched, only on the platform, only in the roster, and conflicts with both sides.',
  input: z.object({ kind: z._default(z.enum(combineKinds), 'conflict'), search: z.optional(optionalText(50)), ...pageParams }),
  output: z.object({
    same: z.int(),
    only_platform: z.int(),
    /** Members who are not on the platform: they stay, and get no messages there. */
    only_here: z.int(),
    counts: z.record(z.enum(combineKinds), z.int()),
    /** Entries of the requested kind. */
    conflicts: z.array(
      z.object({
        platform_user: z.object(platformUser),
        reason: z.nullable(z.enum(combineReasons)),
        linked_by: z.nullable(linkMethod),
        candidates: z.array(linkCandidate),
      }),
    ),
    page,
  }),
  errors: ['not_found'],
})

export const combinePlatform = defineChange('POST /api/corp/combinePlatform', heads, {
  summary:
    'Decides for platform users which member they are, that they are new, or that they are left out. Later syncs keep the decision. It does not affect users who signed in by themselves.',
  input: z.object({
    decisions: z
      .array(
        z.object({
          platform_user_id: z.string().check(z.minLength(1), z.maxLength(128)),
          member_id: z.union([id, z.enum(['create', 'ignore'])]),
        }),
      )
      .check(z.minLength(1, '请先选择'), z.maxLength(200, '一次最多 200 人')),
  }),
  output: z.object({ linked: z.int(), created: z.int(), ignored: z.int() }),
  errors: ['not_found', 'wrong_state'],
})
