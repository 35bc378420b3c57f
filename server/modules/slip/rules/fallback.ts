/** What follows when a message did not reach somebody: the next way that the batch was planned with, if there is one. */
import type { Channel } from '../../../contract/shared/schemas.ts'
import { assignChannels, type EnabledChannels, type RecipientContact, type SmsBudget } from './channel.ts'

/** About the person or the slip: no other way would be any better. */
const finalErrorCodes: ReadonlySet<string> = new Set(['left', 'identity', 'withdrawn', 'not_queued', 'superseded', 'late'])

export type FailedRecipient = {
  /** The way that failed, and why. */
  readonly failedChannel: Channel
  readonly code: string | null
  readonly recipient: RecipientContact
  /** Ways by which a message of this version may have left already. */
  readonly used: readonly Channel[]
}

/** For each, by which way it goes on; null where it ends here. `order`: as the batch was planned. */
export function selectFallbackChannels(
  recipients: readonly FailedRecipient[],
  order: readonly Channel[],
  enabledChannels: EnabledChannels,
  { remaining, segmentsPerMessage }: SmsBudget,
): (Channel | null)[] {
  let remainingSms = remaining
  return recipients.map(({ failedChannel, code, recipient, used }) => {
    const failedIndex = order.indexOf(failedChannel)
    if (failedIndex < 0 || finalErrorCodes.has(code ?? '')) return null
    const nextChannels = order.slice(failedIndex + 1).filter((channel) => !used.includes(channel))
    const [nextChannel] = assignChannels([recipient], nextChannels, enabledChannels, {
      remaining: remainingSms,
      segmentsPerMessage,
    })
    if (!nextChannel || nextChannel === 'short') return null
    if (nextChannel === 'sms') remainingSms -= segmentsPerMessage
    return nextChannel
  })
}
