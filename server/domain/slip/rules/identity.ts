/** Whether somebody is still the one for whom a slip was planned. Pure: it compares digests, and knows no name. */
import type { IdentityField, StopReason } from '../../../contract/words/words.ts'

/** A digest of each thing by which a person is known; '' where he has none. `left` is none for whoever works here; plans of before say nothing of it. */
export type FrozenPerson = Readonly<Record<Exclude<IdentityField, 'left'>, string>> & { readonly left?: string }

export type PersonNow = {
  readonly identity: FrozenPerson
  /** His account has proven the phone that the roster names. */
  readonly own_phone: boolean
  /** Somebody else wrote this phone into the roster, and nobody has confirmed it. */
  readonly unconfirmed: boolean
  /** He has joined, and signs in with another phone than the roster names. */
  readonly other_phone: boolean
}

/**
 * What has changed since the plan, in the order in which it is said. What was empty may be filled in, and whoever has changed his phone
 * himself, with his password, is who he was.
 */
export function changedSince(frozen: FrozenPerson, { identity, own_phone }: PersonNow): IdentityField[] {
  const sameAccount = frozen.account !== '' && frozen.account === identity.account
  const other = (field: IdentityField): boolean => frozen[field] !== '' && frozen[field] !== identity[field]
  return [
    ...(frozen.name === identity.name ? [] : (['name'] as const)),
    ...(other('mobile') && !(sameAccount && own_phone) ? (['mobile'] as const) : []),
    // Whoever left after the plan is sent something only when somebody has looked at that.
    ...(!frozen.left && identity.left ? (['left'] as const) : []),
    ...(['employee_no', 'id_card', 'account', 'platform'] as const).filter(other),
  ]
}

export type Stop = { readonly why: StopReason; readonly changed: readonly IdentityField[] }

/** Why nothing may leave for him; null where nothing speaks against it. `frozen` null: planned before identities were kept, or only now. */
export function stopOf(frozen: FrozenPerson | null, present: PersonNow): Stop | null {
  if (present.unconfirmed) return { why: 'unconfirmed', changed: [] }
  const changed = frozen ? changedSince(frozen, present) : []
  if (changed.includes('name')) return { why: 'other_name', changed }
  if (changed.length > 0) return { why: 'changed', changed }
  return present.other_phone ? { why: 'other_phone', changed: [] } : null
}
