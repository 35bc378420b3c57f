/** Runs a file of cases and compares the results key by key; additional keys in the result are not a difference. */
import { LawError } from '../../../server/rules/law/law-error.ts'
import { computeCase } from './run-case.ts'

type CaseDifference = { readonly field: string; readonly expected: unknown; readonly got: unknown }
export type CaseResult =
  | { readonly name: string; readonly passed: true }
  | { readonly name: string; readonly passed: false; readonly differences: readonly CaseDifference[] }
  | { readonly name: string; readonly passed: false; readonly message: string }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Normalizes amounts so that `5000` and `5000.00` are equal. */
function normalizeAmount(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const match = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(value)
  return match ? `${match[1]}${match[2]}${match[3] ? `.${match[3]}` : ''}` : value
}

export function findDifferences(expected: unknown, actual: unknown, field = ''): CaseDifference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [{ field, expected, got: actual }]
    const length =
      expected.length === actual.length ? [] : [{ field: `${field}.length`, expected: expected.length, got: actual.length }]
    return [
      ...length,
      ...expected.flatMap((one: unknown, at) => (at < actual.length ? findDifferences(one, actual[at], `${field}[${at}]`) : [])),
    ]
  }
  if (isRecord(expected)) {
    if (!isRecord(actual)) return [{ field, expected, got: actual }]
    return Object.entries(expected).flatMap(([key, value]) =>
      findDifferences(value, actual[key], field === '' ? key : `${field}.${key}`),
    )
  }
  return normalizeAmount(expected) === normalizeAmount(actual) ? [] : [{ field, expected, got: actual }]
}

function runCase(testCase: unknown, index: number): CaseResult {
  const name =
    isRecord(testCase) && typeof testCase.name === 'string' && testCase.name !== '' ? testCase.name : `第 ${index + 1} 个`
  if (!isRecord(testCase)) return { name, passed: false, message: '一个案例应是 {name, source, input, expected}' }
  if (!isRecord(testCase.input)) return { name, passed: false, message: 'input：没有写；请写 {kind, …}' }
  if (!isRecord(testCase.expected)) return { name, passed: false, message: 'expected：没有写；请写期望的结果' }
  try {
    const differences = findDifferences(testCase.expected, computeCase(testCase.input).result)
    return differences.length === 0 ? { name, passed: true } : { name, passed: false, differences }
  } catch (error) {
    // An error in one case does not stop the others.
    const message =
      error instanceof LawError
        ? error.message
        : error instanceof RangeError
          ? '金额太大，无法精确到分；请核对金额'
          : `无法计算：${String(error)}`
    return { name, passed: false, message }
  }
}

export function runAllCases(cases: unknown): CaseResult[] {
  if (!Array.isArray(cases)) return [{ name: '文件', passed: false, message: '应是案例的列表 [{name, source, input, expected}]' }]
  return cases.map(runCase)
}
