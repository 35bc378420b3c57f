// Moved files: every relative address in and of them, and what else names their path.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import ts from 'typescript'

export type Edit = { start: number; end: number; text: string; entry?: unknown }
export type Textual = { place: string; kind: string; text: string; to?: string; done: boolean }

const readable = /\.(tsx?|css|html|jsonc?|md|sql|mjs|js|npmrc|svg)$|(^|\/)(run|\.gitignore)$/

export class Moves {
  root: string
  files = new Map<string, string>() // relative → relative
  dirs = new Map<string, string>()
  textual: Textual[] = []
  skipped: { entry: unknown; reason: string }[] = []
  applied: unknown[] = []
  all: string[]
  private rewriteText: boolean
  constructor(root: string, entries: any[], rewriteText: boolean) {
    this.root = root
    this.rewriteText = rewriteText
    this.all = execFileSync('git', ['-C', root, 'ls-files', '-co', '--exclude-standard'], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
      .split('\n')
      .filter((f) => f && existsSync(join(root, f)))
    const clean = (p: string): string => posix.normalize(p).replace(/\/$/, '')
    const walk = (d: string): string[] =>
      readdirSync(join(root, d), { withFileTypes: true }).flatMap((e) =>
        e.isDirectory() ? walk(`${d}/${e.name}`) : [`${d}/${e.name}`],
      )
    const sorted = entries.filter((e) => e.moveTo)
    // A file's own entry goes before its folder's.
    for (const e of [...sorted.filter((x) => x.dir), ...sorted.filter((x) => x.file)]) {
      const from = clean(e.dir ?? e.file)
      const to = clean(e.moveTo)
      if (from === to) {
        this.skipped.push({ entry: e, reason: 'is there already' })
        continue
      }
      if (!existsSync(join(root, from))) {
        this.skipped.push({ entry: e, reason: 'no such file or folder' })
        continue
      }
      if (e.dir ? !statSync(join(root, from)).isDirectory() : statSync(join(root, from)).isDirectory()) {
        this.skipped.push({ entry: e, reason: e.dir ? 'not a folder' : 'not a file' })
        continue
      }
      if (e.dir) {
        this.dirs.set(from, to)
        for (const f of walk(from)) this.files.set(f, to + f.slice(from.length))
      } else this.files.set(from, to)
      this.applied.push(e)
    }
    // Deeper folders win over the folders around them.
    for (const [from, to] of [...this.dirs].sort((a, b) => a[0].length - b[0].length))
      for (const f of this.files.keys())
        if (f.startsWith(`${from}/`) && !sorted.some((e) => e.file && clean(e.file) === f))
          this.files.set(f, to + f.slice(from.length))
    const targets = new Map<string, string>()
    for (const [from, to] of this.files) {
      const blocked = targets.has(to)
        ? `${targets.get(to)} goes to ${to} too`
        : existsSync(join(root, to)) && !this.files.has(to)
          ? `${to} exists`
          : undefined
      if (blocked) {
        this.files.delete(from)
        this.skipped.push({ entry: { file: from, moveTo: to }, reason: blocked })
        this.applied = this.applied.filter((e: any) => !(e.file && clean(e.file) === from))
      } else targets.set(to, from)
    }
  }

  get any(): boolean {
    return this.files.size > 0
  }

  /** Where a path is afterwards (relative to the root). */
  now(path: string): string {
    const exact = this.files.get(path)
    if (exact !== undefined) return exact
    for (let d = path; d !== '.' && d !== '' && d !== '/'; d = posix.dirname(d)) {
      const to = this.dirs.get(d)
      if (to !== undefined) return to + path.slice(d.length)
    }
    return path
  }

  /** A relative address written in `file`, rewritten; undefined if it stays. `base`: folder that it starts at. */
  address(file: string, spec: string, base = posix.dirname(file), newBase = posix.dirname(this.now(file))): string | undefined {
    const [, path, query] = /^([^?#]*)(.*)$/.exec(spec) as unknown as [string, string, string]
    const target = posix.normalize(posix.join(base, path)).replace(/(?<=.)\/$/, '')
    if (target.startsWith('..') && base === newBase) return undefined
    const to = target.startsWith('..') ? target : this.now(target)
    if (to === target && base === newBase) return undefined
    let next = posix.relative(newBase, to) || '.'
    if (!next.startsWith('.') && path.startsWith('.')) next = `./${next}`
    if (path.endsWith('/') && !next.endsWith('/')) next += '/'
    return next + query === spec ? undefined : next + query
  }

  private note(file: string, text: string, at: number, kind: string, what: string, done: boolean, to?: string): void {
    const line = text.slice(0, at).split('\n').length
    this.textual.push({ place: `${file}:${line}`, kind, text: what, ...(to === undefined ? {} : { to }), done })
  }

  /** Edits of a source file: imports of all kinds, URLs, joins; then plain paths in strings and comments. */
  source(sf: ts.SourceFile): Edit[] {
    if (!this.any) return []
    const file = relative(this.root, sf.fileName)
    const text = sf.text
    const edits: Edit[] = []
    const handled = new Set<ts.Node>()
    const put = (lit: ts.StringLiteralLike, next: string | undefined): void => {
      handled.add(lit)
      if (next !== undefined) edits.push({ start: lit.getStart(sf) + 1, end: lit.getEnd() - 1, text: next })
    }
    const own = this.files.has(file)
    const isMeta = (n: ts.Node | undefined, name: string): boolean =>
      n !== undefined && ts.isPropertyAccessExpression(n) && n.name.text === name && ts.isMetaProperty(n.expression)
    const visit = (n: ts.Node): void => {
      if (
        (ts.isImportDeclaration(n) || ts.isExportDeclaration(n)) &&
        n.moduleSpecifier &&
        ts.isStringLiteral(n.moduleSpecifier)
      ) {
        const spec = n.moduleSpecifier
        put(spec, spec.text.startsWith('.') ? this.address(file, spec.text) : undefined)
      } else if (ts.isImportTypeNode(n) && ts.isLiteralTypeNode(n.argument) && ts.isStringLiteral(n.argument.literal)) {
        const spec = n.argument.literal
        if (spec.text.startsWith('.')) put(spec, this.address(file, spec.text))
      } else if (ts.isCallExpression(n)) {
        const callee = n.expression.getText(sf)
        const first = n.arguments[0]
        if (
          (n.expression.kind === ts.SyntaxKind.ImportKeyword ||
            /^(vi|vitest)\.\w+$|^import\.meta\.(resolve|glob)$|^require(\.resolve)?$/.test(callee)) &&
          first &&
          ts.isStringLiteralLike(first) &&
          first.text.startsWith('.')
        )
          put(first, this.address(file, first.text))
        else if (/^(path\.|posix\.)?(join|resolve)$/.test(callee) && isMeta(first, 'dirname')) {
          const literals: ts.StringLiteralLike[] = []
          for (const a of n.arguments.slice(1)) {
            if (!ts.isStringLiteralLike(a)) break
            literals.push(a)
          }
          const [head] = literals
          if (head) {
            for (const l of literals) handled.add(l)
            const whole = literals.map((l) => l.text).join('/')
            const next = this.address(file, whole)
            if (next !== undefined)
              edits.push({
                start: head.getStart(sf),
                end: (literals.at(-1) as ts.Node).getEnd(),
                text: `'${whole.startsWith('.') ? next : next.replace(/^\.\//, '')}'`,
              })
          } else if (own && posix.dirname(file) !== posix.dirname(this.now(file)))
            this.note(file, text, n.getStart(sf), 'import.meta.dirname', n.getText(sf).slice(0, 120), false)
        }
      } else if (ts.isNewExpression(n) && n.expression.getText(sf) === 'URL' && isMeta(n.arguments?.[1], 'url')) {
        const first = n.arguments?.[0]
        if (first && ts.isStringLiteralLike(first) && !/^[a-z]+:/.test(first.text)) put(first, this.address(file, first.text))
        else if (first && ts.isTemplateExpression(first)) {
          // `../src/${path}`: its head up to the last slash.
          const head = first.head.text
          const cut = head.lastIndexOf('/') + 1
          const next = cut > 0 ? this.address(file, head.slice(0, cut)) : undefined
          if (next !== undefined) {
            edits.push({ start: first.head.getStart(sf) + 1, end: first.head.getStart(sf) + 1 + cut, text: next })
            this.note(file, text, first.getStart(sf), 'template address', first.getText(sf).slice(0, 120), true, next)
          }
        }
      } else if (
        own &&
        isMeta(n, 'dirname') &&
        !(ts.isCallExpression(n.parent) && /(^|\.)(join|resolve)$/.test(n.parent.expression.getText(sf)))
      )
        this.note(file, text, n.getStart(sf), 'import.meta.dirname', n.parent.getText(sf).slice(0, 120), false)
      ts.forEachChild(n, visit)
    }
    visit(sf)
    // A relative path in any other string: not known from where it is meant.
    const others = (n: ts.Node): void => {
      if (ts.isStringLiteralLike(n) && !handled.has(n) && /^\.{1,2}\/[\w./$@-]+$/.test(n.text)) {
        const target = posix.normalize(posix.join(posix.dirname(file), n.text))
        if (this.now(target) !== target || (own && existsSync(join(this.root, target))))
          this.note(file, text, n.getStart(sf), 'relative path in a string', n.text, false)
      }
      ts.forEachChild(n, others)
    }
    others(sf)
    edits.push(...this.plain(file, text, edits))
    return edits
  }

  /** Edits of another text file. */
  other(file: string): Edit[] {
    if (!this.any || !readable.test(file) || /package-lock\.json$/.test(file)) return []
    const text = readFileSync(join(this.root, file), 'utf8')
    const edits: Edit[] = []
    const patterns = file.endsWith('.md')
      ? [/\]\(\s*([^)\s#]+)/g, /\]:\s+([^\s#]+)/g]
      : /\.(css|html|svg)$/.test(file)
        ? [/["'(]((?:\.{1,2}\/)[^"'()\s]+)/g]
        : []
    for (const pattern of patterns)
      for (const m of text.matchAll(pattern)) {
        const spec = m[1] as string
        if (/^[a-z]+:|^\/|^#/.test(spec)) continue
        const target = posix.normalize(posix.join(posix.dirname(file), spec.replace(/[?#].*$/, '')))
        if (!existsSync(join(this.root, target))) continue
        const next = this.address(file, spec)
        if (next === undefined) continue
        const start = (m.index as number) + m[0].length - spec.length
        edits.push({ start, end: start + spec.length, text: next })
      }
    edits.push(...this.plain(file, text, edits))
    return edits
  }

  /** Paths from the root (`server/x/y.ts`), whole or as a folder's prefix. */
  private plain(file: string, text: string, taken: Edit[]): Edit[] {
    const edits: Edit[] = []
    for (const m of text.matchAll(
      /(?<![\w./$@\\-])(?:\.\/)?((?:server|platform|src|tests|build|docs)(?:\\?\/[\w.$@-]+)+|vite\.config\.ts)/g,
    )) {
      const raw = m[1] as string
      const at = (m.index as number) + m[0].length - raw.length
      if (taken.some((e) => at < e.end && at + raw.length > e.start)) continue
      const path = raw.replace(/\\/g, '').replace(/\.+$/, '')
      let to = this.now(path)
      let from = path
      if (to === path) {
        // `server/x` may be meant for server/x.ts; a dotted ending may be a sentence's.
        const bare = path.replace(/\.[a-z]+$/, '')
        if (bare !== path && this.dirs.has(bare)) [from, to] = [bare, this.dirs.get(bare) as string]
        else {
          const ext = ['.ts', '.tsx'].find((x) => this.files.has(path + x))
          if (ext) this.note(file, text, at, 'path without ending', raw, false)
          continue
        }
      }
      if (raw.includes('\\') || !this.rewriteText) {
        this.note(file, text, at, raw.includes('\\') ? 'path in a pattern' : 'path', raw, false, to)
        continue
      }
      edits.push({ start: at, end: at + from.length, text: to })
      this.note(file, text, at, 'path', from, true, to)
    }
    // The end of a moved path alone (`contract/call.ts`): reported.
    for (const m of text.matchAll(/(?<![\w./$@\\-])[\w$@-][\w.$@-]*(?:\/[\w.$@-]+)+\.(?:tsx?|css|html|json|sql|md)\b/g)) {
      const at = m.index as number
      if ([...taken, ...edits].some((e) => at < e.end && at + m[0].length > e.start)) continue
      if (this.suffixes().has(m[0]) && !this.files.has(m[0])) this.note(file, text, at, 'end of a path', m[0], false)
    }
    if (
      /^(package\.json|vite\.config\.ts|knip\.jsonc|biome\.json|\.oxlintrc\.json|tsconfig\.json|\.gitignore)$|^\.ci\/|^tests\/house/.test(
        file,
      )
    )
      for (const m of text.matchAll(
        /(?<![\w./$@-])((?:server|platform|src|tests|build|docs)(?:\/[\w.$@-]+)*)\/[\w.-]*[*{][^"'`\s,]*/g,
      )) {
        const dir = m[1] as string
        const gone = [...this.files.keys()].filter(
          (f) => (m[0].includes('**') ? f.startsWith(`${dir}/`) : posix.dirname(f) === dir) && !this.dirs.has(dir),
        )
        if (gone.length > 0) this.note(file, text, m.index as number, `glob over ${gone.length} moved files`, m[0], false)
      }
    return edits
  }

  private ends?: Set<string>
  private suffixes(): Set<string> {
    if (this.ends) return this.ends
    this.ends = new Set()
    for (const f of this.files.keys()) {
      const parts = f.split('/')
      for (let i = 1; i < parts.length - 1; i++) this.ends.add(parts.slice(i).join('/'))
    }
    return this.ends
  }

  /** Moves the files on disk. */
  perform(): void {
    const staged: [string, string][] = []
    let n = 0
    for (const [from, to] of this.files) {
      const temp = join(this.root, dirname(from), `.renaming-${process.pid}-${n++}`)
      renameSync(join(this.root, from), temp)
      staged.push([temp, join(this.root, to)])
    }
    for (const [temp, to] of staged) {
      mkdirSync(dirname(to), { recursive: true })
      renameSync(temp, to)
    }
    for (const from of new Set([...this.files.keys()].map((f) => dirname(f))))
      for (let d = from; d !== '.'; d = dirname(d)) {
        try {
          rmdirSync(join(this.root, d))
        } catch {
          break
        }
      }
  }
}

export function applyEdits(text: string, edits: Edit[]): string {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
  let out = ''
  let at = 0
  for (const e of sorted) {
    if (e.start < at) {
      if (e.end <= at) continue // the same place twice
      throw new Error(`overlapping edits at ${e.start}: ${e.text}`)
    }
    out += text.slice(at, e.start) + e.text
    at = e.end
  }
  return out + text.slice(at)
}
export { resolve, writeFileSync }
