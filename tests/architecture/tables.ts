/** Finds which tables a file reads and writes: by the query builder, by raw SQL or by passing a table name to a helper. */
import {
  count,
  type Files,
  getLiterals,
  getNodes,
  getTexts,
  getTree,
  isCode,
  listImports,
  type Match,
  type Node,
} from './source.ts'

/** The owners of the tables. Each table has one writer: the domain that its migration names, or the infrastructure. */
export const owners: Readonly<Record<string, readonly string[]>> = {
  auth: [
    'account',
    'session',
    'device',
    'challenge',
    'grant_token',
    'recovery_code',
    'suggestion',
    'platform_identity',
    'binding_token',
    'login_state',
    'notification_channel',
  ],
  'platform-binding': [
    'binding',
    'binding_event',
    'platform_sync',
    'platform_sync_item',
    'platform_department',
    'platform_user',
    'platform_event',
    'platform_install_request',
  ],
  company: ['company', 'company_mail', 'platform_app'],
  retention: ['privacy_notice', 'retention_rule', 'retention_run'],
  webhooks: ['webhook', 'webhook_event'],
  operator: ['announcement'],
  billing: [
    'prepaid_movement',
    'prepaid_entry',
    'pay_order',
    'payment',
    'order_lookup',
    'payment_statement',
    'invoice',
    'invoice_order',
    'invoice_file',
    'refund',
    'price',
  ],
  agency: ['agency_link'],
  'api-v1': ['external_reference'],
  approvals: ['approval'],
  reports: ['chart_figures', 'chart_export', 'chart_groups'],
  directory: [
    'department',
    'removed_department',
    'member',
    'member_department',
    'member_event',
    'member_import',
    'roster_mapping',
  ],
  invites: ['invite', 'join_request'],
  tax: ['member_deduction', 'member_insurance', 'insurance_scheme', 'tax_period', 'tax_income', 'tax_year', 'tax_period_event'],
  access: ['admin', 'admin_department', 'agency_service'],
  notifications: ['notification'],
  files: ['file', 'download_ticket'],
  sheets: [
    'title',
    'title_share',
    'batch',
    'sheet_row',
    'sheet_page',
    'sheet_names',
    'sheet_edit',
    'sheet_check',
    'wizard',
    'template',
    'upload_progress',
  ],
  'payslip-records': ['payslip', 'receipt_key', 'receipt'],
  payslips: [
    'send_plan',
    'payslip_change',
    'correction_approval',
    'delivery',
    'test_send',
    'feedback',
    'feedback_message',
    'feedback_picture',
    'export_job',
  ],
  demo: ['outbox'],
  runtime: [
    'company_key',
    'file_chunk',
    'attempt',
    'report_lookup',
    'master_key_check',
    'installation_key',
    'key_destruction',
    'sending_pause',
    'restored_job',
    'audit_log_entry',
    'audit_log_head',
    'audit_log_anchor',
    'sign_in_log_entry',
    'idempotency_key',
    'api_key',
    'channel_rate',
    'message',
    'platform_token',
    'chat_provider',
    'platform_suite',
    'platform_install',
    'platform_install_event',
    'operator',
    'operator_invite',
    'operator_session',
    'operator_log_entry',
  ],
}
export const ownerMap = new Map(
  Object.entries(owners).flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)),
)

/**
 * Domains that write rows of a domain below them: the content of a payslip belongs to payslip-records, its
 * timeline to payslips (docs/decisions/20261122-use-one-module-for-payslip-content.md).
 */
const lodgers: Readonly<Record<string, string>> = { payslip: 'payslips' }
/** Columns that even such a domain neither encrypts nor decrypts. */
const contents = ['payslip.cells']

/**
 * What a module publishes of its tables: the table with named columns only, which other modules join, because a join must stay
 * one statement. A read model imports nothing of its module, so joining it is no dependency between modules.
 */
export const readModels: Readonly<Record<string, string>> = {
  'server/modules/directory/read-model.ts': 'Every list of payslips, invites or administrators names its members.',
  'server/modules/auth/read-model.ts': 'A payslip is sent to the phone of the account that the roster names.',
  'server/modules/approvals/read-model.ts': 'An administrator whom an application names is kept when the powers end.',
  'server/modules/access/read-model.ts': 'Signing in, approvals and lists of pay runs name administrators and their powers.',
  'server/modules/company/read-model.ts': 'Messages name the company; billing and the operator show its edition and balance.',
  'server/modules/retention/read-model.ts': 'A payslip says whether its reader still has to be shown the notice.',
  'server/modules/api-v1/read-model.ts': 'Events for the programs of a company name its employees and batches by its own ids.',
  'server/modules/sheets/read-model.ts': 'Payslips belong to batches: every list of them joins the batch and its title.',
}

/** Finds read models that publish another module's table or all columns, or depend on more than the database's types. */
export const findReadModelErrors = (files: Files): Match =>
  count(
    getTexts(files, (path) => path.endsWith('/read-model.ts')).flatMap(([path, text]) => {
      const published = [...text.matchAll(/sql<(\s*Pick<\s*Selectable<)?[^`]*`(\w+)`\.as\('(\w+)'\)/g)]
      const foreign = published.filter(([, , table = '', alias]) => ownerMap.get(table) !== getRoom(path) || alias !== table)
      const imported = listImports(path, text).filter((to) => to !== 'server/database/tables.ts')
      return [
        ...(path in readModels ? [] : [`${path} is not declared in tests/architecture/tables.ts`]),
        ...foreign.map(([, , table]) => `${path} publishes ${table}`),
        ...imported.map((to) => `${path} imports ${to}`),
        ...published.flatMap(([, pick]) => (pick ? [] : [`${path} publishes all columns`])),
      ]
    }),
  )

/** Returns the tables that the migrations create. */
export const tablesMade = (files: Files): string[] => {
  const sql = getTexts(files, (path) => path.endsWith('.sql')).map(([, text]) => text.replace(/--.*$/gm, ''))
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

/**
 * Returns the tables in a piece of SQL, found by the keywords before them. Names that are not tables of the product (a
 * subquery's alias, a function) are left out.
 */
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
  ].filter(({ table }) => ownerMap.has(table))
}

const getName = (value: unknown): string => /^(\w+)/.exec(typeof value === 'string' ? value : '')?.[1] ?? ''
function usesInCall(node: Node): Use[] {
  const callee = node.callee as Node
  const called = String((callee.type === 'MemberExpression' ? (callee.property as Node) : callee).name)
  const provided = node.arguments as Node[]
  const [first] = provided
  const does = callee.type === 'MemberExpression' || called === 'selectFrom' ? builder[called] : undefined
  if (does) {
    const names = first?.type === 'ArrayExpression' ? (first.elements as Node[]) : [first]
    return names.map((one) => ({ table: getName(one?.value), does })).filter(({ table }) => ownerMap.has(table))
  }
  // Helpers of the product take the table name: insertAll(tx, 'payslip', rows).
  if (!/^(insert|copy|write|update|delete)/.test(called)) return []
  return provided
    .slice(0, 2)
    .flatMap(({ value }) => (ownerMap.has(String(value)) ? [{ table: String(value), does: 'writes' as const }] : []))
}

const used = new WeakMap<Node, readonly Use[]>()
export function getUses(path: string, text: string): readonly Use[] {
  const tree = getTree(path, text)
  const existing = used.get(tree) ?? findUses(path, text)
  used.set(tree, existing)
  return existing
}
function findUses(path: string, text: string): Use[] {
  const calls = getNodes(getTree(path, text)).flatMap(([node]) => (node.type === 'CallExpression' ? usesInCall(node) : []))
  const sql = getLiterals(path, text).filter((one) => one.tag === 'sql' || (one.tag === null && statement.test(one.text)))
  return [...calls, ...sql.flatMap((one) => usesInSql(one.text))]
}

/** Returns the domain of a file, or the part of the server that contains it. */
export const getRoom = (path: string): string =>
  /^server\/modules\/([^/]+)\//.exec(path)?.[1] ??
  (/^server\/(crypto|database|files|http|jobs|observability|outbox|shared)\//.test(path)
    ? 'runtime'
    : (/^server\/([^/]+)\//.exec(path)?.[1] ?? 'server'))

const belongsTo = (room: string, table: string): boolean => ownerMap.get(table) === room || lodgers[table] === room

/** A backup reads and a restore writes every table, whatever it means. */
const isBackup = (path: string): boolean => path.startsWith('server/backup/')

const crossings = (files: Files, does: Use['does']): Match =>
  Object.fromEntries(
    getTexts(files, (path) => path.startsWith('server/') && isCode(path) && !isBackup(path)).flatMap(([path, text]) =>
      getUses(path, text)
        .filter((use) => use.does === does && !belongsTo(getRoom(path), use.table))
        .map((use) => [`${path} ${does} ${use.table} of ${ownerMap.get(use.table)}`, 1]),
    ),
  )
export const readAcross = (files: Files): Match => crossings(files, 'reads')
export const writtenAcross = (files: Files): Match => crossings(files, 'writes')

/**
 * Finds positions of encrypted values that are named outside the domain that owns them: `{ table: 'payslip', row,
 * column: 'cells' }`.
 */
export const sealedAcross = (files: Files): Match =>
  count(
    getTexts(files, (path) => path.startsWith('server/') && isCode(path)).flatMap(([path, text]) =>
      getNodes(getTree(path, text)).flatMap(([node]) => {
        if (node.type !== 'ObjectExpression') return []
        const fields = new Map(
          (node.properties as Node[]).map((field) => [
            String((field.key as Node | undefined)?.name),
            (field.value as Node | undefined)?.value,
          ]),
        )
        const [table, column] = [String(fields.get('table')), String(fields.get('column'))]
        if (!fields.has('row') || !fields.has('column') || !ownerMap.has(table)) return []
        const isOwn = contents.includes(`${table}.${column}`)
          ? ownerMap.get(table) === getRoom(path)
          : belongsTo(getRoom(path), table)
        return isOwn ? [] : [`${path} seals ${table} of ${ownerMap.get(table)}`]
      }),
    ),
  )

/**
 * Finds encrypted values that are decrypted to an unchecked type: `vault.open<Answer>(…)`. A text needs no check;
 * everything else is a document with a schema.
 */
export const openedUnchecked = (files: Files): Match =>
  count(
    getTexts(files, (path) => path.startsWith('server/') && isCode(path)).flatMap(([path, text]) =>
      getNodes(getTree(path, text)).flatMap(([node]) => {
        const callee = node.callee as Node | undefined
        if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return []
        const [type] = ((node.typeArguments as Node | null)?.params as Node[] | undefined) ?? []
        const isOpen = (callee.property as Node).name === 'open'
        return isOpen && type && type.type !== 'TSStringKeyword' ? [`${path} opens ${text.slice(type.start, type.end)}`] : []
      }),
    ),
  )

/**
 * Returns the owner of a table. A table whose own domain does not exist in the sources belongs to the domain that
 * writes its rows.
 */
function holderIn(files: Files, table: string): string {
  const owner = ownerMap.get(table) ?? ''
  return files[`server/modules/${owner}/index.ts`] === undefined ? (lodgers[table] ?? owner) : owner
}

/**
 * Finds pairs of domains that depend on each other, by import (types included) or by SQL, with the number of uses in
 * the weaker direction.
 */
export function pairs(files: Files): Match {
  const existing = new Map<string, number>()
  for (const [path, text] of getTexts(files, (one) => one.startsWith('server/modules/') && isCode(one))) {
    const imported = [...text.matchAll(/from '(?:\.\.\/)+([\w-]+)\/(?:[\w-]+\/)?index\.ts'/g)].map((match) => match[1] ?? '')
    const requested = getUses(path, text).flatMap(({ table }) =>
      belongsTo(getRoom(path), table) ? [] : [holderIn(files, table)],
    )
    for (const to of new Set([...imported, ...requested]))
      if (to in owners || files[`server/modules/${to}/index.ts`] !== undefined)
        existing.set(`${getRoom(path)} ${to}`, (existing.get(`${getRoom(path)} ${to}`) ?? 0) + 1)
  }
  return Object.fromEntries(
    [...existing].flatMap(([edge, times]) => {
      const [from = '', to = ''] = edge.split(' ')
      const back = existing.get(`${to} ${from}`)
      return from < to && back ? [[`${from} ⇄ ${to}`, Math.min(times, back)]] : []
    }),
  )
}
