/** What people got: every message with its card, who read it, what was taken back. */
import type { RegisteredApp } from './state.ts'

/** A card as a chat draws it, from whatever the platform wants it written in. */
export type RenderedCard = {
  readonly title: string
  readonly lines: readonly string[]
  readonly link: string | null
  readonly button: string
  /** What stands at its edge: 已撤回. */
  readonly state?: string
}
export type SimulatedMessage = {
  readonly id: string
  readonly app: RegisteredApp
  readonly to: string
  readonly at: number
  card: RenderedCard
  /** As it was sent: for assertions. */
  readonly raw: string
  /** As the platform calls it, where it is asked back. */
  readonly type?: string
  /** Not null: nobody sees it, though the platform said that it was sent. */
  readonly dropped: string | null
  /** One message for several people. */
  readonly shared: boolean
  recalled: boolean
  read_at: number | null
}

export class SimulatedInbox {
  readonly #now: () => number
  readonly #messages: SimulatedMessage[] = []
  readonly #byId = new Map<string, SimulatedMessage[]>()
  readonly #given = new Map<string, { value: string; until: number }>()
  readonly #content = new Set<string>()
  constructor(now: () => number) {
    this.#now = now
  }

  add(message: Pick<SimulatedMessage, 'id' | 'app' | 'to' | 'card' | 'raw'> & Partial<SimulatedMessage>): SimulatedMessage {
    const whole: SimulatedMessage = { at: this.#now(), dropped: null, shared: false, recalled: false, read_at: null, ...message }
    this.#messages.push(whole)
    this.#byId.set(whole.id, [...(this.#byId.get(whole.id) ?? []), whole])
    return whole
  }
  all(): readonly SimulatedMessage[] {
    return this.#messages
  }
  of(id: unknown): readonly SimulatedMessage[] {
    return (typeof id === 'string' || typeof id === 'number' ? this.#byId.get(String(id)) : undefined) ?? []
  }
  /** What a person sees, the newest first. */
  seenBy(app_corp: string, user_id: string): SimulatedMessage[] {
    return this.#messages.filter((one) => one.app.corp_id === app_corp && one.to === user_id && one.dropped === null).toReversed()
  }
  read(message: SimulatedMessage): void {
    message.read_at ??= this.#now()
  }
  /** What a key was answered with, as long as it counts. */
  known(key: string): string | null {
    const found = this.#given.get(key)
    return found && found.until > this.#now() ? found.value : null
  }
  keep(key: string, value: string, life_ms: number): void {
    this.#given.set(key, { value, until: this.#now() + life_ms })
  }
  forget(key: string): void {
    this.#given.delete(key)
  }
  /** Whether this very content was there before, under this key; from now on it was. */
  repeated(key: string): boolean {
    const known = this.#content.has(key)
    this.#content.add(key)
    return known
  }
}
