/** What a reading of the directory says beside the one before. Pure; a field that is null was not told, and is no reason to forget what is known. */
import type { SyncChangeKind } from '../../../contract/platform-binding/binding.ts'

/** Somebody of the platform, as kept. '' where nothing was ever told. */
export type StoredDirectoryUser = {
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
export type DirectoryUserField = Exclude<keyof StoredDirectoryUser, 'user_id'>

type Nullable<Field extends keyof StoredDirectoryUser> = { readonly [name in Field]: StoredDirectoryUser[name] | null }
/** As the platform said it; null is not told. */
export type IncomingUser = Pick<StoredDirectoryUser, 'user_id' | 'sort'> &
  Nullable<'name' | 'mobile' | 'employee_no' | 'email' | 'job_title' | 'leads'> & {
    readonly department_ids: readonly string[] | null
    readonly main_department_id: string | null
    readonly status: StoredDirectoryUser['status'] | 'left'
    /** The departments in whose lists he stood. */
    readonly listed_department_ids: readonly string[]
  }

const toSortedUnique = (ids: readonly string[]): string[] => [...new Set(ids)].sort()
/** What a database keeps: no zero bytes, and not more than any name has. */
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
/** Of a database that keeps the keys of an object in an order of its own. */
const toSortedEntries = (sort: StoredDirectoryUser['sort']) => Object.entries(sort).sort(([a], [b]) => (a < b ? -1 : 1))

export type PreviousUser = { readonly content: StoredDirectoryUser; readonly isRemoved: boolean }
export type UserComparison = {
  readonly change: SyncChangeKind | 'same'
  readonly fields: readonly DirectoryUserField[]
  /** As it is kept from now on; null where there is nothing to keep. */
  readonly next: StoredDirectoryUser | null
}

/** `incoming` null: not on the platform any more, or not to be seen. */
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
