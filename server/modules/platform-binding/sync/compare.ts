/** Compares the sync with the stored directory, page by page. Writes platform_sync_item. */
import { sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { isPlatformCompany, type PlatformCompany } from '../links.ts'
import { isMassTermination } from '../rules/binding-status.ts'
import { compareUser } from '../rules/compare.ts'
import { incomingUserSchema, platformUserSchema } from '../stored-schemas.ts'
import { isStaged, parseSyncCounts, type SyncRow } from './sync-rows.ts'

const usersPerStep = 1_000

type ComparisonRow = {
  readonly key: string
  readonly told: unknown
  readonly memberships: string[]
  readonly was: unknown
  readonly gone: boolean | null
}
/**
 * In a full sync, stored users that were not returned have left; an incremental sync compares only the users that it
 * requested.
 */
async function loadComparisonPage(
  companyTx: CompanyTx,
  { id, mode }: SyncRow,
  corp: PlatformCompany,
  after: string,
): Promise<ComparisonRow[]> {
  const storedKeys = sql`(select user_id as key from platform_user where ${isPlatformCompany(companyTx, corp)} and user_id > ${after}
    order by user_id limit ${usersPerStep})`
  const stagedKeys = sql`(select key from platform_sync_item where ${isStaged(companyTx, id, 'person')} and key > ${after} order by key limit ${usersPerStep})`
  const { rows } = await sql<ComparisonRow>`
    with keys as (select key from (${stagedKeys} ${mode === 'full' ? sql`union ${storedKeys}` : sql``}) as together order by key limit ${usersPerStep})
    select keys.key, staged.details as told, coalesce(staged.memberships, '{}') as memberships, person.details as was, person.removed_at is not null as gone
    from keys
    left join platform_sync_item as staged on staged.company_id = ${companyTx.company_id} and staged.sync_id = ${id}
      and staged.kind = 'person' and staged.key = keys.key
    left join platform_user as person on person.company_id = ${companyTx.company_id} and person.provider = ${corp.provider}
      and person.corp_id = ${corp.corp_id} and person.user_id = keys.key
    order by keys.key`.execute(companyTx.db)
  return rows
}

/** Returns the last user compared; null when none are left. */
export async function compareNextPage(
  companyTx: CompanyTx,
  sync: SyncRow,
  corp: PlatformCompany,
  after: string,
): Promise<string | null> {
  const page = await loadComparisonPage(companyTx, sync, corp, after)
  const rows = page.flatMap(({ key, told: incoming, memberships, was: stored, gone: isRemoved }) => {
    const previous = stored === null ? null : { content: platformUserSchema.parse(stored), isRemoved: isRemoved === true }
    const { next, ...compared } = compareUser(
      previous,
      incoming === null ? null : { ...incomingUserSchema.parse(incoming), listed_department_ids: memberships },
    )
    return next ? [{ key, details: next, ...compared }] : []
  })
  if (rows.length > 0)
    await companyTx.db
      .insertInto('platform_sync_item')
      .values(
        rows.map(({ details: content, fields, ...row }) => ({
          company_id: companyTx.company_id,
          sync_id: sync.id,
          kind: 'person' as const,
          ...row,
          details: JSON.stringify(content),
          fields: [...fields],
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['company_id', 'sync_id', 'kind', 'key'])
          .doUpdateSet({ details: sql`excluded.details`, change: sql`excluded.change`, fields: sql`excluded.fields` }),
      )
      .execute()
  return page.at(-1)?.key ?? null
}

/** Summarizes the changes and decides whether an administrator must review them. */
export async function decideSync(companyTx: CompanyTx, sync: SyncRow, corp: PlatformCompany) {
  const { rows: rowsByKind } = await sql<{ change: string | null; people: number }>`
    select change, count(*) as people from platform_sync_item where ${isStaged(companyTx, sync.id, 'person')} group by change`.execute(
    companyTx.db,
  )
  const getCount = (kind: string) => rowsByKind.find((one) => one.change === kind)?.people ?? 0
  const counts = parseSyncCounts({
    counts: { created: getCount('new'), updated: getCount('changed'), left: getCount('left'), back: getCount('back') },
  })
  const { before } = await companyTx.db
    .selectFrom('platform_user')
    .select(({ fn }) => fn.countAll<number>().as('before'))
    .where(isPlatformCompany(companyTx, corp))
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  const done = await companyTx.db
    .selectFrom('platform_sync')
    .select('id')
    .where('company_id', '=', companyTx.company_id)
    .where('binding_id', '=', sync.binding_id)
    .where('state', '=', 'done')
    .limit(1)
    .executeTakeFirst()
  const reviewReason = !done
    ? ('first' as const)
    : isMassTermination({ before, left: counts.left })
      ? ('many_left' as const)
      : null
  return { counts, locked_for: reviewReason }
}
