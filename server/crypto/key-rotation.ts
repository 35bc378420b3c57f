/**
 * Replacing the master key and adding data keys, while the servers go on serving. Each company is one transaction, and a
 * company that is done is recognised: after an interruption the same command continues.
 */
import { sql } from 'kysely'
import type { Database, Tx } from '../database/database.ts'
import { listAllCompanyIds } from '../jobs/companies.ts'
import { findCompanyKey, forgetPreviousMasterKey, getKeyFingerprint, switchMasterKey, wrapCompanyKey } from './master-key.ts'
import type { Secrets } from './secrets.ts'

export type KeyProgress = { readonly companies: number; readonly companyCount: number }
type OnProgress = (progress: KeyProgress) => void

/** The current and the previous master key. */
type KeyPair = readonly [current: Buffer, previous: Buffer]
export type RewrapResult = { readonly companies: number; readonly rewrapped: number; readonly alreadyDone: number }

const selectKeys = (tx: Tx, company_id: string) =>
  tx.selectFrom('company_key').select(['id', 'wrapped']).where('company_id', '=', company_id)

const unreadableKey = (company_id: string): string =>
  `企业 ${company_id} 的密钥用这两把主密钥都打不开：请核对 XINHAN_MASTER_KEY 和 XINHAN_MASTER_KEY_PREVIOUS`

/** Counts the keys by the master key that wraps them, without changing anything. */
export async function countWrappedKeys(database: Database, masters: readonly Buffer[]): Promise<RewrapResult> {
  const [current] = masters
  const companies = await listAllCompanyIds(database)
  let [rewrapped, alreadyDone] = [0, 0]
  for (const company_id of companies)
    for (const key of await database.inCompany(company_id, (tx) => selectKeys(tx, company_id).execute())) {
      const match = findCompanyKey(masters, { company_id, ...key })
      if (!match) throw new Error(unreadableKey(company_id))
      if (match.master === current) alreadyDone += 1
      else rewrapped += 1
    }
  return { companies: companies.length, rewrapped, alreadyDone }
}

/** Wraps all keys with the current master key. Afterwards the previous one opens nothing any more. */
export async function rewrapKeys(database: Database, keys: KeyPair, onProgress: OnProgress): Promise<RewrapResult> {
  // From here on new companies get keys wrapped by the current master key, so the list below is complete.
  await database.withoutCompany((tx) => switchMasterKey(tx, keys))
  const companies = await listAllCompanyIds(database)
  let [rewrapped, alreadyDone] = [0, 0]
  for (const [index, company_id] of companies.entries()) {
    const count = await database.inCompany(company_id, (tx) => rewrapCompany(tx, company_id, keys))
    rewrapped += count.rewrapped
    alreadyDone += count.alreadyDone
    onProgress({ companies: index + 1, companyCount: companies.length })
  }
  await database.withoutCompany(forgetPreviousMasterKey)
  return { companies: companies.length, rewrapped, alreadyDone }
}

async function rewrapCompany(tx: Tx, company_id: string, keys: KeyPair) {
  const [current] = keys
  let [rewrapped, alreadyDone] = [0, 0]
  for (const { id, wrapped } of await selectKeys(tx, company_id).forUpdate().execute()) {
    const match = findCompanyKey(keys, { company_id, id, wrapped })
    if (!match) throw new Error(unreadableKey(company_id))
    if (match.master === current) {
      alreadyDone += 1
      continue
    }
    await tx
      .updateTable('company_key')
      .set({ wrapped: wrapCompanyKey(current, { company_id, id }, match.plain) })
      .where('company_id', '=', company_id)
      .where('id', '=', id)
      .execute()
    rewrapped += 1
  }
  return { rewrapped, alreadyDone }
}

/**
 * Counts the connections of running servers that do not have this master key: they could not read keys that are wrapped
 * by it. Servers behind a connection pooler may not show here.
 */
export async function countServersWithout(database: Database, master: Buffer): Promise<number> {
  const pattern = `%${getKeyFingerprint(master)}%`
  const { rows } = await database.withoutCompany((tx) =>
    sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like 'xinhan keys %' and application_name not like ${pattern}`.execute(
      tx,
    ),
  )
  return rows[0]?.count ?? 0
}

/** A company that got a key within this time is skipped, so that a command that is repeated does not add a second one. */
const renewalHours = 24
export type RenewResult = { readonly added: number; readonly skipped: number }

/** Adds a data key to these companies, or counts in which it would. What is encrypted later is encrypted with it. */
export async function renewKeys(
  { database, secrets, isDryRun }: { readonly database: Database; readonly secrets: Secrets; readonly isDryRun: boolean },
  companies: readonly string[],
  onProgress: OnProgress,
): Promise<RenewResult> {
  let added = 0
  for (const [index, company_id] of companies.entries()) {
    const isAdded = await database.inCompany(company_id, async (tx) => {
      // Two commands at once add one key.
      const recent = await selectKeys(tx, company_id)
        .select(sql<boolean>`id > 1 and created_at > now() - make_interval(hours => ${renewalHours})`.as('isRecent'))
        .orderBy('id', 'desc')
        .forUpdate()
        .execute()
      if (recent[0]?.isRecent !== false) return false
      if (!isDryRun) await secrets.addCompanyKey(tx, company_id)
      return true
    })
    if (isAdded) added += 1
    onProgress({ companies: index + 1, companyCount: companies.length })
  }
  return { added, skipped: companies.length - added }
}
