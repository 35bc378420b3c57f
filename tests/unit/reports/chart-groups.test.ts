/**
 * What an administrator without the power to open payslips sees: no difference of visible sums concerns fewer than
 * three employees.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideIntoGroups, findGroupDepartment } from '../../../server/modules/reports/rules/divide-groups.ts'
import { componentCount, getComponentIndex } from '../../../server/modules/reports/rules/packed-components.ts'
import {
  type ChartMonths,
  type ChartView,
  getPayDistribution,
  sumByDepartment,
  sumByDepartmentSubtree,
  sumByMonth,
} from '../../../server/modules/reports/rules/totals.ts'
import { findVisibleDepartments, mergeSmallBrackets } from '../../../server/modules/reports/rules/visible-departments.ts'
import { solvable } from '../system/solvable.ts'

/** `parents[at]` is an index before `at`, or −1; `own[at]` is the number of employees. */
const notify = (parents: readonly number[], own: readonly number[], outside = 0) => {
  const all = findVisibleDepartments(
    parents.map((parent, at) => ({ parent, directCount: own[at] ?? 0 })),
    outside,
    3,
  )
  return { departments: all.slice(0, -1), company: all.at(-1) }
}

describe('departments that may be shown separately', () => {
  it.each([
    ['of three or more', [0, 3, 6], [true, true, true]],
    [
      'of one: merged into the parent with the next smallest, so that the remainder reveals nobody',
      [0, 1, 3, 6],
      [true, false, false, true],
    ],
    ['of two and one: three together', [0, 1, 2, 6], [true, false, false, true]],
    ['two employees directly in the head office: the smallest department joins them', [2, 4, 5], [true, false, true]],
    ['three employees directly in the head office', [3, 4, 5], [true, true, true]],
    ['without employees', [0, 0, 4], [true, false, true]],
    ['two employees in total', [1, 1], [false, false]],
  ])('%s', (_, own, expected) => {
    expect(notify([-1, ...own.slice(1).map(() => 0)], own).departments).toEqual(expected)
  })

  it('does not show departments below a department that is not shown separately', () => {
    // 0 head office (1 employee) — 1 (0) — 2 (3), 3 (3); 4 (7)
    expect(notify([-1, 0, 1, 1, 0], [1, 0, 3, 3, 7]).departments).toEqual([true, false, false, false, true])
  })

  it('shows nothing for fewer than three employees in the whole company', () => {
    expect(notify([], [], 2).company).toBe(false)
    expect(notify([], [], 3).company).toBe(true)
  })
})

describe('pay brackets', () => {
  it.each([
    [
      [1, 0, 5, 2],
      [
        [0, 3, 6],
        [3, 4, 2],
      ],
      [8],
    ],
    [[3, 0, 4], [], [3, 0, 4]],
    [[1, 1], [], []],
    [[4, 0, 1], [], [5]],
    [[2, 2, 3], [], [4, 3]],
  ])('%j', (people, _, expected) => {
    const all = people.map((count, at) => ({ from: at, to: at + 1, people: count }))
    expect(mergeSmallBrackets(all, 3).map((one) => one.people)).toEqual(expected)
  })
  it('loses no employee in pay brackets, and none contains one or two', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6), { maxLength: 10 }), (people) => {
        const joined = mergeSmallBrackets(
          people.map((count, at) => ({ from: at, to: at + 1, people: count })),
          3,
        )
        const [all, visible] = [people, joined.map((one) => one.people)].map((list) => list.reduce((a, b) => a + b, 0))
        expect(joined.every((one) => one.people === 0 || one.people >= 3)).toBe(true)
        expect(visible).toBe((all ?? 0) >= 3 ? all : 0)
      }),
    )
  })
})

/** A company whose employees have a net pay of 2ⁿ, so that a sum reveals its members. */
function company(parents: readonly number[], at: readonly number[]): { view: ChartView; months: ChartMonths } {
  const tree = parents.map((parent, position) => ({ id: `d${position}`, name: `部门${position}`, parent, level: 0 }))
  const people = at.map((position, n) => ({
    id: `p${n}`,
    name: `员工${n}`,
    entry_on: null,
    left_on: null,
    departmentIndex: position,
  }))
  const sections = new Float64Array(people.length * componentCount)
  people.forEach((_, n) => (sections[n * componentCount + getComponentIndex('net')] = 2 ** n))
  const own = tree.map((_, position) => at.filter((one) => one === position).length)
  const month = {
    bundles: [{ memberIndexes: Int32Array.from(people.keys()), components: sections }],
    visible: findVisibleDepartments(
      parents.map((parent, position) => ({ parent, directCount: own[position] ?? 0 })),
      at.filter((one) => one < 0).length,
      3,
    ),
  }
  return { view: { tree, members: people, minGroupSize: 3 }, months: new Map([['2026-10', month]]) }
}

const tree = fc
  .array(fc.nat(), { minLength: 1, maxLength: 7 })
  .map((provided) => provided.map((one, at) => (at === 0 ? -1 : (one % (at + 1)) - 1)))
const placed = tree.chain((parents) =>
  fc.tuple(fc.constant(parents), fc.array(fc.integer({ min: -1, max: parents.length - 1 }), { maxLength: 14 })),
)

describe('all charts that can be requested', () => {
  it('reveals the pay of no single employee and no pair', () => {
    fc.assert(
      fc.property(placed, ([parents, at]) => {
        const { view, months } = company(parents, at)
        const sums = [-1, ...parents.keys()].flatMap((position) => [
          ...sumByMonth(view, months, position).values(),
          ...sumByDepartmentSubtree(view, months, position).values(),
          ...sumByDepartment(view, months, position).sums.values(),
        ])
        const masks = new Set(sums.flatMap((one) => one.getOrNull('net') ?? []))
        expect(solvable([...masks], at.length)).toEqual([])
        const brackets = getPayDistribution(view, months, -1)
        expect(brackets.every(({ people }) => people >= 3)).toBe(true)
        // All allowed data is shown: the company as a whole if it has three employees.
        if (at.length >= 3) expect([...masks].some((mask) => mask === 2 ** at.length - 1)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('published groups of a month', () => {
  const tree = [-1, 0, 0].map((parent, at) => ({ id: `d${at}`, name: '', parent, level: 0 }))
  const at = (...places: number[]) => places.map((position, n) => ({ member: n, departmentIndex: position }))
  it.each([
    ['three or more each', at(0, 0, 0, 1, 1, 1, 2, 2, 2), [['d0'], ['d1', 'd0'], ['d2', 'd0']]],
    ['fewer join their parent', at(0, 0, 0, 1, 1, 2, 2, 2), [['d0'], ['d2', 'd0']]],
    ['an employee in no department', at(-1, -1, -1, 0, 0, 0), [[], ['d0']]],
    ['three who join later form a group', at(2, 2, 2), [['d2', 'd0']]],
  ])('%s', (_, newcomers, paths) => {
    expect(divideIntoGroups(tree, newcomers, 3).map(({ path }) => path)).toEqual(paths)
  })

  it('counts published groups in the nearest department that still exists', () => {
    const places = new Map([
      ['d0', 0],
      ['d2', 1],
    ])
    expect([['d2', 'd0'], ['d1', 'd0'], ['d1'], []].map((path) => findGroupDepartment(path, places))).toEqual([1, 0, -1, -1])
  })
})
