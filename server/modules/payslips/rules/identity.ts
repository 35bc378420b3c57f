/**
 * Whether a member is still the person for whom a payslip was planned. This file is pure: it compares digests and knows
 * no names.
 */
import type { BlockReason, IdentityField } from '../../../contract/shared/schemas.ts'

/** A digest of each attribute that identifies a member; '' where it is missing. `left` is empty for active members. */
export type IdentityDigests = Readonly<Record<IdentityField, string>>

export type CurrentIdentity = {
  readonly identity: IdentityDigests
  /** The member's account has proven the phone in the roster. */
  readonly hasProvenPhone: boolean
  /** An administrator entered this phone in the roster, and it is not confirmed. */
  readonly isPhoneUnconfirmed: boolean
  /** The member has joined, but signs in with a phone other than the one in the roster. */
  readonly hasOtherPhone: boolean
}

/**
 * Returns the fields changed since the plan, in display order. An empty field may be filled in, and a member who
 * changed their own phone with their password is the same person.
 */
export function findChangedFields(frozen: IdentityDigests, { identity, hasProvenPhone }: CurrentIdentity): IdentityField[] {
  const sameAccount = frozen.account !== '' && frozen.account === identity.account
  const hasChanged = (field: IdentityField): boolean => frozen[field] !== '' && frozen[field] !== identity[field]
  return [
    ...(frozen.name === identity.name ? [] : (['name'] as const)),
    ...(hasChanged('mobile') && !(sameAccount && hasProvenPhone) ? (['mobile'] as const) : []),
    // A member terminated after the plan is sent something only after an administrator has checked that.
    ...(!frozen.left && identity.left ? (['left'] as const) : []),
    ...(['employee_no', 'id_card', 'account', 'platform'] as const).filter(hasChanged),
  ]
}

export type SendBlock = { readonly reason: BlockReason; readonly changedFields: readonly IdentityField[] }

/**
 * Returns why nothing may be sent to the member; null where nothing prevents it. `frozen` is null if no plan has frozen
 * the member yet.
 */
export function getSendBlock(frozen: IdentityDigests | null, current: CurrentIdentity): SendBlock | null {
  if (current.isPhoneUnconfirmed) return { reason: 'unconfirmed', changedFields: [] }
  const changedFields = frozen ? findChangedFields(frozen, current) : []
  if (changedFields.includes('name')) return { reason: 'other_name', changedFields }
  if (changedFields.length > 0) return { reason: 'changed', changedFields }
  return current.hasOtherPhone ? { reason: 'other_phone', changedFields: [] } : null
}
