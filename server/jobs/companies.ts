import type { Database } from '../database/database.ts'

/** The company id of messages of the installation itself: no row of `company` has it. */
export const systemCompanyId = '00000000-0000-0000-0000-000000000000'

/** Returns the ids of all companies, for jobs that go through every company after a start or once a day. */
export const listAllCompanyIds = async (database: Database): Promise<string[]> =>
  (await database.asSystem((tx) => tx.selectFrom('company').select('id').orderBy('id').execute())).map(({ id }) => id)
