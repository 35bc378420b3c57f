/**
 * `npm run trials`: runs every trial as large as its goal requires, with its own printed seed, and ends with one table
 * of figures.
 * `npm run trials role-attack sheet` runs those whose name begins so; `--seed 7` repeats a run. A browser test file
 * that covers only some of the views or states in every run is a trial by its file name.
 *
 * `npm run trust g1 g2 g23` runs the trials of these sending goals, each within minutes; without a goal all of them,
 * and the results without protections (`bare`). `--seed 7 --kept FILE` runs in parts; results of this seed in the file
 * are not repeated (`g2`).
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { ensureChromium } from './support/run/chromium.ts'
import type { TrialFigure } from './support/run/trial.ts'

const root = resolve(import.meta.dirname, '..')
/** The trials that demonstrate each goal. */
const goals: Readonly<Record<string, readonly string[]>> = {
  g1: ['sending-killed'],
  g2: ['sending-histories'],
  g23: ['withdraw-race'],
  bare: ['sending-bare'],
}
const provided = process.argv.slice(2)
const isTrust = provided[0] === '--goals'
const labels = isTrust ? provided.slice(1) : provided
const at = labels.indexOf('--seed')
const seed = at >= 0 ? Number(labels[at + 1]) : Date.now() % 1_000_000
const others = at >= 0 ? labels.toSpliced(at, 2) : labels
/** The file in which a trial that runs in parts stores its results and finds those of earlier parts. */
const storedAt = others.indexOf('--kept')
const stored = storedAt >= 0 ? { XINHAN_TRIAL_STORED: resolve(others[storedAt + 1] ?? '') } : {}
const selected = storedAt >= 0 ? others.toSpliced(storedAt, 2) : others
const requested = isTrust
  ? (selected.length > 0 ? selected : Object.keys(goals)).flatMap((goal) => goals[goal.toLowerCase()] ?? [])
  : selected
if (isTrust && requested.length < selected.length) {
  process.stdout.write(`Goals: ${Object.keys(goals).join(' ')}\n`)
  process.exit(1)
}
const isRequested = (name: string) => requested.length === 0 || requested.some((start) => name.startsWith(start))

type Match = { file: string; names: string[] }
const files: Match[] = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.test\.tsx?$/.test(path))
  .map((path) => {
    const text = readFileSync(join(root, 'tests', path), 'utf8')
    const isViewed = path.startsWith('e2e') && /run\/trial\.ts|\bexamine\(/.test(text)
    const names = isViewed
      ? [basename(path).replace(/\.test\.tsx?$/, '')]
      : [...text.matchAll(/\b(?:trial|over)\(\s*'([\w-]+)'/g)].map((match) => match[1] ?? '')
    return { file: join('tests', path), names: [...new Set(names)].filter(isRequested) }
  })
  .filter(({ names }) => names.length > 0)
const inBrowser = files.filter(({ file }) => file.startsWith('tests/e2e'))
const comparison = files.filter((one) => !inBrowser.includes(one))
if (files.length === 0) {
  process.stdout.write('No trial of that name.\n')
  process.exit(1)
}

const scratch = mkdtempSync(join(tmpdir(), 'xinhan-trials-'))
const figures = join(scratch, 'figures')
const report = join(scratch, 'report.json')
const env = { ...process.env, XINHAN_TRIALS: 'whole', XINHAN_SEED: String(seed), XINHAN_TRIAL_FIGURES: figures, ...stored }
process.stdout.write(`Seed ${seed}. ${files.flatMap(({ names }) => names).join(' ')}\n`)

const vitest = (projects: string[], selected: Match[], more: string[]) => {
  const named = projects.map((name) => `--project=${name}`)
  const where = selected.map(({ file }) => file)
  return spawnSync('vitest', ['run', ...named, '--reporter=default', ...more, ...where], { cwd: root, env, stdio: 'inherit' })
}
let status = 0
if (comparison.length > 0) {
  const pattern = `trial (${comparison.flatMap(({ names }) => names).join('|')}):`
  status ||= vitest(['unit', 'api*', 'contract', 'client', 'platform'], comparison, ['-t', pattern]).status ?? 1
}
if (inBrowser.length > 0) {
  if (!existsSync(join(root, 'dist'))) spawnSync('vite', ['build', '--logLevel', 'warn'], { cwd: root, stdio: 'inherit' })
  ensureChromium()
  status ||= vitest(['e2e'], inBrowser, ['--reporter=json', `--outputFile=${report}`]).status ?? 1
}

type Row = [name: string, goal: string, what: string, tried: string, failed: string, seconds: string, says: string]
const table: Row[] = [['trial', 'goal', 'what', 'tried', 'failed', 'seconds', 'figures']]
if (existsSync(figures)) {
  const all = readFileSync(figures, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TrialFigure)
  // A trial of many tests, for example one a call, is one row.
  for (const [name, sections] of Map.groupBy(all, (one) => one.name)) {
    const sum = (of: (one: TrialFigure) => number) => sections.reduce((total, one) => total + of(one), 0)
    const [first] = sections
    const failed = sum((one) => (one.failed ? 1 : 0))
    const seconds = sum((one) => one.seconds).toFixed(1)
    const says = sections.flatMap((one) => one.says || []).join(' | ')
    table.push([name, first?.goal ?? '', first?.of ?? '', String(sum((one) => one.tried)), String(failed), seconds, says])
  }
}
type Report = { testResults: { name: string; startTime: number; endTime: number; assertionResults: { status: string }[] }[] }
if (existsSync(report)) {
  for (const { name, startTime, endTime, assertionResults } of (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults) {
    const failed = assertionResults.filter((one) => one.status === 'failed').length
    const seconds = ((endTime - startTime) / 1000).toFixed(1)
    const file = basename(relative(root, name)).replace(/\.test\.tsx?$/, '')
    table.push([file, '', 'tests', String(assertionResults.length), String(failed), seconds, ''])
  }
}
const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? []
process.stdout.write(`\nSeed ${seed}; on ${new Date().toISOString()}\n`)
for (const row of table)
  process.stdout.write(
    `${row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()}\n`,
  )
rmSync(scratch, { recursive: true, force: true })
process.exit(status)
