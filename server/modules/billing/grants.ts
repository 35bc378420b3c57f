/** What an operator grants a company without an order: messages, or an edition until a date. */
import type { OperatorCompanyContext } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { recordPrepaidTransaction } from './prepaid-sms.ts'
import { setEdition } from './prepaid-usage.ts'

/** Records the messages in the ledger with the operator's name. */
export const grantCompanySms = (
  companyTx: OperatorCompanyContext,
  { count, reason, by_name }: { readonly count: number; readonly reason: string; readonly by_name: string },
): Promise<void> =>
  recordPrepaidTransaction(
    { ...companyTx, currentUser: { name: by_name, account_id: null } },
    { kind: 'given', count, reason: 'grant', ref: newId(), purpose: reason },
  )

/** Sets the edition until the end of this day in Shanghai; it replaces a trial. */
export const grantCompanyEdition = (
  companyTx: OperatorCompanyContext,
  { edition, last_day }: { readonly edition: 53 | 60; readonly last_day: string },
): Promise<void> => setEdition(companyTx, { edition, until: new Date(`${last_day}T23:59:59+08:00`) })
