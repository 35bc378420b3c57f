/** Company creation: the trial, the trial notice for administrators, and the number of the join code. */
import type { CorpRole } from '../../contract/access.ts'
import * as contract from '../../contract/company/company.ts'
import { marketplaceOrigin } from '../../contract/shared/statuses.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { defineHandler } from '../../http/handler.ts'
import { dismissTrialNotice } from '../access/index.ts'
import { listProducts, recordPrepaidTransaction, trialDays, trialMessageCount } from '../billing/index.ts'

type NewCompany = {
  readonly name: string
  readonly corp_role?: CorpRole
  /** Sold through a chat platform's app market, whose own service brings the message (spec §9: `corp_origin` 10). */
  readonly isFromMarket?: boolean
  readonly hasTrial: boolean
}

/**
 * Creates a company with its encryption key, in its own transaction. Where editions are sold it begins with a trial of
 * the advanced edition and trial messages.
 */
export async function createCompany(
  ctx: CompanyTimeTx,
  secrets: Secrets,
  { name, corp_role = 10, isFromMarket = false, hasTrial }: NewCompany,
): Promise<void> {
  const { db, company_id, now } = ctx
  const until = hasTrial ? new Date(now.getTime() + trialDays * 86_400_000) : null
  await db
    .insertInto('company')
    .values({
      id: company_id,
      name,
      corp_role,
      corp_origin: isFromMarket ? marketplaceOrigin : 0,
      edition: 60,
      edition_until: until,
      trial_until: until,
      created_at: now,
    })
    .execute()
  await secrets.createCompanyKey(db, company_id)
  if (hasTrial) await recordPrepaidTransaction(ctx, { kind: 'given', count: trialMessageCount, reason: 'trial', ref: company_id })
}

/** Returns the editions on sale at their current prices. */
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

/** Renews the number of the join code: earlier codes become invalid. */
export async function renewJoinCode({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>): Promise<void> {
  await db
    .updateTable('company')
    .set((eb) => ({ join_generation: eb('join_generation', '+', 1) }))
    .where('id', '=', company_id)
    .execute()
}

/** Returns the source of join codes: the company's name and current number; null if the company does not exist. */
export const getJoinCodeSource = async ({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>) =>
  (await db
    .selectFrom('company')
    .select(['name as corp_name', 'join_generation'])
    .where('id', '=', company_id)
    .executeTakeFirst()) ?? null
