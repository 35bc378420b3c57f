/** What follows when a message did not reach somebody: the next way that the batch was planned with, if there is one. */
import type { Channel } from '../../../contract/words/words.ts'
import { type Permitted, type Purse, type Reach, shareOut } from './channel.ts'

/** About the person or the slip: no other way would be any better. */
const stays: ReadonlySet<string> = new Set(['left', 'identity', 'withdrawn', 'not_queued', 'superseded', 'late'])

export type NotReached = {
  /** The way that failed, and why. */
  readonly failed: Channel
  readonly code: string | null
  readonly person: Reach
  /** Ways by which a message of this version may have left already. */
  readonly used: readonly Channel[]
}

/** For each, by which way it goes on; null where it ends here. `order`: as the batch was planned. */
export function waysOn(
  people: readonly NotReached[],
  order: readonly Channel[],
  permitted: Permitted,
  { left, each }: Purse,
): (Channel | null)[] {
  let rest = left
  return people.map(({ failed, code, person, used }) => {
    const at = order.indexOf(failed)
    if (at < 0 || stays.has(code ?? '')) return null
    const after = order.slice(at + 1).filter((channel) => !used.includes(channel))
    const [way] = shareOut([person], after, permitted, { left: rest, each })
    if (!way || way === 'short') return null
    if (way === 'sms') rest -= each
    return way
  })
}
