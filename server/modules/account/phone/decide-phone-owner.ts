/** Whether whoever answers a phone is still the person of the account that has it. Pure. */

/** What is known when a code has proven the phone, and nothing but the phone. */
export type PhoneOwnerEvidence = {
  /** He has shown the account's password as well. */
  readonly passwordProven: boolean
  /** Names of the account's person in the rosters of today. */
  readonly names: readonly string[]
  /** It opens a company, as an employee or an administrator. */
  readonly hasAccess: boolean
  /** It opens what he may still read of a company that he has left. */
  readonly hasTerminatedAccess: boolean
  /** Names of those whom rosters wait for under this phone. */
  readonly pendingNames: readonly string[]
  /** A roster has said that the person of this phone left, after this one last showed who he is. */
  readonly terminatedSince: boolean
  /** Nobody has come in for so long that the number may have been given out again, and this browser is not one of his. */
  readonly dormant: boolean
  /** Made a moment ago by a proof of this phone that has not been finished: nobody has ever come in with it, it has no password and opens nothing. */
  readonly isUnused: boolean
}

/**
 * `same`: the account's person. `next`: another one, who starts with nothing; nothing is lost by it. `ask`: there are doubts, and an account
 * that opens something: its password, or the word of whoever answers that he is somebody else. `dormant`: nothing speaks against him but
 * that nobody was here for long: whatever the next holder of a number would not know does.
 *
 * An account that nobody has come in with is nobody's before: whoever presses twice would otherwise be the next holder of the phone after himself.
 * Without a doubt the company vouches for the phone by its roster of today: that is what a code may open.
 */
export function decidePhoneOwner(evidence: PhoneOwnerEvidence): 'same' | 'next' | 'ask' | 'silent' {
  const { passwordProven, names, hasAccess, hasTerminatedAccess, pendingNames, terminatedSince, dormant, isUnused } = evidence
  if (passwordProven || isUnused) return 'same'
  const expectsOther = pendingNames.some((name) => !names.includes(name))
  if (terminatedSince || expectsOther) {
    if (hasAccess) return 'ask'
    // Nobody else is said to have the phone: the slips of a person who has left stay his, if he knows what he would know.
    return hasTerminatedAccess && !expectsOther && pendingNames.length === 0 ? 'silent' : 'next'
  }
  // A roster that waits for him by his name vouches for the phone today.
  return dormant && hasAccess && pendingNames.length === 0 ? 'silent' : 'same'
}
