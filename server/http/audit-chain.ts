/**
 * The chain of a company's audit log (docs/decisions/20261129-use-a-keyed-chain-for-the-audit-log.md). Requests write
 * their entries without a number, so that they do not wait for each other; the entries are linked shortly afterwards in
 * batches, under a lock on the end of the chain. The hash is keyed with the company's key: who only has the database
 * cannot compute it.
 */
import { sql } from 'kysely'
import type { Secrets, Vault } from '../crypto/secrets.ts'
import type { CompanyVaultTimeTx } from '../database/company-tx.ts'
import type { Database } from '../database/database.ts'
import { formatPostgresArray } from '../database/postgres-array.ts'
import { listAllCompanyIds } from '../jobs/companies.ts'
import type { Log } from '../observability/log.ts'
import type { Clock } from '../shared/clock.ts'

const batchSize = 2_000
const flushIntervalMs = 3_000

/** Computed by the database, so that linking and verifying hash the same text, to the microsecond. */
export const entryDigestSql = `encode(sha256(convert_to(jsonb_build_array(id, (extract(epoch from at) * 1000000)::bigint,
  account_id, name, call, outcome, details, address, request_id)::text, 'UTF8')), 'hex')`

export type AuditLink = {
  /** The hash of the entry before, in hex; empty for the first. */
  readonly previous: string
  readonly seq: number
  /** In ISO 8601, to the millisecond. */
  readonly linked_at: string
  readonly digest: string
}

export const computeLinkHash = (vault: Vault, { previous, seq, linked_at, digest }: AuditLink): Buffer =>
  vault.blindIndex('audit log link', `${previous}|${seq}|${linked_at}|${digest}`)

export type AuditHead = { readonly seq: number; readonly hash: Buffer; readonly anchored_seq: number; readonly has_more: boolean }

/** Links the next entries; on several servers at once, one batch after the other. */
export async function linkAuditBatch({ db, company_id, vault, now }: CompanyVaultTimeTx): Promise<AuditHead> {
  const first = { company_id, seq: 0, hash: Buffer.alloc(0), linked_at: now, has_more: false }
  await db
    .insertInto('audit_log_head')
    .values(first)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const head = await db
    .selectFrom('audit_log_head')
    .select(['seq', 'hash', 'linked_at', 'has_more', 'anchored_seq'])
    .where('company_id', '=', company_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ id: string; digest: string }>`select id, ${sql.raw(entryDigestSql)} as digest
    from audit_log_entry where company_id = ${company_id} and seq is null order by at, id limit ${batchSize}`.execute(db)
  if (rows.length === 0 && !head.has_more) return head
  // A backlog of several batches counts as linked at one time: otherwise its later entries would look back-dated.
  const linked_at = head.has_more ? head.linked_at : now
  const linkedAtText = linked_at.toISOString()
  let { seq, hash } = head
  const links = rows.map(({ id, digest }) => {
    seq += 1
    hash = computeLinkHash(vault, { previous: hash.toString('hex'), seq, linked_at: linkedAtText, digest })
    return { id, seq, hash }
  })
  if (links.length > 0)
    await sql`update audit_log_entry e set seq = link.seq, hash = link.hash, linked_at = ${linked_at}
      from unnest(${formatPostgresArray(links.map((one) => one.id))}::uuid[],
        ${formatPostgresArray(links.map((one) => String(one.seq)))}::bigint[],
        ${formatPostgresArray(links.map((one) => one.hash))}::bytea[]) as link (id, seq, hash)
      where e.company_id = ${company_id} and e.id = link.id`.execute(db)
  const has_more = rows.length === batchSize
  await db.updateTable('audit_log_head').set({ seq, hash, linked_at, has_more }).where('company_id', '=', company_id).execute()
  return { seq, hash, anchored_seq: head.anchored_seq, has_more }
}

type LinkerDeps = { readonly database: Database; readonly secrets: Secrets; readonly clock: Clock; readonly log: Log }
export type AuditLinker = {
  /** Remembers that a company has new entries; they are linked within a few seconds. */
  touch(company_id: string): void
  /** Links all entries of a company; returns the end of its chain. */
  link(company_id: string): Promise<AuditHead>
  start(): void
  /** Links what is left; called when no more requests are served. */
  stop(): Promise<void>
}

export function createAuditLinker({ database, secrets, clock, log }: LinkerDeps): AuditLinker {
  const touched = new Set<string>()
  const link = async (company_id: string): Promise<AuditHead> => {
    for (;;) {
      const head = await database.inCompany(company_id, async (tx) =>
        linkAuditBatch({ db: tx, company_id, vault: await secrets.vault(tx, company_id), now: clock.now() }),
      )
      if (!head.has_more) return head
    }
  }
  async function linkTouched(): Promise<void> {
    const companies = [...touched]
    touched.clear()
    for (const company_id of companies)
      await link(company_id).catch((error: unknown) =>
        log.warn({ err: error }, 'the audit log could not be linked; tried again later'),
      )
  }
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  const flush = (): Promise<void> => (running = running.then(linkTouched))
  return {
    touch: (company_id) => void touched.add(company_id),
    link,
    start() {
      timer ??= setInterval(() => touched.size > 0 && void flush(), flushIntervalMs).unref()
    },
    async stop() {
      if (!timer) return
      clearInterval(timer)
      timer = null
      await flush()
    },
  }
}

/** Links the entries of all companies: those of jobs, and those that a stopped server left. Returns the ends to anchor. */
export async function linkAllAuditLogs(
  { database, linker, log }: { readonly database: Database; readonly linker: AuditLinker; readonly log: Log },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AuditHead>> {
  const heads = new Map<string, AuditHead>()
  for (const company_id of await listAllCompanyIds(database)) {
    signal.throwIfAborted()
    try {
      const head = await linker.link(company_id)
      if (head.seq > head.anchored_seq) heads.set(company_id, head)
    } catch (error) {
      // One company must not keep the others from being linked.
      log.error({ err: error, company: company_id }, 'the audit log of a company could not be linked')
    }
  }
  return heads
}
