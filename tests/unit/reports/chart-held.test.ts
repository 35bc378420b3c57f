/**
 * What sums reveal about single employees: components that only one or two have, and amounts that were published and
 * change later.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeSmallComponents, sumByMemberKey } from '../../../server/modules/reports/rules/merge-components.ts'
import {
  componentCount,
  getComponentIndex,
  type PackedComponent,
  packComponentTable,
  packedComponents,
  toMemberKey,
  unpackComponents,
} from '../../../server/modules/reports/rules/packed-components.ts'
import { type PublishedGroup, publishGroup } from '../../../server/modules/reports/rules/publish-group.ts'

type Slip = Partial<Record<PackedComponent, number>>
const keys = Array.from({ length: 12 }, (_, at) => toMemberKey(`01930000-0000-7000-8000-${String(at).padStart(12, '0')}`))
/** Each employee has one payslip, in order; a missing amount is 0, `lacks` means that it is unknown. */
const getSheaf = (slips: readonly Slip[]) => ({
  memberKeys: slips.map((_, at) => keys[at] ?? ''),
  components: Float64Array.from(slips.flatMap((slip) => packedComponents.map((part) => slip[part] ?? 0))),
})
const wages = (base: number, more: Slip = {}): Slip => ({ base, gross: base, net: base - 300, social: 300, ...more })

/** The published sums of a group without zeros. */
function notify(slips: readonly Slip[]): Record<string, number> {
  const { components } = mergeSmallComponents(getSheaf(slips), 3)
  const sums = packedComponents.map((part, at) => [
    part,
    slips.reduce((sum, _, row) => sum + (components[row * componentCount + at] ?? 0), 0),
  ])
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0))
}

describe('pay components that few of a group have', () => {
  const three = [wages(1_000), wages(2_000), wages(3_000)]
  it.each<[string, Slip[], Record<string, number>]>([
    ['all have every component: unchanged', three, { gross: 6_000, net: 5_100, base: 6_000, social: 900 }],
    [
      'a bonus of one: the other earnings of all are combined with it, because it alone would differ from base pay',
      [wages(1_000, { gross: 1_700, bonus: 700, net: 1_400 }), ...three.slice(1)],
      { gross: 6_700, net: 5_800, rest: 6_700, social: 900 },
    ],
    [
      'a bonus of one, allowances of four: these are combined, base pay is not',
      [...three, wages(4_000)].map((slip, at) => ({
        ...slip,
        gross: (slip.gross ?? 0) + 50 + (at === 0 ? 700 : 0),
        net: (slip.net ?? 0) + 50 + (at === 0 ? 700 : 0),
        allowance: 50,
        bonus: at === 0 ? 700 : 0,
      })),
      { gross: 10_900, net: 9_700, base: 10_000, rest: 900, social: 1_200 },
    ],
    [
      'a bonus of three employees',
      three.map((slip) => ({ ...slip, gross: (slip.gross ?? 0) + 10, net: (slip.net ?? 0) + 10, bonus: 10 })),
      { gross: 6_030, net: 5_130, base: 6_000, bonus: 30, social: 900 },
    ],
    [
      'the tax of one top earner: combined with the insurance of all',
      [...three.slice(0, 2), wages(3_000, { tax: 90, net: 2_610 })],
      { gross: 6_000, net: 5_010, base: 6_000, other: 990 },
    ],
    [
      'only one pays anything: net is hidden, because gross less net would reveal it',
      [1, 2, 3].map((n) => ({ base: n * 1_000, gross: n * 1_000, net: n * 1_000 - (n === 3 ? 90 : 0), tax: n === 3 ? 90 : 0 })),
      { gross: 6_000, net: Number.NaN, base: 6_000 },
    ],
    ['only one of three employees is paid', [wages(1_000), {}, {}], { gross: Number.NaN, net: Number.NaN }],
    [
      'the remainder of gross that one is paid',
      [wages(1_000, { net: 900 }), ...three.slice(1)],
      { gross: 6_000, net: 5_300, base: 6_000, other: 700 },
    ],
    [
      "the employer's share for one",
      [wages(1_000, { employer_fund: 70 }), ...three.slice(1)],
      { gross: 6_000, net: 5_100, base: 6_000, social: 900 },
    ],
  ])('%s', (_, slips, expected) => {
    const match = notify(slips)
    // Every component published in addition to gross and net is nonzero for at least three.
    expect(match).toEqual(expected)
  })

  it('publishes no component of one or two employees, directly or as the difference to gross and net', () => {
    const amount = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: -9, max: 900 }) })
    const slip = fc.record(
      Object.fromEntries(packedComponents.map((part) => [part, amount])) as Record<PackedComponent, typeof amount>,
    )
    const full = slip.map((one): Slip => {
      const gross = one.base + one.bonus + one.allowance + one.overtime + one.rest - one.absence
      return { ...one, gross, net: gross - one.social - one.fund - one.tax - one.other }
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(full, slip), { minLength: 3, maxLength: 7 }), (slips) => {
        const sheaf = getSheaf(slips)
        const sums = [...sumByMemberKey({ ...sheaf, components: mergeSmallComponents(sheaf, 3).components }).values()]
        const few = (of: (own: Float64Array) => number) => {
          const holders = sums.filter((own) => (of(own) || 0) !== 0).length
          return holders > 0 && holders < 3
        }
        const at = (part: PackedComponent) => (own: Float64Array) => own[getComponentIndex(part)] ?? 0
        expect(packedComponents.filter((part) => few(at(part)))).toEqual([])
        expect(
          few(
            (own) => at('gross')(own) - at('net')(own) - at('social')(own) - at('fund')(own) - at('tax')(own) - at('other')(own),
          ),
        ).toBe(false)
      }),
      { numRuns: 400 },
    )
  })
})

describe('changes of a published group', () => {
  const anonymous: PublishedGroup = {
    published: packComponentTable({ memberKeys: [], components: new Float64Array() }),
    previousStates: [],
  }
  const five = [1_000, 2_000, 3_000, 4_000, 5_000].map((base) => wages(base))
  const change = (slips: readonly Slip[], ...at: number[]) =>
    slips.map((slip, n) => (at.includes(n) ? wages((slip.base ?? 0) + 77, {}) : slip))
  /** Whether each of these states, one after the other, is withheld. */
  const waits = (...states: (readonly Slip[])[]) => {
    let group = anonymous
    return states.map((slips) => {
      const next = publishGroup(getSheaf(slips), group, 3)
      group = next.group
      return next.isSuppressed
    })
  }
  it.each<[string, boolean[], boolean[]]>([
    ['published and unchanged', waits(five, five), [false, false]],
    ['two employees in total are not published', waits(five.slice(0, 2)), [true]],
    [
      'one, two and three corrected',
      waits(five, change(five, 0), change(five, 0, 1), change(five, 0, 1, 2)),
      [false, true, true, false],
    ],
    ['three withdrawn of five: two would remain', waits(five, five.slice(0, 2)), [false, true]],
    ['all payslips withdrawn', waits(five, []), [false, false]],
    [
      'three of whom two returned to their values: only one would differ from the first state',
      waits(
        five,
        change(five, 0, 1, 2),
        change(change(five, 0, 1, 2), 4)
          .map((slip, n) => (n < 2 ? (five[n] ?? slip) : slip))
          .map((slip, n) => (n === 2 ? (five[2] ?? slip) : slip)),
      ),
      [false, false, true],
    ],
    [
      'three corrected, one of them with another tax',
      waits(
        five,
        change(five, 0, 1, 2).map((slip, n) => (n === 0 ? { ...slip, tax: 9 } : slip)),
      ),
      [false, true],
    ],
  ])('%s', (_, matches, expected) => expect(matches).toEqual(expected))

  it('shows the previous values of a published group in the meantime', () => {
    const first = publishGroup(getSheaf(five), anonymous, 3).group
    const { group } = publishGroup(getSheaf(change(five, 0)), first, 3)
    expect(sumByMemberKey(unpackComponents(group.published))).toEqual(sumByMemberKey(getSheaf(five)))
  })
})
