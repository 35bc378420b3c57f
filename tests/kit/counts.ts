/**
 * `npm run counts`: how many tests each file had when the suite was one run without trials, and how many it has now, as docs/tests/counts.md.
 * Asked of vitest itself, which counts every row of every table; no test is run for it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
/** The last state in which every run tried everything as often as it ever did. */
const before = process.argv[2] ?? 'e3f23ff'
const projects = ['unit', 'house', 'platform', 'client', 'api', 'contract', 'e2e']
/** What no test is called. */
const nobody = 'a title that no test has'

type Listed = {
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly { readonly fullName: string }[] }[]
}
/** By file, the titles of its tests. */
type Titles = ReadonlyMap<string, readonly string[]>

function run(program: string, args: readonly string[], cwd = root): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

function titlesIn(folder: string): Titles {
  const scratch = mkdtempSync(join(tmpdir(), 'counts-'))
  const out = join(scratch, 'list.json')
  const wanted = projects.flatMap((project) => ['--project', project])
  spawnSync('vitest', ['run', ...wanted, '-t', nobody, '--passWithNoTests', '--reporter=json', `--outputFile=${out}`], {
    cwd: folder,
  })
  const { testResults } = JSON.parse(readFileSync(out, 'utf8')) as Listed
  rmSync(scratch, { recursive: true })
  return new Map(
    testResults.map(({ name, assertionResults }) => [
      relative(join(folder, 'tests'), name),
      assertionResults.map(({ fullName }) => fullName),
    ]),
  )
}

/** The titles of another commit, in a work tree of its own that is gone afterwards. */
function titlesAt(commit: string): Titles {
  const folder = join(mkdtempSync(join(tmpdir(), 'counts-')), 'then')
  run('git', ['worktree', 'add', '--detach', folder, commit])
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    return titlesIn(folder)
  } finally {
    run('git', ['worktree', 'remove', '--force', folder])
  }
}

const trial = /(?:^|\s)trial ([\w-]+): /
const projectOf = (file: string): string => file.split(/[/.]/)[0] ?? ''
const count = (titles: Titles, which: (file: string) => boolean): number =>
  [...titles].reduce((sum, [file, of]) => sum + (which(file) ? of.length : 0), 0)

function pageOf(then: Titles, now: Titles): string {
  const files = [...new Set([...then.keys(), ...now.keys()])].toSorted()
  // The describe blocks around a test were named anew more often than the test.
  const known = new Set([...now.values()].flat().map((title) => title.replace(trial, ' ').trim()))
  const kept = (title: string) => known.has(title.trim())
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const row = (name: string, which: (file: string) => boolean) => {
    const old = [...then].flatMap(([file, titles]) => (which(file) ? titles : []))
    const trials = [...now].flatMap(([file, titles]) => (which(file) ? titles.filter((title) => trial.test(title)) : []))
    return line([name, old.length || '–', count(now, which) || '–', old.filter(kept).length || '–', trials.length || '–'])
  }
  const head = ['| | before | now | of those before under the same title | trials now |', '|---|---|---|---|---|']
  const moved = [...now].flatMap(([file, titles]) =>
    titles.flatMap((title) => {
      const name = trial.exec(title)?.[1]
      return name ? [line([`\`${name}\``, file, then.get(file)?.length ?? '–'])] : []
    }),
  )
  return [
    '# Tests by file, before and now',
    '',
    `*Before* is ${before}, the last state in which every run tried everything as often as it ever did; *now* is the state in which this page was`,
    'made, by `npm run counts`. Every row of every table counts as one test. Which tests became trials, and how often they tried before, is told in',
    '[trials.md](trials.md). A test that does not stand under the same title any more was given a clearer one, stands in another file, or was',
    'divided into several; a file without tests now was divided into others of the same beginning.',
    '',
    ...head,
    ...projects.map((project) => row(`**${project}**`, (file) => projectOf(file) === project)),
    row('**all**', () => true),
    '',
    '## Each file',
    '',
    ...head,
    ...files.map((file) => row(file.replace(/\.test\.tsx?$/, ''), (one) => one === file)),
    '',
    '## What became a trial',
    '',
    '| trial | file | tests of this file before |',
    '|---|---|---|',
    ...moved.toSorted(),
    '',
  ].join('\n')
}

const page = join(root, 'docs/tests/counts.md')
if (!existsSync(join(root, 'node_modules'))) throw new Error('npm ci first')
writeFileSync(page, pageOf(titlesAt(before), titlesIn(root)))
process.stdout.write(`${relative(root, page)}\n`)
