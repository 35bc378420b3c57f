/** Which way a slip goes to a person: the first of the wanted channels that reaches him. */
import type { Channel } from '../../../contract/words.ts'

export type Reach = {
  readonly left: boolean
  readonly mobile: string
  /** His id on the chat platform the company is bound to; null when he, or the company, is not bound. */
  readonly platform_user_id: string | null
}

/** What the company's settings permit. */
export type Permitted = { readonly weChat: 0 | 1; readonly sms: boolean; readonly link: boolean }

const reaches: Record<Channel, (person: Reach, permitted: Permitted) => boolean> = {
  platform: (person, permitted) => permitted.weChat === 1 && person.platform_user_id !== null,
  sms: (person, permitted) => permitted.sms && person.mobile !== '',
  // No message goes out: whoever can sign in finds the slip.
  link: (person, permitted) => permitted.link && person.mobile !== '',
}

/** The first of `channels` that reaches the person; null when none does. Nobody who has left is reached. */
export function chooseChannel(person: Reach, channels: readonly Channel[], permitted: Permitted): Channel | null {
  if (person.left) return null
  return channels.find((channel) => reaches[channel](person, permitted)) ?? null
}
