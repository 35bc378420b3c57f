/** Change events for applications and their format. */
import type { CallbackTarget, RegisteredApp, RegisteredSuite } from './registered-apps.ts'

export type WorldChange =
  | { readonly kind: 'person'; readonly action: 'added' | 'changed' | 'removed'; readonly id: string; readonly new_id?: string }
  | { readonly kind: 'department'; readonly action: 'added' | 'changed' | 'removed'; readonly id: string }
  | { readonly kind: 'range' }
  | { readonly kind: 'ticket'; readonly ticket: string }
  /** A user pressed a card button that triggers a callback (Lark). */
  | { readonly kind: 'press'; readonly message_id: string; readonly by: string; readonly token: string; readonly value: unknown }
  | { readonly kind: 'app'; readonly action: 'enabled' | 'disabled' | 'removed'; readonly code?: string }
/** A change event as it is sent to an application or a suite. */
export type CallbackMessage = {
  readonly method: string
  readonly url: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly plaintext: string
}
export type CallbackRecipient = {
  readonly target: CallbackTarget
  /** App id, corp id or suite id: the receiver of the envelope. */
  readonly receiver: string
  readonly corp_id: string | null
  readonly app: RegisteredApp | null
  readonly suite: RegisteredSuite | null
}
