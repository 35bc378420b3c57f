/**
 * The port for workplace chat platforms: one adapter per platform, and the rest of the product knows only this
 * interface: sign-in, `Directory`, `ChatMessages`, `Callbacks`, `Installs`. Ids are strings. A field that is null means
 * "not permitted or empty" and is never a reason to delete stored data. Every function that calls the platform throws
 * only `PlatformError`.
 */

import type { Carrier, UpdateResult } from './carrier.ts'
import type { ClientSignature } from './chat/client-module.ts'
import type { ChatQuota } from './chat/descriptor.ts'
import type { AuthCodeSource, ChatApp, Identity, Provider, PublicChatApp } from './chat-app.ts'
import type { Callbacks } from './wire/callbacks.ts'
import type { HiddenNames } from './wire/hidden-names.ts'
import type { Installs } from './wire/installs.ts'

export type * from './chat-app.ts'
export type * from './wire/callbacks.ts'
export type * from './wire/hidden-names.ts'
export type * from './wire/installs.ts'
export type * from './wire/store-apps.ts'

/**
 * For whom a page is signed: the company, or its application (needed only by WeCom store applications, `agentConfig`).
 * The other platforms have one kind only.
 */
export type SignatureScope = 'company' | 'application'
export type { ClientSignature }

/**
 * One page of a long list; `next` is the cursor of the following page. A page that fails throws, so that no item is
 * lost silently.
 */
export type Paginated<T> = { readonly items: readonly T[]; readonly next: string | null }

export type DirectoryDepartment = {
  readonly id: string
  /** The value is null for the company itself, or for a department whose parent is not visible. */
  readonly parent_id: string | null
  readonly name: string | null
  /** Smaller values come first, regardless of the platform's convention; null if unknown. */
  readonly sort: number | null
  readonly leader_ids: readonly string[]
}
export type DirectoryUser = {
  /**
   * The same id as `Identity.user_id`: Lark's open id, WeCom's user id in lower case (store applications: the encrypted
   * id unchanged), DingTalk's user id.
   */
  readonly user_id: string
  readonly union_id: string | null
  readonly name: string | null
  /**
   * Eleven digits for mainland China, otherwise as the platform provides it, with its `+`. It proves nothing about the
   * user; it is null if masked.
   */
  readonly mobile: string | null
  readonly employee_no: string | null
  readonly email: string | null
  readonly job_title: string | null
  /** Null: not reported. */
  readonly department_ids: readonly string[] | null
  readonly main_department_id: string | null
  /** Departments that the user leads; null if the platform does not report them. */
  readonly leads: readonly string[] | null
  /** Position among colleagues by department, smaller first; departments without a position are omitted. */
  readonly sort: Readonly<Record<string, number>>
  readonly status: 'active' | 'not_joined' | 'frozen' | 'left'
}

/** What an application may see: these departments with everything below, and these individual users. */
export type VisibleRange = {
  readonly isFull: boolean
  readonly department_ids: readonly string[]
  readonly user_ids: readonly string[]
}
export type AppIssue = {
  readonly area: 'credentials' | 'address' | 'app' | 'range' | 'directory' | 'names' | 'phones' | 'employee_nos' | 'messages'
  /** If true, the platform cannot be bound; otherwise some data will be missing, as `message` explains. */
  readonly blocking: boolean
  /** The permission as named in the platform's own console. */
  readonly permission: string | null
  /** The platform's error code. */
  readonly code: string | null
  /** What is wrong and where to correct it, in Chinese for the administrator. */
  readonly message: string
  /** The company to which the application belongs according to the platform, where another one was submitted. */
  readonly actual_corp?: { readonly corp_id: string; readonly name: string }
}
export type AppCheck = {
  /** True if none of `issues` is blocking. */
  readonly ok: boolean
  readonly company_name: string | null
  /**
   * The platform itself has confirmed that these credentials belong to `corp_id`; otherwise it is only the user's
   * claim.
   */
  readonly isVerified: boolean
  readonly range: VisibleRange | null
  readonly issues: readonly AppIssue[]
}

export type DirectoryCapabilities = {
  /**
   * Whether users' names, phone numbers and employee numbers are available at all for such an application (WeCom and
   * store applications hide them).
   */
  readonly names: boolean
  readonly phones: boolean
  readonly employee_nos: boolean
  /** Whether `listDepartments` returns their order; otherwise only `getDepartment` does. */
  readonly listsOrder: boolean
  /** Maximum number of phone numbers per call of `findByMobile`; 0 if it is not supported. */
  readonly maxMobilesPerLookup: number
  /** Maximum number of calls per period for one application. */
  readonly rateLimit: { readonly count: number; readonly perMs: number }
}
/**
 * The platform's current users and departments. A full sync calls `getVisibleRange`, `listDepartments` for all pages,
 * `listUsers` for each department and `getUser` for each individual user.
 */
export type Directory = {
  describe(app: ChatApp): DirectoryCapabilities
  /** Checks credentials, permissions and visible range at once. Throws only if the platform is unreachable. */
  check(app: ChatApp): Promise<AppCheck>
  getVisibleRange(app: ChatApp): Promise<VisibleRange>
  /** Lists all visible departments in no reliable order, including the company itself if all of it is visible. */
  listDepartments(app: ChatApp, next: string | null): Promise<Paginated<DirectoryDepartment>>
  /** Lists the direct members of a department. A user in two departments is returned twice. */
  listUsers(app: ChatApp, department_id: string, next: string | null): Promise<Paginated<DirectoryUser>>
  /** Returns null if the object does not exist or is no longer visible. */
  getUser(app: ChatApp, user_id: string): Promise<DirectoryUser | null>
  getDepartment(app: ChatApp, department_id: string): Promise<DirectoryDepartment | null>
  /**
   * Returns the user id by phone, or null. WeCom blocks the call for a day when a fifth of the numbers is unknown, so
   * only validated numbers may be passed.
   */
  findByMobile(app: ChatApp, mobiles: readonly string[]): Promise<ReadonlyMap<string, string | null>>
}

/** A message as the recipient sees it in the chat. The texts are ours and contain no amounts. */
export type ChatCard = {
  readonly title: string
  readonly lines: readonly string[]
  /** The value is null for a card without a button. */
  readonly link: string | null
  readonly button: string
}
/** Why a recipient was not reached. The contract of the pages that show a reason says what to do about it. */
export type ChatFailureReason =
  | 'unlicensed'
  | 'out_of_range'
  /** The user left, never joined, or is unknown on the platform. */
  | 'not_there'
  /** The user has blocked the application, or does not follow it. */
  | 'blocked'
  /** The user has reached the platform's daily limit. */
  | 'too_many_today'
  /** The platform rejected it as a message that the user already has. */
  | 'repeated'
  | 'content'
  | 'app'
  | 'other'
export type ChatCapabilities = {
  /** Maximum number of recipients per call of `sendMany`; larger sets are split. */
  readonly maxRecipients: number
  readonly recallHours: number
  /**
   * How a message can be updated. On no platform can a message to several recipients be recalled from one of them
   * alone.
   */
  readonly updateSupport: 'card' | 'once' | 'status' | 'none'
  readonly updateHours: number
  readonly reportsReads: boolean
  /** How long the same message can be sent again without a duplicate arriving. */
  readonly deduplicationMs: number
  readonly quota: ChatQuota
}
/** Delivery status of one accepted message. */
export type ChatDeliveryStatus = {
  readonly to: string
  readonly delivered: 'yes' | 'no' | 'not_yet' | 'unknown'
  readonly reason: ChatFailureReason | null
  /** Null: not reported. */
  readonly read: boolean | null
}
/**
 * Message calls in addition to the ledger's `Carrier` (`Platform.carrier`: one message per recipient with its own id,
 * with `send`, `find`, `recall`). A `ref` is the opaque value returned by `send`.
 */
export type ChatMessages = {
  describe(app: ChatApp): ChatCapabilities
  /**
   * Sends one text to many recipients. One `ref` may stand for several recipients; `recall` of the carrier recalls it
   * for all of them.
   */
  sendMany(app: ChatApp, ask: { id: string; to: readonly string[]; card: ChatCard }): Promise<readonly RecipientOutcome[]>
  /** Returns delivery and read status, for at most 100 recipients. */
  getDeliveryStatus(
    app: ChatApp,
    ask: { ref: string; to: readonly string[]; sent_at: Date },
  ): Promise<readonly ChatDeliveryStatus[]>
  /**
   * Replaces a card, with `state` before its title; where only a status can be set, `state` alone. `to` '': all
   * recipients.
   */
  update(app: ChatApp, ask: { ref: string; to: string; card: ChatCard; state: string; sent_at: Date }): Promise<UpdateResult>
  /** Returns the number of messages sent today by this application; null if it cannot be queried. */
  countSentToday(app: ChatApp): Promise<number | null>
}
export type RecipientOutcome = { readonly to: string } & (
  | { readonly result: 'accepted'; readonly ref: string }
  | { readonly result: 'refused'; readonly reason: ChatFailureReason; readonly code: string; readonly message: string }
  | { readonly result: 'put_off'; readonly retryAfterSeconds: number }
  | { readonly result: 'unclear' }
)

export type CachedToken = { readonly token: string; readonly until_ms: number }
/** Store for applications' tokens shared by all nodes; tokens are secrets. Without a store each process caches its own. */
export type TokenStore = {
  read(key: string): Promise<CachedToken | null>
  write(key: string, token: CachedToken): Promise<void>
  /** Deletes the token only if it is still the stored one. */
  forget(key: string, token: string): Promise<void>
  /** Runs one call at a time per key over all nodes: the second caller finds what the first has written. */
  withLock<T>(key: string, work: () => Promise<T>): Promise<T>
}

export type Platform = {
  readonly directory: Directory
  readonly messages: ChatMessages
  /** Sends one message per recipient, for the delivery ledger; `createChatSender` binds it to an application. */
  readonly carrier: Carrier<ChatApp>
  readonly callbacks: Callbacks
  readonly installs: Installs
  /** The value is null if the platform hides no names. */
  readonly hiddenNames: HiddenNames | null
  /**
   * Builds the URL of the platform's sign-in page. `inside`: opened within the chat client itself, which does not
   * prompt.
   */
  buildAuthorizeUrl(app: PublicChatApp, ask: { redirect: string; state: string; inside: boolean }): string
  /** Redeems a code once. `redirect` must be the one given to `buildAuthorizeUrl`. */
  exchangeCode(app: ChatApp, ask: { code: string; source: AuthCodeSource; redirect: string }): Promise<Identity>
  /** Signs the URL of a page (without the fragment) for the client's script. */
  signPage(app: ChatApp, ask: { url: string; nonce: string; now: Date; of?: SignatureScope }): Promise<ClientSignature>
}
export type Platforms = Readonly<Record<Provider, Platform>>

export type PlatformErrorKind =
  /** Handled internally: the call is repeated once with a new token. */
  | 'token_invalid'
  | 'rate_limited'
  /** There was no response, or an unreadable one: it is unknown whether the call took effect. */
  | 'temporary'
  | 'code_refused'
  | 'not_permitted'
  /** The user does not belong to this company. */
  | 'out_of_scope'
  | 'app_disabled'
  | 'ip_not_trusted'
  /** Does not exist or is not visible. */
  | 'not_found'
  /** The company has revoked its authorization. */
  | 'unauthorised'
  | 'unsupported'
  | 'unknown'

export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly provider: Provider
  readonly kind: PlatformErrorKind
  /** The platform's own code, as a string. */
  readonly code: string
  /** For `rate_limited`, the waiting time, if the platform reports it. */
  readonly retryAfterSeconds: number | null
  /** For `not_permitted`, the missing permission as named in the platform's console, if reported. */
  readonly permission: string | null
  /** For `ip_not_trusted`, the address from which the platform received the call, if reported. */
  readonly address: string | null
  constructor(
    provider: Provider,
    kind: PlatformErrorKind,
    code: string | number,
    notified: string | { message: string; wait_s?: number | null; permission?: string | null },
  ) {
    const { message, wait_s = null, permission = null } = typeof notified === 'string' ? { message: notified } : notified
    // WeCom appends a trace id; the address has a field of its own.
    super((message.split(/, ?hint:|, ?from ip:|, ?request ip=/)[0] ?? '').slice(0, 200))
    this.provider = provider
    this.kind = kind
    this.code = String(code).slice(0, 60)
    this.retryAfterSeconds = wait_s
    this.permission = permission
    this.address = kind === 'ip_not_trusted' ? (/\bip *[:=] *([\da-f][\da-f.:]{6,44})/i.exec(message)?.[1] ?? null) : null
  }
}
