/** Selects the channel of a payslip: the first requested one that reaches the recipient, while prepaid messages suffice. */
import type { Channel } from '../../../contract/shared/schemas.ts'

export type RecipientContact = {
  readonly isTerminated: boolean
  readonly mobile: string
  readonly email: string
  /** The user id on the company's chat platform; null if the recipient or the company is not bound. */
  readonly platform_user_id: string | null
}

/** The channels enabled in the company's settings. */
export type EnabledChannels = { readonly weChat: 0 | 1; readonly sms: boolean; readonly email: boolean; readonly link: boolean }

const canReach: Record<Channel, (person: RecipientContact, permitted: EnabledChannels) => boolean> = {
  // A terminated member is no longer on the company's chat platform.
  platform: (person, permitted) => permitted.weChat === 1 && person.platform_user_id !== null && !person.isTerminated,
  sms: (person, permitted) => permitted.sms && person.mobile !== '',
  email: (person, permitted) => permitted.email && person.email !== '' && person.mobile !== '',
  // No message is sent: an employee who can sign in finds the payslip.
  link: (person, permitted) => permitted.link && person.mobile !== '',
}

/** Returns the first of `channels` that reaches the recipient; null if none does. */
export function selectChannel(
  contact: RecipientContact,
  channels: readonly Channel[],
  enabledChannels: EnabledChannels,
): Channel | null {
  return channels.find((channel) => canReach[channel](contact, enabledChannels)) ?? null
}

export type SmsBudget = { readonly remaining: number; readonly segmentsPerMessage: number }

/**
 * Assigns a channel to each recipient in order until the messages are used up; from then on, recipients of SMS get the
 * next channel. `short` lists recipients without one.
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
