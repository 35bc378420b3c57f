/** Which tables a file reads and writes, whether by the query builder, by raw SQL or by handing a name to what inserts. */
import { type Files, type Found, isCode, literalsOf, type Node, nodesOf, textsOf, treeOf } from './source.ts'

/** A table has one writer: the domain that its migration names, or the machine room. */
export const owners: Readonly<Record<string, readonly string[]>> = {
  account: [
    'account',
    'session',
    'device',
    'challenge',
    'grant_token',
    'recovery_code',
    'suggestion',
    'platform_identity',
    'bind_token',
    'login_state',
  ],
  company: ['company', 'company_key', 'sms_entry', 'platform_app'],
  agency: ['agency_link'],
  approval: ['approval'],
  invite: ['invite', 'join_request'],
  member: ['department', 'department_gone', 'member', 'member_department', 'member_import', 'roster_recipe'],
  role: ['admin', 'admin_department'],
  desk: ['notice', 'file', 'file_chunk', 'ticket'],
  sheet: [
    'title',
    'title_share',
    'batch',
    'sheet_row',
    'sheet_names',
    'sheet_edit',
    'sheet_check',
    'wizard',
    'template',
    'upload_progress',
  ],
  slip: ['plan', 'salary', 'salary_change', 'delivery', 'feedback', 'feedback_message', 'export_job'],
  runtime: ['attempt', 'master_key_check', 'audit_line', 'sign_in_line', 'once_key', 'outbox', 'carrier_pace', 'message'],
}
export const ownerOf = new Map(
  Object.entries(owners).flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)),
)

/** Tables that the migrations make. */
export const tablesMade = (files: Files): string[] => {
  const sql = textsOf(files, (path) => path.endsWith('.sql')).map(([, text]) => text.replace(/--.*$/gm, ''))
  const named = (pattern: RegExp): string[] => sql.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
  const dropped = new Set(named(/\bdrop table (?:if exists )?(\w+)/g))
  return named(/\bcreate table (?:if not exists )?(\w+)/g).filter((table) => !dropped.has(table))
}

type Use = { readonly table: string; readonly does: 'reads' | 'writes' }
const builder: Readonly<Record<string, Use['does']>> = {
  selectFrom: 'reads',
  innerJoin: 'reads',
  leftJoin: 'reads',
  rightJoin: 'reads',
  fullJoin: 'reads',
  crossJoin: 'reads',
  using: 'reads',
  from: 'reads',
  insertInto: 'writes',
  updateTable: 'writes',
  deleteFrom: 'writes',
  mergeInto: 'writes',
}
const statement = /^\s*(select|insert|update|delete|with|truncate|lock|copy|merge)\b/i

/** The tables in a piece of SQL, by the words before them. What is no table of ours (a subquery's name, a function) is left out. */
export function usesInSql(sql: string): Use[] {
  const text = sql.replace(/--.*$/gm, ' ').replaceAll('"', '').toLowerCase()
  const writes = [
    ...text.matchAll(
      /\b(?:insert into|merge into|delete from|truncate(?: table)?|copy|(?<!for (?:no key )?)update)\s+(?:only\s+)?(\w+)/g,
    ),
  ]
  const rest = text.replace(/\b(delete from|distinct from)\b/g, ' ')
  const reads = [
    ...rest.matchAll(
      /\b(?:from|join|using)\s+(?:only\s+|lateral\s+)?((?:\w+(?:\s+(?:as\s+)?(?!where|join|on)\w+)?\s*,\s*)*\w+)/g,
    ),
  ]
  return [
    ...writes.map((match) => ({ table: match[1] ?? '', does: 'writes' as const })),
    ...reads.flatMap((match) =>
      (match[1] ?? '').split(',').map((one) => ({ table: one.trim().split(/\s+/)[0] ?? '', does: 'reads' as const })),
    ),
  ].filter(({ table }) => ownerOf.has(table))
}

const nameOf = (value: unknown): string => /^(\w+)/.exec(typeof value === 'string' ? value : '')?.[1] ?? ''
function usesInCall(node: Node): Use[] {
  const callee = node.callee as Node
  const called = String((callee.type === 'MemberExpression' ? (callee.property as Node) : callee).name)
  const given = node.arguments as Node[]
  const [first] = given
  const does = callee.type === 'MemberExpression' ? builder[called] : undefined
  if (does) {
    const names = first?.type === 'ArrayExpression' ? (first.elements as Node[]) : [first]
    return names.map((one) => ({ table: nameOf(one?.value), does })).filter(({ table }) => ownerOf.has(table))
  }
  // Helpers of ours that are told the table: insertAll(tx, 'salary', rows).
  if (!/^(insert|copy|write|update|delete)/.test(called)) return []
  return given.flatMap(({ value }) => (ownerOf.has(String(value)) ? [{ table: String(value), does: 'writes' as const }] : []))
}

export function usesOf(path: string, text: string): Use[] {
  const calls = [...nodesOf(treeOf(path, text))].flatMap(([node]) => (node.type === 'CallExpression' ? usesInCall(node) : []))
  const sql = literalsOf(path, text).filter((one) => one.tag === 'sql' || (one.tag === null && statement.test(one.text)))
  return [...calls, ...sql.flatMap((one) => usesInSql(one.text))]
}

/** Whose a file is: its domain, or the part of the server it stands in. */
export const roomOf = (path: string): string =>
  /^server\/domain\/([^/]+)\//.exec(path)?.[1] ?? /^server\/([^/]+)\//.exec(path)?.[1] ?? 'server'

const crossings = (files: Files, does: Use['does']): Found =>
  Object.fromEntries(
    textsOf(files, (path) => path.startsWith('server/') && isCode(path)).flatMap(([path, text]) =>
      usesOf(path, text)
        .filter((use) => use.does === does && ownerOf.get(use.table) !== roomOf(path))
        .map((use) => [`${path} ${does} ${use.table} of ${ownerOf.get(use.table)}`, 1]),
    ),
  )
export const readAcross = (files: Files): Found => crossings(files, 'reads')
export const writtenAcross = (files: Files): Found => crossings(files, 'writes')
