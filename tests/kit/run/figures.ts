/**
 * How many lines of unit test stand behind a line of rule, by subject. What a test is of is read from what it imports. Blank lines and
 * comments count on neither side: a rule is not tested better for being explained less.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
const walk = (dir: string): string[] =>
  readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(dir, path))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
/** Comments stand on lines of their own here, or behind what counts anyway. */
const linesOf = (path: string): number =>
  textOf(path)
    .replace(/^\s*\/\*[^]*?\*\/\s*$/gm, '')
    .split('\n')
    .filter((line) => !/^\s*(\/\/|$)/.test(line)).length

const pattern = /^server\/(?:domain\/([^/]+)\/rules\/(?:(check)\/)?|(tables)\/(?:recognise\/|profiles\/|cells|grid)|(rules)\/)/
/** `sheet` is two subjects: what is wrong with a sheet, and all that follows; what a table is, and what several subjects decide alike, are rooms of their own. */
function subjectOf(path: string): string | null {
  const [, domain, part, tables, shared] = pattern.exec(path) ?? []
  return domain ? `${domain}${part ? `/${part}` : ''}` : (tables ?? shared ?? null)
}

/** What a file runs, not what it only names the types of. */
function importsOf(path: string): string[] {
  const found = textOf(path).matchAll(/^import\s+(?!type\s)([^'"]*?)\s*(?:from\s+)?'(\.[^']+)'/gm)
  return [...found].flatMap(([, names = '', from = '']) => {
    const taken =
      /\{([^}]*)\}/
        .exec(names)?.[1]
        ?.split(',')
        .filter((name) => name.trim() !== '') ?? []
    if (taken.length > 0 && taken.every((name) => name.trim().startsWith('type '))) return []
    return [relative(root, resolve(root, dirname(path), from))]
  })
}

/**
 * What of the product a test runs: what it imports itself or by way of the kit, and of rules also the rules that those import. Of
 * anything else (a reader of files, a sentence of the client) the file itself.
 */
function runBy(path: string, seen = new Set<string>()): Set<string> {
  for (const to of importsOf(path)) {
    if (seen.has(to)) continue
    if (to.startsWith('tests/kit/')) runBy(to, seen)
    else if (subjectOf(to)) runBy(to, seen.add(to))
    else if (path.startsWith('tests/') && /^(server|platform|src)\//.test(to)) seen.add(to)
  }
  return seen
}

export type Figure = { readonly subject: string; readonly rules: number; readonly tests: number; readonly ratio: number }

/** By subject, thinnest first. A test's lines are divided among all that it runs, by their lines. */
export function figures(): Figure[] {
  const rules = new Map<string, number>()
  const tests = new Map<string, number>()
  const add = (to: Map<string, number>, key: string, lines: number) => to.set(key, (to.get(key) ?? 0) + lines)
  for (const path of [...walk('server/domain'), ...walk('server/tables'), ...walk('server/rules')]) {
    const subject = subjectOf(path)
    if (subject) add(rules, subject, linesOf(path))
  }
  for (const path of walk('tests/unit')) {
    const run = [...runBy(path)].map((file) => ({ subject: subjectOf(file), lines: linesOf(file) }))
    const all = run.reduce((total, { lines }) => total + lines, 0)
    for (const { subject, lines } of run) if (subject) add(tests, subject, (linesOf(path) * lines) / all)
  }
  return [...rules]
    .map(([subject, lines]) => {
      const behind = Math.round(tests.get(subject) ?? 0)
      return { subject, rules: lines, tests: behind, ratio: behind / lines }
    })
    .toSorted((a, b) => a.ratio - b.ratio)
}

/** As it is printed. */
export function figuresText(): string {
  const all = figures()
  const sum = (read: (one: Figure) => number) => all.reduce((total, one) => total + read(one), 0)
  const whole = { subject: 'all rules', rules: sum((one) => one.rules), tests: sum((one) => one.tests) }
  const line = (subject: string, rules: string | number, tests: string | number, ratio: string) =>
    `${subject.padEnd(18)}${String(rules).padStart(8)}${String(tests).padStart(8)}${ratio.padStart(8)}`
  return [
    line('subject', 'rules', 'tests', 'ratio'),
    ...[...all, { ...whole, ratio: whole.tests / whole.rules }].map(({ subject, rules, tests, ratio }) =>
      line(subject, rules, tests, ratio.toFixed(2)),
    ),
  ].join('\n')
}

if (import.meta.main) process.stdout.write(`${figuresText()}\n`)
