/** Plans cached in memory: which one is found again, and how many are stored. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type CachedPlan,
  cachePlan,
  getCachedPlan,
  removeCachedPlan,
} from '../../../server/modules/directory/import/plan-cache.ts'

const row = { row: 2, name: '张三', mobile: null, employee_no: null, id_card: null, bank_account: null, departments: [] }
const message = { ...row, position: null, entry_on: null, email: null, status: null }
const getPlan = (rows: number): CachedPlan => ({
  read: {
    sheet: '花名册',
    columns: [],
    rows: Array.from({ length: rows }, () => message),
    bad: [],
    entries_lost: 0,
    fingerprint: '',
    remembered: false,
  },
  answers: [],
  plan: { rows: [], departments: [] },
  rows: [],
  company: { members: [], tree: [], managedDepartmentIds: null },
})
const sealed = (text: string): Buffer => Buffer.from(text)
const ids = ['a', 'b', 'c', 'd']

describe('cached plan', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    for (const id of ids) removeCachedPlan(id)
    vi.useRealTimers()
  })

  it.each([
    ['a plan as it was sealed last', sealed('two'), true],
    ['a plan as it was sealed before, or by another process', sealed('one'), false],
    ['that was not planned', null, false],
  ])('%s', (_, info, isMatch) => {
    cachePlan('a', sealed('one'), getPlan(1))
    const last = getPlan(2)
    cachePlan('a', sealed('two'), last)
    expect(getCachedPlan({ id: 'a', info })).toBe(isMatch ? last : null)
    expect(getCachedPlan({ id: 'b', info })).toBeNull()
  })

  it('expires a cached plan after ten minutes', () => {
    cachePlan('a', sealed('one'), getPlan(1))
    vi.advanceTimersByTime(599_000)
    expect(getCachedPlan({ id: 'a', info: sealed('one') })).not.toBeNull()
    vi.advanceTimersByTime(1_000)
    expect(getCachedPlan({ id: 'a', info: sealed('one') })).toBeNull()
  })

  it('evicts the oldest plan beyond sixty thousand rows in all, and does not store a larger one', () => {
    const createCompany = () => ids.filter((id) => getCachedPlan({ id, info: sealed(id) }) !== null)
    for (const id of ['a', 'b', 'c']) cachePlan(id, sealed(id), getPlan(20_000))
    expect(createCompany()).toEqual(['a', 'b', 'c'])
    cachePlan('a', sealed('a'), getPlan(20_000))
    cachePlan('d', sealed('d'), getPlan(10))
    expect(createCompany()).toEqual(['a', 'c', 'd'])
    cachePlan('b', sealed('b'), getPlan(60_001))
    expect(createCompany()).toEqual([])
  })
})
