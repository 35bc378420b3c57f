/** Employment data for payroll tax: entry date, leaving date, number. The caller passes only ids the user may view. */
import { type RawBuilder, sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { isInSubquery } from '../../../database/department-tree.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { openPrivateFields } from '../add.ts'
import { toLikePattern } from '../list.ts'
import { isManageableMember } from '../scope.ts'
import { toSpellingPattern } from './name-spelling.ts'

type EmploymentInfo = {
  readonly name: string
  readonly employee_no: string
  readonly mobile: string
  /** The date, such as `2026-07-15`; null if the roster does not contain it. */
  readonly entry_on: string | null
  readonly left_on: string | null
  readonly has_card: boolean
}

export async function getEmployments(
  { db, company_id }: CompanyTx,
  ids: readonly string[],
): Promise<Map<string, EmploymentInfo>> {
  const rows = await db
    .selectFrom('member')
    .select(['id', 'name', 'employee_no', 'mobile', 'entry_on', 'status', 'left_on', 'left_at'])
    .select(sql<boolean>`id_card_index is not null`.as('has_card'))
    .where('company_id', '=', company_id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute()
  return new Map(
    rows.map(({ id, status, left_on, left_at, ...one }) => [
      id,
      { ...one, left_on: status === 'left' ? (left_on ?? (left_at && toShanghaiDate(left_at))) : null },
    ]),
  )
}

/** Returns those of the given members whose pay the user may manage; all must belong to this company. */
export async function filterManageableMembers(
  ctx: CompanyTx & Pick<HandlerContext, 'currentUser'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await ctx.db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where(isManageableMember(ctx))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns identity card numbers for a file for the tax office, never for display. The calling handler writes the audit entry. */
export async function getIdCards(
  { db, company_id, vault }: CompanyTx & Pick<HandlerContext, 'vault'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('member')
    .select(['id', 'private'])
    .where('company_id', '=', company_id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute()
  return new Map(
    rows.flatMap((row) => {
      const { id_card } = openPrivateFields({ vault }, row.id, row.private)
      return id_card ? [[row.id, id_card] as const] : []
    }),
  )
}

/** SQL condition for other tables: members whose name or number contains the text; `memberId` is the column with the id. */
export function matchesMemberName(
  { company_id }: Pick<CompanyTx, 'company_id'>,
  memberId: RawBuilder<unknown>,
  name: string,
): RawBuilder<boolean> {
  const pattern = toLikePattern(name)
  const spellingPattern = toSpellingPattern(name)
  return isInSubquery(
    memberId,
    sql`select member.id from member where member.company_id = ${company_id} and (member.name ilike ${pattern}
      or member.employee_no ilike ${pattern} or member.mobile like ${pattern} ${spellingPattern ? sql`or member.name_pinyin like ${spellingPattern}` : sql``})`,
  )
}
