/** The port's half that listens: what a platform tells our address, and what has to be true of it before it is believed. */

/** What a callback address was set up with. One address an application. */
export type CallbackKeys = {
  /** WeCom, DingTalk: Token. Lark: Verification Token. */
  readonly token: string
  /** WeCom, DingTalk: EncodingAESKey, 43 characters. Lark: Encrypt Key. */
  readonly aes_key: string
  /** For whom an event must be. Lark: app id. WeCom: corp id, or suite id. DingTalk: app key or corp id, or suite key. */
  readonly receivers: readonly string[]
  /** Whose events only; null for an application of the store, whose address serves every company. */
  readonly corp_id: string | null
}
export type CallbackRequest = {
  readonly method: string
  readonly query: Readonly<Record<string, string | undefined>>
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As it came, unread. */
  readonly body: Uint8Array
}
export type CallbackReply = { readonly status: number; readonly type: string; readonly body: string }
/** What happened, as a reason to read again what it names: an event is never the truth about it. */
export type PlatformUpdate =
  | { readonly kind: 'person'; readonly change: 'added' | 'changed' | 'removed'; readonly ids: readonly string[] }
  /** WeCom: an id was replaced by another one; it is the same person. */
  | { readonly kind: 'person_renamed'; readonly from: string; readonly to: string }
  | { readonly kind: 'department'; readonly change: 'added' | 'changed' | 'removed'; readonly ids: readonly string[] }
  /** Of the application or of its permissions: everything is to be read again. */
  | { readonly kind: 'range' }
  | { readonly kind: 'ticket'; readonly ticket: string }
  /** Switched on, or installed from the store; then `Installs.finish` with `code` (WeCom) or the company's id. `by`: the administrator who did (Lark). */
  | {
      readonly kind: 'app'
      readonly change: 'enabled' | 'disabled' | 'removed'
      readonly code: string | null
      readonly by?: string
    }
  | { readonly kind: 'read'; readonly user_id: string; readonly refs: readonly string[] }
  /** Known to the platform, of no concern to us. */
  | { readonly kind: 'other'; readonly name: string }
export type PlatformEvent = {
  /** Ours to tell a repeated one by: unique for the application. Keep it 30 days. */
  readonly key: string
  readonly at: Date | null
  /** Whose company; null where the event is about none. */
  readonly corp_id: string | null
  readonly update: PlatformUpdate
  /** The event as it was deciphered: to be kept, sealed, for whoever looks for a fault. */
  readonly plaintext: string
}
export type CallbackOutcome =
  /** Answer this; nothing happened. */
  | { readonly result: 'check'; readonly reply: CallbackReply }
  /** Store `event` by its key, then answer this at once, then work. */
  | {
      readonly result: 'event'
      readonly event: PlatformEvent
      /** What else came in the same envelope (DingTalk's store). */
      readonly moreEvents: readonly PlatformEvent[]
      readonly reply: CallbackReply
    }
  /** Answer 403 with nothing; 503 for `no_keys`. `why` is for our own log. */
  | { readonly result: 'refused'; readonly reason: 'no_keys' | 'shape' | 'stale' | 'signature' | 'cipher' | 'receiver' }
export type Callbacks = {
  /** Pure but for the random bytes of an enciphered answer. What cannot be proved to be the platform's is refused, before anything is read. */
  receive(keys: CallbackKeys, request: CallbackRequest, now: Date): CallbackOutcome
}
