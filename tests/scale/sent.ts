/** Reads every statement that the application really sends, and keeps what a cluster could not answer (docs/scale.md). */
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
/** As the migrations say; tests/api/scale.test.ts compares it with the database. */
export const spread: Spread = new Map(
  [...columnsMap.keys()]
    .filter((table) => !elsewhere.has(table))
    .map((table) => [table, table === 'company' ? 'id' : 'company_id']),
)

/** One text for what differs only in how many values were given. */
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
/** One a process, however often this file is loaded: exceptions that were sent, statements that were read, and what is wrong with them. */
export const viewed: Observed = (shared[marked] ??= { exceptions: new Set(), read: new Set(), problems: [] })
const allowed = new Set(exceptions.map((one) => one.sql))
const named = new RegExp(`\\b(${[...spread.keys()].join('|')})\\b`)

/**
 * Where in the repository it was sent: a test looks at the rows of all companies, as the product never does. Functions that only hand on a
 * promise leave no trace, so the handle to the database is passed over. Null where nobody of ours is seen behind it.
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
 * Whoever runs the server looks at all companies, by pages that he opens by hand. A cluster asks every node, which it can where a statement reads one
 * table and no query stands in it.
 */
const asksAll = (sender: string, sql: string): boolean =>
  sender.startsWith('server/modules/company/ops/') &&
  /^select /i.test(sql) &&
  (sql.match(/\bselect\b/gi) ?? []).length === 1 &&
  (sql.match(/\b(from|join)\b/gi) ?? []).length === 1

function view(sql: string, values: readonly unknown[]): void {
  if (viewed.read.has(sql)) return
  viewed.read.add(sql)
  // The queue's own tables lie elsewhere.
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

/** From now on, in this process. */
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
