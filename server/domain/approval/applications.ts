/** Applications as they lie there: found, taken down, settled. Writes approval. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { ApprovalKind, ApprovalStatus } from '../../contract/corp/approval.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { adminsWith, headsOf, isHead } from '../role/index.ts'
import { kindsFor, ofTwo } from './rules/deciding.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>

export type Waiting = { readonly approval_no: string; readonly member_id: string; readonly name: string }

/** The application of this administrator that waits, with the person who is to take over. */
export async function waitingTransfer({ db, company_id }: Here, applicant_id: string): Promise<Waiting | null> {
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
export const ofHead = (company_id: string) => isHead(company_id, 'approval.applicant_id')

/** For queries on `approval`: what `decides` says, of rows. */
export const mineToDecide = ({ power, company_id }: Pick<Ctx['me'], 'power' | 'company_id'>) => {
  const second = power.includes('1') || power.includes('2')
  return sql<boolean>`(approval.kind = any(${[...kindsFor(power)]}::text[]) or (${second}::boolean and approval.kind = any(${[...ofTwo]}::text[]) and ${ofHead(company_id)}))`
}

/** How many applications wait for my decision. */
export async function waitingForMe({ db, company_id, me }: Pick<Ctx, 'db' | 'company_id' | 'me'>): Promise<number> {
  const { count } = await db
    .selectFrom('approval')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('status', '=', 0)
    .where(mineToDecide(me))
    .where('applicant_id', 'is distinct from', me.admin_id)
    .executeTakeFirstOrThrow()
  return count
}

/** Answers its number: 128 random bits, so that nobody finds another's by counting. */
export async function takeDown(
  { db, company_id, now, vault }: Here & Pick<Ctx, 'now'> & Partial<Pick<Ctx, 'vault'>>,
  {
    words = '',
    ...application
  }: {
    readonly kind: ApprovalKind
    readonly applicant_id: string
    /** Whom it is about; nobody: the company. */
    readonly member_id: string | null
    readonly account_id: string | null
    /** Why: shown until a decision has words of its own. */
    readonly words?: string
  },
): Promise<{ id: string; approval_no: string }> {
  const id = newId()
  const reason = words && vault ? { reason: vault.seal(reasonPlace(id), words) } : {}
  const row = { id, approval_no: randomBytes(16).toString('hex'), ...reason }
  await db
    .insertInto('approval')
    .values({ company_id, ...row, ...application, admin_id: application.applicant_id, created_at: now })
    .execute()
  return { id, approval_no: row.approval_no }
}

/** An administrator's own words about another one's work. */
export const reasonPlace = (id: string) => ({ table: 'approval', row: id, column: 'reason' })

/** Compare and set: false when somebody else settled it first, and then nothing was changed. */
export async function settle(
  { db, company_id, me, now, vault }: Pick<Ctx, 'db' | 'company_id' | 'me' | 'now' | 'vault'>,
  id: string,
  status: Exclude<ApprovalStatus, 0>,
  reason = '',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('approval')
    .set({
      status,
      ...(reason ? { reason: vault.seal(reasonPlace(id), reason) } : {}),
      decided_at: now,
      decided_by: status === 3 ? null : me.admin_id,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('status', '=', 0)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Those of an administrator that wait, locked. Whoever hands his authority over takes them first: a decision does the same. */
export async function lockWaiting({ db, company_id }: Here, applicant_id: string): Promise<void> {
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
export async function settleAll(ctx: Ctx, applicant_id: string, to_member_id: string): Promise<void> {
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
    if (kind === 'wage_transfer' && member_id === to_member_id) await settle(ctx, id, 1)
    else await settle(ctx, id, 3, '薪酬管理权限已移交')
}

/** It has no object any more; nothing where it was decided already. */
export const cancelApproval = async (ctx: Pick<Ctx, 'db' | 'company_id' | 'me' | 'now' | 'vault'>, id: string, why: string) =>
  settle(ctx, id, 3, why)

/** Who may decide about a sending that this administrator asks for. */
export async function canDecideSend(here: Here, applicant_id: string): Promise<string[]> {
  const heads = await headsOf(here)
  const deciders = heads.includes(applicant_id) ? await adminsWith(here, ['1', '2', '4']) : heads
  return deciders.filter((id) => id !== applicant_id)
}
