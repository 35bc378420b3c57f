/**
 * The port to the workplace-chat platforms: one adapter a platform, and the rest of the product knows only this. Signing in so far;
 * directory, messages and callbacks are further functions of `Platform`. Ids are text. A field that is null is "not permitted or empty"
 * and never a reason to forget what is known.
 */
export type Provider = 'lark' | 'wecom' | 'dingtalk'

/** A company's own application on its platform. */
export type App = {
  readonly provider: Provider
  /** Lark: tenant_key. WeCom: corpid. DingTalk: corpId. */
  readonly corp_id: string
  /** Lark: app id. WeCom: the agent id again (an application has no other name there). DingTalk: client id (app key). */
  readonly app_id: string
  readonly agent_id: string
  readonly secret: string
}
/** What of it a browser may know. */
export type PublicApp = Omit<App, 'secret'>

/** Where a code was come by: on the platform's sign-in page, or from the chat client's own script. They are exchanged differently. */
export type Way = 'page' | 'client'

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

/** What a page needs to configure the client's script: `config` of the three, each in its own spelling of the names. */
export type ClientSignature = { readonly timestamp: string; readonly nonce: string; readonly signature: string }

export type Platform = {
  /** The platform's sign-in page. `inside`: opened by the chat client itself, which asks nothing. */
  authorizeUrl(app: PublicApp, ask: { redirect: string; state: string; inside: boolean }): string
  /** Redeems a code, once. `redirect` as it was given to `authorizeUrl`. */
  exchange(app: App, ask: { code: string; way: Way; redirect: string }): Promise<Identity>
  /** Signs the address of a page (without what follows `#`) for the client's script. */
  sign(app: App, ask: { url: string; nonce: string; now: Date }): Promise<ClientSignature>
}
export type Platforms = Readonly<Record<Provider, Platform>>

export type ErrorKind =
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
  | 'unknown'

export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly provider: Provider
  readonly kind: ErrorKind
  /** The platform's own code, as text. */
  readonly code: string
  constructor(provider: Provider, kind: ErrorKind, code: string | number, message: string) {
    // WeCom appends a trace and our own address; neither is for anybody's eyes.
    super((message.split(/, ?hint:|, ?from ip:/)[0] ?? '').slice(0, 200))
    this.provider = provider
    this.kind = kind
    this.code = String(code).slice(0, 60)
  }
}

/** A customer's own mailbox, from which his people are written to. */
export type MailApp = {
  readonly host: string
  readonly port: number
  /** `tls` from the first byte (port 465), `starttls` before anything is said, `none` only inside of one's own network. */
  readonly security: 'tls' | 'starttls' | 'none'
  readonly user: string
  readonly password: string
  /** The address in From and its name. */
  readonly from: string
  readonly sender: string
}
