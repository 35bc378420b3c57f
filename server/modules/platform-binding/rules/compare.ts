/** Compares a directory sync with the previous one. Pure. A null field was not provided and does not erase a stored value. */
import type { SyncChangeKind } from '../../../contract/platform-binding/binding.ts'

/** A platform user as stored, with '' for values never provided. */
export type StoredDirectoryUser = {
  readonly user_id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  readonly email: string
  readonly job_title: string
  /** Departments in the order of their ids. */
  readonly departments: readonly string[]
  readonly main_department: string
  /** The departments that the user leads. */
  readonly leads: readonly string[]
  /** Position among colleagues, by department. */
  readonly sort: Readonly<Record<string, number>>
  readonly status: 'active' | 'not_joined' | 'frozen'
}
export type DirectoryUserField = Exclude<keyof StoredDirectoryUser, 'user_id'>

type Nullable<Field extends keyof StoredDirectoryUser> = { readonly [name in Field]: StoredDirectoryUser[name] | null }
/** The value as the platform provides it; null if it does not. */
export type IncomingUser = Pick<StoredDirectoryUser, 'user_id' | 'sort'> &
  Nullable<'name' | 'mobile' | 'employee_no' | 'email' | 'job_title' | 'leads'> & {
    readonly department_ids: readonly string[] | null
    readonly main_department_id: string | null
    readonly status: StoredDirectoryUser['status'] | 'left'
    /** The departments whose member lists contained the user. */
    readonly listed_department_ids: readonly string[]
  }

const toSortedUnique = (ids: readonly string[]): string[] => [...new Set(ids)].sort()
/** Makes text storable: removes zero bytes and limits the length. */
const toStorableText = (text: string, max = 200): string => [...text.replaceAll('\0', '').trim()].slice(0, max).join('')

function mergeUser(previous: StoredDirectoryUser | null, incoming: IncomingUser): StoredDirectoryUser {
  const text = (value: string | null, previousValue: string | undefined): string =>
    value === null ? (previousValue ?? '') : toStorableText(value)
  const departments =
    incoming.department_ids ??
    (incoming.listed_department_ids.length > 0 ? incoming.listed_department_ids : (previous?.departments ?? []))
  return {
    user_id: incoming.user_id,
    name: text(incoming.name, previous?.name),
    mobile: text(incoming.mobile, previous?.mobile),
    employee_no: text(incoming.employee_no, previous?.employee_no),
    email: text(incoming.email, previous?.email),
    job_title: text(incoming.job_title, previous?.job_title),
    departments: toSortedUnique(departments),
    main_department: text(incoming.main_department_id, previous?.main_department),
    leads: incoming.leads === null ? (previous?.leads ?? []) : toSortedUnique(incoming.leads),
    sort: Object.fromEntries(Object.entries(incoming.sort).sort(([a], [b]) => (a < b ? -1 : 1))),
    status: incoming.status === 'left' ? 'active' : incoming.status,
  }
}

const comparedFields: readonly DirectoryUserField[] = [
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
/** The database stores the keys of an object in its own order. */
const toSortedEntries = (sort: StoredDirectoryUser['sort']) => Object.entries(sort).sort(([a], [b]) => (a < b ? -1 : 1))

export type PreviousUser = { readonly content: StoredDirectoryUser; readonly isRemoved: boolean }
export type UserComparison = {
  readonly change: SyncChangeKind | 'same'
  readonly fields: readonly DirectoryUserField[]
  /** The value to store; null where there is nothing to store. */
  readonly next: StoredDirectoryUser | null
}

/** `incoming` is null if the user is no longer on the platform, or no longer visible. */
export function compareUser(stored: PreviousUser | null, incoming: IncomingUser | null): UserComparison {
  if (!incoming || incoming.status === 'left')
    return { change: stored && !stored.isRemoved ? 'left' : 'same', fields: [], next: stored?.content ?? null }
  const next = mergeUser(stored?.content ?? null, incoming)
  if (!stored) return { change: 'new', fields: [], next }
  const changedFields = comparedFields.filter((field) =>
    field === 'sort'
      ? !isSame(toSortedEntries(stored.content.sort), toSortedEntries(next.sort))
      : !isSame(stored.content[field], next[field]),
  )
  if (stored.isRemoved) return { change: 'back', fields: changedFields, next }
  return { change: changedFields.length > 0 ? 'changed' : 'same', fields: changedFields, next }
}
