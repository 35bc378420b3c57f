/** The user and the account of a request. */
import type { CorpRole, Edition, Power } from '../contract/access.ts'
import type { CompanyTx } from '../database/company-tx.ts'

/** A user who is signed in to a company. */
export type CurrentUser = {
  readonly session_id: string
  readonly account_id: string
  readonly company_id: string
  readonly company_name: string
  readonly corp_role: CorpRole
  readonly power: readonly Power[]
  /** The company's current edition. */
  readonly edition: Edition
  /** The administrator's row; null for users who are only employees. */
  readonly admin_id: string | null
  /** The user's own row in the roster, or their last one; null for administrators who are no longer employed here. */
  readonly member_id: string | null
  /** All roster rows whose payslips belong to the user: after rehiring, or with access after leaving, earlier ones too. */
  readonly own_member_ids: readonly string[]
  /** The agency the user works for, and until when; null for the company's own users. */
  readonly agency: { readonly id: string; readonly until: string } | null
  /** Set for a terminated employee who may read their payslips until `access_until`, each time after a code to their phone. */
  readonly terminated: { readonly terminated_on: string; readonly access_until: string } | null
  readonly is_employee: boolean
  /** Another person set the user's phone in the roster and it is unconfirmed, so no payslip is shown. */
  readonly phone_unconfirmed: boolean
  readonly name: string
  readonly mobile: string
  /** The departments the user manages, including their children. With `all` the list is not used. */
  readonly scope: { readonly all: boolean; readonly department_ids: readonly string[] }
  /** The time until which payslips that need a view password may be read. */
  readonly view_granted_until: Date | null
}

/** A session without a company. */
export type CurrentAccount = { readonly session_id: string; readonly account_id: string; readonly mobile: string }

export type CompanyUserTx = CompanyTx & { readonly currentUser: CurrentUser }
