/** The company's mailbox. Its password is stored encrypted and decrypted only when messages are sent. */
import { timingSafeEqual } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { CarrierSender, InboxCursor, MailboxConfig, MailServerConfig, ReadInbox } from '../../../platform/carrier.ts'
import type { SealPosition, Secrets, Vault } from '../../crypto/secrets.ts'
import type { CompanyVaultTimeTx } from '../../database/company-tx.ts'
import type { Database } from '../../database/database.ts'
import { invalidInput } from '../../http/handler.ts'
import { type ChannelSender, createChannelSender } from '../../outbox/index.ts'

const getPasswordPosition = (company_id: string): SealPosition => ({ table: 'company_mail', row: company_id, column: 'password' })

/** The inbox for bounces; user and password are those of the mailbox. */
type InboxServer = Pick<MailboxConfig, 'host' | 'port' | 'security'>
type StoredMailbox = Omit<MailboxConfig, 'password' | 'getMark'> & { readonly inbox: InboxServer | null }
export type MailboxStatus = StoredMailbox & {
  readonly tested_at: Date | null
  readonly inbox_at: Date | null
  readonly inbox_error: string | null
}

type InboxColumns = {
  inbox_host: string | null
  inbox_port: number | null
  inbox_security: InboxServer['security'] | null
}
const toInboxServer = ({ inbox_host: host, inbox_port: port, inbox_security: security }: InboxColumns): InboxServer | null =>
  host && port && security ? { host, port, security } : null
/** Creates the mark that proves a message came from this company: it cannot be forged without having received one. */
const createBounceMark =
  (vault: Vault) =>
  (id: string): string =>
    vault.blindIndex('bounce', id).subarray(0, 16).toString('hex')

/** SQL condition: whether the company has a tested mailbox for payslip notifications. */
export const hasMailbox = (company_id: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from company_mail where company_mail.company_id = ${company_id} and company_mail.tested_at is not null)`

/** Runs `hasMailbox` as a separate query. */
export const isMailboxTested = async ({ db, company_id }: Pick<CompanyVaultTimeTx, 'db' | 'company_id'>): Promise<boolean> =>
  (await sql<{ tested: boolean }>`select ${hasMailbox(company_id)} as tested`.execute(db)).rows[0]?.tested === true

/** Returns the stored settings without the password. */
export async function loadMailbox({
  db,
  company_id,
}: Pick<CompanyVaultTimeTx, 'db' | 'company_id'>): Promise<MailboxStatus | null> {
  const row = await db
    .selectFrom('company_mail')
    .select(['host', 'port', 'security', 'username', 'sender_address', 'sender_name', 'tested_at'])
    .select(['inbox_host', 'inbox_port', 'inbox_security', 'inbox_at', 'inbox_error'])
    .where('company_id', '=', company_id)
    .executeTakeFirst()
  if (!row) return null
  const { host, port, security, username: user, sender_address: from, sender_name: sender } = row
  const { tested_at, inbox_at, inbox_error: inboxError } = row
  return { host, port, security, user, from, sender, tested_at, inbox: toInboxServer(row), inbox_at, inbox_error: inboxError }
}

type MailServerAddress = Pick<MailServerConfig, 'host' | 'port' | 'security'>
const isSameServer = (one: MailServerAddress, other: MailServerAddress): boolean =>
  one.host === other.host && one.port === other.port && one.security === other.security

/**
 * Whether the stored password may be used with the new settings: it was given for this user at these servers. Otherwise
 * whoever may change the settings could have it sent to a server of their own.
 */
const belongsTo = (stored: StoredMailbox, to: StoredMailbox): boolean =>
  stored.user === to.user &&
  isSameServer(stored, to) &&
  (to.inbox === null || (stored.inbox !== null && isSameServer(stored.inbox, to.inbox)))

/**
 * Without a password the stored one stays, if user and servers stay the same. Saving resets the test, because the tested
 * settings may differ. Returns whether the account or its password changed.
 */
export async function saveMailboxSettings(
  ctx: CompanyVaultTimeTx,
  { password, ...to }: StoredMailbox & { readonly password?: string | undefined },
): Promise<boolean> {
  const { db, company_id, now, vault } = ctx
  const { host, port, security, user, from, sender, inbox } = to
  const columns = {
    host,
    port,
    security,
    username: user,
    sender_address: from,
    sender_name: sender,
    tested_at: null,
    inbox_host: inbox?.host ?? null,
    inbox_port: inbox?.port ?? null,
    inbox_security: inbox?.security ?? null,
    inbox_validity: null,
    inbox_uid: null,
    inbox_at: null,
    inbox_error: null,
    updated_at: now,
  }
  if (password !== undefined) {
    const sealed = { ...columns, password: vault.seal(getPasswordPosition(company_id), password) }
    await db
      .insertInto('company_mail')
      .values({ company_id, ...sealed })
      .onConflict((conflict) => conflict.column('company_id').doUpdateSet(sealed))
      .execute()
    return true
  }
  // Locked, so that nobody changes the servers between the comparison and the update.
  await db.selectFrom('company_mail').select('company_id').where('company_id', '=', company_id).forUpdate().execute()
  const stored = await loadMailbox(ctx)
  if (!stored) throw invalidInput('password', '请填写邮箱的密码或授权码')
  if (!belongsTo(stored, to)) throw invalidInput('password', '更换服务器或登录账号，需要重新填写密码或授权码')
  await db.updateTable('company_mail').set(columns).where('company_id', '=', company_id).execute()
  return false
}

export const removeMailbox = ({ db, company_id }: Pick<CompanyVaultTimeTx, 'db' | 'company_id'>) =>
  db.deleteFrom('company_mail').where('company_id', '=', company_id).execute()

/** Marks the settings as of that time as tested; settings changed since then must be tested again. */
export const setMailboxTested = ({ db, company_id, now }: Omit<CompanyVaultTimeTx, 'vault'>, as_of: Date) =>
  db
    .updateTable('company_mail')
    .set({ tested_at: now })
    .where('company_id', '=', company_id)
    .where('updated_at', '=', as_of)
    .execute()

/** How mailboxes are opened, and whether they may be in the private network. */
export type MailConnections = {
  readonly openMail: (app: MailboxConfig) => CarrierSender
  /** Omitted where bounces are not checked. */
  readonly readInbox?: ReadInbox
  readonly allowPrivateHosts: boolean
}
type MailSenderDeps = { readonly database: Database; readonly secrets: Secrets } & Pick<MailConnections, 'openMail'>

/** Opens a company's mail sender. `tested`: only if a test message was accepted. */
export async function openMailSender(
  { database, secrets, openMail }: MailSenderDeps,
  company_id: string,
  { tested }: { readonly tested: boolean },
): Promise<{ readonly line: ChannelSender; readonly as_of: Date } | null> {
  return database.inCompany(company_id, async (tx) => {
    const row = await tx
      .selectFrom('company_mail')
      .selectAll()
      .where('company_id', '=', company_id)
      .$if(tested, (query) => query.where('tested_at', 'is not', null))
      .executeTakeFirst()
    if (!row) return null
    const vault = await secrets.vault(tx, company_id)
    const password = vault.open<string>(getPasswordPosition(company_id), row.password)
    const { host, port, security, username: user, sender_address: from, sender_name: sender, updated_at: as_of } = row
    return {
      line: createChannelSender(
        openMail({ host, port, security, user, password, from, sender, getMark: createBounceMark(vault) }),
      ),
      as_of,
    }
  })
}

// Bounces

/** The bounce inbox, how far it has been read, and the check whether a mark is this company's. */
type BounceInbox = {
  readonly app: MailServerConfig
  readonly from: InboxCursor | null
  readonly as_of: Date
  readonly mailed_at: Date | null
  readonly isOwnMark: (id: string, mark: string) => boolean
}

export async function getBounceInbox({ db, company_id, vault }: Omit<CompanyVaultTimeTx, 'now'>): Promise<BounceInbox | null> {
  const row = await db.selectFrom('company_mail').selectAll().where('company_id', '=', company_id).executeTakeFirst()
  const inbox = row && toInboxServer(row)
  if (!inbox) return null
  const { username: user, inbox_validity: validity, inbox_uid: uid, updated_at: as_of, mailed_at } = row
  const createMark = createBounceMark(vault)
  return {
    app: { ...inbox, user, password: vault.open<string>(getPasswordPosition(company_id), row.password) },
    from: validity !== null && uid !== null ? { validity, uid } : null,
    as_of,
    mailed_at,
    isOwnMark: (id, mark) => timingSafeEqual(Buffer.from(createMark(id)), Buffer.from(mark)),
  }
}

/** Saves how far the inbox has been read, or why reading failed; ignored if the settings changed meanwhile. */
export const saveInboxProgress = (
  { db, company_id, now }: Omit<CompanyVaultTimeTx, 'vault'>,
  as_of: Date,
  result: { readonly cursor: InboxCursor } | { readonly error: string },
) =>
  db
    .updateTable('company_mail')
    .set({
      inbox_at: now,
      ...('cursor' in result
        ? { inbox_error: null, inbox_validity: result.cursor.validity, inbox_uid: result.cursor.uid }
        : { inbox_error: result.error }),
    })
    .where('company_id', '=', company_id)
    .where('updated_at', '=', as_of)
    .execute()

/** Records that mail was sent, which may bounce; returns whether bounces are checked. */
export async function setLastMailedAt({ db, company_id, now }: Omit<CompanyVaultTimeTx, 'vault'>): Promise<boolean> {
  const done = await db
    .updateTable('company_mail')
    .set({ mailed_at: now })
    .where('company_id', '=', company_id)
    .where('inbox_host', 'is not', null)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}
