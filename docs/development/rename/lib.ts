// Shared by rename.ts, list.ts and validate.ts: loads the program, gives every declaration an addressable name, and says for
// each identifier which declarations it stands for.

import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import ts from 'typescript'

export type Decl = ts.Node // a declaration node, or (for a property without one) its ts.Symbol
export type Project = {
  root: string
  program: ts.Program
  checker: any
  files: ts.SourceFile[]
  isOurs(node: ts.Node): boolean
  rel(fileName: string): string
  place(node: ts.Node): string
}

export function options(root: string): { options: ts.CompilerOptions; fileNames: string[] } {
  const config = ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile)
  const parsed = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  const lib = [...(parsed.options.lib ?? [])]
  // TypeScript 7 folds it into `dom`.
  if (lib.includes('lib.dom.d.ts')) lib.push('lib.dom.asynciterable.d.ts')
  return {
    fileNames: parsed.fileNames,
    options: {
      ...parsed.options,
      lib,
      noEmit: true,
      skipLibCheck: true,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      module: ts.ModuleKind.ESNext,
      allowImportingTsExtensions: true,
      configFilePath: resolve(root, 'tsconfig.json'),
    } as ts.CompilerOptions,
  }
}

export function project(root: string, program: ts.Program): Project {
  const checker = program.getTypeChecker() as any
  const files = program
    .getSourceFiles()
    .filter((f) => f.fileName.startsWith(`${root}/`) && !f.fileName.includes('/node_modules/'))
  const ours = new Set<ts.Node>(files)
  const rel = (name: string): string => relative(root, name)
  return {
    root,
    program,
    checker,
    files,
    rel,
    isOurs: (node) => ours.has(node.getSourceFile()),
    place: (node) => {
      const sf = node.getSourceFile()
      return `${rel(sf.fileName)}:${sf.getLineAndCharacterOfPosition(node.getStart(sf)).line + 1}`
    },
  }
}

export function load(root: string): Project {
  const { options: opts, fileNames } = options(root)
  const host = ts.createCompilerHost(opts, true)
  host.getCurrentDirectory = () => root
  return project(root, ts.createProgram({ rootNames: fileNames, options: opts, host }))
}

// ---------------------------------------------------------------------------------------------------------------- names

export type Named = { path: string; decl: ts.Node; name: ts.Node; text: string; kind: string; local: boolean; member: boolean }

const nameText = (n: ts.Node | undefined): string | undefined =>
  n && (ts.isIdentifier(n) || ts.isPrivateIdentifier(n) || ts.isStringLiteral(n) || ts.isNumericLiteral(n)) ? n.text : undefined

/**
 * Every declaration of a file with its address: `fn`, `Type.member`, `Type.a.b`, `constant.key.key`, `Class.method`, `fn/param`, `fn/local`,
 * `fn/inner/local`, `fn/param.member`, `fn/0.member` (of a destructured parameter), `fn().member` (what it returns), `/local` (in a callback of the file).
 */
export function indexFile(sf: ts.SourceFile): Named[] {
  const out: Named[] = []
  const add = (path: string, decl: ts.Node, name: ts.Node, kind: string, local: boolean, member = false): void => {
    const text = nameText(name)
    if (text !== undefined) out.push({ path, decl, name, text, kind, local, member })
  }
  // fn: path of the enclosing named function ('' at top level); inside: whether within any function.
  const bind = (name: ts.BindingName, fn: string, inside: boolean, kind: string): string => {
    if (ts.isIdentifier(name)) {
      const path = inside ? `${fn}/${name.text}` : name.text
      add(path, name.parent, name, kind, inside)
      return path
    }
    for (const e of name.elements) if (ts.isBindingElement(e)) bind(e.name, fn, inside, kind)
    return ''
  }
  const params = (node: ts.SignatureDeclaration, fn: string): void => {
    node.parameters.forEach((p, i) => {
      const path = bind(p.name, fn, true, 'parameter')
      if (p.type) types(p.type, path || `${fn}/${i}`)
      if (ts.isObjectBindingPattern(p.name))
        for (const e of p.name.elements) if (e.initializer) expr(e.initializer, null, fn, true)
      if (p.initializer) expr(p.initializer, path || null, fn, true)
    })
  }
  // Type nodes: members of literals below `path`.
  const types = (node: ts.Node, path: string): void => {
    if (ts.isTypeLiteralNode(node) || ts.isInterfaceDeclaration(node)) {
      for (const m of node.members) {
        const t = nameText(m.name)
        if (t === undefined) {
          ts.forEachChild(m, (c) => types(c, path))
          continue
        }
        const p = `${path}.${t}`
        add(p, m, m.name as ts.Node, ts.isMethodSignature(m) ? 'method' : 'property', false, true)
        ts.forEachChild(m, (c) => {
          if (c !== m.name) types(c, p)
        })
      }
      return
    }
    if (ts.isFunctionTypeNode(node)) {
      for (const p of node.parameters) if (p.type) types(p.type, `${path}/${nameText(p.name) ?? node.parameters.indexOf(p)}`)
      types(node.type, `${path}()`)
      return
    }
    if (ts.isParameter(node)) {
      if (node.type) types(node.type, `${path}/${nameText(node.name) ?? 0}`)
      return
    }
    ts.forEachChild(node, (c) => types(c, path))
  }
  const fnBody = (node: ts.FunctionLikeDeclaration, path: string): void => {
    params(node as ts.SignatureDeclaration, path)
    if (node.type) types(node.type, `${path}()`)
    if (node.body) ts.isBlock(node.body) ? stmts(node.body, path, `${path}()`) : expr(node.body, `${path}()`, path, true)
  }
  // Expressions: `path` names object literals met in it (null: they have no address).
  const expr = (node: ts.Node, path: string | null, fn: string, inside: boolean): void => {
    if (ts.isObjectLiteralExpression(node)) {
      for (const p of node.properties) {
        const t = nameText(p.name)
        const here = t !== undefined && path !== null ? `${path}.${t}` : null
        if (here && p.name) add(here, p, p.name, ts.isMethodDeclaration(p) ? 'method' : 'key', false, true)
        if (ts.isPropertyAssignment(p)) expr(p.initializer, here, fn, inside)
        else if (ts.isMethodDeclaration(p) || ts.isAccessor(p)) fnBody(p, here ?? fn)
        else if (ts.isSpreadAssignment(p)) expr(p.expression, path, fn, inside)
      }
      return
    }
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
      const named = path !== null && !path.endsWith('()') && path !== '' ? path : fn
      if (named === path) fnBody(node, path)
      else {
        // A callback: its names belong to the function around it.
        params(node, fn)
        if (node.type) types(node.type, `${fn}()`)
        ts.isBlock(node.body) ? stmts(node.body, fn, null) : expr(node.body, path, fn, true)
      }
      return
    }
    if (ts.isClassExpression(node)) return void cls(node, path ?? fn)
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      expr(node.expression, null, fn, inside)
      for (const a of node.arguments ?? []) {
        const callback = ts.isArrowFunction(a) || ts.isFunctionExpression(a)
        if (callback) {
          params(a, fn)
          ts.isBlock(a.body) ? stmts(a.body, fn, null) : expr(a.body, path, fn, true)
        } else expr(a, path, fn, inside)
      }
      for (const t of node.typeArguments ?? []) types(t, path ?? fn)
      return
    }
    if (ts.isBlock(node)) return void stmts(node, fn, null)
    if (ts.isTypeNode(node)) return void types(node, path ?? fn)
    ts.forEachChild(node, (c) => expr(c, path, fn, inside))
  }
  const cls = (node: ts.ClassLikeDeclaration, path: string): void => {
    for (const m of node.members) {
      const t = ts.isConstructorDeclaration(m) ? 'constructor' : nameText(m.name)
      if (t === undefined) continue
      const p = `${path}.${t}`
      if (m.name) add(p, m, m.name, ts.isPropertyDeclaration(m) ? 'property' : 'method', false, true)
      if (ts.isPropertyDeclaration(m)) {
        if (m.type) types(m.type, p)
        if (m.initializer) expr(m.initializer, p, p, true)
      } else if (ts.isMethodDeclaration(m) || ts.isConstructorDeclaration(m) || ts.isAccessor(m)) fnBody(m, p)
    }
  }
  const stmts = (node: ts.Node, fn: string, ret: string | null): void =>
    ts.forEachChild(node, (c) => stmt(c, fn, node !== sf, ret))
  const stmt = (node: ts.Node, fn: string, inside: boolean, ret: string | null): void => {
    const at = (t: string): string => (inside ? `${fn}/${t}` : t)
    if (ts.isFunctionDeclaration(node)) {
      if (!node.name) return fnBody(node, 'default')
      add(at(node.name.text), node, node.name, 'function', inside)
      return fnBody(node, at(node.name.text))
    }
    if (ts.isClassDeclaration(node)) {
      const t = node.name?.text ?? 'default'
      if (node.name) add(at(t), node, node.name, 'class', inside)
      return cls(node, at(t))
    }
    if (ts.isInterfaceDeclaration(node)) {
      add(at(node.name.text), node, node.name, 'interface', inside)
      return types(node, at(node.name.text))
    }
    if (ts.isTypeAliasDeclaration(node)) {
      add(at(node.name.text), node, node.name, 'type', inside)
      return types(node.type, at(node.name.text))
    }
    if (ts.isEnumDeclaration(node)) {
      add(at(node.name.text), node, node.name, 'enum', inside)
      for (const m of node.members) add(`${at(node.name.text)}.${nameText(m.name)}`, m, m.name, 'member', false, true)
      return
    }
    if (ts.isVariableDeclaration(node)) {
      const isFn = node.initializer && (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer))
      const path = bind(node.name, fn, inside, isFn ? 'function' : 'variable')
      if (node.type) types(node.type, path || at('{}'))
      if (node.initializer) {
        if (isFn && path) fnBody(node.initializer as ts.ArrowFunction, path)
        else expr(node.initializer, path || null, fn, inside)
      }
      return
    }
    if (ts.isImportDeclaration(node)) {
      const c = node.importClause
      if (c?.name) add(c.name.text, c, c.name, 'import', false)
      const b = c?.namedBindings
      if (b && ts.isNamespaceImport(b)) add(b.name.text, b, b.name, 'import', false)
      else if (b) for (const e of b.elements) add(e.name.text, e, e.name, 'import', false)
      return
    }
    if (ts.isExportDeclaration(node)) {
      const c = node.exportClause
      if (c && ts.isNamespaceExport(c)) add(nameText(c.name) as string, c, c.name, 'export', false)
      else if (c) for (const e of c.elements) add(nameText(e.name) as string, e, e.name, 'export', false)
      return
    }
    if (ts.isReturnStatement(node)) {
      if (node.expression) expr(node.expression, ret, fn, inside)
      return
    }
    if (ts.isExpressionStatement(node)) return expr(node.expression, null, fn, inside)
    if (ts.isCatchClause(node) && node.variableDeclaration) bind(node.variableDeclaration.name, fn, true, 'variable')
    if (ts.isVariableDeclarationList(node) || ts.isVariableStatement(node))
      return ts.forEachChild(node, (c) => stmt(c, fn, inside, ret))
    if (ts.isBlock(node) || ts.isSourceFile(node))
      return ts.forEachChild(node, (c) => stmt(c, fn, inside || node.kind === ts.SyntaxKind.Block, ret))
    if (ts.isStatement(node) || ts.isCaseBlock(node) || ts.isCaseOrDefaultClause(node) || ts.isCatchClause(node))
      return ts.forEachChild(node, (c) => stmt(c, fn, inside || !ts.isSourceFile(node), ret))
    if (ts.isExpression(node)) return expr(node, null, fn, inside)
  }
  ts.forEachChild(sf, (c) => stmt(c, '', false, null))
  return out
}

// ----------------------------------------------------------------------------------------------------------------- uses

/** What a relevant name in the text stands for. `bind`: a name in scope; `props`: property (or module export) symbols, roots resolved. */
export type Use = {
  node: ts.Node // the identifier or string literal
  text: string
  role: 'bind' | 'prop' | 'shorthand' | 'pattern' | 'specifier' | 'string'
  bind?: ts.Symbol
  props?: ts.Symbol[]
  own?: ts.Symbol // the literal's own property, where there are contextual ones
  specifier?: ts.ImportSpecifier | ts.ExportSpecifier
  imported?: ts.Symbol
}

export class Scanner {
  p: Project
  checker: any
  private contextual = new Map<ts.Node, ts.Type[]>()
  constructor(p: Project) {
    this.p = p
    this.checker = p.checker
  }

  roots(symbol: ts.Symbol | undefined): ts.Symbol[] {
    if (!symbol) return []
    const roots = this.checker.getRootSymbols(symbol) as ts.Symbol[]
    return (roots.length === 0 ? [symbol] : roots).flatMap((root) => (root.declarations?.length ? [root] : this.mapped(root)))
  }

  /** A property of `Record<keyof T, X>` has no declaration of its own; it is called as the property of T. */
  private mapped(symbol: ts.Symbol): ts.Symbol[] {
    const mapped = (symbol as any).links?.mappedType
    const over = mapped ? this.keyofs(mapped.constraintType) : []
    const props = over
      .flatMap((t) => this.parts(t))
      .map((t) => this.property(t, symbol.name))
      .filter((x): x is ts.Symbol => Boolean(x?.declarations?.length))
    return props.length > 0 ? props : [symbol]
  }

  /** The types an object literal (or JSX attributes) is written for. */
  contexts(literal: ts.Expression): ts.Type[] {
    let types = this.contextual.get(literal)
    if (types) return types
    types = []
    const context = this.checker.getContextualType(literal) as ts.Type | undefined
    if (context) {
      const all = this.parts(context).filter((t) => !(t as any).pattern)
      if (all.length > 1) {
        const own = this.checker.getTypeAtLocation(literal)
        types = all.filter((t) => this.checker.isTypeAssignableTo(own, t))
      }
      if (types.length === 0) types = all
    }
    this.contextual.set(literal, types)
    return types
  }

  /** Object types in a type: unions taken apart, type parameters by their constraint. */
  parts(type: ts.Type): ts.Type[] {
    if (type.isUnion()) return type.types.flatMap((t) => this.parts(t))
    if (type.flags & ts.TypeFlags.Instantiable) {
      const base = this.checker.getBaseConstraintOfType(type)
      return base && base !== type ? this.parts(base) : []
    }
    return type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection) ? [type] : []
  }

  property(type: ts.Type, name: string): ts.Symbol | undefined {
    return this.checker.getPropertyOfType(type, name)
  }

  literalProps(literal: ts.Expression, name: string): ts.Symbol[] {
    return this.contexts(literal).flatMap((t) => this.roots(this.property(t, name)))
  }

  scan(sf: ts.SourceFile, relevant: (text: string) => boolean, emit: (use: Use) => void): void {
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
        if (relevant(node.text)) this.identifier(node, emit)
        return
      }
      if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) {
        if (relevant(node.name.text) || (node.propertyName && relevant(node.propertyName.text))) this.specifier(node, emit)
        return
      }
      if (ts.isStringLiteralLike(node)) {
        if (relevant(node.text)) this.literal(node, emit)
        return
      }
      ts.forEachChild(node, visit)
    }
    ts.forEachChild(sf, visit)
  }

  private specifier(node: ts.ImportSpecifier | ts.ExportSpecifier, emit: (use: Use) => void): void {
    const bind = this.checker.getSymbolAtLocation(node.name) as ts.Symbol | undefined
    const symbol = ((node as any).symbol ?? bind) as ts.Symbol
    let imported: ts.Symbol | undefined
    if (ts.isExportSpecifier(node) && !node.parent.parent.moduleSpecifier)
      imported = this.checker.getExportSpecifierLocalTargetSymbol(node)
    else imported = this.checker.getImmediateAliasedSymbol(symbol)
    emit({ node: node.name, text: node.name.text, role: 'specifier', bind: symbol, imported, specifier: node })
  }

  private identifier(node: ts.Identifier | ts.PrivateIdentifier, emit: (use: Use) => void): void {
    const parent = node.parent
    const text = node.text
    const symbol = (): ts.Symbol | undefined => this.checker.getSymbolAtLocation(node)
    switch (parent.kind) {
      case ts.SyntaxKind.ShorthandPropertyAssignment: {
        const p = parent as ts.ShorthandPropertyAssignment
        if (p.name !== node) break
        const bind = this.checker.getShorthandAssignmentValueSymbol(p)
        const own = (p as any).symbol as ts.Symbol
        const isTarget = this.isTarget(p.parent)
        const props = isTarget
          ? this.roots(this.property(this.checker.getTypeAtLocation(p.parent), text))
          : this.literalProps(p.parent, text)
        return emit({ node, text, role: 'shorthand', bind, props, ...(isTarget ? {} : { own }) })
      }
      case ts.SyntaxKind.BindingElement: {
        const e = parent as ts.BindingElement
        if (e.propertyName === node) return emit({ node, text, role: 'prop', props: this.roots(symbol()) })
        if (e.name !== node) break
        if (ts.isObjectBindingPattern(e.parent) && !e.propertyName && !e.dotDotDotToken) {
          const props = this.roots(this.property(this.checker.getTypeAtLocation(e.parent), text))
          return emit({ node, text, role: 'pattern', bind: (e as any).symbol, props })
        }
        return emit({ node, text, role: 'bind', bind: (e as any).symbol })
      }
      case ts.SyntaxKind.PropertyAccessExpression:
        if ((parent as ts.PropertyAccessExpression).name === node)
          return emit({ node, text, role: 'prop', props: this.roots(symbol()) })
        break
      case ts.SyntaxKind.QualifiedName:
        if ((parent as ts.QualifiedName).right === node) return emit({ node, text, role: 'prop', props: this.roots(symbol()) })
        break
      case ts.SyntaxKind.ImportType:
        return emit({ node, text, role: 'prop', props: this.roots(symbol()) })
      case ts.SyntaxKind.PropertyAssignment:
      case ts.SyntaxKind.MethodDeclaration:
      case ts.SyntaxKind.GetAccessor:
      case ts.SyntaxKind.SetAccessor:
      case ts.SyntaxKind.PropertyDeclaration:
      case ts.SyntaxKind.PropertySignature:
      case ts.SyntaxKind.MethodSignature:
      case ts.SyntaxKind.EnumMember:
        if ((parent as ts.NamedDeclaration).name === node) return this.key(node, parent, emit)
        break
      case ts.SyntaxKind.JsxAttribute:
        if ((parent as ts.JsxAttribute).name === node) {
          const attributes = parent.parent as ts.JsxAttributes
          return emit({ node, text, role: 'prop', props: this.literalProps(attributes, text), own: (parent as any).symbol })
        }
        break
      case ts.SyntaxKind.LabeledStatement:
      case ts.SyntaxKind.BreakStatement:
      case ts.SyntaxKind.ContinueStatement:
      case ts.SyntaxKind.MetaProperty:
      case ts.SyntaxKind.NamedTupleMember:
      case ts.SyntaxKind.JsxNamespacedName:
      case ts.SyntaxKind.ImportAttribute:
        return
    }
    emit({ node, text, role: 'bind', bind: symbol() })
  }

  /** `({ foo } = x)`, `for ({ foo } of x)`: an object literal that is written to. */
  isTarget(literal: ts.Node): boolean {
    return (
      (ts as any).isAssignmentTarget?.(literal) === true ||
      (ts.isBinaryExpression(literal.parent) &&
        literal.parent.left === literal &&
        literal.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken)
    )
  }

  private key(node: ts.Node & { text: string }, decl: ts.Node, emit: (use: Use) => void): void {
    const own = (decl as any).symbol as ts.Symbol | undefined
    const role = ts.isStringLiteralLike(node) ? 'string' : 'prop'
    if (ts.isObjectLiteralExpression(decl.parent)) {
      if (this.isTarget(decl.parent)) {
        const props = this.roots(this.property(this.checker.getTypeAtLocation(decl.parent), node.text))
        return emit({ node, text: node.text, role, props })
      }
      return emit({ node, text: node.text, role, props: this.literalProps(decl.parent, node.text), ...(own ? { own } : {}) })
    }
    emit({ node, text: node.text, role, props: own ? [own] : [] })
  }

  /** The types T of a type that is, or has in it, `keyof T`. */
  private keyofs(type: any): ts.Type[] {
    if (!type) return []
    if (type.flags & ts.TypeFlags.Index) return [type.type]
    if (type.origin) return this.keyofs(type.origin)
    if (type.isUnion?.() || type.isIntersection?.())
      return type.types.length < 20
        ? type.types.flatMap((t: any) => (t.flags & ts.TypeFlags.StringLiteral ? [] : this.keyofs(t)))
        : []
    if (type.flags & ts.TypeFlags.TypeParameter) return this.keyofs(this.checker.getBaseConstraintOfType(type))
    return []
  }

  private literal(node: ts.StringLiteralLike, emit: (use: Use) => void): void {
    const parent = node.parent
    if ((parent as any).name === node && !ts.isModuleDeclaration(parent)) return this.key(node, parent, emit)
    if (ts.isBindingElement(parent) && parent.propertyName === node)
      return emit({ node, text: node.text, role: 'string', props: this.roots(this.checker.getSymbolAtLocation(node)) })
    if (ts.isElementAccessExpression(parent) && parent.argumentExpression === node) {
      const type = this.checker.getTypeAtLocation(parent.expression)
      return emit({
        node,
        text: node.text,
        role: 'string',
        props: this.roots(this.property(this.checker.getApparentType(type), node.text)),
      })
    }
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InKeyword && parent.left === node) {
      const type = this.checker.getTypeAtLocation(parent.right)
      const props = this.parts(type).flatMap((t) => this.roots(this.property(t, node.text)))
      return emit({ node, text: node.text, role: 'string', props })
    }
    // T['foo'], Pick<T, 'foo' | 'bar'>, Omit<T, 'foo'>
    let up: ts.Node = parent
    if (ts.isLiteralTypeNode(up)) {
      while (up.parent && (ts.isUnionTypeNode(up.parent) || ts.isParenthesizedTypeNode(up.parent))) up = up.parent
      const over = up.parent
      let object: ts.TypeNode | undefined
      if (over && ts.isIndexedAccessTypeNode(over) && over.indexType === up) object = over.objectType
      else if (
        over &&
        ts.isTypeReferenceNode(over) &&
        over.typeArguments?.[1] === up &&
        /^(Pick|Omit)$/.test(over.typeName.getText())
      )
        object = over.typeArguments[0]
      if (object) {
        const type = this.checker.getTypeFromTypeNode(object)
        const props = this.parts(type).flatMap((t) => this.roots(this.property(t, node.text)))
        return emit({ node, text: node.text, role: 'string', props })
      }
    }
    // A literal written for `keyof T`.
    if (
      ts.isExpression(node) &&
      !ts.isLiteralTypeNode(parent) &&
      !ts.isImportDeclaration(parent) &&
      !ts.isExportDeclaration(parent)
    ) {
      const over = this.keyofs(this.checker.getContextualType(node))
      const props = over.flatMap((t) => this.parts(t)).flatMap((t) => this.roots(this.property(t, node.text)))
      if (props.length > 0) return emit({ node, text: node.text, role: 'string', props })
    }
    // Any other literal: only worth a report where the type asks for certain strings.
    emit({ node, text: node.text, role: 'string' })
  }
}

// ----------------------------------------------------------------------------------------------------------- vocabulary

export function vocabulary(file: string): (id: string) => string[] {
  const text = readFileSync(file, 'utf8')
  const body = /const terms = \{([\s\S]*?)\n\}/.exec(text)?.[1] ?? ''
  const terms = new Set([...body.matchAll(/(\w+):\s*'/g)].map((m) => m[1] as string))
  const allowed = new Set((/const allowed = new Set\('([^']*)'/.exec(text)?.[1] ?? '').split(' '))
  return (id) => {
    if (allowed.has(id)) return []
    const words = id
      .split(/_|(?<=[a-z0-9])(?=[A-Z])/)
      .map((w) => w.toLowerCase())
      .filter((w) => terms.has(w))
    if (words.length === 0 && /[a-z]Of$/.test(id)) words.push('…Of')
    return words
  }
}

/** Which names nobody may change without being told to: keys of schemas, columns, what libraries declare, what has no declaration. */
export function guardOf(p: Project, scanner: Scanner): (decl: any) => 'own' | 'wire' | 'column' | 'external' | 'opaque' | 'sql' {
  const memo = new Map<any, any>()
  const zod = new Map<ts.Type, boolean>()
  const isSchema = (type: ts.Type): boolean => {
    let is = zod.get(type)
    if (is === undefined)
      zod.set(type, (is = Boolean(type.flags & ts.TypeFlags.Object && p.checker.getPropertyOfType(type, '_zod'))))
    return is
  }
  const find = (decl: any) => {
    if (decl.kind === undefined) return 'opaque'
    const node = decl as ts.Node
    if (!p.isOurs(node)) return 'external'
    if (/runtime\/postgres\/tables\.ts$|\.gen\.ts$/.test(node.getSourceFile().fileName)) return 'column'
    if ((ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) && ts.isObjectLiteralExpression(node.parent)) {
      const value = ts.isPropertyAssignment(node) ? node.initializer : node.name
      const name = nameText(node.name)
      if (name !== undefined && isSchema(p.checker.getTypeAtLocation(value))) {
        const declared = scanner
          .literalProps(node.parent, name)
          .some((s) => s.declarations?.some((d) => d !== node && !ts.isObjectLiteralExpression(d.parent)))
        if (!declared) return 'wire'
      }
    }
    // sql<{ foo: string }>`select foo`
    for (let up: ts.Node = node; up && !ts.isSourceFile(up) && !ts.isStatement(up); up = up.parent)
      if (ts.isTaggedTemplateExpression(up.parent) && up.parent.tag !== up && ts.isTypeNode(up)) return 'sql'
    return 'own'
  }
  return (decl) => {
    let g = memo.get(decl)
    if (!g) memo.set(decl, (g = find(decl)))
    return g
  }
}
