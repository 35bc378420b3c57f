/** What sheet checks cache in memory for the next one: limited in total, whatever it consists of. */
import { afterEach, expect, test } from 'vitest'
import {
  CheckCacheEntry,
  cacheCheck,
  clearCheckCache,
  takeCachedCheck,
} from '../../../server/modules/sheets/check/check-cache.ts'
import { MemberAmounts } from '../../../server/modules/sheets/rules/check/member-amounts.ts'
import { Roster } from '../../../server/modules/sheets/rules/check/member-match.ts'
import type { PreviousPayRun } from '../../../server/modules/sheets/rules/check/previous-run.ts'
import { nothingStored, staff } from '../../support/check.ts'

afterEach(clearCheckCache)
const getOwner = (company_id: string) => ({ company_id, currentUser: { admin_id: 'a' } })
const many = (count: number) => new Roster(staff(Array.from({ length: count }, (_, at) => `职员${at}`)))
const getLast = (people: number): PreviousPayRun => {
  const figures = new MemberAmounts()
  const places = figures.addItems(Array.from({ length: 40 }, (_, at) => `item ${at}`))
  const fen = places.map(() => 1)
  for (let at = 0; at < people; at += 1) figures.add(`p${at}`, places, fen)
  return { title: '', month: '2026-10', people, gross_fen: null, tax_fen: null, net_fen: 0, amounts: figures }
}
const workerOf = (roster: Roster, last: PreviousPayRun | null = null) =>
  new CheckCacheEntry(
    'around',
    { ...nothingStored, columns: [] },
    { roster, lastMonth: null, alreadyPaid: new Set(), getIdCardIndex: String },
    last,
  )

/** Checks this many small sheets one after the other and returns which of them are still cached. */
function checked(count: number, transfer: () => CheckCacheEntry): number[] {
  const ids = Array.from({ length: count }, (_, at) => at)
  for (const at of ids) cacheCheck(getOwner('c'), { id: `${at}` }, transfer())
  return ids.filter((at) => takeCachedCheck(getOwner('c'), { id: `${at}` }, 'around') !== null)
}

test('caches only the newest seven small sheets of a company with 20,000 members, not a hundred rosters', () => {
  const roster = many(20_000)
  expect(checked(100, () => workerOf(roster))).toEqual([93, 94, 95, 96, 97, 98, 99])
})
test('counts a previous month as well', () => {
  const [roster, last] = [many(5), getLast(20_000)]
  expect(checked(30, () => workerOf(roster, last)).length).toBe(10)
})
test('caches all small sheets of a small company', () => {
  const roster = many(50)
  expect(checked(200, () => workerOf(roster)).length).toBe(200)
})
test('does not cache an entry beyond the total limit, and evicts nothing for it', () => {
  cacheCheck(getOwner('c'), { id: 'small' }, workerOf(many(5)))
  cacheCheck(getOwner('c'), { id: 'huge' }, Object.assign(workerOf(many(5)), { bytes: () => 200_000_000 }))
  expect(takeCachedCheck(getOwner('c'), { id: 'huge' }, 'around')).toBe(null)
  expect(takeCachedCheck(getOwner('c'), { id: 'small' }, 'around')).not.toBe(null)
})
