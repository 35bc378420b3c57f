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

/** Old → new, field by field. */
export function changesOf(row: Said, person: Said): ImportChange[] {
  return fields.flatMap((field) => {
    const [old, now] = [asText(field, person), asText(field, row)]
    const isSame = field === 'departments' ? old === now : tidy(old).toLowerCase() === tidy(now).toLowerCase()
    return now === '' || isSame ? [] : [{ field, old, new: now }]
  })
}
