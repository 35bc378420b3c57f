/** Keys that belong to one member: a row of a roster is matched by these together with the name. */
import { toSheetRowNumber } from '../../../contract/sheets/row-number.ts'
import { type CooperativeTask, type YieldTimer } from '../../../rules/cooperative-task.ts'
import { normalizeIdCard } from '../../../rules/id-card.ts'
import { normalizeText } from '../../../rules/text.ts'
import type { RosterRow } from '../../../spreadsheets/rules.ts'

export const memberKeys = ['id_card', 'employee_no', 'mobile'] as const
export type MemberKey = (typeof memberKeys)[number]

export const memberKeyLabels: Record<MemberKey, string> = { id_card: '身份证号', employee_no: '工号', mobile: '手机号' }
type KeyedMember = Pick<RosterRow, MemberKey>
export function getKeyValue(key: MemberKey, member: KeyedMember): string | null {
  const text = member[key]
  if (text === null || text === '') return null
  return key === 'id_card' ? normalizeIdCard(text) : normalizeText(text).toLowerCase()
}

export function hasDifferentIdCard(row: KeyedMember, member: KeyedMember): boolean {
  const [card, own] = [getKeyValue('id_card', row), getKeyValue('id_card', member)]
  return card !== null && own !== null && card !== own
}

const maxListedRows = 5
/**
 * Returns the other members, limited to the listed ones plus one: otherwise each of 20,000 equal rows would list
 * 19,999.
 */
export const selectOthers = <T>(same: readonly T[], one: T): T[] =>
  same
    .slice(0, maxListedRows + 2)
    .filter((other) => other !== one)
    .slice(0, maxListedRows + 1)
/** Formats 第 3、5 行; with several sheets each with its own name: 「张三」第 3 行. */
export function formatRows(rows: readonly Pick<RosterRow, 'row' | 'form' | 'sheet'>[]): string {
  const listed = rows.slice(0, maxListedRows)
  const more = rows.length > maxListedRows ? ' 等' : ''
  const getSheet = ({ form, sheet = form }: (typeof listed)[number]) => sheet
  if (listed.every((one) => getSheet(one) === undefined))
    return `第 ${listed.map(({ row }) => toSheetRowNumber(row)).join('、')}${more} 行`
  return listed.map((one) => `「${getSheet(one) ?? ''}」第 ${toSheetRowNumber(one.row)} 行`).join('、') + more
}

/** Cost of a row or member; some hundreds of them take a few milliseconds. */
export const rowCost = 200

export type GroupedByKey<T> = Readonly<Record<MemberKey, ReadonlyMap<string, T[]>>>
export function* groupByKeys<T extends Pick<RosterRow, MemberKey>>(
  yieldTimer: YieldTimer,
  all: readonly T[],
): CooperativeTask<GroupedByKey<T>> {
  const groups = { id_card: new Map<string, T[]>(), employee_no: new Map<string, T[]>(), mobile: new Map<string, T[]>() }
  for (const one of all) {
    if (yieldTimer.shouldYield(rowCost)) yield
    for (const key of memberKeys) {
      const value = getKeyValue(key, one)
      if (value === null) continue
      const same = groups[key].get(value)
      if (same) same.push(one)
      else groups[key].set(value, [one])
    }
  }
  return groups
}

/** Returns keys that occur in two or more rows. In a file without duplicates no further lookups are needed. */
export function* findDuplicates<T extends Pick<RosterRow, MemberKey>>(
  yieldTimer: YieldTimer,
  all: readonly T[],
): CooperativeTask<GroupedByKey<T>> {
  const duplicates = { id_card: new Map<string, T[]>(), employee_no: new Map<string, T[]>(), mobile: new Map<string, T[]>() }
  for (const key of memberKeys) {
    const firstByValue = new Map<string, T>()
    for (const one of all) {
      if (yieldTimer.shouldYield(rowCost)) yield
      const value = getKeyValue(key, one)
      if (value === null) continue
      const first = firstByValue.get(value)
      if (!first) firstByValue.set(value, one)
      else {
        const same = duplicates[key].get(value)
        if (same) same.push(one)
        else duplicates[key].set(value, [first, one])
      }
    }
  }
  return duplicates
}
