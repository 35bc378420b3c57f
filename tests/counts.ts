/**
 * `npm run counts`: how many tests each file had when the suite was one run without trials, and how many it has now, as docs/tests/counts.md.
 * Asked of vitest itself, which counts every row of every table; no test is run for it. `-- THEN.json NOW.json` takes two of its reports
 * that lie there already.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** The last state in which every run tried everything as often as it ever did. */
const before = 'e3f23ff'
const projects = ['unit', 'house', 'platform', 'client', 'api', 'contract', 'e2e']
/** What no test is called. */
const nobody = 'a title that no test has'

type Test = { readonly fullName: string; readonly title: string }
type Listed = { readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly Test[] }[] }
/** By file. */
type Tests = ReadonlyMap<string, readonly Test[]>

function run(program: string, args: readonly string[], cwd = root): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

/** Of a report, wherever the tests lay that it tells of. */
const testsOf = (report: string): Tests =>
  new Map(
    (JSON.parse(readFileSync(report, 'utf8')) as Listed).testResults.map(({ name, assertionResults }) => [
      name.slice(name.indexOf('/tests/') + '/tests/'.length),
      assertionResults,
    ]),
  )

function testsIn(folder: string, scratch: string): Tests {
  const out = join(scratch, 'list.json')
  const wanted = projects.flatMap((project) => ['--project', project])
  const args = ['run', ...wanted, '-t', nobody, '--passWithNoTests', '--reporter=json', `--outputFile=${out}`]
  const PATH = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
  spawnSync('vitest', args, { cwd: folder, env: { ...process.env, PATH } })
  return testsOf(out)
}

/** The tests of another commit, with the packages it had, in a work tree of its own that is gone afterwards. */
function testsAt(commit: string, scratch: string): Tests {
  const folder = join(scratch, 'then')
  const shared = resolve(root, '../shared')
  if (existsSync(shared)) symlinkSync(shared, join(scratch, 'shared'))
  run('git', ['worktree', 'add', '--detach', folder, commit])
  try {
    run('npm', ['ci', '--no-audit', '--no-fund'], folder)
    return testsIn(folder, scratch)
  } finally {
    run('git', ['worktree', 'remove', '--force', folder])
  }
}

const trial = /(?:^|\s)trial ([\w-]+): /
const projectOf = (file: string): string => file.split(/[/.]/)[0] ?? ''
const nameOf = (file: string): string => file.replace(/\.test\.tsx?$/, '')
const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly string[]) => [line(head), line(head.map(() => '---')), ...rows, '']

/** Whether a test still stands somewhere: under its whole title, or, in another block or as a trial, under its own words. */
function standing(now: Tests): (test: Test) => boolean {
  const plain = (text: string) => text.replace(trial, ' ').trim()
  const known = new Set([...now.values()].flat().flatMap(({ fullName, title }) => [plain(fullName), `own ${plain(title)}`]))
  return ({ fullName, title }) => known.has(fullName.trim()) || known.has(`own ${title.trim()}`)
}

function pageOf(then: Tests, now: Tests): string {
  const stands = standing(now)
  const isTrial = ({ fullName }: Test) => trial.test(fullName)
  const ofThose = (tests: Tests, which: (file: string) => boolean) =>
    [...tests].flatMap(([file, all]) => (which(file) ? all : []))
  const row = (name: string, which: (file: string) => boolean) => {
    const [old, fresh] = [ofThose(then, which), ofThose(now, which)]
    const counts = [old.length, fresh.length, old.filter(stands).length, fresh.filter(isTrial).length]
    return line([name, ...counts.map((count) => count || '–')])
  }
  const head = ['', 'before', 'now', 'of those before, under the same words', 'trials now']
  const files = [...new Set([...then.keys(), ...now.keys()])].toSorted()
  const trials = new Map<string, number>()
  for (const [file, all] of now)
    for (const { fullName } of all) {
      const name = trial.exec(fullName)?.[1]
      if (name) trials.set(`\`${name}\` | ${nameOf(file)}`, (trials.get(`\`${name}\` | ${nameOf(file)}`) ?? 0) + 1)
    }
  const gone = [...then].toSorted().flatMap(([file, all]) => {
    const titles = all.filter((test) => !stands(test)).map(({ fullName }) => `- ${fullName.trim().slice(0, 160)}`)
    return titles.length > 0 ? [`**${nameOf(file)}** (${titles.length} of ${all.length})`, '', ...titles, ''] : []
  })
  return [
    '# Tests by file, before and now',
    '',
    `Written by \`npm run counts\`. *Before* is ${before}, the last state in which every run tried everything as often as it ever did; *now* is the`,
    'state in which the command ran. Every row of every table counts as one test. What became a trial, and how often it tried before, is told in',
    '[trials.md](trials.md); the last part here names every test of before whose words stand nowhere any more.',
    '',
    ...table(head, [
      ...projects.map((project) => row(`**${project}**`, (file) => projectOf(file) === project)),
      row('**all**', () => true),
    ]),
    '## Each file',
    '',
    ...table(
      head,
      files.map((file) => row(nameOf(file), (one) => one === file)),
    ),
    '## Trials',
    '',
    ...table(
      ['trial', 'file', 'tests', 'tests of the file before'],
      [...trials].toSorted().map(([name, count]) => {
        const file = [...then.keys()].find((one) => name.endsWith(` ${nameOf(one)}`))
        return line([name, count, (file && then.get(file)?.length) || '–'])
      }),
    ),
    '## Words that are gone',
    '',
    'Checks expect the sentence now (`unit/check-*` in place of `unit/sheet-problems*`), the tables of the specification stand in `client/spec-*` and',
    'no longer in the browser (`e2e/login`, `e2e/shell`), trials have a size in place of a number in their title, and what journeys walk through',
    'together is told in fewer, longer steps.',
    '',
    ...gone,
  ].join('\n')
}

const [then, now] = process.argv.slice(2)
const scratch = mkdtempSync(join(tmpdir(), 'counts-'))
try {
  const page = pageOf(then ? testsOf(then) : testsAt(before, scratch), now ? testsOf(now) : testsIn(root, scratch))
  writeFileSync(join(root, 'docs/tests/counts.md'), page)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.stdout.write('docs/tests/counts.md\n')
