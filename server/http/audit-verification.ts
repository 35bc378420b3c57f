/**
 * Verifies the audit log of a company against its chain and the anchors, and names the first entry that was changed, is
 * missing or back-dated. It writes nothing.
 */
import { sql } from 'kysely'
import type { Secrets, Vault } from '../crypto/secrets.ts'
import type { CompanyTx, CompanyVaultTx } from '../database/company-tx.ts'
import type { Database } from '../database/database.ts'
import { digestAnchor } from './audit-anchor.ts'
import { computeLinkHash, entryDigestSql } from './audit-chain.ts'
import { type AuditCut, computeCutMac } from './log-retention.ts'

/** An entry is committed at most this long after its time: a longer call would have been stopped. */
const maxCommitDelayMs = 3_600_000
const pageSize = 20_000

export type AuditAnchor = {
  readonly seq: number
  readonly at: Date
  readonly content: string
  readonly digest: Buffer
  readonly token: Buffer | null
}
export type VerifiedAuditLog = {
  readonly entries: number
  /** Entries written since the last batch: they are linked within seconds. */
  readonly unlinked: number
  /** The number of the last entry that an anchor names. */
  readonly anchored: number
  /** The first problem, as a sentence; null if the log is complete and unchanged. */
  readonly problem: string | null
}

/** The ends of the chains that the anchors name, by company. */
export type AnchoredHeads = ReadonlyMap<string, AnchoredEnds>
type AnchoredEnds = ReadonlyMap<number, { readonly hash: string; readonly anchor: number }>

/** Verifies that no anchor is missing or changed; `verifyToken` checks one and throws if it does not belong to the text. */
export function verifyAnchors(
  anchors: readonly AuditAnchor[],
  verifyToken: (token: Buffer, digest: Buffer) => void,
): { readonly heads: AnchoredHeads; readonly problem: string | null } {
  const heads = new Map<string, Map<number, { hash: string; anchor: number }>>()
  let previous = ''
  for (const [index, { seq, content, digest, token }] of anchors.entries()) {
    const fail = (reason: string) => ({ heads, problem: `锚点 ${seq} ${reason}` })
    if (seq !== index + 1) return { heads, problem: `缺少锚点 ${index + 1}` }
    const [title, before, , ...lines] = content.split('\n')
    if (title !== `xinhan audit log anchor ${seq}` || !digestAnchor(content).equals(digest)) return fail('被改动过')
    if (before !== `previous ${previous}`) return fail('和上一个锚点接不上')
    try {
      if (token) verifyToken(token, digest)
    } catch {
      return fail('的时间戳不成立')
    }
    for (const [company_id = '', at, hash = ''] of lines.filter(Boolean).map((line) => line.split(' '))) {
      const ends = heads.get(company_id) ?? new Map<number, { hash: string; anchor: number }>()
      heads.set(company_id, ends.set(Number(at), { hash, anchor: seq }))
    }
    previous = digest.toString('hex')
  }
  return { heads, problem: null }
}

/** Times in milliseconds since 1970. */
type Entry = { seq: number; id: string; at: number; linked_at: number; hash: string; digest: string }
type WaitingEntry = { id: string; at: Date; total: number }
type LogHead = { seq: number; hash: string; linked_at: Date; cut_seq: number; cut_hash: string; cut_mac: Buffer }

/** Follows the chain from its first entry; returns the first problem, or the number of the last entry. */
class ChainReader {
  seq = 0
  hash = ''
  problem: string | null = null
  readonly #vault: Vault
  readonly #anchored: AnchoredEnds
  /** The time of the batch before: whatever was committed by then has been linked by it. */
  #earlierBatch: number | null = null
  #batch: number | null = null
  #batchText = ''

  /** `cut`: the last entry that was deleted by a retention rule; the chain continues after it. */
  constructor(vault: Vault, anchored: AnchoredEnds, cut: AuditCut | null) {
    this.#vault = vault
    this.#anchored = anchored
    if (cut) [this.seq, this.hash] = [cut.seq, cut.hash]
  }

  /** Takes the next entry; false after a problem. */
  take(entry: Entry): boolean {
    this.problem = this.#check(entry)
    this.seq = entry.seq
    this.hash = entry.hash
    return this.problem === null
  }

  #check(entry: Entry): string | null {
    const getName = () => `第 ${entry.seq} 条（${entry.id}，${new Date(entry.at).toISOString()}）`
    if (entry.seq !== this.seq + 1)
      return `缺少第 ${this.seq + 1} 条${entry.seq > this.seq + 2 ? `到第 ${entry.seq - 1} 条` : ''}`
    const isSameBatch = entry.linked_at === this.#batch
    if (!isSameBatch) this.#batchText = new Date(entry.linked_at).toISOString()
    const { seq, digest } = entry
    const link = computeLinkHash(this.#vault, { previous: this.hash, seq, linked_at: this.#batchText, digest })
    if (link.toString('hex') !== entry.hash) return `${getName()}被改动过`
    if (!isSameBatch) [this.#earlierBatch, this.#batch] = [this.#batch, entry.linked_at]
    if (this.#earlierBatch !== null && isBackdated(entry.at, this.#earlierBatch))
      return `${getName()}的时间被提前了：它写入时，更晚的记录早已在链上`
    const anchored = this.#anchored.get(entry.seq)
    return anchored && anchored.hash !== entry.hash ? `${getName()}和锚点 ${anchored.anchor} 不一致` : null
  }
}

const isBackdated = (at: number, linkedBefore: number): boolean => at < linkedBefore - maxCommitDelayMs

/** Reads the next page of the chain as one text: a hundred thousand rows of their own take longer than verifying them. */
async function readEntries(
  { db, company_id }: CompanyTx,
  { after, to }: { readonly after: number; readonly to: number },
): Promise<Entry[]> {
  const { rows } = await sql<{ lines: string | null }>`select string_agg(concat_ws(' ', seq, id,
      (extract(epoch from at) * 1000)::bigint, (extract(epoch from linked_at) * 1000)::bigint, encode(hash, 'hex'), digest),
      E'\n' order by seq) as lines
    from (select seq, id, at, linked_at, hash, ${sql.raw(entryDigestSql)} as digest from audit_log_entry
      where company_id = ${company_id} and seq > ${after} and seq <= ${to} order by seq limit ${pageSize}) as page`.execute(db)
  return (rows[0]?.lines || '').split('\n').flatMap((line) => {
    const [seq, id = '', at, linked_at, hash = '', digest = ''] = line.split(' ')
    return id ? [{ seq: Number(seq), id, at: Number(at), linked_at: Number(linked_at), hash, digest }] : []
  })
}

/** Verifies the log of one company. While it reads, the server may link further entries: they are left out. */
export async function verifyAuditLog(
  { db, company_id, vault }: CompanyVaultTx,
  anchored: AnchoredEnds = new Map(),
): Promise<VerifiedAuditLog> {
  const { rows: heads } = await sql<LogHead>`select seq, encode(hash, 'hex') as hash, linked_at, cut_seq,
      encode(cut_hash, 'hex') as cut_hash, cut_mac from audit_log_head where company_id = ${company_id}`.execute(db)
  const [head] = heads
  const lastAnchored = Math.max(0, ...anchored.keys())
  const expected = Math.max(head?.seq ?? 0, lastAnchored)
  const chain = new ChainReader(vault, anchored, head ? readCut(vault, head) : null)
  const readPage = (after: number) => readEntries({ db, company_id }, { after, to: expected })
  // The database prepares the next page while this one is verified.
  let page = readPage(chain.seq)
  for (let isLast = false; !isLast; ) {
    const entries = await page
    isLast = entries.length < pageSize
    if (!isLast) page = readPage(chain.seq + pageSize)
    if (!entries.every((entry) => chain.take(entry))) isLast = true
  }
  await page
  const { rows: unlinked } = await sql<WaitingEntry>`select id, at, (count(*) over ())::int as total
    from audit_log_entry where company_id = ${company_id} and seq is null order by at limit 1`.execute(db)
  const [waiting] = unlinked
  return {
    entries: chain.seq,
    unlinked: waiting?.total ?? 0,
    anchored: lastAnchored,
    problem: chain.problem ?? findProblemAtEnd(chain, { head, waiting, expected }),
  }
}

/** Returns where the chain begins; a cut without a valid proof counts for nothing. */
function readCut(vault: Vault, { cut_seq, cut_hash, cut_mac }: LogHead): AuditCut | null {
  const cut = { seq: cut_seq, hash: cut_hash }
  return cut_seq > 0 && computeCutMac(vault, cut).equals(cut_mac) ? cut : null
}

function findProblemAtEnd(
  { seq, hash }: ChainReader,
  { head, waiting, expected }: { head: LogHead | undefined; waiting: WaitingEntry | undefined; expected: number },
): string | null {
  if (expected > seq) return `缺少第 ${seq + 1} 条${expected > seq + 1 ? `到第 ${expected} 条` : ''}`
  if (head && (head.seq !== seq || head.hash !== hash)) return `链尾和第 ${seq} 条不一致`
  if (!head && seq > 0) return '缺少链尾'
  if (head && waiting && isBackdated(waiting.at.getTime(), head.linked_at.getTime()))
    return `记录 ${waiting.id}（${waiting.at.toISOString()}）不在链上，却早于链尾：它是后来添上的`
  return null
}

const longTimeout = { timeout_ms: 600_000 }

/** Reads the anchors, the oldest first. */
export const listAnchors = (database: Database): Promise<AuditAnchor[]> =>
  database.withoutCompany((tx) => tx.selectFrom('audit_log_anchor').selectAll().orderBy('seq').execute(), longTimeout)

/** Verifies the log of a company in a transaction of its own. */
export const verifyCompanyAuditLog = (
  { database, secrets }: { readonly database: Database; readonly secrets: Secrets },
  company_id: string,
  heads: AnchoredHeads,
): Promise<VerifiedAuditLog> =>
  database.inCompany(
    company_id,
    async (tx) => verifyAuditLog({ db: tx, company_id, vault: await secrets.vault(tx, company_id) }, heads.get(company_id)),
    longTimeout,
  )
