/** How a company begins: its founding, the trial and what its administrators read about it, the number of its join code. */
import * as contract from '../../contract/company/company.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { defineHandler } from '../../http/handler.ts'
import { dismissTrialNotice } from '../role/index.ts'
import { listProducts } from './order/prices.ts'
import { recordPrepaidTransaction } from './prepaid-sms.ts'
import { trialDays, trialMessageCount } from './rules/edition.ts'

type CompanyTimeTx = { readonly db: Tx; readonly company_id: string; readonly now: Date }

/** A company that tries the advanced edition, with its key and the messages to try it with. In a transaction of that company. */
export async function createCompany(ctx: CompanyTimeTx, secrets: Secrets, name: string): Promise<void> {
  const { db, company_id, now } = ctx
  const until = new Date(now.getTime() + trialDays * 86_400_000)
  await db
    .insertInto('company')
    .values({ id: company_id, name, edition: 60, edition_until: until, trial_until: until, created_at: now })
    .execute()
  await secrets.createCompanyKey(db, company_id)
  await recordPrepaidTransaction(ctx, { kind: 'given', count: trialMessageCount, reason: 'trial', ref: company_id })
}

/** The editions as they are sold here, at the prices of today. */
export const getTrialServiceInstruction = defineHandler(contract.getTrialServiceInstruction, async (companyTx) => ({
  service_list: (await listProducts(companyTx))
    .filter(({ kind }) => kind === 'edition')
    .map(({ name, note, price_fen }) => ({ DESC: `${name}：${note}`, PRICE: price_fen / 100 })),
}))

export const closeTrailServiceInfo = defineHandler(
  contract.closeTrailServiceInfo,
  async ({ db, company_id, currentUser, now }) => {
    if (currentUser.admin_id) await dismissTrialNotice({ db, company_id, now }, currentUser.admin_id)
    return {}
  },
)

/** A new number for the join code: the codes that were shown before are dead. */
export async function renewJoinCode({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>): Promise<void> {
  await db
    .updateTable('company')
    .set((eb) => ({ join_generation: eb('join_generation', '+', 1) }))
    .where('id', '=', company_id)
    .execute()
}

/** Every company there is, for what the house does to each after a start. */
export const listAllCompanyIds = async (database: Database): Promise<string[]> =>
  (await database.asSystem((tx) => tx.selectFrom('company').select('id').orderBy('id').execute())).map(({ id }) => id)

/** What join codes follow from: the company's name beside its present number; null where there is no such company. */
export const getJoinCodeSource = async ({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>) =>
  (await db
    .selectFrom('company')
    .select(['name as corp_name', 'join_generation'])
    .where('id', '=', company_id)
    .executeTakeFirst()) ?? null
