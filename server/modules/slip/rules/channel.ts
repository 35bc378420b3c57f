/** Which way a slip goes to a person: the first of the wanted channels that reaches him, as long as the messages suffice. */
import type { Channel } from '../../../contract/shared/schemas.ts'

export type RecipientContact = {
  readonly isTerminated: boolean
  readonly mobile: string
  readonly email: string
  /** His id on the chat platform the company is bound to; null when he, or the company, is not bound. */
  readonly platform_user_id: string | null
}

/** What the company's settings permit. */
export type EnabledChannels = { readonly weChat: 0 | 1; readonly sms: boolean; readonly email: boolean; readonly link: boolean }

const canReach: Record<Channel, (person: RecipientContact, permitted: EnabledChannels) => boolean> = {
  // Whoever has left is no longer on the company's chat platform.
  platform: (person, permitted) => permitted.weChat === 1 && person.platform_user_id !== null && !person.isTerminated,
  sms: (person, permitted) => permitted.sms && person.mobile !== '',
  email: (person, permitted) => permitted.email && person.email !== '' && person.mobile !== '',
  // No message goes out: whoever can sign in finds the slip.
  link: (person, permitted) => permitted.link && person.mobile !== '',
}

/** The first of `channels` that reaches the person; null when none does. */
export function selectChannel(
  contact: RecipientContact,
  channels: readonly Channel[],
  enabledChannels: EnabledChannels,
): Channel | null {
  return channels.find((channel) => canReach[channel](contact, enabledChannels)) ?? null
}

/** What the company has of messages, and what each one costs of it. */
export type SmsBudget = { readonly remaining: number; readonly segmentsPerMessage: number }

/**
 * A way for each of these people, in their order, until the messages are used up; from then on whoever would get one goes by the way that was
 * chosen after it. `short`: there is none.
 */
export function assignChannels(
  contacts: readonly RecipientContact[],
  channels: readonly Channel[],
  enabledChannels: EnabledChannels,
  { remaining, segmentsPerMessage }: SmsBudget,
): (Channel | 'short' | null)[] {
  const channelsAfterSms = channels.slice(channels.indexOf('sms') + 1)
  let remainingSms = remaining
  return contacts.map((contact) => {
    const channel = selectChannel(contact, channels, enabledChannels)
    if (channel !== 'sms') return channel
    if (remainingSms < segmentsPerMessage) return selectChannel(contact, channelsAfterSms, enabledChannels) ?? 'short'
    remainingSms -= segmentsPerMessage
    return channel
  })
}
