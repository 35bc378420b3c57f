/** What a row says of its person. */
import { tidy } from '../../../../rules/text.ts'
import type { RowCells } from '../amounts.ts'
import type { Said } from './matching.ts'
import type { CheckColumn } from './problems-amounts.ts'

/** Who a row is for, in its own words. */
export function saidOf(cells: RowCells, columns: readonly CheckColumn[]): Said {
  const text = (role: CheckColumn['role']) => {
    const column = columns.find((one) => one.role === role)
    return column ? tidy(cells[column.key]?.value ?? '') : ''
  }
  const [last, first] = [text('last_name'), text('first_name')]
  const name = text('name')
  const latin = /^[ -ɏ]*$/.test(last + first)
  const names = name
    ? [name]
    : last || first
      ? [latin ? `${last} ${first}`.trim() : last + first, ...(latin ? [`${first} ${last}`.trim()] : [])]
      : []
  const nameless = !columns.some(({ role }) => role === 'name' || role === 'last_name' || role === 'first_name')
  return {
    names,
    ...(nameless && { nameless: true as const }),
    mobile: text('mobile'),
    id_card: text('id_card'),
    employee_no: text('employee_no'),
    department: text('department'),
  }
}
