/** A file of cases, run and compared: what differs, key by key; more than was expected is no difference. */
import { LawRefusal } from '../refused.ts'
import { run } from './run.ts'

type Differs = { readonly field: string; readonly expected: unknown; readonly got: unknown }
export type Tried =
  | { readonly name: string; readonly passed: true }
  | { readonly name: string; readonly passed: false; readonly differs: readonly Differs[] }
  | { readonly name: string; readonly passed: false; readonly message: string }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `5000` and `5000.00` are one amount. */
function plain(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const match = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(value)
  return match ? `${match[1]}${match[2]}${match[3] ? `.${match[3]}` : ''}` : value
}

export function differences(expected: unknown, got: unknown, field = ''): Differs[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return [{ field, expected, got }]
    const length =
      expected.length === got.length ? [] : [{ field: `${field}.length`, expected: expected.length, got: got.length }]
    return [
      ...length,
      ...expected.flatMap((one: unknown, at) => (at < got.length ? differences(one, got[at], `${field}[${at}]`) : [])),
    ]
  }
  if (isRecord(expected)) {
    if (!isRecord(got)) return [{ field, expected, got }]
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(value, got[key], field === '' ? key : `${field}.${key}`),
    )
  }
  return plain(expected) === plain(got) ? [] : [{ field, expected, got }]
}

function tried(one: unknown, at: number): Tried {
  const name = isRecord(one) && typeof one.name === 'string' && one.name !== '' ? one.name : `第 ${at + 1} 个`
  if (!isRecord(one)) return { name, passed: false, message: '一个案例应是 {name, source, input, expected}' }
  if (!isRecord(one.input)) return { name, passed: false, message: 'input：没有写；请写 {kind, …}' }
  if (!isRecord(one.expected)) return { name, passed: false, message: 'expected：没有写；请写期望的结果' }
  try {
    const differs = differences(one.expected, run(one.input).result)
    return differs.length === 0 ? { name, passed: true } : { name, passed: false, differs }
  } catch (error) {
    // Whatever one case brings up, the others are tried.
    const message =
      error instanceof LawRefusal
        ? error.message
        : error instanceof RangeError
          ? '金额太大，无法精确到分；请核对金额'
          : `无法计算：${String(error)}`
    return { name, passed: false, message }
  }
}

export function tryAll(cases: unknown): Tried[] {
  if (!Array.isArray(cases)) return [{ name: '文件', passed: false, message: '应是案例的列表 [{name, source, input, expected}]' }]
  return cases.map(tried)
}
