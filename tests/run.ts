/**
 * `npm test`: what it takes to believe in a commit, with all cores busy. First the build, then every vitest project in one process, the longest
 * first, so that no core waits for the other at the end; the programs that look at the source have the moments in which nobody else works.
 * It goes on whatever fails, nothing is tried twice, and it ends with a table, what was slow, what failed, and one line of counts.
 *
 * `npm test -- api contract` runs only the steps that are named; any other word chooses files: `npm test -- api slip-send`. `portable`, the part
 * of api that depends on which PostgreSQL it runs on, is only run when it is named.
 */
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { startVitest, type TestCase, type TestModule, type Vitest } from 'vitest/node'
import { ensureChromium } from './kit/run/chromium.ts'

/**
 * Types and lint are written in Go and would use every core, which others of these use meanwhile: on one alone lint takes 18 s of processor instead of
 * 29. Types with one checker 17 instead of 29: several share out the files, and each works out the same types of the libraries again. What Go throws
 * away is looked for less often: lint takes 11 s instead of 13.5 and 2.3 GB instead of 2.1.
 */
const alone = { GOMAXPROCS: '1', GOGC: '400' }
const programs: Record<string, string[]> = {
  build: ['vite', 'build', '--logLevel', 'warn'],
  types: ['tsc', '--noEmit', '-p', '.', '--checkers', '1'],
  lint: ['oxlint', '--type-aware', '--deny-warnings'],
  knip: ['knip', '--no-progress'],
  format: ['biome', 'check', '--error-on-warnings', '.'],
}
/** What one process has compiled, and stripped of its types, the next ones read: of thirty servers each starts with half a second of processor less. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
const projects = ['house', 'unit', 'platform', 'client', 'api', 'contract', 'e2e']
/** Steps that run as one project where they run whole: each worker loads once what they share. */
const together: Record<string, string[]> = { served: ['api', 'contract'], plain: ['house', 'unit', 'platform'] }
/** Below what is tested: a test that waits for a clock or a database is when they work. */
const in_the_gaps = 10
/** What is worth a look: a test that takes longer than this many seconds is named at the end, the longest first. */
const slow_s = 10

type Row = { step: string; passed: number; failed: number; skipped: number; seconds: number }
const rows: Row[] = []
const failures: string[] = []
const skips: string[] = []
const began = Date.now()

const words = process.argv.slice(2)
const steps = words.filter((word) => word in programs || word === 'portable' || projects.includes(word))
const files = words.filter((word) => !steps.includes(word))
const wanted = (step: string): boolean => (steps.length === 0 ? step !== 'portable' && files.length === 0 : steps.includes(step))

/** A program that either succeeds or does not: counts as one. What it says is shown when it has ended. */
function run(step: string, [name = '', ...args]: string[]): Promise<boolean> {
  const start = Date.now()
  return new Promise((done) => {
    const env = { ...process.env, ...alone }
    const child = spawn(name, args, { env, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })
    if (step !== 'build' && child.pid !== undefined) setPriority(child.pid, in_the_gaps)
    let output = ''
    const listen = (chunk: Buffer): void => void (output += chunk.toString())
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('error', (error) => listen(Buffer.from(error.message)))
    child.once('close', (code) => {
      const ok = code === 0
      rows.push({ step, passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, seconds: (Date.now() - start) / 1000 })
      if (!ok) failures.push(`${step}\n${indent(output, 4000)}`)
      process.stdout.write(`${ok ? '✓' : '✗'} ${step}\n${ok ? '' : output}`)
      done(ok)
    })
  })
}

const indent = (text: string, most: number): string => stripVTControlCharacters(text).trim().slice(0, most).replace(/^/gm, '  ')

/** Counts a project test by test. A file that dies before its tests are counted is a failure of its own. */
function count(step: string, modules: readonly TestModule[]): Row {
  const row: Row = { step, passed: 0, failed: 0, skipped: 0, seconds: 0 }
  for (const module of modules) {
    row.seconds += took(module)
    const before = row.failed
    for (const test of module.children.allTests()) {
      const result = test.result()
      const { state } = result
      row[state === 'passed' ? 'passed' : state === 'failed' ? 'failed' : 'skipped'] += 1
      if (result.state === 'skipped') skips.push(`${nameOf(test)}${result.note ? `: ${result.note}` : ''}`)
      if (state === 'failed') failures.push(`${nameOf(test)}\n${indent(test.result().errors?.[0]?.message ?? '', 800)}`)
    }
    // A hook that failed, or a file that could not be read: none of its tests says so.
    if (module.ok() || row.failed > before) continue
    row.failed += 1
    const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
    const error = [...module.errors(), ...suites][0]
    failures.push(`${step}: ${module.relativeModuleId}\n${indent(error?.stack ?? error?.message ?? '', 1200)}`)
  }
  return row
}

function took(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic()
  return (duration + collectDuration + setupDuration) / 1000
}

/** The step that a file counts for. */
const stepOf = ({ project, relativeModuleId }: TestModule): string =>
  project.name in together ? (/tests\/(\w+)\b/.exec(relativeModuleId)?.[1] ?? project.name) : project.name
const nameOf = (test: TestCase): string => `${stepOf(test.module)}: ${test.module.relativeModuleId} > ${test.fullName}`

/** Everything in one process. What fails outside of any test is a failure too. */
async function vitest(chosen: string[]): Promise<Vitest | undefined> {
  const project =
    files.length > 0
      ? chosen
      : Object.entries(together).reduce(
          (names, [name, parts]) =>
            parts.every((part) => names.includes(part)) ? [...names.filter((one) => !parts.includes(one)), name] : names,
          chosen,
        )
  const running = await startVitest('test', files, { project, watch: false, reporters: ['default'] }, {}, {})
  const modules = running.state.getTestModules()
  for (const step of chosen)
    rows.push(
      count(
        step,
        modules.filter((module) => stepOf(module) === step),
      ),
    )
  for (const error of running.state.getUnhandledErrors()) {
    rows.push({ step: 'unhandled', passed: 0, failed: 1, skipped: 0, seconds: 0 })
    failures.push(`outside of any test\n${indent(String((error as Error).stack ?? error), 1200)}`)
  }
  if (modules.length === 0) failures.push('no test file was found')
  const long = modules
    .flatMap((module) => [...module.children.allTests()])
    .map((test) => ({ name: nameOf(test), seconds: (test.diagnostic()?.duration ?? 0) / 1000 }))
    .filter(({ seconds }) => seconds >= slow_s)
    .toSorted((a, b) => b.seconds - a.seconds)
  if (long.length > 0) process.stdout.write('\nSlow:\n')
  for (const { name, seconds } of long.slice(0, 15)) process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${name}\n`)
  if (process.env.XINHAN_FILES === '1') {
    process.stdout.write('\nFiles:\n')
    for (const module of modules.toSorted((a, b) => took(b) - took(a)))
      process.stdout.write(`${took(module).toFixed(1).padStart(7)} s  ${stepOf(module)}: ${module.relativeModuleId}\n`)
  }
  return running
}

const begun = new Map(
  Object.entries(programs)
    .filter(([step]) => wanted(step))
    .map(([step, line]) => [step, run(step, line)]),
)
const built = (await begun.get('build')) ?? true
let chosen = [...projects, 'portable'].filter(
  (step) => wanted(step) || (files.length > 0 && steps.length === 0 && step !== 'portable'),
)
if (chosen.includes('e2e')) {
  if (built) ensureChromium()
  else {
    chosen = chosen.filter((step) => step !== 'e2e')
    rows.push({ step: 'e2e', passed: 0, failed: 1, skipped: 0, seconds: 0 })
    failures.push('e2e\n  was not run: there is no client without the build')
  }
}
const running = chosen.length > 0 ? await vitest(chosen) : undefined
await Promise.all(begun.values())

const total = (name: 'passed' | 'failed' | 'skipped' | 'seconds'): number => rows.reduce((sum, row) => sum + row[name], 0)
process.stdout.write('\n')
for (const { step, passed, failed, skipped, seconds } of rows) {
  const rest = skipped ? `, ${skipped} skipped` : ''
  process.stdout.write(
    `${step.padEnd(10)} ${String(passed).padStart(5)} passed, ${failed} failed${rest}  (${seconds.toFixed(1)} s of work)\n`,
  )
}
const wall = (Date.now() - began) / 1000
process.stdout.write(`${wall.toFixed(0)} s by the clock for ${total('seconds').toFixed(0)} s of work\n`)
if (skips.length > 0) process.stdout.write(`\nSkipped:\n${skips.join('\n')}\n`)
if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`)
const nothing = total('passed') === 0
const failed = total('failed') + (nothing && total('failed') === 0 ? 1 : 0)
process.stdout.write(`\n${total('passed')} passed, ${failed} failed${total('skipped') ? `, ${total('skipped')} skipped` : ''}\n`)
await running?.close()
// What V8 still compiles beside us may want this thread once more; ended while it does, Node 24 waits for that thread for ever.
await new Promise((done) => setTimeout(done, 500))
process.exit(failed === 0 ? 0 : 1)
