/** The receiving part of the port: callbacks from platforms, and what must be verified before they are trusted. */

/** The configuration of a callback URL. Each application has its own URL. */
export type CallbackKeys = {
  /** The Token on WeCom and DingTalk, the Verification Token on Lark. */
  readonly token: string
  /** WeCom, DingTalk: EncodingAESKey, 43 characters. Lark: Encrypt Key. */
  readonly aes_key: string
  /** Accepted receivers of an event. Lark: app id. WeCom: corp id, or suite id. DingTalk: app key or corp id, or suite key. */
  readonly receivers: readonly string[]
  /** The only company whose events are accepted; null for a store application, whose URL serves every company. */
  readonly corp_id: string | null
}
export type CallbackRequest = {
  readonly method: string
  readonly query: Readonly<Record<string, string | undefined>>
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw body. */
  readonly body: Uint8Array
}
export type CallbackReply = { readonly status: number; readonly type: string; readonly body: string }
/** A reported change. It is only a reason to read the named objects again, never the source of their data. */
export type PlatformUpdate =
  | { readonly kind: 'person'; readonly change: 'added' | 'changed' | 'removed'; readonly ids: readonly string[] }
  /** WeCom: a user id was replaced by another one; it is the same user. */
  | { readonly kind: 'person_renamed'; readonly from: string; readonly to: string }
  | { readonly kind: 'department'; readonly change: 'added' | 'changed' | 'removed'; readonly ids: readonly string[] }
  /** The visible range or permissions of the application changed: everything must be read again. */
  | { readonly kind: 'range' }
  | { readonly kind: 'ticket'; readonly ticket: string }
  /**
   * The application was enabled, or installed from the store; `Installs.completeInstall` follows, with `code` (WeCom)
   * or the company's id. `by` is the administrator who did it (Lark).
   */
  | {
      readonly kind: 'app'
      readonly change: 'enabled' | 'disabled' | 'removed'
      readonly code: string | null
      readonly by?: string
    }
  | { readonly kind: 'read'; readonly user_id: string; readonly refs: readonly string[] }
  /** An event without relevance for the product. */
  | { readonly kind: 'other'; readonly name: string }
export type PlatformEvent = {
  /** Key to detect duplicates: unique per application. Must be stored for 30 days. */
  readonly key: string
  readonly at: Date | null
  /** The company of the event; null if the event concerns no company. */
  readonly corp_id: string | null
  readonly update: PlatformUpdate
  /** The decrypted event, to be stored encrypted for debugging. */
  readonly plaintext: string
}
export type CallbackOutcome =
  /** URL check: send this reply; there is no event. */
  | { readonly result: 'check'; readonly reply: CallbackReply }
  /** Store `event` by its key, then send this reply immediately, then process the event. */
  | {
      readonly result: 'event'
      readonly event: PlatformEvent
      /** Further events of the same envelope (DingTalk's store). */
      readonly moreEvents: readonly PlatformEvent[]
      readonly reply: CallbackReply
    }
  /** Reply with 403 and an empty body; with 503 for `no_keys`. `reason` is for our own log. */
  | { readonly result: 'refused'; readonly reason: 'no_keys' | 'shape' | 'stale' | 'signature' | 'cipher' | 'receiver' }
export type Callbacks = {
  /** Pure except for an encrypted reply's random bytes. Unproven content is rejected before it is parsed. */
  receive(keys: CallbackKeys, request: CallbackRequest, now: Date): CallbackOutcome
}
