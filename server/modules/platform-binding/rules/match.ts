/**
 * Matches platform users with roster members (docs/decisions/20261123-use-reviewed-syncs-for-platform-bindings.md).
 * Pure. Two matching attributes create a link automatically, a single one never does, because a phone in a platform
 * profile may have been entered by anybody. Users who have signed in themselves, and links decided by an administrator,
 * are not asked about again.
 */
import type { CombineReason } from '../../../contract/platform-binding/binding.ts'
import { normalizeText } from '../../../rules/text.ts'

export type PlatformUser = {
  readonly user_id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  /** By name. */
  readonly departments: readonly string[]
  /** An administrator has decided that the user is no member. */
  readonly isIgnored: boolean
}
export type RosterMember = Omit<PlatformUser, 'user_id' | 'isIgnored'> & { readonly member_id: string }
export type MatchStatus = { readonly user_id: string } & (
  | { readonly kind: 'matched'; readonly member_id: string }
  | { readonly kind: 'conflict' | 'suggested'; readonly why: CombineReason; readonly candidates: readonly string[] }
  | { readonly kind: 'new' | 'ignored' }
)

type MatchFields = Pick<PlatformUser, 'name' | 'mobile' | 'employee_no'>
const matchKeys = {
  name: ({ name }: MatchFields) => normalizeText(name).replace(/\s/g, '').toLowerCase(),
  mobile({ mobile }: MatchFields) {
    const digits = mobile.replace(/[\s-]/g, '').replace(/^(\+|00)?86(?=1\d{10}$)/, '')
    return /^1\d{10}$/.test(digits) ? digits : ''
  },
  number: ({ employee_no }: MatchFields) => normalizeText(employee_no).toUpperCase(),
}
type MatchKey = keyof typeof matchKeys
const matchKeyNames = ['name', 'mobile', 'number'] as const satisfies readonly MatchKey[]
type MembersByKey<T> = Readonly<Record<MatchKey, Map<string, T[]>>>
/** Missing values never match each other. */
const findByKey = <T>(groups: MembersByKey<T>, key: MatchKey, fields: MatchFields): readonly T[] => {
  const value = matchKeys[key](fields)
  return value ? (groups[key].get(value) ?? []) : []
}
/** How many platform users share a value: for a large company only these counts are kept in memory. */
type KeyCounts = Readonly<Record<MatchKey, Map<string, number>>>
const isKeyShared = (counts: KeyCounts, key: MatchKey, fields: MatchFields): boolean =>
  (counts[key].get(matchKeys[key](fields)) ?? 0) > 1

const maxCandidates = 5

/**
 * Matches unlinked users with unlinked members. All members and users are registered first, then the matches are
 * computed page by page, so that a company of 50,000 delays nobody. Matches are final only after
 * `resolveDuplicateMatches`.
 */
export function createMatcher() {
  const membersByKey: MembersByKey<RosterMember> = { name: new Map(), mobile: new Map(), number: new Map() }
  const keyCounts: KeyCounts = { name: new Map(), mobile: new Map(), number: new Map() }
  return {
    know(roster: readonly RosterMember[]): void {
      for (const one of roster)
        for (const key of matchKeyNames) {
          const value = matchKeys[key](one)
          if (!value) continue
          const alike = membersByKey[key].get(value)
          if (alike) alike.push(one)
          else membersByKey[key].set(value, [one])
        }
    },
    hear(people: readonly MatchFields[]): void {
      for (const one of people)
        for (const key of matchKeyNames) {
          const value = matchKeys[key](one)
          if (value) keyCounts[key].set(value, (keyCounts[key].get(value) ?? 0) + 1)
        }
    },
    standings: (people: readonly PlatformUser[]): MatchStatus[] =>
      people.map((one) => getMatchStatus(one, keyCounts, membersByKey)),
  }
}

function getMatchStatus(user: PlatformUser, keyCounts: KeyCounts, membersByKey: MembersByKey<RosterMember>): MatchStatus {
  const { user_id } = user
  if (user.isIgnored) return { user_id, kind: 'ignored' }
  const [byPhone, byNumber] = [findByKey(membersByKey, 'mobile', user), findByKey(membersByKey, 'number', user)]
  const createConflict = (reason: CombineReason): MatchStatus => {
    const candidates = [...new Set([...byPhone, ...byNumber].map(({ member_id }) => member_id))]
    return { user_id, kind: 'conflict', why: reason, candidates: candidates.slice(0, maxCandidates) }
  }
  const isDuplicate =
    (byPhone.length > 0 && isKeyShared(keyCounts, 'mobile', user)) ||
    (byNumber.length > 0 && isKeyShared(keyCounts, 'number', user))
  if (isDuplicate || byPhone.length > 1 || byNumber.length > 1) return createConflict('duplicate')
  const [[phoned], [numbered]] = [byPhone, byNumber]
  if (phoned && numbered && phoned.member_id !== numbered.member_id) return createConflict('two')
  const match = phoned ?? numbered
  if (!match) return matchByName(user, keyCounts, membersByKey)
  const name = matchKeys.name(user)
  if (name && matchKeys.name(match) === name) return { user_id, kind: 'matched', member_id: match.member_id }
  return createConflict(numbered ? 'number' : 'phone')
}

/** A name alone identifies nobody: an administrator has to decide. */
function matchByName(user: PlatformUser, keyCounts: KeyCounts, membersByKey: MembersByKey<RosterMember>): MatchStatus {
  const { user_id } = user
  const sameName = findByKey(membersByKey, 'name', user)
  if (sameName.length === 0) return { user_id, kind: 'new' }
  const sameDepartment = sameName.filter((other) => other.departments.some((department) => user.departments.includes(department)))
  const isOnly = sameName.length === 1 && sameDepartment.length === 1 && !isKeyShared(keyCounts, 'name', user)
  const candidates = [...new Set([...sameDepartment, ...sameName])].map(({ member_id }) => member_id).slice(0, maxCandidates)
  return { user_id, kind: 'suggested', why: isOnly ? 'department' : 'name', candidates }
}

/** A member can be linked to only one platform user: where two would be linked to the same member, neither is. */
export function resolveDuplicateMatches(statuses: readonly MatchStatus[]): MatchStatus[] {
  const claims = new Map<string, number>()
  for (const one of statuses) if (one.kind === 'matched') claims.set(one.member_id, (claims.get(one.member_id) ?? 0) + 1)
  return statuses.map((one) =>
    one.kind === 'matched' && (claims.get(one.member_id) ?? 0) > 1
      ? { user_id: one.user_id, kind: 'conflict', why: 'duplicate', candidates: [one.member_id] }
      : one,
  )
}
