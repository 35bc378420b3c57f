import type { Database, Tx } from '../database/database.ts'

/** The company id of messages of the installation itself: no row of `company` has it. */
export const systemCompanyId = '00000000-0000-0000-0000-000000000000'

const listCompanies = (database: Database) =>
  database.asSystem((tx) => tx.selectFrom('company').select(['id', 'key_destroyed_at']).orderBy('id').execute())

/**
 * Returns the ids of all companies whose data can be read, for jobs that go through every company after a start or once a
 * day. A company whose key was destroyed has nothing that a job could work on.
 */
export const listAllCompanyIds = async (database: Database): Promise<string[]> =>
  (await listCompanies(database)).filter(({ key_destroyed_at }) => !key_destroyed_at).map(({ id }) => id)

/** Returns the companies whose keys were destroyed, and when. */
export const listDestroyedCompanies = async (database: Database): Promise<{ id: string; destroyed_at: Date }[]> =>
  (await listCompanies(database)).flatMap(({ id, key_destroyed_at }) =>
    key_destroyed_at ? [{ id, destroyed_at: key_destroyed_at }] : [],
  )

/** Whether there is a company, also one whose key was destroyed. */
export const hasAnyCompany = async (database: Database): Promise<boolean> => (await listCompanies(database)).length > 0

/** Repeats the work of a job in small transactions until it returns that nothing is left, or for a number of times. */
export async function repeatInCompany(
  { database, signal, maxTimes }: { readonly database: Database; readonly signal: AbortSignal; readonly maxTimes: number },
  company_id: string,
  work: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  for (let times = 0, more = true; more && times < maxTimes; times += 1) {
    signal.throwIfAborted()
    more = await database.inCompany(company_id, work, { timeout_ms: 30_000 })
  }
}
