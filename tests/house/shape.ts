/**
 * The shape of the house in figures, of any commit: `npm run shape [-- COMMIT…]` writes docs/tests/shape.md with a column for each and one for now. The
 * rules of the house say what is allowed; this says how much of it there is.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { casts, circles, folders, longFiles, longFunctions, parameters, twins } from './sizes.ts'
import { type Files, type Found, isCode, isProduct, needs, root, textsOf, theHouse } from './source.ts'
import { openedUnchecked, pairs, readAcross } from './tables.ts'

const product = (path: string): boolean => isCode(path) && isProduct(path)
const linesOf = (text: string): number => text.trimEnd().split('\n').length

/** A file and all that must be loaded before it runs. */
export function loaded(files: Files, from: string): string[] {
  const seen = new Set<string>()
  const waiting = [from]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const text = files[at]
    if (text === undefined || seen.has(at)) continue
    seen.add(at)
    waiting.push(...needs(at, text))
  }
  return [...seen]
}

/** Lines that say something: no comments, imports, brackets alone. */
const telling = (text: string): string[] =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^import [\s\S]*?['"]$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /\w.*\w.*\w/.test(line) && !line.startsWith('//'))

/** Pairs of places that say the same in so many lines or more, each counted once however long it is. */
export function copies(files: Files, least = 8): number {
  const sources = textsOf(files, isCode).map(([, text]) => telling(text))
  const places = new Map<string, (readonly [file: number, at: number])[]>()
  for (const [file, lines] of sources.entries())
    for (let at = 0; at + least <= lines.length; at += 1) {
      const window = lines.slice(at, at + least).join('\n')
      const known = places.get(window)
      if (known) known.push([file, at])
      else places.set(window, [[file, at]])
    }
  let found = 0
  for (const same of places.values())
    for (const [one, [file, at]] of same.entries())
      for (const [other, where] of same.slice(one + 1)) {
        const before = sources[file]?.[at - 1]
        if (before === undefined || before !== sources[other]?.[where - 1]) found += 1
      }
  return found
}

const total = (found: Found): number => Object.values(found).reduce((all, one) => all + one, 0)
const most = (found: Found): string => {
  const [name, size] = Object.entries(found).toSorted(([, a], [, b]) => b - a)[0] ?? ['', 0]
  return size ? `${size} (${name})` : '0'
}
export const shows_a_slip = 'server/domain/employee/slips.ts'

export function shapeOf(files: Files): [what: string, value: string][] {
  const own = textsOf(files, product)
  const tests = textsOf(files, (path) => isCode(path) && !isProduct(path))
  const sum = (list: readonly [string, string][]) => list.reduce((all, [, text]) => all + linesOf(text), 0).toLocaleString('en')
  const slip = loaded(files, shows_a_slip)
  const inProduct = Object.fromEntries(own)
  const depths = Object.fromEntries(own.map(([path]) => [path, path.split('/').length - 2]))
  return [
    ['files of the product', `${own.length}`],
    ['lines of the product', sum(own)],
    ['lines of tests', sum(tests)],
    ['folders with more than 15 entries', `${Object.keys(folders(files)).length}`],
    ['deepest file, folders below its room', most(depths)],
    ['files that lie deeper than three', `${Object.values(depths).filter((one) => one > 3).length}`],
    ['source files over 300 lines', `${Object.keys(longFiles(inProduct)).length}`],
    ['functions over 60 lines', `${Object.keys(longFunctions(files, 60)).length}`],
    ['functions over 100 lines', `${Object.keys(longFunctions(files, 100)).length}`],
    [
      'the longest of the server',
      most(Object.fromEntries(Object.entries(longFunctions(files, 60)).filter(([name]) => name.startsWith('server/')))),
    ],
    ['functions with five parameters or more', `${Object.keys(parameters(files)).length}`],
    ['circles of files', `${Object.keys(circles(files)).length}`],
    ['pairs of domains that know each other', `${Object.keys(pairs(files)).length}`],
    ['reads of another owner’s table', `${Object.keys(readAcross(files)).length}`],
    ['sealed values opened as a type that nobody checks', `${total(openedUnchecked(files))}`],
    ['casts (`x as Y`)', `${total(casts(files))}`],
    ['names of exported types with several meanings', `${Object.keys(twins(files)).length}`],
    ['places of eight lines or more that stand twice', `${copies(files)}`],
    ['files (lines) loaded to show a slip', `${slip.length} (${sum(slip.map((path) => [path, files[path] ?? '']))})`],
  ]
}

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1024 ** 3 })
/** The house as it was. */
function houseAt(commit: string): Files {
  const paths = git('ls-tree', '-r', '--name-only', commit, 'server', 'platform', 'src', 'build', 'tests')
    .split('\n')
    .filter(Boolean)
  const isText = (path: string): boolean =>
    /\.(tsx?|css|sql)$/.test(path) && !/\.gen\.ts$|^server\/runtime\/(postgres\/)?tables\.ts$/.test(path)
  return Object.fromEntries(paths.map((path) => [path, isText(path) ? git('show', `${commit}:${path}`) : '']))
}

if (import.meta.main) {
  const commits = process.argv.slice(2)
  const columns = [
    ...commits.map((commit) => ({ name: commit, shape: shapeOf(houseAt(commit)) })),
    { name: 'now', shape: shapeOf(theHouse()) },
  ]
  const rows =
    columns[0]?.shape.map(([what], at) => `| ${[what, ...columns.map(({ shape }) => shape[at]?.[1] ?? '')].join(' | ')} |`) ?? []
  const page = `# The shape of the house

Written by \`npm run shape -- ${commits.join(' ')}\`: the figures of the review of 21 November (bfe2bca), counted alike in each commit by \`tests/house/shape.ts\`.
What is over a limit, by name, stands in \`tests/house/lists.json\`. Generated files are not counted.

| | ${columns.map(({ name }) => name).join(' | ')} |
|---|${columns.map(() => '---|').join('')}
${rows.join('\n')}
`
  writeFileSync(join(root, 'docs/tests/shape.md'), page)
  process.stdout.write(page)
}
