/** The company's own mailbox: kept with its password sealed, and opened where messages leave. */
import { type RawBuilder, sql } from 'kysely'
import type { CarrierLine } from '../../../platform/carrier.ts'
import type { MailApp } from '../../../platform/types.ts'
import type { Database, Tx } from '../../runtime/db.ts'
import { refuse } from '../../runtime/handle.ts'
import { type OutsideLine, outsideLine } from '../../runtime/post/index.ts'
import type { Place, Secrets, Vault } from '../../runtime/secrets.ts'

type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date; readonly vault: Vault }

const passwordPlace = (company_id: string): Place => ({ table: 'company_mail', row: company_id, column: 'password' })

export type MailSetting = Omit<MailApp, 'password'> & { readonly tested_at: Date | null }

/** Whether there is one that slips may be announced from. */
export const hasMailbox = (company_id: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from company_mail where company_mail.company_id = ${company_id} and company_mail.tested_at is not null)`

/** The same, asked for by itself. */
export const mailboxTested = async ({ db, company_id }: Pick<Here, 'db' | 'company_id'>): Promise<boolean> =>
  (await sql<{ tested: boolean }>`select ${hasMailbox(company_id)} as tested`.execute(db)).rows[0]?.tested === true

/** What is kept of it, without the password. */
export async function mailOf({ db, company_id }: Pick<Here, 'db' | 'company_id'>): Promise<MailSetting | null> {
  const row = await db
    .selectFrom('company_mail')
    .select(['host', 'port', 'security', 'username', 'sender_address', 'sender_name', 'tested_at'])
    .where('company_id', '=', company_id)
    .executeTakeFirst()
  if (!row) return null
  const { username: user, sender_address: from, sender_name: sender, ...rest } = row
  return { ...rest, user, from, sender }
}

/** Without a password the one that is kept stays. What was tested is not what is kept any more. */
export async function saveMail(
  { db, company_id, now, vault }: Here,
  { password, user, from, sender, host, port, security }: Omit<MailApp, 'password'> & { readonly password?: string | undefined },
): Promise<void> {
  const columns = {
    host,
    port,
    security,
    username: user,
    sender_address: from,
    sender_name: sender,
    tested_at: null,
    updated_at: now,
  }
  if (password === undefined) {
    const changed = await db.updateTable('company_mail').set(columns).where('company_id', '=', company_id).executeTakeFirst()
    if (changed.numUpdatedRows === 0n) throw refuse('not_found', '请填写邮箱的密码或授权码')
    return
  }
  const sealed = { ...columns, password: vault.seal(passwordPlace(company_id), password) }
  await db
    .insertInto('company_mail')
    .values({ company_id, ...sealed })
    .onConflict((conflict) => conflict.column('company_id').doUpdateSet(sealed))
    .execute()
}

export const forgetMail = ({ db, company_id }: Pick<Here, 'db' | 'company_id'>) =>
  db.deleteFrom('company_mail').where('company_id', '=', company_id).execute()

/** A message was taken by what was kept at that time; what was changed since then has to be tested anew. */
export const markMailTested = ({ db, company_id, now }: Omit<Here, 'vault'>, as_of: Date) =>
  db
    .updateTable('company_mail')
    .set({ tested_at: now })
    .where('company_id', '=', company_id)
    .where('updated_at', '=', as_of)
    .execute()

/** How mailboxes are opened here, and whether one may stand in our own network. */
export type MailDesk = { readonly openMail: (app: MailApp) => CarrierLine; readonly private_hosts: boolean }
type MailParts = { readonly database: Database; readonly secrets: Secrets } & Pick<MailDesk, 'openMail'>

/** A company's way out by mail. `tested`: only one that a test message was taken by. */
export async function mailLine(
  { database, secrets, openMail }: MailParts,
  company_id: string,
  { tested }: { readonly tested: boolean },
): Promise<{ readonly line: OutsideLine; readonly as_of: Date } | null> {
  return database.inCompany(company_id, async (tx) => {
    const row = await tx
      .selectFrom('company_mail')
      .selectAll()
      .where('company_id', '=', company_id)
      .$if(tested, (query) => query.where('tested_at', 'is not', null))
      .executeTakeFirst()
    if (!row) return null
    const vault = await secrets.vault(tx, company_id)
    const password = vault.open<string>(passwordPlace(company_id), row.password)
    const { host, port, security, username: user, sender_address: from, sender_name: sender, updated_at: as_of } = row
    return { line: outsideLine(openMail({ host, port, security, user, password, from, sender })), as_of }
  })
}
