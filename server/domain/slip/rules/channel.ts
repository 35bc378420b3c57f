/** Which way a slip goes to a person: the first of the wanted channels that reaches him, as long as the messages suffice. */
import type { Channel } from '../../../contract/words/words.ts'

export type Reach = {
  readonly left: boolean
  readonly mobile: string
  readonly email: string
  /** His id on the chat platform the company is bound to; null when he, or the company, is not bound. */
  readonly platform_user_id: string | null
}

/** What the company's settings permit. */
export type Permitted = { readonly weChat: 0 | 1; readonly sms: boolean; readonly email: boolean; readonly link: boolean }

const reaches: Record<Channel, (person: Reach, permitted: Permitted) => boolean> = {
  // Whoever has left is no longer on the company's chat platform.
  platform: (person, permitted) => permitted.weChat === 1 && person.platform_user_id !== null && !person.left,
  sms: (person, permitted) => permitted.sms && person.mobile !== '',
  email: (person, permitted) => permitted.email && person.email !== '' && person.mobile !== '',
  // No message goes out: whoever can sign in finds the slip.
  link: (person, permitted) => permitted.link && person.mobile !== '',
}

/** The first of `channels` that reaches the person; null when none does. */
export function chooseChannel(person: Reach, channels: readonly Channel[], permitted: Permitted): Channel | null {
  return channels.find((channel) => reaches[channel](person, permitted)) ?? null
}

/** What the company has of messages, and what each one costs of it. */
export type Purse = { readonly left: number; readonly each: number }

/**
 * A way for each of these people, in their order, until the messages are used up; from then on whoever would get one goes by the way that was
 * chosen after it. `short`: there is none.
 */
export function shareOut(
  people: readonly Reach[],
  channels: readonly Channel[],
  permitted: Permitted,
  { left, each }: Purse,
): (Channel | 'short' | null)[] {
  const after = channels.slice(channels.indexOf('sms') + 1)
  let rest = left
  return people.map((person) => {
    const channel = chooseChannel(person, channels, permitted)
    if (channel !== 'sms') return channel
    if (rest < each) return chooseChannel(person, after, permitted) ?? 'short'
    rest -= each
    return channel
  })
}
