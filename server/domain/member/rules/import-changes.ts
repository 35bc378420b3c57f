/** What a row would change of somebody, field by field. */
import { tidy } from '../../../rules/text.ts'
import type { RosterRow } from '../../../tables/rules.ts'
import { type Key, keys } from './import-keys.ts'

const fields = [...keys, 'bank_account', 'email', 'position', 'entry_on', 'departments'] as const
export const importFields = ['name', ...fields] as const
export type ImportField = (typeof importFields)[number]
export interface ImportChange {
  field: ImportField
  old: string
  new: string
}

type Said = Pick<RosterRow, Key | 'bank_account' | 'email' | 'position' | 'entry_on'> & {
  readonly departments: readonly (readonly string[])[]
}
/** Of departments the same ways, in whatever order. */
const asText = (field: (typeof fields)[number], of: Said): string =>
  field === 'departments'
    ? of.departments
        .map((way) => way.join('/'))
        .toSorted()
        .join('；')
    : (of[field] ?? '')

/** A month stands for its first day: withholding and insurance count by months. */
export const entryDay = (entry_on: string | null): string | null =>
  entry_on?.length === monthLength ? `${entry_on}-01` : entry_on
const monthLength = 7

/** Old → new, field by field. A month says nothing against a day within it. */
export function changesOf(row: Said, person: Said): ImportChange[] {
  return fields.flatMap((field) => {
    const old = asText(field, person)
    const isKnownMonth = field === 'entry_on' && row.entry_on?.length === monthLength && old.startsWith(row.entry_on)
    const now = field === 'entry_on' ? (isKnownMonth ? old : (entryDay(row.entry_on) ?? '')) : asText(field, row)
    const isSame = field === 'departments' ? old === now : tidy(old).toLowerCase() === tidy(now).toLowerCase()
    return now === '' || isSame ? [] : [{ field, old, new: now }]
  })
}
