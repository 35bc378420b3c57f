/** Plans that are kept in memory: which one is found again, and how many there are. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { atHand, dropAtHand, type PlanAtHand, putAtHand } from '../../server/domain/member/import/at-hand.ts'

const row = { row: 2, name: '张三', mobile: null, employee_no: null, id_card: null, bank_account: null, departments: [] }
const said = { ...row, position: null, entry_on: null, email: null, status: null }
const planOf = (rows: number): PlanAtHand => ({
  read: {
    sheet: '花名册',
    columns: [],
    rows: Array.from({ length: rows }, () => said),
    bad: [],
    entries_lost: 0,
    fingerprint: '',
    remembered: false,
  },
  answered: [],
  plan: { rows: [], departments: [] },
  rows: [],
  company: { people: [], tree: [], own: null },
})
const sealed = (text: string): Buffer => Buffer.from(text)
const ids = ['a', 'b', 'c', 'd']

describe('a plan in memory', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    for (const id of ids) dropAtHand(id)
    vi.useRealTimers()
  })

  it.each([
    ['as it was sealed last', sealed('two'), true],
    ['as it was sealed before, or by another process', sealed('one'), false],
    ['not planned at all', null, false],
  ])('%s', (_, info, isFound) => {
    putAtHand('a', sealed('one'), planOf(1))
    const last = planOf(2)
    putAtHand('a', sealed('two'), last)
    expect(atHand({ id: 'a', info })).toBe(isFound ? last : null)
    expect(atHand({ id: 'b', info })).toBeNull()
  })

  it('is there for ten minutes', () => {
    putAtHand('a', sealed('one'), planOf(1))
    vi.advanceTimersByTime(599_000)
    expect(atHand({ id: 'a', info: sealed('one') })).not.toBeNull()
    vi.advanceTimersByTime(1_000)
    expect(atHand({ id: 'a', info: sealed('one') })).toBeNull()
  })

  it('of sixty thousand rows in all the oldest go, and one that is larger alone is not kept', () => {
    const found = () => ids.filter((id) => atHand({ id, info: sealed(id) }) !== null)
    for (const id of ['a', 'b', 'c']) putAtHand(id, sealed(id), planOf(20_000))
    expect(found()).toEqual(['a', 'b', 'c'])
    putAtHand('a', sealed('a'), planOf(20_000))
    putAtHand('d', sealed('d'), planOf(10))
    expect(found()).toEqual(['a', 'c', 'd'])
    putAtHand('b', sealed('b'), planOf(60_001))
    expect(found()).toEqual([])
  })
})
