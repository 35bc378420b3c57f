/**
 * `npm run --silent tax -- FILE.json`: runs a file of test cases (tax-rules §15), prints each case that differs, and
 * last `N passed, N failed`. For developers and tests. An error in the file or in a case is printed and counts as a
 * failure.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type CaseResult, runAllCases } from './cases/compare.ts'

const formatValue = (value: unknown): string => (value === undefined ? '没有' : JSON.stringify(value))

/** Formats one line per difference: name, field, expected value, actual value. */
export function formatCaseResult(result: CaseResult): string[] {
  if (result.passed) return []
  if ('message' in result) return [`${result.name}: ${result.message}`]
  return result.differences.map(
    ({ field, expected, got }) => `${result.name}: ${field}: 应为 ${formatValue(expected)}，算出 ${formatValue(got)}`,
  )
}

async function readCases(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8')
  return JSON.parse(text.replace(/^\uFEFF/, ''))
}

/** The function never throws: a file that cannot be read counts as one failure. */
export async function runCaseFile(file: string): Promise<CaseResult[]> {
  try {
    return runAllCases(await readCases(file))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    const message =
      error instanceof SyntaxError
        ? `不是正确的 JSON（${error.message}）；请检查逗号、引号和括号`
        : code === 'ENOENT'
          ? '找不到这个文件'
          : `读取失败：${String(error)}`
    return [{ name: file, passed: false, message }]
  }
}

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true })
  if (positionals.length === 0) {
    process.stderr.write('用法：npm run --silent tax -- 案例.json [另一个.json …]\n')
    process.exitCode = 2
    return
  }
  const all = (await Promise.all(positionals.map(runCaseFile))).flat()
  for (const line of all.flatMap(formatCaseResult)) process.stdout.write(`${line}\n`)
  const failed = all.filter((one) => !one.passed).length
  process.stdout.write(`${all.length - failed} passed, ${failed} failed\n`)
  if (failed > 0) process.exitCode = 1
}

if (import.meta.main) await main()
