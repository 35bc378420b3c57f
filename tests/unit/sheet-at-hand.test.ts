/** What checks of sheets keep in memory for the next one: so much in all, whatever it is made of. */
import { afterEach, expect, test } from 'vitest'
import { AtHand, clearShelf, putAtHand, takeAtHand } from '../../server/domain/sheet/check/at-hand.ts'
import type { LastRun } from '../../server/domain/sheet/check/last-run.ts'
import { Figures } from '../../server/domain/sheet/rules/check/history.ts'
import { Roster } from '../../server/domain/sheet/rules/check/matching.ts'
import { nothingKnown, staff } from '../kit/check.ts'

afterEach(clearShelf)
const whose = (company_id: string) => ({ company_id, me: { admin_id: 'a' } })
const many = (count: number) => new Roster(staff(Array.from({ length: count }, (_, at) => `职员${at}`)))
const lastOf = (people: number): LastRun => {
  const figures = new Figures()
  const places = figures.open(Array.from({ length: 40 }, (_, at) => `item ${at}`))
  const fen = places.map(() => 1)
  for (let at = 0; at < people; at += 1) figures.add(`p${at}`, places, fen)
  return { title: '', month: '2026-10', people, gross_fen: null, tax_fen: null, net_fen: 0, figures }
}
const handOf = (roster: Roster, last: LastRun | null = null) =>
  new AtHand('around', { ...nothingKnown, columns: [] }, { roster, last: null, already: new Set(), idCardIndex: String }, last)

/** So many small sheets are checked one after the other; answers which of them are still at hand. */
function checked(count: number, hand: () => AtHand): number[] {
  const ids = Array.from({ length: count }, (_, at) => at)
  for (const at of ids) putAtHand(whose('c'), { id: `${at}` }, hand())
  return ids.filter((at) => takeAtHand(whose('c'), { id: `${at}` }, 'around') !== null)
}

test('sheets of a few lines in a company of 20,000 people: the newest seven are kept, not a hundred rosters', () => {
  const roster = many(20_000)
  expect(checked(100, () => handOf(roster))).toEqual([93, 94, 95, 96, 97, 98, 99])
})
test('a month before counts as well', () => {
  const [roster, last] = [many(5), lastOf(20_000)]
  expect(checked(30, () => handOf(roster, last)).length).toBe(10)
})
test('small sheets of a small company are all kept', () => {
  const roster = many(50)
  expect(checked(200, () => handOf(roster)).length).toBe(200)
})
test('what alone is more than all that is kept is not kept, and takes nobody else’s place', () => {
  putAtHand(whose('c'), { id: 'small' }, handOf(many(5)))
  putAtHand(whose('c'), { id: 'huge' }, Object.assign(handOf(many(5)), { bytes: () => 200_000_000 }))
  expect(takeAtHand(whose('c'), { id: 'huge' }, 'around')).toBe(null)
  expect(takeAtHand(whose('c'), { id: 'small' }, 'around')).not.toBe(null)
})
