/**
 * Every published and computed case of payroll tax; the stated steps of each are recomputed; and the command that runs
 * the cases.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatStep } from '../../../server/rules/law/steps.ts'
import { findDifferences, runAllCases } from '../../law/cases/compare.ts'
import { computeCase } from '../../law/cases/run-case.ts'
import { formatCaseResult, runCaseFile } from '../../law/tax.ts'
import { allCases, brokenLinks, getCases, wrongSteps } from './payroll/recheck.ts'

const named = allCases().map((one) => [one.name, one] as const)

describe('tax cases', () => {
  it.each(named)('%s', (_name, { input, expected }) => {
    const { result } = computeCase(input)
    expect(findDifferences(expected, result)).toEqual([])
  })

  it.each(named)('shows consistent steps: %s', (_name, { input }) => {
    const { result, steps } = computeCase(input)
    // A refused or impermissible case has no steps; every other result explains its calculation.
    const isRefused = 'error' in result || result.allowed === false || input.method === 'merged'
    expect(steps.length > 0).toBe(!isRefused)
    expect(wrongSteps(steps)).toEqual([])
    expect(steps.filter((step) => !formatStep(step).includes('；依据：'))).toEqual([])
  })

  it('every case has a source and a unique name', () => {
    const all = allCases()
    expect(all.filter(({ source }) => !source)).toEqual([])
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })

  const shared = new URL('../../../../shared/payroll/', import.meta.url)
  it.skipIf(!existsSync(shared)).each(['examples', 'examples-rare'] as const)(
    'cases of %s equal those of the shared folder',
    (name) => {
      expect(getCases(name)).toEqual(JSON.parse(readFileSync(new URL(`${name}.json`, shared), 'utf8')))
    },
  )
})

describe('linked steps', () => {
  // Months, projects and grants repeat their names; each kind that is a single calculation is followed from step to
  // step.
  const single = new Set(
    'annual_bonus bonus_compare labor_once severance early_retirement internal_retirement nonresident_salary nonresident_bonus nonresident_labor nonresident_sourcing housing_fund_tax_cap annuity_cap annuity_withdrawal personal_pension_saving personal_pension_withdrawal donation_cap equity_deferred_transfer'.split(
      ' ',
    ),
  )
  it.each(named.filter(([, { input }]) => single.has(input.kind)))('%s', (_name, { input }) => {
    expect(brokenLinks(computeCase(input).steps)).toEqual([])
  })
  it('detects an amount that differs from the previous step', () => {
    const { steps } = computeCase({ kind: 'labor_once', item: 'labor', income: '5000.00' })
    const spoilt = steps.map((step, at) => (at === 0 ? { ...step, result: 1 } : step))
    expect(brokenLinks(spoilt)).toHaveLength(1)
    expect(wrongSteps(spoilt)).toHaveLength(1)
  })
})

describe('differences are reported with their path', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['an identical result', { a: '1.00', b: [{ c: 1 }] }, { a: '1.00', b: [{ c: 1, d: 2 }], e: 3 }, []],
    ['a different amount', { a: { tax: '1.00' } }, { a: { tax: '1.01' } }, ['a.tax']],
    ['one amount in two spellings', { a: '5000', r: '0.1' }, { a: '5000.00', r: '0.10' }, []],
    ['a different sign', { a: '-1.00' }, { a: '1.00' }, ['a']],
    ['a missing key', { a: '0.00' }, {}, ['a']],
    ['text instead of a number', { a: 1 }, { a: '1' }, ['a']],
    ['an item of a list', { m: [{ tax: '1.00' }, { tax: '2.00' }] }, { m: [{ tax: '1.00' }, { tax: '3.00' }] }, ['m[1].tax']],
    ['a list that is too short', { m: ['1.00', '2.00'] }, { m: ['1.00'] }, ['m.length']],
    ['another value instead of a list', { m: [] }, { m: {} }, ['m']],
    ['another value instead of an object', { m: { a: 1 } }, { m: null }, ['m']],
    ['an expected null', { a: null }, { a: null }, []],
    ['an error instead of a result', { error: 'policy_expired' }, { allowed: true }, ['error']],
  ])('%s', (_what, expected, got, fields) => {
    expect(findDifferences(expected, got).map(({ field }) => field)).toEqual(fields)
  })
})

describe('unreadable input of the tax command', () => {
  const input = { kind: 'labor_once', item: 'labor', income: '2000.00' }
  it.each<[string, unknown, string]>([
    ['input that is not a list', { a: 1 }, '应是案例的列表'],
    ['an element that is not a case', [7], '一个案例应是 {name, source, input, expected}'],
    ['no input', [{ name: '甲', expected: {} }], 'input：没有写'],
    ['no expected result', [{ name: '甲', input }], 'expected：没有写'],
    ['no kind', [{ name: '甲', input: {}, expected: {} }], 'kind：没有写'],
    ['an unknown kind', [{ name: '甲', input: { kind: 'lottery' }, expected: {} }], 'kind：不认识的类型「lottery」'],
    [
      'a kind that every object has',
      [{ name: '甲', input: { kind: 'constructor' }, expected: {} }],
      '不认识的类型「constructor」',
    ],
    ['an unknown field', [{ name: '甲', input: { ...input, colour: 'red' }, expected: {} }], 'colour：不认识的字段；可以写：'],
    ['an invalid amount', [{ name: '甲', input: { ...input, income: '2,000' }, expected: {} }], 'income：应是金额'],
    ['a third decimal', [{ name: '甲', input: { ...input, income: '2.005' }, expected: {} }], 'income：应是金额'],
    [
      'too large an amount',
      [{ name: '甲', input: { ...input, income: '9999999999999999.00' }, expected: {} }],
      'income：应是金额',
    ],
    ['an invalid option', [{ name: '甲', input: { ...input, item: 'rent' }, expected: {} }], 'item：应是其中之一'],
    [
      'another value instead of a list',
      [{ name: '甲', input: { kind: 'labor_month', payments: 7 }, expected: {} }],
      'payments：应是列表',
    ],
    [
      'an error inside a list',
      [{ name: '甲', input: { kind: 'health_insurance', months: [{ month: 13, paid: '1.00' }] }, expected: {} }],
      'months[0].month：应是1 到 12 之间的整数',
    ],
    [
      'a year that cannot be calculated',
      [
        {
          name: '甲',
          input: {
            kind: 'labor_month',
            payments: [1, 2].map((at) => ({ project: '乙', amount: `${at}0000000000000.00` })),
          },
          expected: {},
        },
      ],
      '金额',
    ],
    [
      'sums beyond the fen range',
      [
        {
          name: '甲',
          input: { kind: 'nonresident_year', months: Array.from({ length: 2 }, () => '90000000000000.00') },
          expected: {},
        },
      ],
      '金额',
    ],
    [
      'a year without tax law',
      [
        {
          name: '甲',
          input: { kind: 'salary_series', tax_year: 2018, employee: { hire: '2018-01-01' }, months: [{ month: 1 }] },
          expected: {},
        },
      ],
      '没有适用于 2018-01 的规定',
    ],
    [
      'both flags at once',
      [
        {
          name: '甲',
          input: {
            kind: 'salary_series',
            tax_year: 2026,
            employee: { hire: '2026-01-01', first_income_of_year: true, prior_year_under_60000: true },
            months: [{ month: 1 }],
          },
          expected: {},
        },
      ],
      '不能同时适用',
    ],
    [
      'a year of a non-resident',
      [
        {
          name: '甲',
          input: {
            kind: 'salary_series',
            tax_year: 2026,
            employee: { hire: '2025-01-01', resident: false },
            months: [{ month: 1 }],
          },
          expected: {},
        },
      ],
      'employee.resident：累计预扣只用于居民个人',
    ],
    [
      'a month that the opening balance contains',
      [
        {
          name: '甲',
          input: {
            kind: 'salary_series',
            tax_year: 2026,
            employee: { hire: '2025-01-01' },
            opening: { through_month: 4 },
            months: [{ month: 4 }],
          },
          expected: {},
        },
      ],
      '4 月已经包含在截至 4 月的期初累计里',
    ],
    [
      'corrections that contradict each other',
      [
        {
          name: '甲',
          input: {
            kind: 'salary_correction',
            tax_year: 2026,
            employee: { hire: '2025-01-01' },
            months: [{ month: 1, income: '1.00' }],
            corrections: [
              { month: 1, set: { income: '2.00' } },
              { month: 1, set: { income: '3.00' } },
            ],
          },
          expected: {},
        },
      ],
      '有两处更正，写的不一样',
    ],
  ])('%s', (_what, cases, message) => {
    const [one] = runAllCases(cases)
    expect(one && formatCaseResult(one).join('\n')).toContain(message)
    expect(one?.passed).toBe(false)
  })
})

describe('npm run tax', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'xinhan-tax-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const command = new URL('../../law/tax.ts', import.meta.url).pathname
  /** The last line and the exit code, as an external user sees them. */
  const tax = async (...files: string[]) => {
    const match = await promisify(execFile)(process.execPath, [command, ...files]).catch(
      (error: unknown) => error as { code: number; stdout: string },
    )
    return { code: 'code' in match ? match.code : 0, lines: match.stdout.trimEnd().split('\n') }
  }

  it('reports differences, and in the last line how many cases passed and failed', async () => {
    const input = { kind: 'labor_once', item: 'labor', income: '2000.00' }
    const cases = [
      { name: '对的', source: '', input, expected: { tax: '240.00' } },
      { name: '错的', source: '', input, expected: { tax: '241.00', net: '1760.00' } },
      { name: '怪的', source: '', input: { kind: 'lottery' }, expected: {} },
    ]
    const { code, lines } = await tax(await file('mixed.json', JSON.stringify(cases)))
    expect(code).toBe(1)
    expect(lines[0]).toBe('错的: tax: 应为 "241.00"，算出 "240.00"')
    expect(lines[1]).toMatch(/^怪的: kind：不认识的类型「lottery」/)
    expect(lines.slice(2)).toEqual(['1 passed, 2 failed'])
  })
  it('passes a good file with a byte order mark', async () => {
    const { code, lines } = await tax(await file('good.json', `\uFEFF${JSON.stringify(getCases('examples'))}`))
    expect({ code, lines }).toEqual({ code: 0, lines: ['105 passed, 0 failed'] })
  })
  it('fails for a file without cases and for a missing one', async () => {
    const broken = await runCaseFile(await file('broken.json', '[{"name": '))
    expect(broken.flatMap(formatCaseResult)[0]).toContain('不是正确的 JSON')
    const missing = await runCaseFile(join(folder, 'nothing.json'))
    expect(missing.flatMap(formatCaseResult)[0]).toContain('找不到这个文件')
  })
})
