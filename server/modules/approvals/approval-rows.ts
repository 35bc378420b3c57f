/** Storage of applications: finding, creating and closing them. Writes approval. */

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { ApprovalKind, ApprovalStatus } from '../../contract/approvals/approvals.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { isSystemAdmin, listAdminIdsWithPowers, listSystemAdminIds } from '../access/index.ts'
import { memberView } from '../directory/read-model.ts'
import { getDecidableKinds, secondAdminKinds } from './rules/decision.ts'

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>

export type PendingTransfer = { readonly approval_no: string; readonly member_id: string; readonly name: string }

/** Returns the administrator's pending transfer application, with the member who is to take over. */
export async function findPendingTransfer({ db, company_id }: CompanyTx, applicant_id: string): Promise<PendingTransfer | null> {
  const row = await db
    .selectFrom('approval')
    .innerJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'approval.company_id').onRef('member.id', '=', 'approval.member_id'),
    )
    .select(['approval.approval_no', 'member.id as member_id', 'member.name'])
    .where('approval.company_id', '=', company_id)
    .where('approval.applicant_id', '=', applicant_id)
    .where('approval.kind', '=', 'wage_transfer')
    .where('approval.status', '=', 0)
    .executeTakeFirst()
  return row ?? null
}

/** SQL condition for `approval`: whether the applicant is a system administrator. */
export const isApplicantSystemAdmin = (company_id: string) => isSystemAdmin(company_id, 'approval.applicant_id')

/** SQL condition for `approval`: the rule of `canDecide`. */
export const selectDecidable = ({ power, company_id }: Pick<HandlerContext['currentUser'], 'power' | 'company_id'>) => {
  const isSecondDecider = power.includes('1') || power.includes('2')
  return sql<boolean>`(approval.kind = any(${[...getDecidableKinds(power)]}::text[]) or (${isSecondDecider}::boolean and approval.kind = any(${[...secondAdminKinds]}::text[]) and ${isApplicantSystemAdmin(company_id)}))`
}

/** Counts the applications that await the current user's decision. */
export async function countDecidableApprovals({
  db,
  company_id,
  currentUser,
}: Pick<HandlerContext, 'db' | 'company_id' | 'currentUser'>): Promise<number> {
  const { count } = await db
    .selectFrom('approval')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('status', '=', 0)
    .where(selectDecidable(currentUser))
    .where('applicant_id', 'is distinct from', currentUser.admin_id)
    .executeTakeFirstOrThrow()
  return count
}

/** Creates an application and returns its number: 128 random bits, so that nobody finds others by counting. */
export async function createApproval(
  { db, company_id, now, vault }: CompanyTx & Pick<HandlerContext, 'now'> & Partial<Pick<HandlerContext, 'vault'>>,
  {
    reasonText = '',
    ...application
  }: {
    readonly kind: ApprovalKind
    readonly applicant_id: string
    /** The member concerned; null if the application concerns the company. */
    readonly member_id: string | null
    readonly account_id: string | null
    /** The applicant's reason, shown until the decision has a reason of its own. */
    readonly reasonText?: string
  },
): Promise<{ id: string; approval_no: string }> {
  const id = newId()
  const reason = reasonText && vault ? { reason: vault.seal(getReasonPosition(id), reasonText) } : {}
  const row = { id, approval_no: randomBytes(16).toString('hex'), ...reason }
  await db
    .insertInto('approval')
    .values({ company_id, ...row, ...application, admin_id: application.applicant_id, created_at: now })
    .execute()
  return { id, approval_no: row.approval_no }
}

/** Position of the encrypted reason: one administrator's text about another one's work. */
export const getReasonPosition = (id: string) => ({ table: 'approval', row: id, column: 'reason' })

/** Compare and set: returns false, without any change, when somebody else closed the application first. */
export async function closeApproval(
  { db, company_id, currentUser, now, vault }: Pick<HandlerContext, 'db' | 'company_id' | 'currentUser' | 'now' | 'vault'>,
  id: string,
  status: Exclude<ApprovalStatus, 0>,
  reason = '',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('approval')
    .set({
      status,
      ...(reason ? { reason: vault.seal(getReasonPosition(id), reason) } : {}),
      decided_at: now,
      decided_by: status === 3 ? null : currentUser.admin_id,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('status', '=', 0)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Locks an administrator's pending applications. A transfer of authority takes these locks first, as a decision does. */
export async function lockPendingApprovals({ db, company_id }: CompanyTx, applicant_id: string): Promise<void> {
  await db
    .selectFrom('approval')
    .select('id')
    .where('company_id', '=', company_id)
    .where('applicant_id', '=', applicant_id)
    .where('status', '=', 0)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Closes the applications of an administrator whose authority was transferred: approved where they named this member. */
export async function closeTransferredApprovals(ctx: HandlerContext, applicant_id: string, to_member_id: string): Promise<void> {
  const { db, company_id } = ctx
  const rows = await db
    .selectFrom('approval')
    .select(['id', 'kind', 'member_id'])
    .where('company_id', '=', company_id)
    .where('applicant_id', '=', applicant_id)
    .where('status', '=', 0)
    .orderBy('id')
    .execute()
  for (const { id, kind, member_id } of rows)
    if (kind === 'wage_transfer' && member_id === to_member_id) await closeApproval(ctx, id, 1)
    else await closeApproval(ctx, id, 3, '薪酬管理权限已移交')
}

/** Cancels an application whose subject no longer exists; does nothing if it was already decided. */
export const cancelApproval = async (
  ctx: Pick<HandlerContext, 'db' | 'company_id' | 'currentUser' | 'now' | 'vault'>,
  id: string,
  reason: string,
) => closeApproval(ctx, id, 3, reason)

export async function listSendDeciders(companyTx: CompanyTx, applicant_id: string): Promise<string[]> {
  const systemAdmins = await listSystemAdminIds(companyTx)
  const deciders = systemAdmins.includes(applicant_id) ? await listAdminIdsWithPowers(companyTx, ['1', '2', '4']) : systemAdmins
  return deciders.filter((id) => id !== applicant_id)
}
