// Which properties must have the same name: wherever a value of one type is given for another, the properties of both that are
// spelled alike are one. Without this a member's new name would not type-check (or worse, would: an optional member that is no longer there).
import ts from 'typescript'
import type { Project, Scanner } from './lib.ts'

export type Link = { a: any; b: any; place: ts.Node; why: string }

export class Links {
  p: Project
  s: Scanner
  names: ReadonlySet<string>
  byDecl = new Map<any, Link[]>()
  /** Members of types that a value of unknown type is taken for (`JSON.parse(x) as T`), or that are given to what takes anything (JSON.stringify). */
  asserted = new Map<any, ts.Node>()
  /** Members of rows of handwritten SQL. */
  sql = new Map<any, ts.Node>()
  /** Members whose names are also values: `keyof T`, `x[name]` with a name of a literal type. */
  keyed = new Map<any, { place: ts.Node; types: ts.Type[] }>()
  private seen = new Set<string>()
  private touching = new Map<ts.Type, boolean>()
  private open = new Set<ts.Type>()
  private cut = false
  private edges = new Map<any, Set<any>>()
  constructor(p: Project, s: Scanner, names: ReadonlySet<string>) {
    this.p = p
    this.s = s
    this.names = names
  }

  /** The declarations a property symbol stands for; itself, where it has none. */
  decls(symbol: ts.Symbol | undefined): any[] {
    const out = new Set<any>()
    for (const root of this.s.roots(symbol)) {
      if (root.declarations?.length) for (const d of root.declarations) out.add(d)
      else out.add(root)
    }
    return [...out]
  }

  link(a: any, b: any, place: ts.Node, why: string): void {
    if (a === b) return
    let known = this.edges.get(a)
    if (!known) this.edges.set(a, (known = new Set()))
    if (known.has(b)) return
    known.add(b)
    let back = this.edges.get(b)
    if (!back) this.edges.set(b, (back = new Set()))
    back.add(a)
    const link = { a, b, place, why }
    for (const d of [a, b]) {
      const list = this.byDecl.get(d)
      if (list) list.push(link)
      else this.byDecl.set(d, [link])
    }
  }

  linkAll(decls: any[], place: ts.Node, why: string): void {
    for (let i = 1; i < decls.length; i++) this.link(decls[0], decls[i], place, why)
  }

  private external(type: ts.Type): boolean {
    const d = (type.symbol ?? type.aliasSymbol)?.declarations?.[0]
    return d !== undefined && !this.p.isOurs(d)
  }

  /** Whether a relevant name can be met in the type, some steps deep. */
  private touches(type: ts.Type, depth = 0): boolean {
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection | ts.TypeFlags.Instantiable))) return false
    const known = this.touching.get(type)
    if (known !== undefined) return known
    // A no that was cut short (by depth, by a circle) holds for this question only.
    if (depth > 5 || this.open.has(type)) {
      this.cut = true
      return false
    }
    if (depth === 0) this.cut = false
    this.open.add(type)
    let is = false
    const c = this.p.checker
    if (type.flags & ts.TypeFlags.UnionOrIntersection) is = (type as ts.UnionType).types.some((t) => this.touches(t, depth))
    else if (type.flags & ts.TypeFlags.Instantiable) {
      const base = c.getBaseConstraintOfType(type)
      is = base !== undefined && base !== type && this.touches(base, depth + 1)
    } else {
      const args = (type as any).objectFlags & ts.ObjectFlags.Reference ? (c.getTypeArguments(type) as ts.Type[]) : []
      is = args.some((t) => this.touches(t, depth + 1)) || (type.aliasTypeArguments ?? []).some((t) => this.touches(t, depth + 1))
      if (!is && !(this.external(type) && type.symbol && !(type.symbol.flags & ts.SymbolFlags.TypeLiteral))) {
        const props = c.getPropertiesOfType(type) as ts.Symbol[]
        is = props.length < 400 && props.some((s) => this.names.has(s.name))
        if (!is && props.length < 120 && depth < 4) is = props.some((s) => this.touches(c.getTypeOfSymbol(s), depth + 1))
        if (!is && depth < 4)
          is = (c.getSignaturesOfType(type, ts.SignatureKind.Call) as ts.Signature[]).some(
            (g) =>
              this.touches(g.getReturnType(), depth + 1) ||
              g.parameters.some((q) => this.touches(c.getTypeOfSymbol(q), depth + 1)),
          )
        if (!is) {
          const index = c.getIndexTypeOfType(type, ts.IndexKind.String)
          is = index !== undefined && this.touches(index, depth + 1)
        }
      }
    }
    this.open.delete(type)
    if (is || !this.cut || depth === 0) this.touching.set(type, is)
    return is
  }

  types(s: ts.Type, t: ts.Type, place: ts.Node, depth = 0): void {
    // The type that a destructuring asks for has no members of its own.
    if (s === t || depth > 7 || (t as any).pattern || (s as any).pattern) return
    const solid = ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection | ts.TypeFlags.Instantiable
    if (!(s.flags & solid) || !(t.flags & solid)) return
    const id = `${(s as any).id}:${(t as any).id}`
    if (this.seen.has(id)) return
    this.seen.add(id)
    if (!this.touches(s) || !this.touches(t)) return
    const c = this.p.checker
    if (s.flags & ts.TypeFlags.Union || s.flags & ts.TypeFlags.Instantiable) {
      for (const part of this.s.parts(s)) this.types(part, t, place, depth)
      return
    }
    if (t.flags & ts.TypeFlags.Union || t.flags & ts.TypeFlags.Instantiable) {
      const parts = this.s.parts(t)
      const fit = parts.length > 1 ? parts.filter((part) => part === s || c.isTypeAssignableTo(s, part)) : parts
      if (fit.includes(s)) return
      for (const part of fit) this.types(s, part, place, depth)
      return
    }
    const ref = ts.ObjectFlags.Reference
    if ((s as any).objectFlags & ref && (t as any).objectFlags & ref && (s as any).target === (t as any).target) {
      const [a, b] = [c.getTypeArguments(s) as ts.Type[], c.getTypeArguments(t) as ts.Type[]]
      for (let i = 0; i < Math.min(a.length, b.length); i++) this.types(a[i] as ts.Type, b[i] as ts.Type, place, depth + 1)
      return
    }
    const externals = this.external(s) && this.external(t)
    // A schema for a type: what it gives and takes.
    const [from, to] = externals ? [c.getPropertyOfType(s, '_zod'), c.getPropertyOfType(t, '_zod')] : []
    if (from && to) {
      const [a, b] = [c.getTypeOfSymbol(from), c.getTypeOfSymbol(to)]
      for (const name of ['output', 'input']) {
        const [x, y] = [c.getPropertyOfType(a, name), c.getPropertyOfType(b, name)]
        if (x && y) this.types(c.getTypeOfSymbol(x), c.getTypeOfSymbol(y), place, depth + 1)
      }
      return
    }
    const isList = (x: ts.Type): boolean => c.isArrayLikeType(x)
    if (isList(s) || isList(t)) {
      const [a, b] = [c.getIndexTypeOfType(s, ts.IndexKind.Number), c.getIndexTypeOfType(t, ts.IndexKind.Number)]
      const first =
        !b && (t as any).objectFlags & ref && /^(Async)?Itera/.test(t.symbol?.name ?? '')
          ? (c.getTypeArguments(t) as ts.Type[])[0]
          : undefined
      if (a && (b ?? first)) this.types(a, b ?? first, place, depth + 1)
      return
    }
    // A Map for a ReadonlyMap, a Promise for a PromiseLike.
    if (this.external(t) && (t as any).objectFlags & ref) {
      const [x, y] = [s.symbol?.name ?? '', t.symbol?.name ?? '']
      const b = c.getTypeArguments(t) as ts.Type[]
      if (externals && (s as any).objectFlags & ref && x.replace(/^Readonly|Like$/g, '') === y.replace(/^Readonly|Like$/g, '')) {
        const a = c.getTypeArguments(s) as ts.Type[]
        for (let i = 0; i < Math.min(a.length, b.length); i++) this.types(a[i] as ts.Type, b[i] as ts.Type, place, depth + 1)
        return
      }
    }
    const props = c.getPropertiesOfType(t) as ts.Symbol[]
    for (const prop of props) {
      const from = c.getPropertyOfType(s, prop.name) as ts.Symbol | undefined
      if (!from || from === prop) continue
      if (this.names.has(prop.name)) {
        const decls = [...new Set([...this.decls(from), ...this.decls(prop)])]
        this.linkAll(decls, place, 'given for')
      }
      if (!externals) this.types(c.getTypeOfSymbol(from), c.getTypeOfSymbol(prop), place, depth + 1)
    }
    const index = c.getIndexTypeOfType(t, ts.IndexKind.String) as ts.Type | undefined
    if (index && props.length === 0) {
      const other = c.getIndexTypeOfType(s, ts.IndexKind.String) as ts.Type | undefined
      if (other) this.types(other, index, place, depth + 1)
      else
        for (const from of (c.getPropertiesOfType(s) as ts.Symbol[]).slice(0, 200))
          this.types(c.getTypeOfSymbol(from), index, place, depth + 1)
    }
    const [ss, tt] = [
      c.getSignaturesOfType(s, ts.SignatureKind.Call) as ts.Signature[],
      c.getSignaturesOfType(t, ts.SignatureKind.Call) as ts.Signature[],
    ]
    const [a, b] = [ss[0], tt[0]]
    if (a && b) {
      for (let i = 0; i < Math.min(a.parameters.length, b.parameters.length); i++)
        this.types(c.getTypeOfSymbol(b.parameters[i]), c.getTypeOfSymbol(a.parameters[i]), place, depth + 1)
      this.types(a.getReturnType(), b.getReturnType(), place, depth + 1)
    }
  }

  private key(type: ts.Type, place: ts.Node, only?: Set<string>): void {
    for (const part of this.s.parts(type))
      for (const prop of this.p.checker.getPropertiesOfType(part) as ts.Symbol[])
        if (this.names.has(prop.name) && (!only || only.has(prop.name)))
          for (const d of this.decls(prop)) {
            const known = this.keyed.get(d)
            if (known) known.types.push(part)
            else this.keyed.set(d, { place, types: [part] })
          }
  }

  private mark(into: Map<any, ts.Node>, type: ts.Type, place: ts.Node, depth = 0): void {
    if (depth > 3) return
    const c = this.p.checker
    for (const part of this.s.parts(type)) {
      if (c.isArrayLikeType(part)) {
        const item = c.getIndexTypeOfType(part, ts.IndexKind.Number)
        if (item) this.mark(into, item, place, depth + 1)
        continue
      }
      if (this.external(part) && !(part.symbol?.flags & ts.SymbolFlags.TypeLiteral)) continue
      for (const prop of (c.getPropertiesOfType(part) as ts.Symbol[]).slice(0, 100)) {
        if (this.names.has(prop.name)) for (const d of this.decls(prop)) if (!into.has(d)) into.set(d, place)
        this.mark(into, c.getTypeOfSymbol(prop), place, depth + 1)
      }
    }
  }

  /** Only the rows of handwritten SQL (list.ts). */
  rows(sf: ts.SourceFile): void {
    const visit = (n: ts.Node): void => {
      if (ts.isTaggedTemplateExpression(n) && n.typeArguments && /^sql\b/.test(n.tag.getText()))
        for (const a of n.typeArguments) this.mark(this.sql, this.p.checker.getTypeFromTypeNode(a), n)
      if (ts.isCallExpression(n) && n.typeArguments && /(\.query|sql\.raw)$/.test(n.expression.getText()))
        for (const a of n.typeArguments) this.mark(this.sql, this.p.checker.getTypeFromTypeNode(a), n)
      ts.forEachChild(n, visit)
    }
    visit(sf)
  }

  collect(sf: ts.SourceFile): void {
    const c = this.p.checker
    const type = (n: ts.Node): ts.Type => c.getTypeAtLocation(n)
    const isAny = (t: ts.Type): boolean => Boolean(t.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown))
    const visit = (n: ts.Node): void => {
      switch (n.kind) {
        case ts.SyntaxKind.ImportDeclaration:
        case ts.SyntaxKind.ExportDeclaration:
          return
        case ts.SyntaxKind.Identifier: {
          const up = n.parent as any
          if (
            up.name === n ||
            up.propertyName === n ||
            up.tagName === n ||
            up.typeName === n ||
            up.exprName === n ||
            (up.operatorToken?.kind === ts.SyntaxKind.EqualsToken && up.left === n)
          )
            break
          if (
            up.expression === n &&
            (ts.isPropertyAccessExpression(up) || ts.isElementAccessExpression(up) || ts.isCallOrNewExpression(up))
          )
            break
          if (ts.isTypeNode(up) || (ts.isVariableDeclaration(up) && up.name === n)) break
          this.value(n as ts.Expression)
          break
        }
        case ts.SyntaxKind.TypeOperator: {
          const k = n as ts.TypeOperatorNode
          if (k.operator !== ts.SyntaxKind.KeyOfKeyword) break
          const up = k.parent
          if (ts.isTypeParameterDeclaration(up) && ts.isMappedTypeNode(up.parent)) break
          if (ts.isTypeReferenceNode(up) && /^(Omit|Pick)$/.test(up.typeName.getText())) break
          this.key(c.getTypeFromTypeNode(k.type), n)
          break
        }
        case ts.SyntaxKind.ConditionalExpression: {
          const e = n as ts.ConditionalExpression
          const all = type(n)
          for (const branch of [e.whenTrue, e.whenFalse]) this.types(type(branch), all, branch)
          break
        }
        case ts.SyntaxKind.BinaryExpression: {
          const e = n as ts.BinaryExpression
          if (!/^(\?\?|\|\||&&)$/.test(e.operatorToken.getText())) break
          const all = type(n)
          for (const branch of [e.left, e.right]) this.types(type(branch), all, branch)
          break
        }
        case ts.SyntaxKind.ArrayLiteralExpression: {
          const elements = (n as ts.ArrayLiteralExpression).elements
          const item =
            elements.length > 1 ? (c.getIndexTypeOfType(type(n), ts.IndexKind.Number) as ts.Type | undefined) : undefined
          if (item) for (const e of elements) if (!ts.isSpreadElement(e)) this.types(type(e), item, e)
          break
        }
        case ts.SyntaxKind.ReturnStatement: {
          const e = (n as ts.ReturnStatement).expression
          if (!e) break
          let fn: ts.Node = n
          while (fn && !ts.isFunctionLike(fn)) fn = fn.parent
          if (!fn || (fn as any).asteriskToken) break
          const result = c.getSignatureFromDeclaration(fn)?.getReturnType() as ts.Type | undefined
          const awaited = result && (c.getAwaitedType?.(result) ?? result)
          const own = c.getAwaitedType?.(type(e)) ?? type(e)
          if (awaited) this.types(own, awaited, e)
          break
        }
        case ts.SyntaxKind.PropertyAccessExpression:
        case ts.SyntaxKind.ElementAccessExpression:
          if (ts.isElementAccessExpression(n) && !ts.isStringLiteralLike(n.argumentExpression)) {
            const index = type(n.argumentExpression)
            const literals = (index.isUnion() ? index.types : [index]).filter(
              (t) => t.isStringLiteral() && this.names.has(t.value),
            ) as ts.StringLiteralType[]
            if (literals.length > 0) this.key(type(n.expression), n, new Set(literals.map((t) => t.value)))
          }
          if ((n.parent as any).expression === n && ts.isPropertyAccessExpression(n.parent)) break
          this.value(n as ts.Expression)
          break
        case ts.SyntaxKind.AwaitExpression:
        case ts.SyntaxKind.NewExpression:
        case ts.SyntaxKind.ArrowFunction:
        case ts.SyntaxKind.FunctionExpression:
        case ts.SyntaxKind.NonNullExpression:
          this.value(n as ts.Expression)
          if (ts.isNewExpression(n)) this.call(n)
          break
        case ts.SyntaxKind.CallExpression:
          this.value(n as ts.Expression)
          this.call(n as ts.CallExpression)
          break
        case ts.SyntaxKind.ObjectLiteralExpression:
          // What it takes from elsewhere (`...rest`), and what its own properties are compared with.
          if (!this.s.isTarget(n)) this.value(n as ts.Expression)
          break
        case ts.SyntaxKind.JsxSpreadAttribute: {
          const context = c.getContextualType(n.parent) as ts.Type | undefined
          if (context) this.types(type((n as ts.JsxSpreadAttribute).expression), context, n)
          break
        }
        case ts.SyntaxKind.AsExpression: {
          const from = type((n as ts.AsExpression).expression)
          const to = type(n)
          if (isAny(from)) this.mark(this.asserted, to, n)
          else this.types(from, to, n)
          break
        }
        case ts.SyntaxKind.TaggedTemplateExpression: {
          const t = n as ts.TaggedTemplateExpression
          if (/^sql\b/.test(t.tag.getText()))
            for (const a of t.typeArguments ?? []) this.mark(this.sql, c.getTypeFromTypeNode(a), n)
          break
        }
        case ts.SyntaxKind.TypeReference: {
          const r = n as ts.TypeReferenceNode
          if (!r.typeArguments) break
          let symbol = c.getSymbolAtLocation(r.typeName) as ts.Symbol | undefined
          if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = c.getAliasedSymbol(symbol)
          const d = symbol?.declarations?.find((x) => (x as any).typeParameters) as any
          if (d && this.p.isOurs(d))
            r.typeArguments.forEach((a, i) => {
              const constraint = d.typeParameters[i]?.constraint
              if (constraint) this.types(c.getTypeFromTypeNode(a), c.getTypeFromTypeNode(constraint), a)
            })
          break
        }
        case ts.SyntaxKind.ClassDeclaration:
        case ts.SyntaxKind.ClassExpression:
        case ts.SyntaxKind.InterfaceDeclaration: {
          const self = type(n)
          for (const h of (n as ts.ClassDeclaration).heritageClauses ?? []) for (const t of h.types) this.types(self, type(t), t)
          break
        }
      }
      ts.forEachChild(n, visit)
    }
    ts.forEachChild(sf, visit)
  }

  private value(n: ts.Expression): void {
    const c = this.p.checker
    const own = c.getTypeAtLocation(n) as ts.Type
    if (!this.touches(own)) return
    const context = c.getContextualType(n) as ts.Type | undefined
    if (context && context !== own) this.types(own, context, n)
  }

  private call(n: ts.CallExpression | ts.NewExpression): void {
    const c = this.p.checker
    const text = n.expression.getText()
    // client.query<Row>('select …'), sql.raw<Row>(…)
    if (n.typeArguments && /(\.query|sql\.raw)$/.test(text))
      for (const a of n.typeArguments) this.mark(this.sql, c.getTypeFromTypeNode(a), n)
    if (text === 'JSON.stringify' && n.arguments?.[0]) this.mark(this.asserted, c.getTypeAtLocation(n.arguments[0]), n)
    const signature = c.getResolvedSignature(n) as ts.Signature | undefined
    const d = signature?.declaration as ts.SignatureDeclaration | undefined
    if (!d?.typeParameters || !this.p.isOurs(d)) return
    n.arguments?.forEach((a, i) => {
      const param = d.parameters[i]
      if (param?.type && !ts.isSpreadElement(a)) this.types(c.getTypeAtLocation(a), c.getTypeFromTypeNode(param.type), a)
    })
  }
}
