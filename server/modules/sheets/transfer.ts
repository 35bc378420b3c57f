/** Transfers titles, batches, templates and shares to another administrator. Writes title(_share), batch, template, wizard. */
import { sql } from 'kysely'
import type { TitleKind } from '../../contract/shared/schemas.ts'
import type { CompanyVaultTx } from '../../database/company-tx.ts'
import { openTitle, sealTitle } from './names/sealed-names.ts'
import { canMergeTitles, getFreeTitleName, type Share } from './rules/transfer.ts'

export type OwnedCounts = { readonly batches: number; readonly titles: number; readonly shares: number }

/** Counts what an administrator owns, and how many titles are shared with them. */
export async function countOwned(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  admin_id: string,
): Promise<OwnedCounts> {
  const count = (table: 'batch' | 'title' | 'title_share', column: 'owner_id' | 'admin_id') =>
    sql<number>`(select count(*) from ${sql.table(table)} where company_id = ${company_id} and ${sql.ref(column)} = ${admin_id})`
  return db
    .selectNoFrom([
      count('batch', 'owner_id').as('batches'),
      count('title', 'owner_id').as('titles'),
      count('title_share', 'admin_id').as('shares'),
    ])
    .executeTakeFirstOrThrow()
}

export async function listOwnedBatchIds(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  admin_id: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('batch')
    .select('id')
    .where('company_id', '=', company_id)
    .where('owner_id', '=', admin_id)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Transfers everything from `from` to `to` within the caller's transaction, which has locked the rows of both
 * administrators. The batches are locked first, so that a concurrent change or send comes before or after and no title
 * is assigned in between. Batches that are scheduled or being sent continue; the sender looks up the owner when needed.
 */
export async function transferOwnership(
  tx: CompanyVaultTx,
  transfer: { from: string; to: string; from_name: string },
): Promise<OwnedCounts> {
  const { db, company_id } = tx
  const { from, to } = transfer
  await sql`select from batch where company_id = ${company_id} and (owner_id = ${from} or title_id in (
    select id from title where company_id = ${company_id} and owner_id = ${from})) order by id for no key update`.execute(db)
  await sql`select from title where company_id = ${company_id} and owner_id in (${from}, ${to}) order by id for update`.execute(
    db,
  )
  const { shares } = await countOwned(tx, from)
  await transferShares(tx, transfer)
  const titles = await transferTitles(tx, transfer)
  const batches = await db
    .updateTable('batch')
    .set({ owner_id: to })
    .where('company_id', '=', company_id)
    .where('owner_id', '=', from)
    .executeTakeFirst()
  await transferTemplates(tx, transfer)
  // The wizard position of the previous owner is of no use to others; the draft is in the list.
  await db.deleteFrom('wizard').where('company_id', '=', company_id).where('admin_id', '=', from).execute()
  return { batches: Number(batches.numUpdatedRows), titles, shares }
}

/** Templates go with the pay runs. For the same header the new owner's is kept, and names they have used stay theirs. */
async function transferTemplates({ db, company_id }: CompanyVaultTx, { from, to }: { from: string; to: string }): Promise<void> {
  await sql`update template as given set owner_id = ${to}, name = case when exists (
      select from template as own where own.company_id = ${company_id} and own.owner_id = ${to} and own.name_index = given.name_index)
      then null else given.name end, name_index = case when exists (
      select from template as own where own.company_id = ${company_id} and own.owner_id = ${to} and own.name_index = given.name_index)
      then null else given.name_index end
    where given.company_id = ${company_id} and given.owner_id = ${from} and not exists (
      select from template as own where own.company_id = ${company_id} and own.owner_id = ${to}
        and own.fingerprint = given.fingerprint)`.execute(db)
}

/** Shares with `from` become shares with `to`; the stronger right is kept, and a title is not shared with its owner. */
async function transferShares({ db, company_id }: CompanyVaultTx, { from, to }: { from: string; to: string }): Promise<void> {
  await sql`delete from title_share using title
    where title_share.company_id = ${company_id} and title.company_id = ${company_id} and title.id = title_share.title_id
      and title_share.admin_id in (${from}, ${to}) and title.owner_id in (${from}, ${to})`.execute(db)
  await sql`update title_share as has set rights = 'manage' from title_share as gets
    where has.company_id = ${company_id} and has.admin_id = ${to} and gets.company_id = ${company_id} and gets.admin_id = ${from}
      and gets.title_id = has.title_id and gets.rights = 'manage'`.execute(db)
  await sql`delete from title_share as gets using title_share as has
    where gets.company_id = ${company_id} and gets.admin_id = ${from} and has.company_id = ${company_id} and has.admin_id = ${to}
      and gets.title_id = has.title_id`.execute(db)
  await db
    .updateTable('title_share')
    .set({ admin_id: to })
    .where('company_id', '=', company_id)
    .where('admin_id', '=', from)
    .execute()
}

type TitleRow = { id: string; owner_id: string; month: string; kind: TitleKind; shares: Share[] }
type NamedTitle = TitleRow & { name: string }

async function transferTitles(
  { db, company_id, vault }: CompanyVaultTx,
  { from, to, from_name }: { from: string; to: string; from_name: string },
): Promise<number> {
  const { rows: sealed } = await sql<TitleRow & { name: Buffer }>`
    select title.id, owner_id, name, month, kind, coalesce((
      select json_agg(json_build_object('admin_id', title_share.admin_id, 'rights', title_share.rights)) from title_share
      where title_share.company_id = ${company_id} and title_share.title_id = title.id), '[]') as shares
    from title where title.company_id = ${company_id} and owner_id in (${from}, ${to}) order by id`.execute(db)
  const rows: NamedTitle[] = sealed.map((row) => ({ ...row, name: openTitle(vault, row.id, row.name) ?? '' }))
  const [incoming, existing] = [rows.filter((row) => row.owner_id === from), rows.filter((row) => row.owner_id === to)]
  // A new name must be unused on both sides, because the previous owner's titles are still being moved.
  const getUsedNames = (month: string) => new Set(rows.filter((row) => row.month === month).map((row) => row.name))
  const isSameTitle = (one: NamedTitle, other: NamedTitle) => one.name === other.name && one.month === other.month
  for (const title of incoming) {
    const sameTitle = existing.find((other) => isSameTitle(other, title))
    if (!sameTitle) continue
    if (canMergeTitles(title, sameTitle)) {
      await db
        .updateTable('batch')
        .set({ title_id: sameTitle.id })
        .where('company_id', '=', company_id)
        .where('title_id', '=', title.id)
        .execute()
      await db.deleteFrom('title').where('company_id', '=', company_id).where('id', '=', title.id).execute()
      continue
    }
    title.name = getFreeTitleName(title.name, from_name, getUsedNames(title.month))
    await db
      .updateTable('title')
      .set(sealTitle(vault, title))
      .where('company_id', '=', company_id)
      .where('id', '=', title.id)
      .execute()
  }
  await db.updateTable('title').set({ owner_id: to }).where('company_id', '=', company_id).where('owner_id', '=', from).execute()
  return incoming.length
}
