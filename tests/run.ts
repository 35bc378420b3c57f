/**
 * Runs the tests in two tiers.
 *
 * - `npm test`: the quick tier: types, lint, format, unused code, build, architecture, unit, platform, client and
 * contract tests, and the main api
 *   tests and browser journeys (`tests/tiers.ts` lists them).
 * - `npm run test:full`: the quick tier and everything else; `npm run test:full -- rest`: everything else only.
 * - `npm test -- unit client`: the named steps of the quick tier. `npm test -- slip-send`: the test files whose path
 * contains a word, of any tier.
 * - `npm test -- portable`: the part of api and contract that depends on the PostgreSQL version; it runs only when it
 * is named.
 *
 * The build comes first, then every vitest project in one process. Programs that read the sources run in parallel at a
 * low priority. The run continues after failures, repeats nothing, and ends with a table, CPU seconds, failures and one
 * line of counts.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { startVitest, type TestCase, type TestModule, type Vitest } from 'vitest/node'
import { ensureChromium } from './support/run/chromium.ts'
import { getProcessorSeconds } from './support/run/processor.ts'
import { costsVariable, type FileCost } from './support/run/processor-setup.ts'
import { isTier, type Tier, tierVariable } from './tiers.ts'

/**
 * The types and lint programs are written in Go and would use every core. One core and rarer garbage collection cost
 * less in total: lint 11 s of CPU time instead of 29, types with one checker 17 instead of 29 (each checker computes
 * the same library types again).
 */
const goEnvironment = { GOMAXPROCS: '1', GOGC: '400' }
const programs: Record<string, string[]> = {
  build: ['vite', 'build', '--logLevel', 'warn'],
  types: ['tsc', '--noEmit', '-p', '.', '--checkers', '1'],
  lint: ['oxlint', '--type-aware', '--quiet'],
  knip: ['knip', '--no-progress'],
  format: ['biome', 'check', '--error-on-warnings', '.'],
}
// All processes share compiled code: each test server then starts with half a second less CPU time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
const projects = ['architecture', 'unit', 'platform', 'client', 'api', 'contract', 'e2e']
/** Steps that run as one vitest project when both run completely, so that a worker loads their common modules once. */
const combined: Record<string, string[]> = { served: ['api', 'contract'], plain: ['architecture', 'unit', 'platform'] }
const lowPriority = 10
const slowTestSeconds = 10
const dearestCount = 10

type Row = { step: string; passed: number; failed: number; skipped: number; seconds: number | null }
const rows: Row[] = []
const failures: string[] = []
const skips: string[] = []
const startedAt = Date.now()

const labels = process.argv.slice(2)
// `npm run test:full -- rest` passes both words; the last one counts.
const provided = labels.findLast(isTier)
const tier: Tier = provided ?? 'quick'
const steps = labels.filter((word) => word in programs || word === 'portable' || projects.includes(word))
const files = labels.filter((word) => !steps.includes(word) && !isTier(word))
process.env[tierVariable] = files.length > 0 || steps.includes('portable') ? 'full' : tier
const isRequested = (step: string): boolean => {
  if (steps.length > 0) return steps.includes(step)
  if (files.length > 0 || step === 'portable') return false
  return tier !== 'rest' || ['build', 'api', 'e2e'].includes(step)
}

const scratch = mkdtempSync(join(tmpdir(), 'xinhan-tests-'))
const costsFile = join(scratch, 'costs')
process.env[costsVariable] = costsFile

const indent = (text: string, max: number): string => stripVTControlCharacters(text).trim().slice(0, max).replace(/^/gm, '  ')

/** Parses the output of a shell's `times`: its own seconds, then those of its children, each `0m1.23s 0m0.45s`. */
function parseTimes(text: string): number | null {
  const values = [...text.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds))
  return values.length === 4 ? values.reduce((sum, value) => sum + value, 0) : null
}

/** Runs a program that either succeeds or does not; it counts as one test. Its output is shown when it has ended. */
function runProgram(step: string, command: string[]): Promise<boolean> {
  const isWindows = process.platform === 'win32'
  const [name = '', ...args] = isWindows
    ? command
    : ['sh', '-c', '"$@"; code=$?; times >&3 2>/dev/null; exit $code', 'sh', ...command]
  return new Promise((resolve) => {
    const env = { ...process.env, ...goEnvironment }
    const child = spawn(name, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], shell: isWindows })
    if (step !== 'build' && child.pid !== undefined) setPriority(child.pid, lowPriority)
    let output = ''
    let times = ''
    const collect = (chunk: Buffer): void => void (output += chunk.toString())
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.stdio[3]?.on('data', (chunk: Buffer) => void (times += chunk.toString()))
    child.once('error', (error) => collect(Buffer.from(error.message)))
    child.once('close', (code) => {
      const ok = code === 0
      rows.push({ step, passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, seconds: parseTimes(times) })
      if (!ok) failures.push(`${step}\n${indent(output, 4000)}`)
      process.stdout.write(`${ok ? '✓' : '✗'} ${step}\n${ok ? '' : output}`)
      resolve(ok)
    })
  })
}

/** Returns the step that a test file counts for. */
const getStep = ({ project, relativeModuleId }: TestModule): string =>
  project.name in combined ? (/tests\/(\w+)\b/.exec(relativeModuleId)?.[1] ?? project.name) : project.name
const getTestName = (test: TestCase): string => `${getStep(test.module)}: ${test.module.relativeModuleId} > ${test.fullName}`

/** Counts the tests of a step. A file that fails before its tests are counted is one failure. */
function countTests(step: string, modules: readonly TestModule[]): Row {
  const row: Row = { step, passed: 0, failed: 0, skipped: 0, seconds: null }
  for (const module of modules) {
    const failedBefore = row.failed
    for (const test of module.children.allTests()) {
      const result = test.result()
      row[result.state === 'passed' ? 'passed' : result.state === 'failed' ? 'failed' : 'skipped'] += 1
      if (result.state === 'skipped') skips.push(`${getTestName(test)}${result.note ? `: ${result.note}` : ''}`)
      if (result.state === 'failed') failures.push(`${getTestName(test)}\n${indent(result.errors?.[0]?.message ?? '', 800)}`)
    }
    if (module.ok() || row.failed > failedBefore) continue
    // A hook that failed or a file that could not be read: none of its tests reports it.
    row.failed += 1
    const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
    const error = [...module.errors(), ...suites][0]
    failures.push(`${step}: ${module.relativeModuleId}\n${indent(error?.stack ?? error?.message ?? '', 1200)}`)
  }
  return row
}

/** Runs every selected project in one vitest process. A failure outside of any test counts, too. */
async function runVitest(selected: string[]): Promise<Vitest> {
  const project = Object.entries(combined).reduce(
    (names, [name, sections]) =>
      files.length === 0 && sections.every((part) => names.includes(part))
        ? [...names.filter((one) => !sections.includes(one)), name]
        : names,
    selected,
  )
  const vitest = await startVitest('test', files, { project, watch: false, reporters: ['default'] }, {}, {})
  const modules = vitest.state.getTestModules()
  for (const step of selected)
    rows.push(
      countTests(
        step,
        modules.filter((module) => getStep(module) === step),
      ),
    )
  for (const error of vitest.state.getUnhandledErrors()) {
    rows.push({ step: 'unhandled', passed: 0, failed: 1, skipped: 0, seconds: null })
    failures.push(`outside of any test\n${indent(String((error as Error).stack ?? error), 1200)}`)
  }
  if (modules.length === 0) failures.push('no test file was found')
  const slow = modules
    .flatMap((module) => [...module.children.allTests()])
    .map((test) => ({ name: getTestName(test), seconds: (test.diagnostic()?.duration ?? 0) / 1000 }))
    .filter(({ seconds }) => seconds >= slowTestSeconds)
    .toSorted((a, b) => b.seconds - a.seconds)
  if (slow.length > 0) process.stdout.write('\nSlow by the clock:\n')
  for (const { name, seconds } of slow.slice(0, dearestCount))
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${name}\n`)
  return vitest
}

/** Reads the CPU seconds that each test file reported. Without /proc there are none. */
function readCosts(): FileCost[] {
  try {
    return readFileSync(costsFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as FileCost)
  } catch {
    return []
  }
}

const running = new Map(
  Object.entries(programs)
    .filter(([step]) => isRequested(step))
    .map(([step, command]) => [step, runProgram(step, command)]),
)
const built = (await running.get('build')) ?? true
let selected = [...projects, 'portable'].filter(
  (step) => isRequested(step) || (files.length > 0 && steps.length === 0 && step !== 'portable'),
)
if (selected.includes('e2e')) {
  if (built) ensureChromium()
  else {
    selected = selected.filter((step) => step !== 'e2e')
    rows.push({ step: 'e2e', passed: 0, failed: 1, skipped: 0, seconds: null })
    failures.push('e2e\n  was not run: there is no client without the build')
  }
}
const vitest = selected.length > 0 ? await runVitest(selected) : undefined
await Promise.all(running.values())
const processor = getProcessorSeconds()

const costs = readCosts()
for (const row of rows) {
  const own = costs.filter(
    ({ file }) => file.split('/')[1] === row.step || (row.step === 'portable' && /\/(api|contract)\//.test(file)),
  )
  if (own.length > 0) row.seconds = own.reduce((sum, { seconds }) => sum + seconds, 0)
}
const total = (name: 'passed' | 'failed' | 'skipped'): number => rows.reduce((sum, row) => sum + row[name], 0)
if (costs.length > 0) process.stdout.write('\nDearest test files (processor seconds in their worker):\n')
for (const { file, seconds } of costs.toSorted((a, b) => b.seconds - a.seconds).slice(0, dearestCount))
  process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${file}\n`)
process.stdout.write('\n')
for (const { step, passed, failed, skipped, seconds } of rows) {
  const rest = skipped ? `, ${skipped} skipped` : ''
  const cost = seconds === null ? '' : `  (${seconds.toFixed(1)} s of processor)`
  process.stdout.write(`${step.padEnd(12)} ${String(passed).padStart(5)} passed, ${failed} failed${rest}${cost}\n`)
}
const wall = (Date.now() - startedAt) / 1000
if (processor !== null) {
  // A child that ends after its file was counted appears in both sums, so the rest may come out slightly below zero.
  const shared = Math.max(0, processor - rows.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0))
  process.stdout.write(
    `${'shared'.padEnd(12)} runner, PostgreSQL and the journeys’ server  (${shared.toFixed(1)} s of processor)\n`,
  )
  process.stdout.write(`${wall.toFixed(0)} s by the clock, ${processor.toFixed(0)} s of processor\n`)
}
if (skips.length > 0) process.stdout.write(`\nSkipped:\n${skips.join('\n')}\n`)
if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`)
const nothing = total('passed') === 0
const failed = total('failed') + (nothing && total('failed') === 0 ? 1 : 0)
process.stdout.write(`\n${total('passed')} passed, ${failed} failed${total('skipped') ? `, ${total('skipped')} skipped` : ''}\n`)
rmSync(scratch, { recursive: true, force: true })
await vitest?.close()
// V8 may still be compiling on another thread; a process that exits in that moment hangs forever on Node 24.
await new Promise((resolve) => setTimeout(resolve, 500))
process.exit(failed === 0 ? 0 : 1)
