/** Messages received by users: each with its card, read status and recall status. */
import type { RegisteredApp } from './registered-apps.ts'

/** A card as a chat displays it, independent of the platform's format. */
export type RenderedCard = {
  readonly title: string
  readonly lines: readonly string[]
  readonly link: string | null
  readonly button: string
  /** Status in the card's border: 已撤回. */
  readonly statusText?: string
}
export type SimulatedMessage = {
  readonly id: string
  readonly app: RegisteredApp
  readonly to: string
  readonly at: number
  card: RenderedCard
  /** The message as it was sent, for assertions. */
  readonly raw: string
  /** The platform's message type, returned when the message is queried. */
  readonly type?: string
  /** If not null, nobody sees the message, although the platform reported it as sent. */
  readonly dropReason: string | null
  /** One message for several users. */
  readonly isShared: boolean
  isRecalled: boolean
  read_at: number | null
}

export class SimulatedInbox {
  readonly #now: () => number
  readonly #messages: SimulatedMessage[] = []
  readonly #byId = new Map<string, SimulatedMessage[]>()
  readonly #remembered = new Map<string, { value: string; until: number }>()
  readonly #seenContent = new Set<string>()
  constructor(now: () => number) {
    this.#now = now
  }

  add(message: Pick<SimulatedMessage, 'id' | 'app' | 'to' | 'card' | 'raw'> & Partial<SimulatedMessage>): SimulatedMessage {
    const full: SimulatedMessage = {
      at: this.#now(),
      dropReason: null,
      isShared: false,
      isRecalled: false,
      read_at: null,
      ...message,
    }
    this.#messages.push(full)
    this.#byId.set(full.id, [...(this.#byId.get(full.id) ?? []), full])
    return full
  }
  all(): readonly SimulatedMessage[] {
    return this.#messages
  }
  getById(id: unknown): readonly SimulatedMessage[] {
    return (typeof id === 'string' || typeof id === 'number' ? this.#byId.get(String(id)) : undefined) ?? []
  }
  /** Returns the messages visible to a user, newest first. */
  listVisibleTo(app_corp: string, user_id: string): SimulatedMessage[] {
    return this.#messages
      .filter((one) => one.app.corp_id === app_corp && one.to === user_id && one.dropReason === null)
      .toReversed()
  }
  markRead(message: SimulatedMessage): void {
    message.read_at ??= this.#now()
  }
  /** Returns the earlier response for a key while it is valid. */
  recall(key: string): string | null {
    const match = this.#remembered.get(key)
    return match && match.until > this.#now() ? match.value : null
  }
  remember(key: string, value: string, life_ms: number): void {
    this.#remembered.set(key, { value, until: this.#now() + life_ms })
  }
  forget(key: string): void {
    this.#remembered.delete(key)
  }
  /** Returns whether the content was already recorded under this key, and records it. */
  isRepeated(key: string): boolean {
    const exists = this.#seenContent.has(key)
    this.#seenContent.add(key)
    return exists
  }
}
