/** The changes a row would make to a member, field by field. */
import { normalizeText } from '../../../rules/text.ts'
import type { RosterRow } from '../../../spreadsheets/rules.ts'
import { type MemberKey, memberKeys } from './import-keys.ts'

const comparedFields = [...memberKeys, 'bank_account', 'email', 'position', 'entry_on', 'departments'] as const
export const importFields = ['name', ...comparedFields] as const
export type ImportField = (typeof importFields)[number]
export interface ImportChange {
  field: ImportField
  old: string
  new: string
}

type ComparedMember = Pick<RosterRow, MemberKey | 'bank_account' | 'email' | 'position' | 'entry_on'> & {
  readonly departments: readonly (readonly string[])[]
}
/** Departments are compared as paths, regardless of order. */
const toText = (field: (typeof comparedFields)[number], of: ComparedMember): string =>
  field === 'departments'
    ? of.departments
        .map((path) => path.join('/'))
        .toSorted()
        .join('；')
    : (of[field] ?? '')

/** A month represents its first day, because withholding and social insurance count by months. */
export const toEntryDay = (entry_on: string | null): string | null =>
  entry_on?.length === monthLength ? `${entry_on}-01` : entry_on
const monthLength = 7

/** Returns old → new, field by field. A month does not contradict a day within it. */
export function findFieldChanges(row: ComparedMember, member: ComparedMember): ImportChange[] {
  return comparedFields.flatMap((field) => {
    const old = toText(field, member)
    const isExistingMonth = field === 'entry_on' && row.entry_on?.length === monthLength && old.startsWith(row.entry_on)
    const now = field === 'entry_on' ? (isExistingMonth ? old : (toEntryDay(row.entry_on) ?? '')) : toText(field, row)
    const isSame = field === 'departments' ? old === now : normalizeText(old).toLowerCase() === normalizeText(now).toLowerCase()
    return now === '' || isSame ? [] : [{ field, old, new: now }]
  })
}
