/** Applications as they lie there: found, taken down, settled. Writes approval. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { ApprovalKind, ApprovalStatus } from '../../contract/approvals/approvals.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { isSystemAdmin, listAdminIdsWithPowers, listSystemAdminIds } from '../role/index.ts'
import { getDecidableKinds, secondAdminKinds } from './rules/decision.ts'

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>

export type PendingTransfer = { readonly approval_no: string; readonly member_id: string; readonly name: string }

/** The application of this administrator that waits, with the person who is to take over. */
export async function findPendingTransfer({ db, company_id }: CompanyTx, applicant_id: string): Promise<PendingTransfer | null> {
  const row = await db
    .selectFrom('approval')
    .innerJoin('member', (join) =>
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

/** For queries on `approval`: whether the applicant may do everything. */
export const isApplicantSystemAdmin = (company_id: string) => isSystemAdmin(company_id, 'approval.applicant_id')

/** For queries on `approval`: what `decides` says, of rows. */
export const selectDecidable = ({ power, company_id }: Pick<HandlerContext['currentUser'], 'power' | 'company_id'>) => {
  const isSecondDecider = power.includes('1') || power.includes('2')
  return sql<boolean>`(approval.kind = any(${[...getDecidableKinds(power)]}::text[]) or (${isSecondDecider}::boolean and approval.kind = any(${[...secondAdminKinds]}::text[]) and ${isApplicantSystemAdmin(company_id)}))`
}

/** How many applications wait for my decision. */
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

/** Answers its number: 128 random bits, so that nobody finds another's by counting. */
export async function createApproval(
  { db, company_id, now, vault }: CompanyTx & Pick<HandlerContext, 'now'> & Partial<Pick<HandlerContext, 'vault'>>,
  {
    labels: reasonText = '',
    ...application
  }: {
    readonly kind: ApprovalKind
    readonly applicant_id: string
    /** Whom it is about; nobody: the company. */
    readonly member_id: string | null
    readonly account_id: string | null
    /** Why: shown until a decision has words of its own. */
    readonly labels?: string
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

/** An administrator's own words about another one's work. */
export const getReasonPosition = (id: string) => ({ table: 'approval', row: id, column: 'reason' })

/** Compare and set: false when somebody else settled it first, and then nothing was changed. */
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

/** Those of an administrator that wait, locked. Whoever hands his authority over takes them first: a decision does the same. */
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

/** His authority is gone: what he asked for came true where it named this person, and has no object any more where it did not. */
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

/** It has no object any more; nothing where it was decided already. */
export const cancelApproval = async (
  ctx: Pick<HandlerContext, 'db' | 'company_id' | 'currentUser' | 'now' | 'vault'>,
  id: string,
  reason: string,
) => closeApproval(ctx, id, 3, reason)

/** Who may decide about a sending that this administrator asks for. */
export async function listSendDeciders(companyTx: CompanyTx, applicant_id: string): Promise<string[]> {
  const systemAdmins = await listSystemAdminIds(companyTx)
  const deciders = systemAdmins.includes(applicant_id) ? await listAdminIdsWithPowers(companyTx, ['1', '2', '4']) : systemAdmins
  return deciders.filter((id) => id !== applicant_id)
}
