/** How a company begins: its founding, the trial and what its administrators read about it, the number of its join code. */
import * as contract from '../../contract/corp/company.ts'
import type { Database, Tx } from '../../runtime/db.ts'
import { handle } from '../../runtime/handle.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { putTrialAway } from '../role/index.ts'
import { soldHere } from './order/prices.ts'
import { trial_days, trial_messages } from './rules/edition.ts'
import { move } from './sms-account.ts'

type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }

/** A company that tries the advanced edition, with its key and the messages to try it with. In a transaction of that company. */
export async function foundCompany(ctx: Here, secrets: Secrets, name: string): Promise<void> {
  const { db, company_id, now } = ctx
  const until = new Date(now.getTime() + trial_days * 86_400_000)
  await db
    .insertInto('company')
    .values({ id: company_id, name, edition: 60, edition_until: until, trial_until: until, created_at: now })
    .execute()
  await secrets.found(db, company_id)
  await move(ctx, { kind: 'given', count: trial_messages, why: 'trial', ref: company_id })
}

/** The editions as they are sold here, at the prices of today. */
export const getTrialServiceInstruction = handle(contract.getTrialServiceInstruction, async (here) => ({
  service_list: (await soldHere(here))
    .filter(({ kind }) => kind === 'edition')
    .map(({ name, note, price_fen }) => ({ DESC: `${name}：${note}`, PRICE: price_fen / 100 })),
}))

export const closeTrailServiceInfo = handle(contract.closeTrailServiceInfo, async ({ db, company_id, me, now }) => {
  if (me.admin_id) await putTrialAway({ db, company_id, now }, me.admin_id)
  return {}
})

/** A new number for the join code: the codes that were shown before are dead. */
export async function renewJoinCode({ db, company_id }: Pick<Here, 'db' | 'company_id'>): Promise<void> {
  await db
    .updateTable('company')
    .set((eb) => ({ join_generation: eb('join_generation', '+', 1) }))
    .where('id', '=', company_id)
    .execute()
}

/** Every company there is, for what the house does to each after a start. */
export const allCompanies = async (database: Database): Promise<string[]> =>
  (await database.asMachine((tx) => tx.selectFrom('company').select('id').orderBy('id').execute())).map(({ id }) => id)

/** What join codes follow from: the company's name beside its present number; null where there is no such company. */
export const joiningOf = async ({ db, company_id }: Pick<Here, 'db' | 'company_id'>) =>
  (await db
    .selectFrom('company')
    .select(['name as corp_name', 'join_generation'])
    .where('id', '=', company_id)
    .executeTakeFirst()) ?? null
