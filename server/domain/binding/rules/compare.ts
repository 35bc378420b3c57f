/** What a reading of the directory says beside the one before. Pure; a field that is null was not told, and is no reason to forget what is known. */
import type { SyncVerdict } from '../../../contract/people/binding.ts'

/** Somebody of the platform, as kept. '' where nothing was ever told. */
export type SeenColleague = {
  readonly user_id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  readonly email: string
  readonly job_title: string
  /** In order of their ids. */
  readonly departments: readonly string[]
  readonly main_department: string
  /** The departments that he leads. */
  readonly leads: readonly string[]
  /** Place among his colleagues, by department. */
  readonly sort: Readonly<Record<string, number>>
  readonly status: 'active' | 'not_joined' | 'frozen'
}
export type PersonField = Exclude<keyof SeenColleague, 'user_id'>

type Told<Field extends keyof SeenColleague> = { readonly [name in Field]: SeenColleague[name] | null }
/** As the platform said it; null is not told. */
export type ToldPerson = Pick<SeenColleague, 'user_id' | 'sort'> &
  Told<'name' | 'mobile' | 'employee_no' | 'email' | 'job_title' | 'leads'> & {
    readonly department_ids: readonly string[] | null
    readonly main_department_id: string | null
    readonly status: SeenColleague['status'] | 'left'
    /** The departments in whose lists he stood. */
    readonly places: readonly string[]
  }

const sorted = (ids: readonly string[]): string[] => [...new Set(ids)].sort()
/** What a database keeps: no zero bytes, and not more than any name has. */
const kept = (text: string, max = 200): string => [...text.replaceAll('\0', '').trim()].slice(0, max).join('')

function nextOf(before: SeenColleague | null, told: ToldPerson): SeenColleague {
  const text = (said: string | null, was: string | undefined): string => (said === null ? (was ?? '') : kept(said))
  const departments = told.department_ids ?? (told.places.length > 0 ? told.places : (before?.departments ?? []))
  return {
    user_id: told.user_id,
    name: text(told.name, before?.name),
    mobile: text(told.mobile, before?.mobile),
    employee_no: text(told.employee_no, before?.employee_no),
    email: text(told.email, before?.email),
    job_title: text(told.job_title, before?.job_title),
    departments: sorted(departments),
    main_department: text(told.main_department_id, before?.main_department),
    leads: told.leads === null ? (before?.leads ?? []) : sorted(told.leads),
    sort: Object.fromEntries(Object.entries(told.sort).sort(([a], [b]) => (a < b ? -1 : 1))),
    status: told.status === 'left' ? 'active' : told.status,
  }
}

const fields: readonly PersonField[] = [
  'name',
  'mobile',
  'employee_no',
  'email',
  'job_title',
  'departments',
  'main_department',
  'leads',
  'sort',
  'status',
]
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
/** Of a database that keeps the keys of an object in an order of its own. */
const ordered = (sort: SeenColleague['sort']) => Object.entries(sort).sort(([a], [b]) => (a < b ? -1 : 1))

export type PersonBefore = { readonly said: SeenColleague; readonly gone: boolean }
export type ComparedPerson = {
  readonly verdict: SyncVerdict | 'same'
  readonly fields: readonly PersonField[]
  /** As it is kept from now on; null where there is nothing to keep. */
  readonly next: SeenColleague | null
}

/** `told` null: not on the platform any more, or not to be seen. */
export function comparePerson(before: PersonBefore | null, told: ToldPerson | null): ComparedPerson {
  if (!told || told.status === 'left')
    return { verdict: before && !before.gone ? 'left' : 'same', fields: [], next: before?.said ?? null }
  const next = nextOf(before?.said ?? null, told)
  if (!before) return { verdict: 'new', fields: [], next }
  const others = fields.filter((field) =>
    field === 'sort' ? !isSame(ordered(before.said.sort), ordered(next.sort)) : !isSame(before.said[field], next[field]),
  )
  if (before.gone) return { verdict: 'back', fields: others, next }
  return { verdict: others.length > 0 ? 'changed' : 'same', fields: others, next }
}
