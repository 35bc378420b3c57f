/**
 * Analyses every statement that the application really sends, and records those that a cluster could not execute
 * (docs/scale.md).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { columnsMap } from './columns.ts'
import { exceptions } from './exceptions.ts'
import { getProblems, type Spread } from './pinned.ts'

const root = join(import.meta.dirname, '../..')
const migrations = join(root, 'server/migrations')
const text = readdirSync(migrations)
  .map((name) => readFileSync(join(migrations, name), 'utf8'))
  .join('\n')
const elsewhere = new Set([...text.matchAll(/comment on table (\w+) is '(?:outside|everywhere):/g)].map((match) => match[1]))
/** The distribution by the migrations; tests/api/system/scale.test.ts compares it with the database. */
export const spread: Spread = new Map(
  [...columnsMap.keys()]
    .filter((table) => !elsewhere.has(table))
    .map((table) => [table, table === 'company' ? 'id' : 'company_id']),
)

/** Normalizes statements that differ only in the number of values. */
export const alike = (sql: string): string =>
  sql
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '$')
    .replace(/\$(, \$)+/g, '$')
    .replace(/\(\$\)(, \(\$\))+/g, '($)')
    .trim()

type Observed = { readonly exceptions: Set<string>; readonly read: Set<string>; problems: string[] }
const marked = Symbol.for('xinhan: statements are read')
const shared = globalThis as unknown as { [marked]?: Observed }
/**
 * State shared by the process, however often this file is loaded: exceptions that were sent, statements that were
 * analysed, and their problems.
 */
export const viewed: Observed = (shared[marked] ??= { exceptions: new Set(), read: new Set(), problems: [] })
const allowed = new Set(exceptions.map((one) => one.sql))
const named = new RegExp(`\\b(${[...spread.keys()].join('|')})\\b`)

/**
 * Returns the file of the repository that sent the statement: tests read the rows of all companies, which the product
 * never does. Functions that only pass a promise on leave no trace, so the database handle is skipped. Null if no file
 * of the repository is in the stack.
 */
function getSender(): string | null {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 60
  const { stack = '' } = new Error('sent')
  Error.stackTraceLimit = limit
  const places = stack.split(`${root}/`).map((frame) => /^[\w./-]+\.ts:\d+/.exec(frame)?.[0] ?? '')
  return (
    places.find(
      (position) => /^(server|platform|tests\/(?!scale))/.test(position) && !position.startsWith('server/database/database.ts'),
    ) ?? null
  )
}

/**
 * Operators view all companies on pages that they open on demand. A cluster queries every node for that, which works
 * for a statement that reads one table without a subquery.
 */
const asksAll = (sender: string, sql: string): boolean =>
  (sender.startsWith('server/modules/operator/') || sender.startsWith('server/modules/billing/operations/')) &&
  /^select /i.test(sql) &&
  (sql.match(/\bselect\b/gi) ?? []).length === 1 &&
  (sql.match(/\b(from|join)\b/gi) ?? []).length === 1

function view(sql: string, values: readonly unknown[]): void {
  if (viewed.read.has(sql)) return
  viewed.read.add(sql)
  // The queue's own tables are stored elsewhere.
  if (!named.test(sql) || sql.includes('pgboss.')) return
  const problems = getProblems(sql, values, spread)
  if (problems.length === 0) return
  const sender = getSender()
  if (sender === null || sender.startsWith('tests/') || asksAll(sender, sql)) return
  const existing = alike(sql)
  if (allowed.has(existing)) viewed.exceptions.add(existing)
  else viewed.problems.push(`${sender}: ${problems.join('; ')}:\n  ${existing}`)
}

type Query = (this: Client, query: unknown, values?: unknown, ...more: unknown[]) => unknown
const prototype = Client.prototype as unknown as { query: Query; connectionParameters: { application_name?: string } }

/** Starts to watch the statements of this process. */
export function watchStatements(): void {
  const { query } = prototype
  prototype.query = function (provided, values, ...more) {
    const { application_name } = (this as unknown as typeof prototype).connectionParameters
    const one = typeof provided === 'string' ? { text: provided, values } : (provided as { text?: unknown; values?: unknown })
    if (application_name === 'xinhan' && typeof one?.text === 'string')
      view(one.text, Array.isArray(one.values) ? one.values : [])
    return query.call(this, provided, values, ...more)
  }
}
