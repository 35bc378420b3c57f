/** People as payroll tax needs them: since when, until when, under which number. Who asks says whose these are, by ids that he may see. */
import { type RawBuilder, sql } from 'kysely'
import { dayOf } from '../../../runtime/clock.ts'
import { isAmong } from '../../../runtime/data/departments.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { privateOf } from '../add.ts'
import { literal } from '../list.ts'
import { keepable } from '../scope.ts'
import { spelledLike } from './spelled.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>

type Employed = {
  readonly name: string
  readonly employee_no: string
  readonly mobile: string
  /** `2026-07-15`; null where the roster does not know it. */
  readonly entry_on: string | null
  readonly left_on: string | null
  readonly has_card: boolean
}

export async function employedOf({ db, company_id }: Here, ids: readonly string[]): Promise<Map<string, Employed>> {
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
      { ...one, left_on: status === 'left' ? (left_on ?? (left_at && dayOf(left_at))) : null },
    ]),
  )
}

/** Those of some people whom I may pay, each of them somebody of this company. */
export async function keptAmong(ctx: Here & Pick<Ctx, 'me'>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await ctx.db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where(keepable(ctx))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Identity cards, for a file that the tax office takes. The call that asks leaves its line; nothing of it is shown. */
export async function cardsOf(
  { db, company_id, vault }: Here & Pick<Ctx, 'vault'>,
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
      const { id_card } = privateOf({ vault }, row.id, row.private)
      return id_card ? [[row.id, id_card] as const] : []
    }),
  )
}

/** For other tables: rows of people who are called so, by a part of name or number; `person` is the column with the id. */
export function personCalled(
  { company_id }: Pick<Here, 'company_id'>,
  person: RawBuilder<unknown>,
  name: string,
): RawBuilder<boolean> {
  const like = literal(name)
  const letters = spelledLike(name)
  return isAmong(
    person,
    sql`select member.id from member where member.company_id = ${company_id} and (member.name ilike ${like}
      or member.employee_no ilike ${like} or member.mobile like ${like} ${letters ? sql`or member.spelled like ${letters}` : sql``})`,
  )
}
