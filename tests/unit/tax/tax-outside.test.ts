/**
 * Cases computed by a calculator that knows only the document (tax-rules.md), not the engine: two readings of the law
 * that must agree.
 */
import { describe, expect, it } from 'vitest'
import { findDifferences } from '../../law/cases/compare.ts'
import { computeCase } from '../../law/cases/run-case.ts'
import { getCases, wrongSteps } from './payroll/recheck.ts'

describe('cases of an independent calculator', () => {
  const cases = getCases('outside').map((one) => [one.name, one] as const)
  it.each(cases)('%s', (_name, { input, expected, source }) => {
    const { result, steps } = computeCase(input)
    expect(findDifferences(expected, result)).toEqual([])
    expect(wrongSteps(steps)).toEqual([])
    expect(source).toMatch(/^tax-rules §\d/)
  })
  it('cases of an independent calculator have unique names', () => {
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length)
  })
})
