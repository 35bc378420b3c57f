/** Anchors the ends of the audit logs outside their table: in a chain of their own, in the log, and by a time stamp. */
import { createHash } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { JobQueue } from '../jobs/queue.ts'
import type { Log } from '../observability/log.ts'
import type { Clock } from '../shared/clock.ts'
import { type AuditHead, type AuditLinker, linkAllAuditLogs } from './audit-chain.ts'

/** Requests a time stamp over a text; `error` says why there is none. */
export type StampText = (text: string) => Promise<{ readonly token: string } | { readonly error: string }>

type AnchorDeps = {
  readonly database: Database
  readonly linker: AuditLinker
  readonly clock: Clock
  readonly log: Log
  readonly stampText: StampText | null
}

export const digestAnchor = (content: string): Buffer => createHash('sha256').update(content).digest()

const formatAnchor = (anchor: { seq: number; previous: string; at: Date }, heads: ReadonlyMap<string, AuditHead>): string =>
  [
    `xinhan audit log anchor ${anchor.seq}`,
    `previous ${anchor.previous}`,
    `at ${anchor.at.toISOString()}`,
    ...[...heads].map(([company_id, { seq, hash }]) => `${company_id} ${seq} ${hash.toString('hex')}`),
    '',
  ].join('\n')

/** Links all audit logs and anchors the ends that have moved. A time-stamping authority that fails does not prevent it. */
export async function anchorAuditLogs(
  { database, linker, clock, log, stampText }: AnchorDeps,
  signal: AbortSignal,
): Promise<void> {
  const heads = await linkAllAuditLogs({ database, linker, log }, signal)
  if (heads.size === 0) return
  const at = clock.now()
  const last = await database.withoutCompany((tx) =>
    tx.selectFrom('audit_log_anchor').select(['seq', 'digest']).orderBy('seq', 'desc').limit(1).executeTakeFirst(),
  )
  const seq = (last?.seq ?? 0) + 1
  const content = formatAnchor({ seq, previous: last?.digest.toString('hex') ?? '', at }, heads)
  const digest = digestAnchor(content)
  const stamp = await stampText?.(content)
  const token = stamp && 'token' in stamp ? Buffer.from(stamp.token, 'base64url') : null
  if (stamp && 'error' in stamp) log.warn({ anchor: seq, reason: stamp.error }, 'the audit log anchor has no time stamp')
  // A second server that anchored in the meantime took the number: this one fails, and its retry finds nothing to do.
  await database.withoutCompany((tx) => tx.insertInto('audit_log_anchor').values({ seq, at, content, digest, token }).execute())
  log.info({ anchor: seq, digest: digest.toString('hex'), companies: heads.size, stamped: token !== null }, 'audit logs anchored')
  for (const [company_id, { seq: anchored_seq }] of heads)
    await database.inCompany(company_id, (tx) =>
      tx.updateTable('audit_log_head').set({ anchored_seq }).where('company_id', '=', company_id).execute(),
    )
}

/** Registers the hourly job. Idempotent: an end that is anchored already is left out. */
export function registerAuditAnchors(jobs: JobQueue, deps: AnchorDeps): void {
  jobs.schedule('audit-anchors', '7 * * * *', ({ signal }) => anchorAuditLogs(deps, signal))
}
