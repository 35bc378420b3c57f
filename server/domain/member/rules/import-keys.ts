/** What is somebody's own: by these a row of a roster finds him, together with his name. */
import { rowShown } from '../../../contract/sheet/row-number.ts'
import { normalIdCard } from '../../../rules/id-card.ts'
import { tidy } from '../../../rules/text.ts'
import { type InTurns, type Turn } from '../../../rules/turns.ts'
import type { RosterRow } from '../../../tables/rules.ts'

export const keys = ['id_card', 'employee_no', 'mobile'] as const
export type Key = (typeof keys)[number]

export const keyWords: Record<Key, string> = { id_card: '身份证号', employee_no: '工号', mobile: '手机号' }
type Keyed = Pick<RosterRow, Key>
export function keyOf(key: Key, of: Keyed): string | null {
  const text = of[key]
  if (text === null || text === '') return null
  return key === 'id_card' ? normalIdCard(text) : tidy(text).toLowerCase()
}

export function isOtherCard(row: Keyed, person: Keyed): boolean {
  const [card, own] = [keyOf('id_card', row), keyOf('id_card', person)]
  return card !== null && own !== null && card !== own
}

const rows_told = 5
/** The others, as many as are told and one: of 20,000 alike each would carry 19,999. */
export const beside = <T>(same: readonly T[], one: T): T[] =>
  same
    .slice(0, rows_told + 2)
    .filter((other) => other !== one)
    .slice(0, rows_told + 1)
/** 第 3、5 行; of several sheets each with its own: 「张三」第 3 行. */
export function told(rows: readonly Pick<RosterRow, 'row' | 'form' | 'sheet'>[]): string {
  const some = rows.slice(0, rows_told)
  const more = rows.length > rows_told ? ' 等' : ''
  const sheetOf = ({ form, sheet = form }: (typeof some)[number]) => sheet
  if (some.every((one) => sheetOf(one) === undefined)) return `第 ${some.map(({ row }) => rowShown(row)).join('、')}${more} 行`
  return some.map((one) => `「${sheetOf(one) ?? ''}」第 ${rowShown(one.row)} 行`).join('、') + more
}

/** A row or a person: some hundred of them are a few milliseconds. */
export const steps_a_row = 200

export type ByKeys<T> = Readonly<Record<Key, ReadonlyMap<string, T[]>>>
/** Each by every key it has. */
export function* byKeys<T extends Pick<RosterRow, Key>>(turn: Turn, all: readonly T[]): InTurns<ByKeys<T>> {
  const groups = { id_card: new Map<string, T[]>(), employee_no: new Map<string, T[]>(), mobile: new Map<string, T[]>() }
  for (const one of all) {
    if (turn.isOver(steps_a_row)) yield
    for (const key of keys) {
      const value = keyOf(key, one)
      if (value === null) continue
      const same = groups[key].get(value)
      if (same) same.push(one)
      else groups[key].set(value, [one])
    }
  }
  return groups
}

/** What stands in two rows or more, by key. Of a file in which nothing does nobody is asked again. */
export function* twice<T extends Pick<RosterRow, Key>>(turn: Turn, all: readonly T[]): InTurns<ByKeys<T>> {
  const again = { id_card: new Map<string, T[]>(), employee_no: new Map<string, T[]>(), mobile: new Map<string, T[]>() }
  for (const key of keys) {
    const seen = new Map<string, T>()
    for (const one of all) {
      if (turn.isOver(steps_a_row)) yield
      const value = keyOf(key, one)
      if (value === null) continue
      const first = seen.get(value)
      if (!first) seen.set(value, one)
      else {
        const same = again[key].get(value)
        if (same) same.push(one)
        else again[key].set(value, [first, one])
      }
    }
  }
  return again
}
