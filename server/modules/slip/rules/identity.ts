/** Whether somebody is still the one for whom a slip was planned. Pure: it compares digests, and knows no name. */
import type { BlockReason, IdentityField } from '../../../contract/shared/schemas.ts'

/** A digest of each thing by which a person is known; '' where he has none. `left` is none for whoever works here; plans of before say nothing of it. */
export type IdentityDigests = Readonly<Record<Exclude<IdentityField, 'left'>, string>> & { readonly left?: string }

export type CurrentIdentity = {
  readonly identity: IdentityDigests
  /** His account has proven the phone that the roster names. */
  readonly hasProvenPhone: boolean
  /** Somebody else wrote this phone into the roster, and nobody has confirmed it. */
  readonly isPhoneUnconfirmed: boolean
  /** He has joined, and signs in with another phone than the roster names. */
  readonly hasOtherPhone: boolean
}

/**
 * What has changed since the plan, in the order in which it is said. What was empty may be filled in, and whoever has changed his phone
 * himself, with his password, is who he was.
 */
export function findChangedFields(frozen: IdentityDigests, { identity, hasProvenPhone }: CurrentIdentity): IdentityField[] {
  const sameAccount = frozen.account !== '' && frozen.account === identity.account
  const hasChanged = (field: IdentityField): boolean => frozen[field] !== '' && frozen[field] !== identity[field]
  return [
    ...(frozen.name === identity.name ? [] : (['name'] as const)),
    ...(hasChanged('mobile') && !(sameAccount && hasProvenPhone) ? (['mobile'] as const) : []),
    // Whoever left after the plan is sent something only when somebody has looked at that.
    ...(!frozen.left && identity.left ? (['left'] as const) : []),
    ...(['employee_no', 'id_card', 'account', 'platform'] as const).filter(hasChanged),
  ]
}

export type SendBlock = { readonly reason: BlockReason; readonly changedFields: readonly IdentityField[] }

/** Why nothing may leave for him; null where nothing speaks against it. `frozen` null: planned before identities were kept, or only now. */
export function getSendBlock(frozen: IdentityDigests | null, current: CurrentIdentity): SendBlock | null {
  if (current.isPhoneUnconfirmed) return { reason: 'unconfirmed', changedFields: [] }
  const changedFields = frozen ? findChangedFields(frozen, current) : []
  if (changedFields.includes('name')) return { reason: 'other_name', changedFields: changedFields }
  if (changedFields.length > 0) return { reason: 'changed', changedFields: changedFields }
  return current.hasOtherPhone ? { reason: 'other_phone', changedFields: [] } : null
}
