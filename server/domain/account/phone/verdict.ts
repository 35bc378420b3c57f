/** Whether whoever answers a phone is still the person of the account that has it. Pure. */

/** What is known when a code has proven the phone, and nothing but the phone. */
export type Known = {
  /** He has shown the account's password as well. */
  readonly proven: boolean
  /** Names of the account's person in the rosters of today. */
  readonly names: readonly string[]
  /** It opens a company, as an employee or an administrator. */
  readonly holds: boolean
  /** Names of those whom rosters wait for under this phone. */
  readonly waiting: readonly string[]
  /** A roster has said that the person of this phone left, after this one last showed who he is. */
  readonly left: boolean
}

/**
 * `same`: the account's person. `next`: another one, who starts with nothing; nothing is lost by it. `ask`: there are doubts, and an account
 * that opens something: its password, or the word of whoever answers that he is somebody else.
 *
 * Without a doubt the company vouches for the phone by its roster of today: that is what a code may open.
 */
export function holderOf({ proven, names, holds, waiting, left }: Known): 'same' | 'next' | 'ask' {
  if (proven) return 'same'
  const stranger = waiting.some((name) => !names.includes(name))
  if (!left && !stranger) return 'same'
  return holds ? 'ask' : 'next'
}
