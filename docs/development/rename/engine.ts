// The plan: which declaration gets which name, which entries cannot be applied and why, and the edits.
import ts from 'typescript'
import { guardOf, indexFile, type Named, type Project, Scanner, type Use } from './lib.ts'
import { Links } from './links.ts'
import type { Edit } from './moves.ts'

export type Entry = {
  file: string
  name: string
  to: string
  line?: number
  wire?: boolean
  force?: boolean
  keyed?: boolean
  id?: number
}
export type Skip = { entry: Entry; reason: string; place?: string; path?: string[] }
type Target = { to: string; entry: Entry; follow?: ts.Node }
export type Flags = { follow: boolean; keepLocals: boolean }

const reserved = new Set(
  'break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with implements interface let package private protected public static yield await eval arguments undefined'.split(
    ' ',
  ),
)
const typeWords = new Set('any unknown never void null undefined string number boolean symbol object bigint'.split(' '))

export class Engine {
  p: Project
  s: Scanner
  links: Links
  flags: Flags
  guard: (decl: any) => string
  uses = new Map<ts.SourceFile, Use[]>()
  skipped: Skip[] = []
  warnings: { entry: Entry; text: string; place?: string }[] = []
  entries: Entry[]
  resolved = new Map<Entry, ts.Node[]>()
  followed = new Map<Entry, string[]>()
  private index = new Map<string, Map<string, Named[]>>()
  private dropped = new Set<Entry>()
  private followDropped = new Set<ts.Node>()
  private target = new Map<any, Target>()
  private memo = new Map<ts.Symbol, Target | undefined>()
  private explicit = new Set<any>()

  constructor(p: Project, entries: Entry[], flags: Flags) {
    this.p = p
    this.s = new Scanner(p)
    this.flags = flags
    this.entries = entries
    this.guard = guardOf(p, this.s)
    this.links = new Links(p, this.s, new Set())
  }

  log(_text: string): void {}

  skip(entry: Entry, reason: string, place?: ts.Node, path?: string[]): void {
    if (this.dropped.has(entry)) return
    this.dropped.add(entry)
    this.skipped.push({ entry, reason, ...(place ? { place: this.p.place(place) } : {}), ...(path ? { path } : {}) })
  }

  // -------------------------------------------------------------------------------------------------- entries → declarations

  private names(file: string): Map<string, Named[]> | undefined {
    let map = this.index.get(file)
    if (map) return map
    const sf = this.p.files.find((f) => this.p.rel(f.fileName) === file)
    if (!sf) return undefined
    map = new Map()
    for (const n of indexFile(sf)) {
      const list = map.get(n.path)
      if (list) list.push(n)
      else map.set(n.path, [n])
    }
    this.index.set(file, map)
    return map
  }

  private withMerged(decl: ts.Node): ts.Node[] {
    const symbol = (decl as any).symbol as ts.Symbol | undefined
    return symbol?.declarations?.length ? [...new Set([decl, ...symbol.declarations])] : [decl]
  }

  /** `Type.member` where the member is not written in that type's own text: by its type. */
  private byType(file: string, path: string): ts.Node[] {
    const c = this.p.checker
    const parts = path.split('.')
    for (let cut = parts.length - 1; cut > 0; cut--) {
      const base = this.names(file)?.get(parts.slice(0, cut).join('.').replace(/\(\)$/, ''))?.[0]
      if (!base) continue
      let symbol = (base.decl as any).symbol as ts.Symbol
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = c.getAliasedSymbol(symbol)
      if (!symbol) return []
      let types: ts.Type[] = []
      if (symbol.flags & (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface | ts.SymbolFlags.Class))
        types.push(c.getDeclaredTypeOfSymbol(symbol))
      if (symbol.flags & ts.SymbolFlags.Value || types.length === 0) types.push(c.getTypeOfSymbol(symbol))
      let found: ts.Symbol[] = []
      for (const key of parts.slice(cut)) {
        found = types.flatMap((t) => this.dig(t)).flatMap((t) => this.s.roots(this.s.property(t, key.replace(/\(\)$/, ''))))
        types = found.map((x) => c.getTypeOfSymbol(x))
      }
      const decls = found.flatMap((x) => x.declarations ?? [])
      if (decls.length > 0) return [...new Set(decls)]
    }
    return []
  }

  private dig(type: ts.Type, depth = 0): ts.Type[] {
    const c = this.p.checker
    return this.s.parts(type).flatMap((t) => {
      const out = [t]
      if (depth > 3) return out
      const item = c.isArrayLikeType(t) ? c.getIndexTypeOfType(t, ts.IndexKind.Number) : undefined
      if (item) out.push(...this.dig(item, depth + 1))
      const promised = c.getAwaitedType?.(t)
      if (promised && promised !== t) out.push(...this.dig(promised, depth + 1))
      for (const g of c.getSignaturesOfType(t, ts.SignatureKind.Call)) out.push(...this.dig(g.getReturnType(), depth + 1))
      return out
    })
  }

  resolve(): void {
    const c = this.p.checker
    const taken = new Map<any, Entry>()
    this.entries.forEach((entry, i) => {
      entry.id = i
      entry.to = entry.to.split(/[./]/).at(-1) as string
      const map = this.names(entry.file)
      if (!map) return this.skip(entry, 'no such file in the program')
      let named = map.get(entry.name) ?? []
      if (entry.line !== undefined) {
        const close = named.filter(
          (n) => n.name.getSourceFile().getLineAndCharacterOfPosition(n.name.getStart()).line + 1 === entry.line,
        )
        named = close
      }
      let decls = named.flatMap((n) => this.withMerged(n.decl))
      const direct = decls.length > 0
      if (!direct && entry.name.includes('.')) decls = this.byType(entry.file, entry.name)
      // A name that is only passed on stands for what it names.
      decls = decls.flatMap((d) => {
        if ((ts.isImportSpecifier(d) || ts.isExportSpecifier(d)) && !d.propertyName) {
          const symbol = (d as any).symbol as ts.Symbol
          let at = symbol
          for (let hop = 0; hop < 20 && at.flags & ts.SymbolFlags.Alias; hop++) {
            const node = at.declarations?.[0]
            if (!node || !(ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) || node.propertyName) break
            const next =
              ts.isExportSpecifier(node) && !node.parent.parent.moduleSpecifier
                ? c.getExportSpecifierLocalTargetSymbol(node)
                : c.getImmediateAliasedSymbol(at)
            if (!next) break
            at = next
          }
          return at.declarations ?? []
        }
        return [d]
      })
      decls = [...new Set(decls)]
      if (decls.length === 0) {
        const last = entry.name.split(/[./]/).at(-1)
        const near = [...map.keys()].filter((k) => k.split(/[./]/).at(-1) === last).slice(0, 5)
        return this.skip(entry, `no such declaration${near.length ? ` (there are: ${near.join(', ')})` : ''}`)
      }
      const external = decls.find((d) => !this.p.isOurs(d))
      if (external) return this.skip(entry, 'is declared outside the project', external)
      const old = this.oldName(decls[0] as ts.Node)
      if (old === entry.to) return this.skip(entry, 'has that name already')
      if (!/^#?[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*$/.test(entry.to))
        return this.skip(entry, 'the new name is not an identifier')
      if (!this.isMember(decls[0]) && reserved.has(entry.to)) return this.skip(entry, 'the new name is a reserved word')
      if (decls.some((d) => ts.isTypeAliasDeclaration(d) || ts.isInterfaceDeclaration(d)) && typeWords.has(entry.to))
        return this.skip(entry, 'the new name is a word of the language')
      for (const d of decls) {
        const other = taken.get(d)
        if (other && other.to !== entry.to) return this.skip(entry, `another entry calls it ${other.to}`, d)
        if (other) return this.skip(entry, 'another entry does it')
      }
      for (const d of decls) taken.set(d, entry)
      this.resolved.set(entry, decls)
      for (const d of decls) if (direct || entry.wire) this.explicit.add(d)
    })
  }

  isMember(d: any): boolean {
    if (d.kind === undefined) return true
    return (
      ts.isPropertySignature(d) ||
      ts.isMethodSignature(d) ||
      ts.isPropertyDeclaration(d) ||
      ts.isMethodDeclaration(d) ||
      ts.isPropertyAssignment(d) ||
      ts.isShorthandPropertyAssignment(d) ||
      ts.isAccessor(d) ||
      ts.isJsxAttribute(d) ||
      ts.isEnumMember(d)
    )
  }
  oldName(d: any): string {
    return d.name && 'text' in d.name ? d.name.text : (d.symbol?.name ?? d.escapedName ?? '')
  }

  // ------------------------------------------------------------------------------------------------------------ the one pass

  gather(): void {
    const old = new Set<string>()
    const members = new Set<string>()
    const next = new Set<string>()
    for (const [entry, decls] of this.resolved) {
      next.add(entry.to)
      for (const d of decls) {
        old.add(this.oldName(d))
        if (this.isMember(d)) members.add(this.oldName(d))
      }
    }
    this.links = new Links(this.p, this.s, members)
    const relevant = (text: string): boolean => old.has(text) || next.has(text)
    let n = 0
    for (const sf of this.p.files) {
      const list: Use[] = []
      this.s.scan(sf, relevant, (use) => list.push(use))
      if (list.length) this.uses.set(sf, list)
      if (this.flags.follow && members.size > 0) this.links.collect(sf)
      if (++n % 400 === 0) this.log(`${n} of ${this.p.files.length} files read`)
    }
    for (const list of this.uses.values())
      for (const use of list)
        if (use.props && members.has(use.text)) {
          const decls = [
            ...new Set([...(use.own ? this.links.decls(use.own) : []), ...use.props.flatMap((x) => this.links.decls(x))]),
          ].filter((d) => this.isMember(d))
          if (this.flags.follow) this.links.linkAll(decls, use.node, 'one use of both')
          else if (use.own)
            for (const own of use.own.declarations ?? []) for (const d of decls) this.links.link(d, own, use.node, 'written for')
        }
    for (const decl of this.links.byDecl.keys())
      if (decl.symbol?.declarations?.length > 1)
        for (const d of decl.symbol.declarations) this.links.link(decl, d, decl, 'one symbol')
  }

  // ------------------------------------------------------------------------------------------------------------------ targets

  private assign(): void {
    this.target.clear()
    this.memo.clear()
    this.followed.clear()
    for (const [entry, decls] of this.resolved) {
      if (this.dropped.has(entry)) continue
      if (!this.isMember(decls[0])) {
        for (const d of decls) this.target.set(d, { to: entry.to, entry })
        continue
      }
      const from = new Map<any, { link: any; prev: any } | null>()
      for (const d of decls) from.set(d, null)
      const queue = [...decls] as any[]
      const trail = (d: any): string[] => {
        const out: string[] = []
        for (let at = d; at; ) {
          const step = from.get(at)
          out.unshift(`${this.describe(at)}${step ? ` (${step.link.why}, ${this.p.place(step.link.place)})` : ''}`)
          at = step?.prev
        }
        return out
      }
      let blocked: any
      let clash: { d: any; other: Target } | undefined
      const group: any[] = []
      for (let i = 0; i < queue.length; i++) {
        const d = queue[i]
        const guard = this.guard(d)
        const sql = guard === 'own' && this.links.sql.has(d) ? 'sql' : guard
        // The name of a schema's key says what it is; that of a row's does not.
        if (
          sql !== 'own' &&
          !(sql !== 'sql' && this.explicit.has(d) && from.get(d) === null) &&
          !(entry.wire && (sql === 'wire' || sql === 'column' || sql === 'sql'))
        ) {
          if (entry.force) continue
          blocked = d
          break
        }
        if (this.links.keyed.has(d) && !entry.keyed && !entry.force) {
          blocked = d
          break
        }
        const other = this.target.get(d)
        if (other && other.to !== entry.to) {
          clash = { d, other }
          break
        }
        group.push(d)
        for (const link of this.links.byDecl.get(d) ?? []) {
          const peer = link.a === d ? link.b : link.a
          if (from.has(peer)) continue
          from.set(peer, { link, prev: d })
          queue.push(peer)
        }
      }
      if (blocked) {
        const guard = this.guard(blocked)
        const keyed = this.links.keyed.get(blocked)
        if (guard === 'own' && keyed && !this.links.sql.has(blocked)) {
          this.skip(
            entry,
            `its name is also a value (keyof, or x[name]); "keyed": true renames it and the strings: ${this.describe(blocked)}`,
            keyed.place,
            trail(blocked),
          )
          continue
        }
        const what =
          {
            wire: 'a key of a schema (wire format)',
            column: 'a column of the database',
            external: 'a member of a library',
            opaque: 'a property without a declaration (mapped or computed type)',
          }[guard as string] ?? 'a column of handwritten SQL ("wire": true, and change the statement)'
        this.skip(
          entry,
          `is one with ${what}: ${this.describe(blocked)}`,
          blocked.kind === undefined ? from.get(blocked)?.link.place : blocked,
          trail(blocked),
        )
        continue
      }
      if (clash) {
        this.skip(
          entry,
          `is one with what another entry calls ${clash.other.to}: ${this.describe(clash.d)}`,
          clash.d,
          trail(clash.d),
        )
        continue
      }
      for (const d of group) this.target.set(d, { to: entry.to, entry })
      const also = group.filter(
        (d) =>
          !decls.includes(d) &&
          (ts.isPropertySignature(d) || ts.isMethodSignature(d) || ts.isPropertyDeclaration(d) || ts.isMethodDeclaration(d)) &&
          !ts.isObjectLiteralExpression(d.parent),
      )
      if (also.length)
        this.followed.set(
          entry,
          also.map((d) => this.describe(d)),
        )
    }
    // A local that has its name from the property (`const { foo } = x`) follows it.
    if (this.flags.keepLocals) return
    for (const list of this.uses.values())
      for (const use of list) {
        if (use.role !== 'pattern' || !use.bind) continue
        const element = use.node.parent as ts.BindingElement
        if (this.followDropped.has(element) || this.target.has(element)) continue
        const t = this.merge(use.props)
        if (!t || reserved.has(t.to) || this.isExported(element)) continue
        this.target.set(element, { ...t, follow: element })
      }
    this.memo.clear()
  }

  private isExported(node: ts.Node): boolean {
    for (let n: ts.Node | undefined = node; n; n = n.parent) {
      if (ts.isVariableStatement(n)) return n.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword) ?? false
      if (ts.isFunctionLike(n)) return false
    }
    return false
  }

  describe(d: any): string {
    if (d.kind === undefined) return `‹${d.escapedName ?? d.name}›`
    let owner = ''
    for (let n = d.parent; n && !owner; n = n.parent) if (n.name && ts.isIdentifier(n.name)) owner = `${n.name.text}.`
    const sf = d.getSourceFile()
    const outside = /node_modules\/(?!.*node_modules\/)(.*)/.exec(sf.fileName)?.[1]
    return `${owner}${this.oldName(d)} at ${outside ?? this.p.place(d)}`
  }

  /** The name that a symbol has afterwards, if another. */
  final(symbol: ts.Symbol | undefined): Target | undefined {
    if (!symbol) return undefined
    if (this.memo.has(symbol)) return this.memo.get(symbol)
    this.memo.set(symbol, undefined)
    let t: Target | undefined
    for (const d of symbol.declarations ?? []) {
      t = this.target.get(d)
      if (t) break
      if ((ts.isImportSpecifier(d) || ts.isExportSpecifier(d)) && !d.propertyName) {
        const c = this.p.checker
        const next =
          ts.isExportSpecifier(d) && !d.parent.parent.moduleSpecifier
            ? c.getExportSpecifierLocalTargetSymbol(d)
            : c.getImmediateAliasedSymbol((d as any).symbol)
        if (next && next !== symbol) t = this.final(next)
        if (t) break
      }
    }
    if (!t && !symbol.declarations?.length) t = this.target.get(symbol)
    this.memo.set(symbol, t)
    return t
  }

  private merge(symbols: (ts.Symbol | undefined)[] | undefined): Target | undefined {
    for (const x of symbols ?? []) {
      const t = this.final(x)
      if (t) return t
    }
    return undefined
  }

  // ---------------------------------------------------------------------------------------------------------------- collisions

  private blame(t: Target | undefined, reason: string, place: ts.Node): boolean {
    if (!t) return false
    if (t.follow) {
      if (this.followDropped.has(t.follow)) return false
      this.followDropped.add(t.follow)
    } else {
      if (this.dropped.has(t.entry)) return false
      this.skip(t.entry, reason, place)
    }
    return true
  }

  private collisions(): number {
    let n = 0
    const same = (a: ts.Symbol | undefined, b: ts.Symbol | undefined): boolean =>
      a === b || Boolean(a?.declarations?.some((d) => b?.declarations?.includes(d)))
    for (const [sf, list] of this.uses) {
      const renamedIn = new Map<ts.Node, Map<string, ts.Symbol>>()
      let changed = false
      for (const use of list) {
        if (use.role === 'prop' || use.role === 'string' || !use.bind) continue
        const t = this.final(use.bind)
        if (!t || t.to === use.text) continue
        changed = true
        const decl = use.node.parent as any
        const isDecl = use.bind.declarations?.includes(decl) && decl.name === use.node
        if (!isDecl) continue
        if (ts.isExportSpecifier(decl)) continue
        let scope: any = decl
        for (; scope; scope = scope.parent) if (scope.locals?.get(use.text) && same(scope.locals.get(use.text), use.bind)) break
        if (!scope) continue
        let map = renamedIn.get(scope)
        if (!map) renamedIn.set(scope, (map = new Map()))
        const there = map.get(t.to)
        if (there && !same(there, use.bind))
          n += Number(this.blame(t, `two things of one scope would be called ${t.to}`, use.node))
        else map.set(t.to, use.bind)
        const origin = scope.locals.get(t.to) as ts.Symbol | undefined
        if (origin && !same(origin, use.bind)) {
          const moved = this.final(origin)
          if (!moved || moved.to === t.to)
            n += Number(this.blame(t, `${t.to} is declared in the same scope`, origin.declarations?.[0] ?? use.node))
        }
        const out = scope === sf ? ((sf as any).symbol?.exports?.get(t.to) as ts.Symbol | undefined) : undefined
        if (out && !same(out, use.bind) && this.isOut(use.bind, sf)) {
          const moved = this.final(out)
          if (!moved || moved.to === t.to)
            n += Number(this.blame(t, `${t.to} is exported by the same file`, out.declarations?.[0] ?? use.node))
        }
      }
      if (!changed) continue
      const lookup = (node: ts.Node, name: string): ts.Symbol | undefined => {
        for (let at: any = node; at; at = at.parent) {
          if (!at.locals) continue
          const origin = at.locals.get(name) as ts.Symbol | undefined
          if (origin) {
            const t = this.final(origin)
            if (!t || t.to === name) return origin
          }
          const renamed = renamedIn.get(at)?.get(name)
          if (renamed) return renamed
        }
        return undefined
      }
      const fresh = new Set([...renamedIn.values()].flatMap((m) => [...m.keys()]))
      for (const use of list) {
        if (use.role === 'prop' || use.role === 'string' || !use.bind) continue
        if (use.role === 'specifier' && ts.isExportSpecifier(use.specifier as ts.Node)) continue
        const t = this.final(use.bind)
        const name = t?.to ?? use.text
        if (!t && !fresh.has(name)) continue
        const now = lookup(use.node, name)
        if (now && !same(now, use.bind)) {
          const other = this.final(now)
          const captured = other?.to === name
          n += Number(
            captured && !t
              ? this.blame(other, `would take the place of another ${name} used here`, use.node)
              : this.blame(t, `${name} means something else here`, use.node) ||
                  (captured && this.blame(other, `would take the place of another ${name} used here`, use.node)),
          )
        }
        if (
          t &&
          ts.isIdentifier(use.node) &&
          (ts.isJsxOpeningLikeElement(use.node.parent) || ts.isJsxClosingElement(use.node.parent)) &&
          /^[a-z]/.test(t.to) !== /^[a-z]/.test(use.text)
        )
          n += Number(this.blame(t, 'is a component: capital and small letters mean different things', use.node))
      }
    }
    // Members: a sibling, or another part of the type, has the name.
    for (const [d, t] of this.target) {
      if (d.kind === undefined || !this.isMember(d) || t.follow) continue
      const siblings = (d.parent.members ?? d.parent.properties) as ts.NodeArray<any> | undefined
      for (const sibling of siblings ?? []) {
        if (sibling === d || sibling.symbol === d.symbol || this.oldName(sibling) !== t.to) continue
        const moved = this.target.get(sibling)
        if (!moved || moved.to === t.to) n += Number(this.blame(t, `${t.to} is a member already`, sibling))
      }
      for (const sibling of siblings ?? []) {
        const moved = this.target.get(sibling)
        if (sibling !== d && sibling.symbol !== d.symbol && moved && moved.entry !== t.entry && moved.to === t.to)
          n += Number(this.blame(t, `two members would be called ${t.to}`, sibling))
      }
    }
    const asked = new Map<string, ts.Symbol | undefined>()
    for (const list of this.uses.values())
      for (const use of list) {
        if (use.role !== 'prop' && use.role !== 'pattern') continue
        const t = this.merge(use.props)
        if (!t || t.to === use.text) continue
        const object = ts.isPropertyAccessExpression(use.node.parent)
          ? use.node.parent.expression
          : use.role === 'pattern' || ts.isBindingElement(use.node.parent)
            ? use.node.parent.parent
            : undefined
        if (!object) continue
        const type = this.p.checker.getTypeAtLocation(object) as ts.Type
        const key = `${(type as any).id}.${t.to}`
        if (!asked.has(key)) asked.set(key, this.s.property(this.p.checker.getApparentType(type), t.to))
        const there = asked.get(key)
        if (!there) continue
        const moved = this.merge(this.s.roots(there))
        if (!moved || moved.to === t.to)
          n += Number(this.blame(t, `${t.to} is a member already of what it is read from`, use.node))
      }
    return n
  }

  private isOut(symbol: ts.Symbol, sf: ts.SourceFile): boolean {
    const table = (sf as any).symbol?.exports as Map<string, ts.Symbol> | undefined
    return Boolean(table && [...table.values()].some((x) => x.declarations?.some((d) => symbol.declarations?.includes(d))))
  }

  plan(): void {
    for (let round = 0; round < 30; round++) {
      const before = this.dropped.size + this.followDropped.size
      this.assign()
      const n = this.collisions()
      this.log(`round ${round + 1}: ${this.dropped.size} entries out, ${this.followDropped.size} locals keep their name`)
      if (n === 0 && this.dropped.size + this.followDropped.size === before) return
    }
  }

  // --------------------------------------------------------------------------------------------------------------------- edits

  edits(): Map<ts.SourceFile, Edit[]> {
    const out = new Map<ts.SourceFile, Edit[]>()
    for (const [sf, list] of this.uses) {
      const edits: Edit[] = []
      const put = (node: ts.Node, text: string, t: Target | undefined): void =>
        void edits.push({ start: node.getStart(sf), end: node.getEnd(), text, entry: t?.entry })
      for (const use of list) {
        const { node, text } = use
        if (use.role === 'specifier') {
          const spec = use.specifier as ts.ImportSpecifier | ts.ExportSpecifier
          const local = this.final(use.bind)
          const source = this.final(use.imported)
          if (!spec.propertyName) {
            if (local) put(spec.name, local.to, local)
            continue
          }
          // An explicit alias: import { imported as local } / export { local as exported }.
          const first = source?.to ?? spec.propertyName.text
          const second = local?.to ?? spec.name.text
          if (first === spec.propertyName.text && second === spec.name.text) continue
          edits.push({
            start: spec.propertyName.getStart(sf),
            end: spec.name.getEnd(),
            text: first === second ? first : `${first} as ${second}`,
            entry: (source ?? local)?.entry,
          })
          continue
        }
        if (use.role === 'bind') {
          const t = this.final(use.bind)
          if (t && t.to !== text) put(node, t.to, t)
          continue
        }
        const p = this.merge(use.props) ?? this.final(use.own)
        if (use.role === 'prop') {
          if (p && p.to !== text) put(node, p.to, p)
        } else if (use.role === 'string') {
          const k = p ?? (use.props || use.own ? undefined : this.keyString(use))
          if (k && k.to !== text) {
            edits.push({ start: node.getStart(sf) + 1, end: node.getEnd() - 1, text: k.to, entry: k.entry })
            if (!p) this.keyStrings.push({ kind: 'string of keyof, changed', text, place: this.p.place(node) })
          }
        } else {
          const t = this.final(use.bind)
          const [key, value] = [p?.to ?? text, t?.to ?? text]
          if (key !== text || value !== text) put(node, key === value ? key : `${key}: ${value}`, p ?? t)
        }
      }
      if (edits.length) out.set(sf, edits)
    }
    return out
  }

  keyStrings: { kind: string; text: string; place: string }[] = []
  private keyedNow?: Map<string, { t: Target; types: ts.Type[] }[]>
  /** A string that is the name of a `keyed` member: it is asked for among names that are all members of that type. */
  private keyString(use: Use): Target | undefined {
    if (!this.keyedNow) {
      this.keyedNow = new Map()
      for (const [d, t] of this.target) {
        const k = this.links.keyed.get(d)
        if (k && t.entry.keyed)
          this.keyedNow.set(this.oldName(d), [...(this.keyedNow.get(this.oldName(d)) ?? []), { t, types: k.types }])
      }
    }
    const list = this.keyedNow.get(use.text)
    if (!list) return undefined
    const c = this.p.checker
    let type: ts.Type | undefined
    if (ts.isLiteralTypeNode(use.node.parent)) {
      const up = use.node.parent.parent
      type = c.getTypeFromTypeNode(ts.isUnionTypeNode(up) ? up : use.node.parent)
    } else if (ts.isExpression(use.node)) {
      type = c.getContextualType(use.node)
      const up = use.node.parent
      // `x === 'name'`, `case 'name'`
      if (ts.isBinaryExpression(up)) type = c.getTypeAtLocation(up.left === use.node ? up.right : up.left)
      if (ts.isCaseClause(up)) type = c.getTypeAtLocation(up.parent.parent.expression)
    }
    const literals = type
      ? (type.isUnion() ? type.types : [type]).filter((t): t is ts.StringLiteralType => t.isStringLiteral())
      : []
    if (!literals.some((t) => t.value === use.text)) return undefined
    return list.find(({ types }) => types.some((t) => literals.every((l) => this.s.property(t, l.value))))?.t
  }

  // -------------------------------------------------------------------------------------------------------------------- remarks

  /** Places of an old name that were not resolved: strings that a type asks for, and accesses on `any`. */
  remarks(): { kind: string; text: string; place: string }[] {
    const out: { kind: string; text: string; place: string }[] = [...this.keyStrings]
    const changed = new Set(out.map((x) => x.place))
    const members = new Map<string, Entry>()
    const all = new Set<string>()
    for (const [d, t] of this.target) {
      all.add(this.oldName(d))
      if (this.isMember(d)) members.set(this.oldName(d), t.entry)
    }
    for (const list of this.uses.values())
      for (const use of list) {
        if (use.role === 'string' && !use.props && !use.own && members.has(use.text)) {
          const parent = use.node.parent
          if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) continue
          const context =
            ts.isExpression(use.node) && !ts.isLiteralTypeNode(parent)
              ? (this.p.checker.getContextualType(use.node) as ts.Type | undefined)
              : undefined
          if (changed.has(this.p.place(use.node))) continue
          const literal = ts.isLiteralTypeNode(parent) || (context && this.literalIn(context, use.text))
          // A plain English word in a plain string says nothing.
          if (!literal && !/_|[a-z][A-Z]/.test(use.text)) continue
          out.push({
            kind: literal ? 'string of a literal or keyof type' : 'string',
            text: use.text,
            place: this.p.place(use.node),
          })
        }
        if (use.role === 'prop' && !use.own && use.props?.length === 0 && all.has(use.text))
          out.push({ kind: 'access on any', text: use.text, place: this.p.place(use.node) })
      }
    return out
  }
  private literalIn(type: ts.Type, text: string): boolean {
    if (type.isUnion()) return type.types.some((t) => this.literalIn(t, text))
    if (type.flags & ts.TypeFlags.Instantiable) {
      const base = this.p.checker.getBaseConstraintOfType(type)
      return type.flags & ts.TypeFlags.Index ? true : base && base !== type ? this.literalIn(base, text) : false
    }
    return Boolean(type.flags & ts.TypeFlags.StringLiteral) && (type as ts.StringLiteralType).value === text
  }

  warn(): void {
    const told = new Set<string>()
    for (const [d, t] of this.target) {
      const place = this.links.asserted.get(d)
      if (!place || told.has(`${t.entry.id}`)) continue
      told.add(`${t.entry.id}`)
      this.warnings.push({
        entry: t.entry,
        text: `${this.describe(d)} is read from or written to JSON (or cast from unknown): stored or sent under the old name?`,
        place: this.p.place(place),
      })
    }
    for (const [d, t] of this.target) {
      const guard = this.guard(d)
      if (guard !== 'own')
        this.warnings.push({
          entry: t.entry,
          text: `${this.describe(d)} is ${guard}: renamed because the map says so`,
          ...(d.kind === undefined ? {} : { place: this.p.place(d) }),
        })
    }
  }
  get active(): Entry[] {
    return [...this.resolved.keys()].filter((e) => !this.dropped.has(e))
  }
  targets(): Map<any, Target> {
    return this.target
  }
}
