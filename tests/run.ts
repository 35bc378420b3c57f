/**
 * `npm test`: types, lint, format, house, unit, platform, client, api, contract, the built client, and the journeys in a real browser. Runs all of
 * them whatever fails, and ends with one line of counts. `npm test -- api contract` runs only what is named; `portable`, the part of api
 * that depends on the database, only when it is named.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureChromium } from './kit/chromium.ts'

type Outcome = { step: string; passed: number; failed: number; skipped: number; seconds: number }

const wanted = process.argv.slice(2)
const isWanted = (step: string): boolean => wanted.length === 0 || wanted.includes(step)
const scratch = mkdtempSync(join(tmpdir(), 'xinhan-tests-'))
const outcomes: Outcome[] = []

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

/** A vitest project, counted test by test. A run that dies before it counts is a failure. */
function project(step: string, wished = isWanted(step)): void {
  if (!wished) return
  const began = Date.now()
  process.stdout.write(`\n── ${step}\n`)
  const report = join(scratch, `${step}.json`)
  const { status } = spawnSync(
    'vitest',
    ['run', '--project', step, '--reporter=dot', '--reporter=json', `--outputFile=${report}`],
    { stdio: 'inherit' },
  )
  try {
    const counts = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
      numPendingTests: number
      numFailedTestSuites: number
    }
    const silent = status !== 0 && counts.numFailedTests === 0 ? Math.max(1, counts.numFailedTestSuites) : 0
    note(step, counts.numPassedTests, counts.numFailedTests + silent, counts.numPendingTests, began)
  } catch {
    note(step, 0, 1, 0, began)
  }
}

check('types', 'tsc', '--noEmit', '-p', '.')
check('lint', 'oxlint', '--deny-warnings')
check('format', 'biome', 'check', '--error-on-warnings', '.')
project('house')
project('unit')
project('platform')
project('client')
project('api')
project('portable', wanted.includes('portable'))
project('contract')
check('build', 'vite', 'build', '--logLevel', 'warn')
if (isWanted('e2e')) ensureChromium()
project('e2e')

rmSync(scratch, { recursive: true, force: true })
process.stdout.write('\n')
for (const one of outcomes) {
  const skipped = one.skipped ? `, ${one.skipped} skipped` : ''
  process.stdout.write(
    `${one.step.padEnd(10)} ${String(one.passed).padStart(5)} passed, ${one.failed} failed${skipped}  (${one.seconds} s)\n`,
  )
}
const total = (name: 'passed' | 'failed' | 'skipped'): number => outcomes.reduce((sum, one) => sum + one[name], 0)
process.stdout.write(
  `\n${total('passed')} passed, ${total('failed')} failed${total('skipped') ? `, ${total('skipped')} skipped` : ''}\n`,
)
process.exit(total('failed') === 0 && total('passed') > 0 ? 0 : 1)
