/** Decides whether the current user of a phone is still the owner of its account. Pure. */

/** The evidence available when a code has proven only the phone. */
export type PhoneOwnerEvidence = {
  /** The account's password has been verified as well. */
  readonly passwordProven: boolean
  /** The names of the account's owner in the current rosters. */
  readonly names: readonly string[]
  /** The account has access to a company, as an employee or an administrator. */
  readonly hasAccess: boolean
  /** The account may still read payslips of a company its owner has left. */
  readonly hasTerminatedAccess: boolean
  /** Names of roster members who have this phone and are not linked yet. */
  readonly pendingNames: readonly string[]
  /** A roster has terminated the member with this phone since the account's owner last proved their identity. */
  readonly terminatedSince: boolean
  /**
   * Nobody has signed in for so long that the number may have been reassigned, and this browser is not one of the
   * owner's.
   */
  readonly dormant: boolean
  /**
   * The account was created a moment ago by an unfinished proof of this phone: it has no sign-in, password or access.
   */
  readonly isUnused: boolean
  /** The account has a password, set by the link of an operator who named this phone, and no code proved the phone before. */
  readonly isNamedOnly: boolean
}

/**
 * `same`: the account's owner. `next`: another owner, who starts with a new account without losing anything. `ask`:
 * there are doubts about an account that has access, so the password is required, or a statement that the phone has a
 * new owner. `silent`: the only doubt is a long absence, which anything that the next owner of a number would not know
 * resolves.
 *
 * An account that has never signed in belongs to nobody yet: otherwise a user who submits twice would become the next
 * owner after themselves. Without doubts, the company vouches for the phone by its current roster: that is what a code
 * gives access to.
 */
export function decidePhoneOwner(evidence: PhoneOwnerEvidence): 'same' | 'next' | 'ask' | 'silent' {
  const { passwordProven, names, hasAccess, hasTerminatedAccess, pendingNames, terminatedSince, dormant, isUnused } = evidence
  if (passwordProven || isUnused) return 'same'
  if (evidence.isNamedOnly) return 'ask'
  const expectsOther = pendingNames.some((name) => !names.includes(name))
  if (terminatedSince || expectsOther) {
    if (hasAccess) return 'ask'
    // No other owner of the phone is known: payslips of a terminated employee stay theirs if they provide knowledge
    // that only they have.
    return hasTerminatedAccess && !expectsOther && pendingNames.length === 0 ? 'silent' : 'next'
  }
  // A roster with a pending member of the same name vouches for the phone now.
  return dormant && hasAccess && pendingNames.length === 0 ? 'silent' : 'same'
}
