/**
 * Decides whether one node, that of a company, can execute a statement: every table that is distributed by company must
 * have its company fixed, by a value or by a join on the company with a table whose value is fixed. Parsed with
 * PostgreSQL's own grammar (libpg-query).
 */
import { loadModule, parseSync } from 'libpg-query'
import { columnsMap } from './columns.ts'

await loadModule()

type Node = Readonly<Record<string, unknown>>
/** A source of rows in the statement: a table or the result of another query. */
type Source = {
  readonly key: string
  readonly table: string | null
  /** The names of its columns, or null if they are unknown (a function). */
  readonly columns: ReadonlySet<string> | null
  /** Columns of a query that have one value for all its rows. */
  readonly fixed?: ReadonlyMap<string, string>
}
/**
 * The scope of one query. Equalities are known within it alone: in a subquery the outer rows are values of another
 * moment, which identify no node.
 */
type Scope = {
  readonly sources: Map<string, Source>
  readonly ctes: Map<string, Source>
  readonly equal: Equal
  readonly outer: Scope | null
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const getList = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])
const getChild = (node: Node, name: string): Node | null => (isNode(node[name]) ? (node[name] as Node) : null)

/** Tracks which values and columns are known to be equal. */
class Equal {
  private readonly parents = new Map<string, string>()
  find(key: string): string {
    const parent = this.parents.get(key) ?? key
    return parent === key ? key : this.find(parent)
  }
  join(one: string, other: string): void {
    // Values are roots: a column equal to a value is fixed.
    const [a, b] = [this.find(one), this.find(other)].sort((x) => (x.startsWith('=') ? 1 : -1))
    if (a && b) this.parents.set(a, b)
  }
}

/** The distributed tables with their distribution columns. */
export type Spread = ReadonlyMap<string, string>

class Statement {
  private readonly tables: { source: Source; message: string; equal: Equal }[] = []
  private readonly wrong: string[] = []
  private count = 0
  private readonly spread: Spread
  private readonly values: readonly unknown[]

  constructor(spread: Spread, values: readonly unknown[]) {
    this.spread = spread
    this.values = values
  }

  problems(): string[] {
    if (this.tables.length === 0) return []
    const fixed = this.tables.map(({ source, message, equal }) => ({
      message,
      company: equal.find(`${source.key}.${this.spread.get(source.table ?? '')}`),
    }))
    const loose = fixed
      .filter(({ company }) => !company.startsWith('='))
      .map(({ message }) => `${message}: its company is not fixed`)
    const several = new Set(fixed.map(({ company }) => company).filter((company) => company.startsWith('='))).size
    return [...loose, ...(several > 1 ? ['more than one company in one statement'] : []), ...this.wrong]
  }

  /** Analyses a query and returns its columns by name, as keys of `equal`. */
  query(node: Node, outer: Scope | null): Source {
    const [kind, body] = Object.entries(node)[0] ?? ['', undefined]
    if (!isNode(body)) return this.derived([])
    const scope: Scope = { sources: new Map(), ctes: new Map(), equal: new Equal(), outer }
    this.withClause(body, scope)
    if (kind === 'SelectStmt') return this.select(body, scope)
    for (const name of ['relation', 'usingClause', 'fromClause']) this.sources(body[name], scope)
    for (const name of ['whereClause', 'targetList', 'onConflictClause']) this.expression(body[name], scope)
    // A node of Citus 13.2 crashed on this (SIGSEGV), with everything that it was executing.
    if (kind === 'UpdateStmt' && JSON.stringify(body.targetList).includes('"A_Indices"'))
      this.wrong.push('an element of an array in what is set')
    if (/"sval":"(clock_timestamp|random|gen_random_uuid)"/.test(JSON.stringify(body)))
      this.wrong.push('a function that answers anew for every row')
    if (kind === 'InsertStmt') this.insert(body, scope)
    else this.conditions(body.whereClause, scope)
    this.expression(body.returningList, scope)
    this.expression(body.returningClause, scope)
    return this.targets(getList(body.returningList ?? getChild(body, 'returningClause')?.exprs), scope)
  }

  private withClause(body: Node, scope: Scope): void {
    const clause = getChild(body, 'withClause')
    for (const one of getList(clause?.ctes)) {
      const cte = getChild(one, 'CommonTableExpr')
      const query = cte && getChild(cte, 'ctequery')
      if (!cte || !query) continue
      const name = String(cte.ctename)
      // The rows of a recursive query are those of its first part.
      const first = getChild(getChild(query, 'SelectStmt') ?? {}, 'larg')
      if (clause?.recursive && first) scope.ctes.set(name, this.query({ SelectStmt: first }, scope))
      scope.ctes.set(name, this.renamed(this.query(query, scope), cte.aliascolnames))
    }
  }

  private select(body: Node, scope: Scope): Source {
    const [left, right] = [getChild(body, 'larg'), getChild(body, 'rarg')]
    if (left && right) {
      const [one, other] = [left, right].map((part) => this.query({ SelectStmt: part }, scope))
      this.expression(body.sortClause, scope)
      // The company of a union is fixed if it is fixed in every part.
      return one && other ? this.both(one, other) : this.derived([])
    }
    this.sources(body.fromClause, scope)
    for (const name of ['targetList', 'whereClause', 'havingClause', 'sortClause', 'groupClause', 'valuesLists', 'limitCount'])
      this.expression(body[name], scope)
    this.conditions(body.whereClause, scope)
    return this.targets(getList(body.targetList), scope)
  }

  private insert(body: Node, scope: Scope): void {
    const names = getList(body.cols).map((one) => String(getChild(one, 'ResTarget')?.name))
    const table = scope.sources.values().next().value
    const select = getChild(getChild(body, 'selectStmt') ?? {}, 'SelectStmt')
    if (!table || !select) return
    const rows = getList(select.valuesLists)
    if (rows.length === 0) {
      const before = this.tables.length
      const provided = this.query({ SelectStmt: select }, scope)
      for (const [at, name] of [...(provided.columns ?? [])].entries()) {
        const value = provided.fixed?.get(name)
        if (names[at] && value) scope.equal.join(`${table.key}.${names[at]}`, value)
      }
      // Such rows would be copied from node to node, which row-level security rejects.
      if (this.spread.has(table.table ?? '') && this.tables.length === before)
        this.wrong.push('new rows that come from no table of their company')
      return
    }
    for (const row of rows)
      for (const [at, value] of getList(getChild(row, 'List')?.items).entries()) {
        const key = this.getKey(value, scope)
        if (key) scope.equal.join(`${table.key}.${names[at]}`, key)
        this.expression(value, scope)
      }
  }

  /** Adds the sources of a FROM clause and the conditions of its joins. */
  private sources(value: unknown, scope: Scope): void {
    for (const one of Array.isArray(value) ? getList(value) : isNode(value) ? [value] : []) {
      const join = getChild(one, 'JoinExpr')
      const inner = getChild(one, 'RangeSubselect')
      const called = getChild(one, 'RangeFunction')
      if (join) {
        this.sources(join.larg, scope)
        this.sources(join.rarg, scope)
        this.expression(join.quals, scope)
        this.conditions(join.quals, scope)
      } else if (inner) {
        const query = getChild(inner, 'subquery')
        // A lateral subquery sees its siblings; another one does not.
        if (query) this.named(inner, this.query(query, scope), scope)
      } else if (called) {
        this.expression(called.functions, scope)
        this.named(called, { key: this.fresh(), table: null, columns: null }, scope)
      } else this.table(getChild(one, 'RangeVar') ?? one, scope)
    }
  }

  private table(node: Node, scope: Scope): void {
    const name = String(node.relname)
    if (node.relname === undefined || node.schemaname === 'pgboss') return
    const alias = String(getChild(node, 'alias')?.aliasname ?? name)
    for (let at: Scope | null = scope; at; at = at.outer) {
      const cte = at.ctes.get(name)
      if (cte) return this.findExisting(alias, cte, scope)
    }
    const source = { key: this.fresh(), table: name, columns: columnsMap.get(name) ?? null }
    scope.sources.set(alias, source)
    if (this.spread.has(name))
      this.tables.push({ source, equal: scope.equal, message: alias === name ? name : `${name} as ${alias}` })
  }

  private named(node: Node, source: Source, scope: Scope): void {
    const alias = getChild(node, 'alias')
    this.findExisting(String(alias?.aliasname ?? source.key), this.renamed(source, alias?.colnames), scope)
  }

  private findExisting(alias: string, source: Source, scope: Scope): void {
    scope.sources.set(alias, source)
    for (const [name, value] of source.fixed ?? []) scope.equal.join(`${source.key}.${name}`, value)
  }

  /** All conditions joined by AND hold at once. */
  private conditions(value: unknown, scope: Scope): void {
    if (!isNode(value)) return
    const all = getChild(value, 'BoolExpr')
    if (all?.boolop === 'AND_EXPR') for (const one of getList(all.args)) this.conditions(one, scope)
    const constant = getChild(value, 'A_Const')
    if (constant?.boolval && !getChild(constant, 'boolval')?.boolval) this.wrong.push('a condition that is always false')
    const compared = getChild(value, 'A_Expr')
    if (compared?.kind !== 'AEXPR_OP' || JSON.stringify(compared.name) !== '[{"String":{"sval":"="}}]') return
    const [one, other] = [compared.lexpr, compared.rexpr].map((side) => (isNode(side) ? this.getKey(side, scope) : null))
    if (one && other) scope.equal.join(one, other)
  }

  /** Analyses subqueries within expressions, which see the outer names. */
  private expression(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) for (const one of value) this.expression(one, scope)
    else if (isNode(value)) {
      // Citus rewrites it wrongly on the way to a node: `case x when (x = y)`.
      if (getChild(getChild(value, 'CaseExpr') ?? {}, 'arg')) this.wrong.push('a case of one thing: say `case when`')
      const sub = getChild(value, 'SubLink')
      const query = sub && getChild(sub, 'subselect')
      if (query) this.query(query, scope)
      for (const [name, one] of Object.entries(value)) if (name !== 'subselect') this.expression(one, scope)
    }
  }

  private getKey(node: Node, scope: Scope): string | null {
    const cast = getChild(node, 'TypeCast')
    const inner = cast && getChild(cast, 'arg')
    if (inner) return this.getKey(inner, scope)
    const param = getChild(node, 'ParamRef')
    if (param) return `=${String(this.values[Number(param.number) - 1])}`
    const constant = getChild(node, 'A_Const')
    if (constant) return `=${String(getChild(constant, 'sval')?.sval ?? JSON.stringify(constant))}`
    const fields = getList(getChild(node, 'ColumnRef')?.fields).map((field) => getChild(field, 'String')?.sval)
    const [first, second] = fields.map((field) => (field === undefined ? '' : String(field)))
    if (!first) return null
    const source = second ? scope.sources.get(first) : [...scope.sources.values()].find((one) => one.columns?.has(first))
    return source ? `${source.key}.${second ?? first}` : null
  }

  private targets(list: readonly Node[], scope: Scope): Source {
    const columns = list.flatMap((one) => {
      const target = getChild(one, 'ResTarget')
      const value = target && getChild(target, 'val')
      if (!value) return []
      const fields = getList(getChild(value, 'ColumnRef')?.fields)
      const last = fields.at(-1)
      if (last?.A_Star) return this.everything(fields, scope)
      return [[String(target.name ?? getChild(last ?? {}, 'String')?.sval ?? ''), this.getKey(value, scope)] as const]
    })
    return this.derived(columns.map(([name, key]) => [name, key === null ? null : scope.equal.find(key)] as const))
  }

  private everything(fields: readonly Node[], scope: Scope) {
    const of = fields.length > 1 ? String(getChild(fields[0] ?? {}, 'String')?.sval) : null
    return [...scope.sources]
      .filter(([alias]) => of === null || alias === of)
      .flatMap(([, source]) => [...(source.columns ?? [])].map((name) => [name, `${source.key}.${name}`] as const))
  }

  /** Returns the result of a query, with the values of the columns that are constant for all rows. */
  private derived(columns: readonly (readonly [string, string | null])[]): Source {
    const fixed = columns.flatMap(([name, value]) => (value?.startsWith('=') ? [[name, value] as const] : []))
    return { key: this.fresh(), table: null, columns: new Set(columns.map(([name]) => name)), fixed: new Map(fixed) }
  }

  /** Returns the columns of a source in order, renamed where aliases are given. */
  private renamed(source: Source, provided: unknown): Source {
    const names = getList(provided).map((one) => String(getChild(one, 'String')?.sval))
    if (names.length === 0) return source
    const old = [...(source.columns ?? [])]
    return this.derived(names.map((name, at) => [name, source.fixed?.get(old[at] ?? '') ?? null] as const))
  }

  /** Combines the rows of both: a value is fixed if it is the same in both. */
  private both(one: Source, other: Source): Source {
    const others = [...(other.columns ?? [])]
    return this.derived(
      [...(one.columns ?? [])].map((name, at) => {
        const value = one.fixed?.get(name) ?? null
        return [name, value === other.fixed?.get(others[at] ?? '') ? value : null] as const
      }),
    )
  }

  private fresh(): string {
    this.count += 1
    return `#${this.count}`
  }
}

/** Returns the reasons why one node cannot execute this text; none if it touches no distributed table. */
export function getProblems(text: string, values: readonly unknown[], spread: Spread): string[] {
  const { stmts = [] } = parseSync(text)
  return stmts.flatMap(({ stmt }) => {
    if (!isNode(stmt) || !/^(Select|Insert|Update|Delete|Merge)Stmt$/.test(Object.keys(stmt)[0] ?? '')) return []
    const statement = new Statement(spread, values)
    statement.query(stmt, null)
    return statement.problems()
  })
}
