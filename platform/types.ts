/**
 * The port to the workplace-chat platforms: one adapter a platform, and the rest of the product knows only this: signing in, `Directory`,
 * `ChatMessages`, `Callbacks`, `Installs`. Ids are text. A field that is null is "not permitted or empty" and never a reason to forget what is
 * known. Every function that asks the platform throws `PlatformError` and nothing else.
 */
import type { Carrier, UpdateResult } from './carrier.ts'
import type { ChatQuota } from './quotas.ts'
import type { Callbacks } from './wire/callbacks.ts'
import type { HiddenNames } from './wire/hidden-names.ts'
import type { Installs } from './wire/installs.ts'

export type * from './wire/callbacks.ts'
export type * from './wire/hidden-names.ts'
export type * from './wire/installs.ts'
export type * from './wire/store-apps.ts'

export type Provider = 'lark' | 'wecom' | 'dingtalk'

/** A provider's application in a platform's store, which many companies install: ours, of the installation. */
export type Suite = {
  /** Lark: app id. WeCom: suite id. DingTalk: suite key. */
  readonly id: string
  readonly secret: string
  /** The newest that was pushed (event `ticket`); null before the first. */
  readonly ticket: string | null
  /** DingTalk: the approved form of its messages; without it they go as those of a company's own application. */
  readonly template?: string | null
  /** WeCom: whoever made it; without him no hidden name is searched or translated. */
  readonly developer?: { readonly corp_id: string; readonly secret: string } | null
}

/** A company's own application on its platform; with `suite`, its installation of ours from the store. */
export type ChatApp = {
  readonly provider: Provider
  /** Lark: tenant_key. WeCom: corpid. DingTalk: corpId. */
  readonly corp_id: string
  /** Lark: app id. WeCom: the agent id again (an application has no other name there). DingTalk: client id (app key). */
  readonly app_id: string
  readonly agent_id: string
  /** WeCom with `suite`: the permanent code. Lark and DingTalk with `suite`: nothing (DingTalk's permanent code only activates). */
  readonly secret: string
  readonly suite?: Suite
}
/** What of it a browser may know. */
export type PublicChatApp = Omit<ChatApp, 'secret' | 'suite'>

/** Where a code was come by: on the platform's sign-in page, or from the chat client's own script. They are exchanged differently. */
export type AuthCodeSource = 'page' | 'client'

export type Identity = {
  readonly provider: Provider
  readonly corp_id: string
  /** Unique within the company; Lark's is the open id, which no administrator can give to somebody else. */
  readonly user_id: string
  readonly union_id: string | null
  readonly name: string | null
  /** As the platform's administrators imported it: proves nothing about the person. */
  readonly mobile: string | null
}

/** For whom a page is signed: the company, or its application (WeCom: what only the store's needs, `agentConfig`). The others know one kind only. */
export type SignatureScope = 'company' | 'application'
/** What a page needs to configure the client's script: `config` of the three, each in its own spelling of the names. */
export type ClientSignature = { readonly timestamp: string; readonly nonce: string; readonly signature: string }

/** One page of something long; `next` is what to ask with for the following one. A page that fails throws: nobody is lost silently. */
export type Paginated<T> = { readonly items: readonly T[]; readonly next: string | null }

export type DirectoryDepartment = {
  readonly id: string
  /** Null: the company itself, or a department whose parent cannot be seen. */
  readonly parent_id: string | null
  readonly name: string | null
  /** Smaller first, whatever the platform thinks; null where it does not say. */
  readonly sort: number | null
  readonly leader_ids: readonly string[]
}
export type DirectoryUser = {
  /** As `Identity.user_id`: Lark's open id, WeCom's user id in small letters (of the store: the enciphered one as it is), DingTalk's user id. */
  readonly user_id: string
  readonly union_id: string | null
  readonly name: string | null
  /** Eleven digits of mainland China, else as given with its `+`. Proves nothing; one that is masked is null. */
  readonly mobile: string | null
  readonly employee_no: string | null
  readonly email: string | null
  readonly job_title: string | null
  /** Null: not told. */
  readonly department_ids: readonly string[] | null
  readonly main_department_id: string | null
  /** Of these departments he is a leader; null: not told. */
  readonly leads: readonly string[] | null
  /** Place among his colleagues by department, smaller first; departments without one are left out. */
  readonly sort: Readonly<Record<string, number>>
  readonly status: 'active' | 'not_joined' | 'frozen' | 'left'
}

/** What an application may see: these departments with everything below, and these single people. */
export type VisibleRange = {
  readonly isFull: boolean
  readonly department_ids: readonly string[]
  readonly user_ids: readonly string[]
}
export type AppIssue = {
  readonly area: 'credentials' | 'address' | 'app' | 'range' | 'directory' | 'names' | 'phones' | 'employee_nos' | 'messages'
  /** Without it nothing can be bound; otherwise something is missing later, and `words` says what. */
  readonly blocking: boolean
  /** The permission as the platform's own console writes it. */
  readonly permission: string | null
  /** The platform's code. */
  readonly code: string | null
  /** Chinese, for the administrator: what is wrong and where to put it right. */
  readonly message: string
}
export type AppCheck = {
  /** Nothing of `problems` is blocking. */
  readonly ok: boolean
  readonly company_name: string | null
  /** The platform itself has said that these credentials are of `corp_id`; otherwise only whoever typed them has. */
  readonly isVerified: boolean
  readonly range: VisibleRange | null
  readonly issues: readonly AppIssue[]
}

export type DirectoryCapabilities = {
  /** Whether people's names, phones and numbers can be had at all for such an application (WeCom and store applications hide them). */
  readonly names: boolean
  readonly phones: boolean
  readonly employee_nos: boolean
  /** Whether `departments` tells their order; otherwise `department` does, of one. */
  readonly listsOrder: boolean
  /** Most phones a call of `findByMobile`; 0: it cannot be asked. */
  readonly maxMobilesPerLookup: number
  /** So many calls in so long for one application. */
  readonly rateLimit: { readonly count: number; readonly perMs: number }
}
/** People and departments as the platform has them now. A full sync: `range`, all `departments`, `people` of each, `person` of each single one. */
export type Directory = {
  describe(app: ChatApp): DirectoryCapabilities
  /** Credentials, permissions and visible range, tried at once. Throws only where the platform cannot be reached. */
  check(app: ChatApp): Promise<AppCheck>
  getVisibleRange(app: ChatApp): Promise<VisibleRange>
  /** All that may be seen, in no order that can be relied on; the company itself among them where the whole of it may be seen. */
  listDepartments(app: ChatApp, next: string | null): Promise<Paginated<DirectoryDepartment>>
  /** Who is directly in a department. Somebody in two departments comes twice. */
  listUsers(app: ChatApp, department_id: string, next: string | null): Promise<Paginated<DirectoryUser>>
  /** Null: not there, or not to be seen any more. */
  getUser(app: ChatApp, user_id: string): Promise<DirectoryUser | null>
  getDepartment(app: ChatApp, department_id: string): Promise<DirectoryDepartment | null>
  /** By phone, who it is or null. WeCom stops for a day when a fifth of them is unknown: ask for clean numbers only. */
  findByMobile(app: ChatApp, mobiles: readonly string[]): Promise<ReadonlyMap<string, string | null>>
}

/** What a person sees in his chat. The texts are ours and hold no amount. */
export type ChatCard = {
  readonly title: string
  readonly lines: readonly string[]
  /** Null: a card without a button. */
  readonly link: string | null
  readonly button: string
}
/** Why somebody was not reached. `remedyOf` in the contract of whoever shows it says what to do about each. */
export type ChatFailureReason =
  | 'unlicensed'
  | 'out_of_range'
  /** Left, never joined, or unknown there. */
  | 'not_there'
  /** He has shut the application out, or does not follow it. */
  | 'blocked'
  /** He has had as many as the platform allows for today. */
  | 'too_many_today'
  /** The platform took it for one that he already has. */
  | 'repeated'
  | 'content'
  | 'app'
  | 'other'
export type ChatCapabilities = {
  /** Most people of one call of `sendMany`; more are split. */
  readonly maxRecipients: number
  readonly recallHours: number
  /** Whether one that several people got can be taken back from one of them alone: nowhere. */
  readonly updateSupport: 'card' | 'once' | 'status' | 'none'
  readonly updateHours: number
  readonly reportsReads: boolean
  /** How long the same message may be sent again without a second one arriving. */
  readonly deduplicationMs: number
  readonly quota: ChatQuota
}
/** What became of one message after it was taken. */
export type ChatDeliveryStatus = {
  readonly to: string
  readonly delivered: 'yes' | 'no' | 'not_yet' | 'unknown'
  readonly reason: ChatFailureReason | null
  /** Null: not told. */
  readonly read: boolean | null
}
/**
 * Beside the ledger's `Carrier` (`chatCarrier` of platform/index.ts: one message a person, by its own id, with `send`, `lookup`, `recall`).
 * A `ref` is what `send` answered, whatever it looks like.
 */
export type ChatMessages = {
  describe(app: ChatApp): ChatCapabilities
  /** One text to many. One `ref` may stand for several people; `recall` of the carrier takes it from all of them. */
  sendMany(app: ChatApp, ask: { id: string; to: readonly string[]; card: ChatCard }): Promise<readonly RecipientOutcome[]>
  /** What became of it and who has read it, of at most 100 people. */
  getDeliveryStatus(
    app: ChatApp,
    ask: { ref: string; to: readonly string[]; sent_at: Date },
  ): Promise<readonly ChatDeliveryStatus[]>
  /** Another card in its place, with `state` before its title; where only a word can be written on it, `state` alone. `to` '': whoever got it. */
  update(app: ChatApp, ask: { ref: string; to: string; card: ChatCard; state: string; sent_at: Date }): Promise<UpdateResult>
  /** Messages of today by this application; null where it cannot be asked. */
  countSentToday(app: ChatApp): Promise<number | null>
}
export type RecipientOutcome = { readonly to: string } & (
  | { readonly result: 'accepted'; readonly ref: string }
  | { readonly result: 'refused'; readonly reason: ChatFailureReason; readonly code: string; readonly message: string }
  | { readonly result: 'put_off'; readonly retryAfterSeconds: number }
  | { readonly result: 'unclear' }
)

export type CachedToken = { readonly token: string; readonly until_ms: number }
/** Where tokens of applications are kept for all nodes; they are secrets. Without one each process keeps its own. */
export type TokenStore = {
  read(key: string): Promise<CachedToken | null>
  write(key: string, kept: CachedToken): Promise<void>
  /** Only if it is still this one. */
  forget(key: string, token: string): Promise<void>
  /** One at a time by key, over all nodes: whoever comes second finds what the first has written. */
  withLock<T>(key: string, work: () => Promise<T>): Promise<T>
}

export type Platform = {
  readonly directory: Directory
  readonly messages: ChatMessages
  /** One message a person, for the ledger: `lineOf` it with the application. */
  readonly carrier: Carrier<ChatApp>
  readonly callbacks: Callbacks
  readonly installs: Installs
  /** Null: nothing is hidden there. */
  readonly hiddenNames: HiddenNames | null
  /** The platform's sign-in page. `inside`: opened by the chat client itself, which asks nothing. */
  buildAuthorizeUrl(app: PublicChatApp, ask: { redirect: string; state: string; inside: boolean }): string
  /** Redeems a code, once. `redirect` as it was given to `authorizeUrl`. */
  exchangeCode(app: ChatApp, ask: { code: string; source: AuthCodeSource; redirect: string }): Promise<Identity>
  /** Signs the address of a page (without what follows `#`) for the client's script. */
  signPage(app: ChatApp, ask: { url: string; nonce: string; now: Date; of?: SignatureScope }): Promise<ClientSignature>
}
export type Platforms = Readonly<Record<Provider, Platform>>

export type PlatformErrorKind =
  /** Handled inside: asked once more with a new token. */
  | 'token_invalid'
  | 'rate_limited'
  /** Nothing came back, or nothing that can be read: whether it took effect is not known. */
  | 'temporary'
  | 'code_refused'
  | 'not_permitted'
  /** Not somebody of this company. */
  | 'out_of_scope'
  | 'app_disabled'
  | 'ip_not_trusted'
  /** Not there, or not to be seen. */
  | 'not_found'
  /** The company has taken its permission back. */
  | 'unauthorised'
  | 'unsupported'
  | 'unknown'

export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly provider: Provider
  readonly kind: PlatformErrorKind
  /** The platform's own code, as text. */
  readonly code: string
  /** `rate_limited`: so long it wants to be left alone, where it says so. */
  readonly retryAfterSeconds: number | null
  /** `not_permitted`: the permission that is missing, as the platform's console writes it, where it says so. */
  readonly permission: string | null
  constructor(
    provider: Provider,
    kind: PlatformErrorKind,
    code: string | number,
    notified: string | { message: string; wait_s?: number | null; permission?: string | null },
  ) {
    const { message, wait_s = null, permission = null } = typeof notified === 'string' ? { message: notified } : notified
    // WeCom appends a trace and our own address; neither is for anybody's eyes.
    super((message.split(/, ?hint:|, ?from ip:/)[0] ?? '').slice(0, 200))
    this.provider = provider
    this.kind = kind
    this.code = String(code).slice(0, 60)
    this.retryAfterSeconds = wait_s
    this.permission = permission
  }
}
