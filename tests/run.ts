/**
 * `npm test`: types, lint, format, house, unit, platform, client, api, contract, the built client, and the journeys in a real browser. Runs all of
 * them whatever fails, and ends with one line of counts. `npm test -- api contract` runs only what is named; `portable`, the part of api
 * that depends on the database, only when it is named.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ensureChromium } from './kit/chromium.ts'

type Outcome = { step: string; passed: number; failed: number; skipped: number; seconds: number }

const wanted = process.argv.slice(2)
const isWanted = (step: string): boolean => wanted.length === 0 || wanted.includes(step)
const scratch = mkdtempSync(join(tmpdir(), 'xinhan-tests-'))
const outcomes: Outcome[] = []
const failures: string[] = []
const wavering: string[] = []

function note(step: string, passed: number, failed: number, skipped: number, began: number): void {
  outcomes.push({ step, passed, failed, skipped, seconds: Math.round((Date.now() - began) / 100) / 10 })
}

/** A program that either succeeds or does not: counts as one. */
function check(step: string, program: string, ...args: string[]): void {
  if (!isWanted(step)) return
  const began = Date.now()
  process.stdout.write(`\n── ${step}\n`)
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  note(step, status === 0 ? 1 : 0, status === 0 ? 0 : 1, 0, began)
}

type Report = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numFailedTestSuites: number
  testResults: { name: string; status: string; message: string; assertionResults: Assertion[] }[]
}
type Assertion = { status: string; fullName: string; failureMessages: string[] }

function vitest(step: string, files: string[]): { report: Report | null; status: number | null } {
  const file = join(scratch, `${step}${files.length ? '-again' : ''}.json`)
  const { status } = spawnSync(
    'vitest',
    ['run', '--project', step, '--reporter=dot', '--reporter=json', `--outputFile=${file}`, ...files],
    { stdio: 'inherit' },
  )
  try {
    return { report: JSON.parse(readFileSync(file, 'utf8')) as Report, status }
  } catch {
    return { report: null, status }
  }
}

/** What failed, by name, and how: repeated at the very end, where a long log is read first. */
function told(step: string, report: Report): string[] {
  return report.testResults.flatMap((file) => {
    const name = relative(process.cwd(), file.name)
    const tests = file.assertionResults.filter((one) => one.status === 'failed')
    if (tests.length === 0 && file.status === 'failed') return [`${step}: ${name}\n  ${file.message.slice(0, 600)}`]
    return tests.map((one) => `${step}: ${name} > ${one.fullName}\n  ${(one.failureMessages[0] ?? '').slice(0, 600)}`)
  })
}

/**
 * A vitest project, counted test by test. A run that dies before it counts is a failure. Where a browser, a server or a clock takes part
 * (`again`), a file that failed is run once more by itself, and what it says then counts; that it failed at first is told all the same.
 */
function project(step: string, { wished = isWanted(step), again = false } = {}): void {
  if (!wished) return
  const began = Date.now()
  process.stdout.write(`\n── ${step}\n`)
  const { report, status } = vitest(step, [])
  if (!report) return note(step, 0, 1, 0, began)
  let { numPassedTests: passed, numFailedTests: failed } = report
  const files = report.testResults.filter((one) => one.status === 'failed').map((one) => one.name)
  if (again && files.length > 0 && files.length <= 3) {
    wavering.push(...told(step, report))
    const second = vitest(step, files)
    if (second.report) {
      const before = report.testResults
        .filter((one) => files.includes(one.name))
        .flatMap((one) => one.assertionResults)
        .filter((one) => one.status === 'passed').length
      passed += second.report.numPassedTests - before
      failed = second.report.numFailedTests
      if (second.status !== 0 && failed === 0) failed = 1
      failures.push(...told(step, second.report))
    }
  } else {
    if (status !== 0 && failed === 0) failed = Math.max(1, report.numFailedTestSuites)
    failures.push(...told(step, report))
  }
  note(step, passed, failed, report.numPendingTests, began)
}

check('types', 'tsc', '--noEmit', '-p', '.')
check('lint', 'oxlint', '--deny-warnings')
check('format', 'biome', 'check', '--error-on-warnings', '.')
project('house')
project('unit')
project('platform')
project('client')
project('api', { again: true })
project('portable', { wished: wanted.includes('portable'), again: true })
project('contract', { again: true })
check('build', 'vite', 'build', '--logLevel', 'warn')
if (isWanted('e2e')) ensureChromium()
project('e2e', { again: true })

rmSync(scratch, { recursive: true, force: true })
process.stdout.write('\n')
for (const one of outcomes) {
  const skipped = one.skipped ? `, ${one.skipped} skipped` : ''
  process.stdout.write(
    `${one.step.padEnd(10)} ${String(one.passed).padStart(5)} passed, ${one.failed} failed${skipped}  (${one.seconds} s)\n`,
  )
}
if (wavering.length > 0) process.stdout.write(`\nFailed at first, then run again by themselves:\n${wavering.join('\n')}\n`)
if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`)
const total = (name: 'passed' | 'failed' | 'skipped'): number => outcomes.reduce((sum, one) => sum + one[name], 0)
process.stdout.write(
  `\n${total('passed')} passed, ${total('failed')} failed${total('skipped') ? `, ${total('skipped')} skipped` : ''}\n`,
)
process.exit(total('failed') === 0 && total('passed') > 0 ? 0 : 1)
