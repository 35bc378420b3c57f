/**
 * Who of the platform is whom in the roster
 * (docs/decisions/20261123-use-reviewed-syncs-for-platform-bindings.md). Pure. Two facts link by themselves, one never: a phone in a
 * platform's profile is what somebody wrote there. Who signed in by himself, and whom an administrator has named, is not asked about again.
 */
import type { CombineWhy } from '../../../contract/people/binding.ts'
import { tidy } from '../../../rules/text.ts'

export type PlatformSide = {
  readonly user_id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  /** By name. */
  readonly departments: readonly string[]
  /** An administrator has said that he is nobody's. */
  readonly isIgnored: boolean
}
export type RosterSide = Omit<PlatformSide, 'user_id' | 'isIgnored'> & { readonly member_id: string }
export type CombineStanding = { readonly user_id: string } & (
  | { readonly kind: 'matched'; readonly member_id: string }
  | { readonly kind: 'conflict' | 'suggested'; readonly why: CombineWhy; readonly candidates: readonly string[] }
  | { readonly kind: 'new' | 'ignored' }
)

type Facts = Pick<PlatformSide, 'name' | 'mobile' | 'employee_no'>
const keysOf = {
  name: ({ name }: Facts) => tidy(name).replace(/\s/g, '').toLowerCase(),
  mobile({ mobile }: Facts) {
    const digits = mobile.replace(/[\s-]/g, '').replace(/^(\+|00)?86(?=1\d{10}$)/, '')
    return /^1\d{10}$/.test(digits) ? digits : ''
  },
  number: ({ employee_no }: Facts) => tidy(employee_no).toUpperCase(),
}
type Key = keyof typeof keysOf
const keyNames = ['name', 'mobile', 'number'] as const satisfies readonly Key[]
type Groups<T> = Readonly<Record<Key, Map<string, T[]>>>
/** What is not said is like nothing else that is not said. */
const alike = <T>(groups: Groups<T>, key: Key, one: Facts): readonly T[] => {
  const value = keysOf[key](one)
  return value ? (groups[key].get(value) ?? []) : []
}
/** How many there say the same: of a large company only that is kept of everybody. */
type Said = Readonly<Record<Key, Map<string, number>>>
const isShared = (there: Said, key: Key, one: Facts): boolean => (there[key].get(keysOf[key](one)) ?? 0) > 1

const most_candidates = 5

/**
 * Of people of both sides who are linked to nobody. First everybody here is known and everybody there is heard, then each is told how he stands, some at a
 * time: nobody waits for a company of 50,000. Who is matched is certain after `certain` only.
 */
export function openCombining() {
  const here: Groups<RosterSide> = { name: new Map(), mobile: new Map(), number: new Map() }
  const there: Said = { name: new Map(), mobile: new Map(), number: new Map() }
  return {
    know(roster: readonly RosterSide[]): void {
      for (const one of roster)
        for (const key of keyNames) {
          const value = keysOf[key](one)
          if (!value) continue
          const alike = here[key].get(value)
          if (alike) alike.push(one)
          else here[key].set(value, [one])
        }
    },
    hear(people: readonly Facts[]): void {
      for (const one of people)
        for (const key of keyNames) {
          const value = keysOf[key](one)
          if (value) there[key].set(value, (there[key].get(value) ?? 0) + 1)
        }
    },
    standings: (people: readonly PlatformSide[]): CombineStanding[] => people.map((one) => standingOf(one, there, here)),
  }
}

/** The same of so few that all are at hand. */
export function combined(people: readonly PlatformSide[], roster: readonly RosterSide[]): CombineStanding[] {
  const combining = openCombining()
  combining.know(roster)
  combining.hear(people)
  return certain(combining.standings(people))
}

function standingOf(one: PlatformSide, there: Said, here: Groups<RosterSide>): CombineStanding {
  const { user_id } = one
  if (one.isIgnored) return { user_id, kind: 'ignored' }
  const [byPhone, byNumber] = [alike(here, 'mobile', one), alike(here, 'number', one)]
  const conflict = (why: CombineWhy): CombineStanding => {
    const candidates = [...new Set([...byPhone, ...byNumber].map(({ member_id }) => member_id))]
    return { user_id, kind: 'conflict', why, candidates: candidates.slice(0, most_candidates) }
  }
  const isDouble =
    (byPhone.length > 0 && isShared(there, 'mobile', one)) || (byNumber.length > 0 && isShared(there, 'number', one))
  if (isDouble || byPhone.length > 1 || byNumber.length > 1) return conflict('duplicate')
  const [[phoned], [numbered]] = [byPhone, byNumber]
  if (phoned && numbered && phoned.member_id !== numbered.member_id) return conflict('two')
  const of = phoned ?? numbered
  if (!of) return byName(one, there, here)
  const name = keysOf.name(one)
  if (name && keysOf.name(of) === name) return { user_id, kind: 'matched', member_id: of.member_id }
  return conflict(numbered ? 'number' : 'phone')
}

/** A name alone is nobody's: somebody has to say so. */
function byName(one: PlatformSide, there: Said, here: Groups<RosterSide>): CombineStanding {
  const { user_id } = one
  const named = alike(here, 'name', one)
  if (named.length === 0) return { user_id, kind: 'new' }
  const near = named.filter((other) => other.departments.some((place) => one.departments.includes(place)))
  const isOnly = named.length === 1 && near.length === 1 && !isShared(there, 'name', one)
  const candidates = [...new Set([...near, ...named])].map(({ member_id }) => member_id).slice(0, most_candidates)
  return { user_id, kind: 'suggested', why: isOnly ? 'department' : 'name', candidates }
}

/** One person of ours is one there: where two would be linked to him nobody is. */
export function certain(found: readonly CombineStanding[]): CombineStanding[] {
  const claims = new Map<string, number>()
  for (const one of found) if (one.kind === 'matched') claims.set(one.member_id, (claims.get(one.member_id) ?? 0) + 1)
  return found.map((one) =>
    one.kind === 'matched' && (claims.get(one.member_id) ?? 0) > 1
      ? { user_id: one.user_id, kind: 'conflict', why: 'duplicate', candidates: [one.member_id] }
      : one,
  )
}
