/**
 * Who of the platform is whom in the roster
 * (docs/decisions/20261123-use-reviewed-syncs-for-platform-bindings.md). Pure. Two facts link by themselves, one never: a phone in a
 * platform's profile is what somebody wrote there. Who signed in by himself, and whom an administrator has named, is not asked about again.
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
  /** An administrator has said that he is nobody's. */
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
/** What is not said is like nothing else that is not said. */
const findByKey = <T>(groups: MembersByKey<T>, key: MatchKey, fields: MatchFields): readonly T[] => {
  const value = matchKeys[key](fields)
  return value ? (groups[key].get(value) ?? []) : []
}
/** How many there say the same: of a large company only that is kept of everybody. */
type KeyCounts = Readonly<Record<MatchKey, Map<string, number>>>
const isKeyShared = (counts: KeyCounts, key: MatchKey, fields: MatchFields): boolean =>
  (counts[key].get(matchKeys[key](fields)) ?? 0) > 1

const maxCandidates = 5

/**
 * Of people of both sides who are linked to nobody. First everybody here is known and everybody there is heard, then each is told how he stands, some at a
 * time: nobody waits for a company of 50,000. Who is matched is certain after `resolveDuplicateMatches` only.
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

/** The same of so few that all are at hand. */
export function matchUsers(people: readonly PlatformUser[], roster: readonly RosterMember[]): MatchStatus[] {
  const matcher = createMatcher()
  matcher.know(roster)
  matcher.hear(people)
  return resolveDuplicateMatches(matcher.standings(people))
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

/** A name alone is nobody's: somebody has to say so. */
function matchByName(user: PlatformUser, keyCounts: KeyCounts, membersByKey: MembersByKey<RosterMember>): MatchStatus {
  const { user_id } = user
  const sameName = findByKey(membersByKey, 'name', user)
  if (sameName.length === 0) return { user_id, kind: 'new' }
  const sameDepartment = sameName.filter((other) => other.departments.some((department) => user.departments.includes(department)))
  const isOnly = sameName.length === 1 && sameDepartment.length === 1 && !isKeyShared(keyCounts, 'name', user)
  const candidates = [...new Set([...sameDepartment, ...sameName])].map(({ member_id }) => member_id).slice(0, maxCandidates)
  return { user_id, kind: 'suggested', why: isOnly ? 'department' : 'name', candidates }
}

/** One person of ours is one there: where two would be linked to him nobody is. */
export function resolveDuplicateMatches(statuses: readonly MatchStatus[]): MatchStatus[] {
  const claims = new Map<string, number>()
  for (const one of statuses) if (one.kind === 'matched') claims.set(one.member_id, (claims.get(one.member_id) ?? 0) + 1)
  return statuses.map((one) =>
    one.kind === 'matched' && (claims.get(one.member_id) ?? 0) > 1
      ? { user_id: one.user_id, kind: 'conflict', why: 'duplicate', candidates: [one.member_id] }
      : one,
  )
}
