/**
 * Builders for companies in the demo and in tests. They write plain SQL into the tables of several domains: this
 * directory is no domain, nothing of the product imports it, and a demo must not send messages while it is being
 * created.
 */
import type { CorpRole, Edition, Power } from '../contract/access.ts'
import type { ChatProvider } from '../contract/shared/providers.ts'
import type { Secrets, Vault } from '../crypto/secrets.ts'
import type { Tx } from '../database/database.ts'
import { newId } from '../shared/ids.ts'

export type NewCompany = {
  readonly id?: string
  readonly name: string
  readonly corp_role?: CorpRole
  readonly edition?: Edition
  readonly edition_until?: Date
  /** End of the trial. */
  readonly trial_until?: Date
  readonly provider?: ChatProvider
  readonly sms_left?: number
  readonly root_id?: string
  readonly created_at?: Date
}
export type CreatedCompany = { readonly company_id: string; readonly root_id: string; readonly vault: Vault }

/**
 * Inserts a company with its key and its root department. The transaction must be one of that company
 * (`database.inCompany(id, …)`).
 */
export async function insertCompany(
  tx: Tx,
  secrets: Secrets,
  input: NewCompany & { readonly id: string },
): Promise<CreatedCompany> {
  const { id: company_id, root_id = newId(), created_at = new Date() } = input
  const { name, corp_role = 10, edition = 60, edition_until = null, trial_until = null, provider = null, sms_left = 0 } = input
  await tx
    .insertInto('company')
    .values({ id: company_id, name, corp_role, edition, edition_until, trial_until, provider, sms_left, created_at })
    .execute()
  const vault = await secrets.createCompanyKey(tx, company_id)
  const source = provider ?? 'manual'
  await tx.insertInto('department').values({ company_id, id: root_id, name, source }).execute()
  return { company_id, root_id, vault }
}

export type NewAdmin = {
  readonly company_id: string
  readonly id?: string
  readonly member_id: string
  readonly account_id: string
  readonly power: readonly Power[]
  /** Department ids, or the whole company. */
  readonly scope: 'all' | readonly string[]
  /** For reproducible ids. */
  readonly makeId?: () => string
  readonly created_at?: Date
}

/** Makes a member an administrator; returns the administrator's id. */
export async function addAdmin(tx: Tx, input: NewAdmin): Promise<string> {
  const { makeId = newId, company_id, id = makeId(), member_id, account_id, power, scope, created_at = new Date() } = input
  await tx
    .insertInto('admin')
    .values({ company_id, id, member_id, account_id, power: [...power], scope_all: scope === 'all', created_at })
    .execute()
  if (scope !== 'all' && scope.length > 0) {
    const departmentRows = scope.map((department_id) => ({ company_id, id: makeId(), admin_id: id, department_id }))
    await tx.insertInto('admin_department').values(departmentRows).execute()
  }
  return id
}

/** Inserts many rows, 400 per statement. */
export async function insertInBatches<T>(rows: readonly T[], insert: (some: T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += 400) await insert(rows.slice(from, from + 400))
}
