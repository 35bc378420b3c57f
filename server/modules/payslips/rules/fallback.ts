/** Fallback after a message failed to reach its recipient: the next channel of the batch's plan, if there is one. */
import type { Channel } from '../../../contract/shared/schemas.ts'
import { assignChannels, type EnabledChannels, type RecipientContact, type SmsBudget } from './channel.ts'

/** Errors that concern the recipient or the payslip: another channel would not help. */
const finalErrorCodes: ReadonlySet<string> = new Set(['left', 'identity', 'withdrawn', 'not_queued', 'superseded', 'late'])

export type FailedRecipient = {
  /** The channel that failed, and the reason. */
  readonly failedChannel: Channel
  readonly code: string | null
  readonly recipient: RecipientContact
  /** Channels through which a message of this version may already have been sent. */
  readonly used: readonly Channel[]
}

/** Returns the next channel for each recipient; null where there is none. `order` contains the channels of the plan. */
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
