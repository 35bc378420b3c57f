// node rename.ts --root CHECKOUT --map a.json [b.json …] [--dry] [--report out.json] [--no-follow] [--keep-locals] [--no-text] [--comments]
// See README.md beside this file.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { Engine, type Entry } from './engine.ts'
import { load, type Project, project } from './lib.ts'
import { applyEdits, type Edit, Moves } from './moves.ts'

const args = process.argv.slice(2)
const flag = (name: string): boolean => args.includes(`--${name}`)
const values = (name: string): string[] => {
  const out: string[] = []
  const at = args.indexOf(`--${name}`)
  for (let i = at + 1; at >= 0 && i < args.length && !(args[i] as string).startsWith('--'); i++) out.push(args[i] as string)
  return out
}
const root = resolve(values('root')[0] ?? '.')
const maps = values('map')
if (maps.length === 0 || !existsSync(join(root, 'tsconfig.json'))) {
  console.error(
    'usage: node rename.ts --root CHECKOUT --map a.json [b.json …] [--dry] [--report out.json] [--no-follow] [--keep-locals] [--no-text] [--comments]',
  )
  process.exit(2)
}
const began = process.cpuUsage()
const cpu = (): string => {
  const { user, system } = process.cpuUsage(began)
  return `${((user + system) / 1e6).toFixed(0)} s`
}
const log = (text: string): void => console.error(`[${cpu()}] ${text}`)

const all = maps.flatMap((m) => JSON.parse(readFileSync(m, 'utf8')) as any[])
const strange = all.filter((e) => !(e.moveTo && (e.file || e.dir)) && !(e.file && e.name && e.to))
const renames = all.filter((e) => e.file && e.name && e.to) as Entry[]
const moves = new Moves(
  root,
  all.filter((e) => e.moveTo),
  !flag('no-text'),
)
log(`${all.length} entries: ${renames.length} names, ${moves.applied.length} moves (${moves.files.size} files)`)

let p: Project | undefined
let sources: ts.SourceFile[]
if (renames.length > 0) {
  p = load(root)
  sources = p.files
  log(`program of ${sources.length} files`)
} else {
  const names = moves.all.filter((f) => /\.tsx?$/.test(f)).map((f) => join(root, f))
  sources = names.map((f) => ts.createSourceFile(f, readFileSync(f, 'utf8'), ts.ScriptTarget.Latest, true))
}

const edits = new Map<string, Edit[]>()
const put = (file: string, list: Edit[]): void => {
  if (list.length) edits.set(file, [...(edits.get(file) ?? []), ...list])
}
let engine: Engine | undefined
if (p) {
  engine = new Engine(p, renames, { follow: !flag('no-follow'), keepLocals: flag('keep-locals') })
  engine.log = log
  engine.resolve()
  log(`${engine.resolved.size} entries found`)
  engine.gather()
  log('all names read')
  engine.plan()
  engine.warn()
  for (const [sf, list] of engine.edits()) put(p.rel(sf.fileName), list)
}
const codeEdits = new Map(edits)
if (moves.any) {
  const seen = new Set<string>()
  for (const sf of sources) {
    const file = sf.fileName.slice(root.length + 1)
    seen.add(file)
    // Where a string is both (never seen), the name goes first.
    const taken = codeEdits.get(file) ?? []
    put(
      file,
      moves.source(sf).filter((e) => !taken.some((t) => e.start < t.end && e.end > t.start)),
    )
  }
  for (const file of moves.all) if (!seen.has(file)) put(file, moves.other(file))
}

// Comments: `name` in backticks, in files where the declaration itself is used.
const mentions: { place: string; text: string; to: string; done: boolean }[] = []
if (engine) {
  const active = new Map<string, Set<string>>()
  const byFile = new Map<string, Map<string, string>>()
  for (const [d, t] of engine.targets()) {
    const old = engine.oldName(d)
    if (!active.has(old)) active.set(old, new Set())
    active.get(old)?.add(t.to)
  }
  for (const [file, list] of codeEdits) {
    const text = sources.find((s) => s.fileName === join(root, file))?.text ?? ''
    const map = new Map<string, string>()
    for (const e of list)
      if (e.entry) map.set(text.slice(e.start, e.end).replace(/ as .*/, ''), e.text.replace(/^.* as |:.*$/g, ''))
    byFile.set(file, map)
  }
  const line = (text: string, at: number): number => text.slice(0, at).split('\n').length
  for (const sf of sources) {
    const file = sf.fileName.slice(root.length + 1)
    const map = byFile.get(file)
    const seen = new Set<number>()
    const add: Edit[] = []
    const comments = [...sf.text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|[^:'"`])\/\/.*$/gm)]
    for (const c of comments)
      for (const m of c[0].matchAll(/`(#?[A-Za-z_$][\w$]*)(\(\))?`|\{@link (\w+)\}|@param (\w+)/g)) {
        const old = m[1] ?? m[3] ?? m[4] ?? ''
        const at = (c.index as number) + (m.index as number) + m[0].indexOf(old)
        if (!active.has(old) || seen.has(at)) continue
        seen.add(at)
        const to = map?.get(old)
        const done = flag('comments') && to !== undefined
        mentions.push({
          place: `${file}:${line(sf.text, at)}`,
          text: old,
          to: to ?? [...(active.get(old) ?? [])].join(' | '),
          done,
        })
        if (done) add.push({ start: at, end: at + old.length, text: to })
      }
    put(
      file,
      add.filter((e) => !(edits.get(file) ?? []).some((t) => e.start < t.end && e.end > t.start)),
    )
  }
  for (const file of moves.all.filter((f) => f.endsWith('.md')))
    for (const m of readFileSync(join(root, file), 'utf8').matchAll(/`(\w+)(\(\))?`/g))
      if (active.has(m[1] as string))
        mentions.push({
          place: `${file}:${line(readFileSync(join(root, file), 'utf8'), m.index as number)}`,
          text: m[1] as string,
          to: [...(active.get(m[1] as string) ?? [])].join(' | '),
          done: false,
        })
}

const results = new Map<string, string>()
let count = 0
for (const [file, list] of edits) {
  const before = readFileSync(join(root, file), 'utf8')
  const after = applyEdits(before, list)
  count += list.length
  if (after !== before) results.set(file, after)
}
if (!flag('dry')) {
  for (const [file, text] of results) writeFileSync(join(root, file), text)
  if (moves.any) moves.perform()
}

const perEntry = new Map<unknown, { edits: number; files: Set<string> }>()
for (const [file, list] of edits)
  for (const e of list)
    if (e.entry) {
      const s = perEntry.get(e.entry) ?? { edits: 0, files: new Set<string>() }
      s.edits++
      s.files.add(file)
      perEntry.set(e.entry, s)
    }
const skipped = [
  ...strange.map((entry) => ({ entry, reason: 'not an entry: {file, name, to}, {file, moveTo} or {dir, moveTo}' })),
  ...(engine?.skipped ?? []),
  ...moves.skipped,
]
const applied = engine?.active ?? []
const report = {
  counts: {
    entries: all.length,
    applied: applied.length + moves.applied.length,
    skipped: skipped.length,
    edits: count,
    files: results.size,
    moved: moves.files.size,
  },
  skipped,
  warnings: engine?.warnings ?? [],
  applied: applied.map((e) => ({
    file: e.file,
    name: e.name,
    to: e.to,
    edits: perEntry.get(e)?.edits ?? 0,
    files: perEntry.get(e)?.files.size ?? 0,
    ...(engine?.followed.has(e) ? { followed: engine.followed.get(e) } : {}),
  })),
  strings: engine?.remarks() ?? [],
  paths: moves.textual,
  mentions,
}
const out = values('report')[0]
if (out) writeFileSync(out, JSON.stringify(report, null, 1))
const c = report.counts
console.log(
  `${flag('dry') ? 'would apply' : 'applied'} ${c.applied} of ${c.entries} entries: ${c.edits} edits in ${c.files} files, ${c.moved} files moved; ${cpu()} of processor time`,
)
for (const s of skipped as any[])
  console.log(
    `skipped  ${s.entry.file ?? s.entry.dir ?? JSON.stringify(s.entry)} ${s.entry.name ?? ''} → ${s.entry.to ?? s.entry.moveTo ?? ''}: ${s.reason}${s.place ? ` (${s.place})` : ''}`,
  )
const tally = (label: string, list: unknown[]): void => {
  if (list.length) console.log(`${label}: ${list.length}${out ? ` (in ${out})` : ''}`)
}
tally('warnings', report.warnings)
tally('strings and accesses on any with an old name, unchanged', report.strings)
tally(
  'paths in text, rewritten',
  moves.textual.filter((t) => t.done),
)
tally(
  'paths in text, to be looked at',
  moves.textual.filter((t) => !t.done),
)
tally('mentions in comments and papers', mentions)
void project
