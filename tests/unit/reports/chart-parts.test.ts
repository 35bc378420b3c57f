/** The components of a payslip, as a payroll clerk would sort its columns; and lossless packing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  componentCount,
  packComponents,
  packedComponents,
  toMemberKey,
  unpackComponents,
} from '../../../server/modules/reports/rules/packed-components.ts'
import {
  createComponentReader,
  expandSum,
  type PayColumns,
  type PayslipComponents,
} from '../../../server/modules/reports/rules/pay-components.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'

type Line = readonly [label: string, role: PayColumns['columns'][number]['role'], yuan: number]
/** `sums` contains values by the labels of their columns. */
function read(
  lines: readonly Line[],
  sums: { net?: [string[], string[]]; subtotals?: Record<string, [string[], string[]]> } = {},
) {
  const columns = lines.map(([label, role], at) => ({ key: `c${at}`, label, role }))
  const keys = (labels: readonly string[]) => labels.map((label) => columns.find((one) => one.label === label)?.key ?? '?')
  const sum = ([plus, minus]: [string[], string[]]) => ({ plus: keys(plus), minus: keys(minus) })
  const cells: RowCells = Object.fromEntries(
    lines.map(([, , yuan], at) => [`c${at}`, { value: String(yuan), kind: 'money' as const, fen: Math.round(yuan * 100) }]),
  )
  const getFen = (role: string) => {
    const at = lines.findIndex((line) => line[1] === role)
    return at < 0 ? null : (cells[`c${at}`]?.fen ?? null)
  }
  const reader = createComponentReader({
    columns,
    formula: sums.net ? sum(sums.net) : null,
    subtotals: Object.entries(sums.subtotals ?? {}).map(([label, one]) => ({ key: keys([label])[0] ?? '?', ...sum(one) })),
  })
  const sections = reader({ cells, net_fen: getFen('net'), gross_fen: getFen('gross') })
  return Object.fromEntries(
    Object.entries(sections)
      .filter(([, fen]) => fen !== 0)
      .map(([part, fen]) => [part, fen === null ? null : fen / 100]),
  )
}

const typical: Line[] = [
  ['基本工资', 'earning', 8000],
  ['绩效工资', 'earning', 2000],
  ['交通补贴', 'earning', 300],
  ['加班费', 'earning', 500],
  ['应发合计', 'gross', 10_900],
  ['养老保险', 'deduction', 640],
  ['医疗保险', 'deduction', 160],
  ['住房公积金', 'deduction', 800],
  ['工会费', 'deduction', 20],
  ['个人所得税', 'tax', 120],
  ['实发工资', 'net', 9160],
  ['单位养老保险', 'employer', 1280],
  ['单位公积金', 'employer', 800],
]
const named = { base: 8000, bonus: 2000, allowance: 300, overtime: 500, rest: 100, social: 800, fund: 800, other: 20, tax: 120 }
const comparison = { employer_social: 1280, employer_fund: 800 }

describe('components of a payslip', () => {
  it('follows the column labels; the remainder of gross is "rest"', () => {
    expect(read(typical)).toEqual({ gross: 10_900, net: 9160, ...named, ...comparison })
  })

  it('counts a sum of deductions once, whichever formula the net pay has', () => {
    const lines: Line[] = [...typical, ['社保合计', 'deduction', 800], ['扣款合计', 'subtotal', 1740]]
    const all: [string[], string[]] = [['养老保险', '医疗保险', '住房公积金', '工会费', '个人所得税'], []]
    const subtotals: Record<string, [string[], string[]]> = { 社保合计: [['养老保险', '医疗保险'], []], 扣款合计: all }
    const expected = { gross: 10_900, net: 9160, ...named, ...comparison }
    expect(read(lines, { net: [['应发合计'], ['扣款合计']], subtotals })).toEqual(expected)
    expect(read(lines, { net: [['应发合计'], ['社保合计', '住房公积金', '工会费', '个人所得税']], subtotals })).toEqual(expected)
  })

  it('subtracts deductions with a minus sign in the sheet as well, and keeps a refund negative', () => {
    const lines: Line[] = [
      ['应发', 'gross', 5000],
      ['社保', 'deduction', -500],
      ['个税', 'tax', 30],
      ['实发', 'net', 4530],
    ]
    expect(read(lines, { net: [['应发', '社保', '个税'], []] })).toMatchObject({ social: 500, tax: -30 })
    // Without a known formula, a deduction counts with its absolute value.
    expect(read(lines)).toMatchObject({ social: 500, tax: 30 })
  })

  it('treats reductions of gross as absence, not as a deduction from net', () => {
    const lines: Line[] = [
      ['底薪', 'earning', 6000],
      ['事假扣款', 'deduction', 200],
      ['应发', 'gross', 5800],
      ['社保', 'deduction', 500],
      ['实发', 'net', 5300],
    ]
    const subtotals: Record<string, [string[], string[]]> = { 应发: [['底薪'], ['事假扣款']] }
    expect(read(lines, { net: [['应发'], ['社保']], subtotals })).toEqual({
      gross: 5800,
      net: 5300,
      tax: null,
      base: 6000,
      absence: 200,
      social: 500,
    })
  })

  it('treats a deduction outside all sums as a note where sums contain others', () => {
    const lines: Line[] = [...typical, ['累计社保', 'deduction', 9000]]
    const net: [string[], string[]] = [['应发合计'], ['养老保险', '医疗保险', '住房公积金', '工会费', '个人所得税']]
    expect(read(lines, { net })).toMatchObject({ social: 800 })
  })

  it('uses the sum of earnings without gross, and nothing without earnings and tax', () => {
    expect(
      read([
        ['岗位工资', 'earning', 7000],
        ['全勤', 'earning', 100],
        ['实发', 'net', 7000],
      ]),
    ).toEqual({
      gross: 7100,
      net: 7000,
      tax: null,
      base: 7000,
      rest: 100,
    })
    expect(read([['实发', 'net', 7000]])).toEqual({ gross: null, net: 7000, tax: null })
  })

  it('terminates for a sum that contains itself', () => {
    const subtotals = [{ key: 'a', plus: ['a', 'b'], minus: [] }]
    expect(expandSum({ plus: ['a'], minus: [] }, subtotals).get('b')).toBe(1)
  })
})

describe('packing of amounts', () => {
  const amount = fc.oneof(fc.constant(0), fc.integer({ min: -2_000_000, max: 9_000_000 }), fc.maxSafeInteger())
  const sections = fc.record(
    Object.fromEntries(
      packedComponents.map((part) => [part, ['gross', 'net', 'tax'].includes(part) ? fc.option(amount) : amount]),
    ) as Record<keyof PayslipComponents, fc.Arbitrary<number>>,
  )
  it('restores any packed amounts unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.uuid(), sections), { maxLength: 8 }), (slips) => {
        const provided = slips.map(([member_id, one]) => ({ member_id, components: one as PayslipComponents }))
        const { memberKeys, components: numbers } = unpackComponents(packComponents(provided))
        expect(memberKeys).toEqual(slips.map(([id]) => toMemberKey(id)))
        const messages = slips.flatMap(([, one]) => packedComponents.map((part) => one[part] ?? Number.NaN))
        expect([...numbers]).toEqual(messages.map((one) => (Object.is(one, -0) ? 0 : one)))
        expect(numbers).toHaveLength(slips.length * componentCount)
      }),
      { numRuns: 200 },
    )
  })
  it('refuses to pack fractions of a fen', () => {
    const one = Object.fromEntries(packedComponents.map((part) => [part, 0])) as unknown as PayslipComponents
    expect(() => packComponents([{ member_id: crypto.randomUUID(), components: { ...one, base: 0.5 } }])).toThrow(RangeError)
  })
})
