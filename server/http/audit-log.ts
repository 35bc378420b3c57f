/**
 * The audit log has an entry for every call that changes or shows salary data, with ids and counts but never values. It
 * is append-only.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Call } from '../contract/call.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { CompanyTx } from '../database/company-tx.ts'
import type { Database, Tx } from '../database/database.ts'
import { newId } from '../shared/ids.ts'
import type { CurrentAccount, CurrentUser } from './current-user.ts'

export type AuditDetails = Record<string, string | number | null>

/** Extracts the ids of a request: fields named `id` or ending in `_id`, and the length of lists. */
export function extractIds(input: unknown): AuditDetails {
  const details: AuditDetails = {}
  if (typeof input !== 'object' || input === null) return details
  for (const [name, value] of Object.entries(input)) {
    if ((name === 'id' || name.endsWith('_id')) && typeof value === 'string') details[name] = value
    else if (Array.isArray(value)) details[`${name}_count`] = value.length
  }
  return details
}

/** Writes an audit log entry for an automatic action of the system, without a user. */
export async function writeSystemAuditEntry(
  tx: Tx,
  company_id: string,
  line: { call: string; details: AuditDetails; at: Date },
): Promise<void> {
  await tx
    .insertInto('audit_log_entry')
    .values({ company_id, id: newId(), ...line, name: '系统', outcome: 'done', details: JSON.stringify(line.details) })
    .execute()
}

/**
 * Sign-in errors without a log entry: nothing was attempted, or too often. Every counted attempt has its entry; a flood
 * beyond the limits must not become a flood of rows.
 */
const unloggedErrors: ReadonlySet<string> = new Set(['invalid', 'locked', 'too_often'])
const getText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Writes an entry for a sign-in, an attempt or a sign-out: the person may be in no company, in several, or unknown. */
export async function writeSignInEntry(
  database: Database,
  secrets: Secrets,
  line: {
    readonly call: Call
    readonly outcome: string
    /** The request; a phone in it is stored as a keyed hash. */
    readonly message: unknown
    readonly existing: { readonly me: CurrentUser | null; readonly account: CurrentAccount | null }
    readonly details: AuditDetails
    readonly at: Date
    readonly request: {
      readonly ip: string
      readonly id: string
      readonly headers: { readonly 'user-agent'?: string | undefined }
    }
  },
): Promise<void> {
  if (unloggedErrors.has(line.outcome)) return
  const { account_id, company_id, ...details } = line.details
  const { message, existing, request } = line
  const phone = typeof message === 'object' && message !== null && 'phone' in message ? getText(message.phone) : null
  const values = {
    id: newId(),
    at: line.at,
    call: line.call.route,
    outcome: line.outcome,
    account_id: getText(account_id) ?? existing.account?.account_id ?? null,
    company_id: getText(company_id) ?? existing.me?.company_id ?? null,
    phone_mac: phone === null ? null : secrets.mac('sign-in line', phone),
    details: JSON.stringify(details),
    address: request.ip,
    device: (request.headers['user-agent'] ?? '').slice(0, 200),
    request_id: request.id,
  }
  await database.withoutCompany((tx) => tx.insertInto('sign_in_log_entry').values(values).execute())
}

export async function writeAuditEntry(
  tx: Tx,
  me: Pick<CurrentUser, 'company_id' | 'account_id' | 'name' | 'agency'>,
  line: { call: Call; outcome: string; details: AuditDetails; at: Date; address: string; request_id: string },
): Promise<void> {
  await tx
    .insertInto('audit_log_entry')
    .values({
      company_id: me.company_id,
      id: newId(),
      at: line.at,
      account_id: me.account_id,
      name: me.name,
      call: line.call.route,
      outcome: line.outcome,
      // The agency of the user, if they are not a member of the company.
      details: JSON.stringify(me.agency ? { ...line.details, agency_id: me.agency.id } : line.details),
      address: line.address,
      request_id: line.request_id,
    })
    .execute()
}

/** One user's calls on one subject on one day, with their number. */
export type AccessLogEntry = {
  readonly call: string
  readonly subject_id: string
  readonly name: string
  /** The time of the last call. */
  readonly at: Date
  readonly times: number
}

/** Lists who made one of these calls with these ids, newest first, once per user, subject and day. No refused calls. */
export async function listAccessLog(
  { db, company_id }: CompanyTx,
  requested: readonly { readonly calls: readonly Call[]; readonly ids: readonly string[] }[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ lines: AccessLogEntry[]; total: number }> {
  const among = ({ calls, ids }: (typeof requested)[number]): RawBuilder<boolean> =>
    sql<boolean>`(subject_id = any(${[...ids]}::text[]) and call = any(${calls.map(({ route }) => route)}::text[]))`
  const { rows } = await sql<AccessLogEntry & { total: number }>`
    select call, subject_id, name, max(at) as at, count(*)::int as times, (count(*) over ())::int as total
    from audit_log_entry where company_id = ${company_id} and outcome = 'done' and (${sql.join(requested.map(among), sql` or `)})
    group by call, subject_id, name, account_id, (at at time zone 'Asia/Shanghai')::date
    order by max(at) desc, call, subject_id, name limit ${limit} offset ${offset}`.execute(db)
  return { lines: rows, total: rows[0]?.total ?? 0 }
}
