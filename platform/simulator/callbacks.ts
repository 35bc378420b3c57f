/** What applications are told of, and how it is written to them. */
import type { RegisteredApp, RegisteredSuite } from './state.ts'

/** Where an application wants to hear of changes. */
export type CallbackTarget = { readonly url: string; readonly token: string; readonly aes_key: string }
export type WorldChange =
  | { readonly kind: 'person'; readonly action: 'added' | 'changed' | 'removed'; readonly id: string; readonly new_id?: string }
  | { readonly kind: 'department'; readonly action: 'added' | 'changed' | 'removed'; readonly id: string }
  | { readonly kind: 'range' }
  | { readonly kind: 'ticket'; readonly ticket: string }
  /** Somebody has pressed a button of a card that calls back (Lark). */
  | { readonly kind: 'press'; readonly message_id: string; readonly by: string; readonly token: string; readonly value: unknown }
  | { readonly kind: 'app'; readonly action: 'enabled' | 'disabled' | 'removed'; readonly code?: string }
/** How an application, or a suite, is told of a change. */
export type CallbackMessage = {
  readonly method: string
  readonly url: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly plaintext: string
}
export type CallbackRecipient = {
  readonly target: CallbackTarget
  /** App id, corp id, suite id: whoever the envelope is for. */
  readonly receiver: string
  readonly corp_id: string | null
  readonly app: RegisteredApp | null
  readonly suite: RegisteredSuite | null
}
