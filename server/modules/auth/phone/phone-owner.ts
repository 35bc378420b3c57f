/** The account that has a phone: found by password, created, and told apart from that of the phone's next owner. */

import { sql } from 'kysely'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database, Tx } from '../../../database/database.ts'
import { type ExternalContext, fail } from '../../../http/handler.ts'
import { clearAttempts, countAttempt, refundAttempts } from '../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../http/limits/config.ts'
import { toPeerAddress } from '../../../http/limits/rate-limits.ts'
import type { JobQueue } from '../../../jobs/queue.ts'
import { numberReuseDelayMs } from '../../../rules/phone.ts'
import type { Clock } from '../../../shared/clock.ts'
import { deriveId, newId } from '../../../shared/ids.ts'
import { listSystemAdminIds } from '../../access/index.ts'
import { type FormerMember, findUnclaimedFormerMembers, listMembersByPhone, unlinkPhone } from '../../directory/index.ts'
import { notify } from '../../notifications/index.ts'
import { isPasswordCorrect } from '../password/passwords.ts'
import { getBrowserHash } from '../sign-in/browser.ts'
import { listAvailableCompanies } from '../sign-in/complete-sign-in.ts'
import { endOtherSessions } from '../sign-in/epoch.ts'
import { decidePhoneOwner } from './decide-phone-owner.ts'

export type Account = {
  readonly id: string
  readonly epoch: number
  readonly mobile: string
  readonly password_hash: string | null
  /** False: an operator named this phone, and no code has proven it yet. */
  readonly phone_proven: boolean
}
type AccountRow = Account & {
  readonly generation: number
  readonly verified_at: Date | null
  readonly created_at: Date
  readonly signed_in_at: Date | null
}

/**
 * Returns the account of this phone if the password is correct; null both for an unknown phone and for a wrong
 * password, which are indistinguishable. All attempts are counted before anything is hashed: a flood of guesses costs
 * rows, not CPU; a right password is taken back, so that colleagues behind one address do not use up its limit. A browser in which the owner has signed in before has a budget of its own, so that guesses from
 * elsewhere cannot lock the owner out.
 */
export async function authenticateByPassword(ctx: ExternalContext, { phone, password }: { phone: string; password: string }) {
  const { database, now } = ctx
  const peerKey = `login-peer|${toPeerAddress(ctx.address)}`
  await countAttempt(database, peerKey, { ...attemptLimits.passwordByAddress, now })
  const account = await database.withoutCompany((tx) =>
    tx
      .selectFrom('account')
      .leftJoin('device', (join) =>
        join.onRef('device.account_id', '=', 'account.id').on('device.secret_hash', '=', getBrowserHash(ctx) ?? Buffer.alloc(0)),
      )
      .select(['account.id', 'epoch', 'password_hash', 'device.id as device_id'])
      .where('mobile', '=', phone)
      .executeTakeFirst(),
  )
  const key = account?.device_id ? `login-device|${account.device_id}` : `login|${phone}`
  await countAttempt(database, key, { ...attemptLimits.password, now })
  await countAttempt(database, `${key}|day`, { ...attemptLimits.passwordPerDay, now })
  const isRight = await isPasswordCorrect(account?.password_hash ?? null, password)
  if (!isRight || !account) return null
  await clearAttempts(database, key)
  await refundAttempts(database, [peerKey, `${key}|day`], now)
  return { id: account.id, epoch: account.epoch }
}

export async function selectAccountByPhone(tx: Tx, mobile: string): Promise<AccountRow | null> {
  const row = await tx
    .selectFrom('account')
    .select(['id', 'epoch', 'password_hash', 'phone_proven', 'generation', 'verified_at', 'created_at', 'signed_in_at'])
    .where('mobile', '=', mobile)
    .executeTakeFirst()
  return row ? { ...row, mobile } : null
}

/** Returns the account that has this phone; null where nobody has signed in with it or its previous owner has another. */
export const findAccountByPhone = (database: Database, mobile: string): Promise<Account | null> =>
  database.withoutCompany((tx) => selectAccountByPhone(tx, mobile))

/** Creates the account if there is none. Previous owners of the phone count towards its generation. */
export async function createAccount(
  tx: Tx,
  mobile: string,
  now: Date,
  { phoneProven }: { readonly phoneProven: boolean } = { phoneProven: true },
): Promise<AccountRow> {
  const { last } = await tx
    .selectFrom('account')
    .select(sql<number>`coalesce(max(generation), 0)`.as('last'))
    .where('former_mobile', '=', mobile)
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('account')
    .values({ id: newId(), mobile, generation: Number(last) + 1, phone_proven: phoneProven, created_at: now })
    .onConflict((conflict) => conflict.column('mobile').doNothing())
    .execute()
  const row = await selectAccountByPhone(tx, mobile)
  if (!row) throw new TypeError('an account that was just made is gone')
  return row
}

export type PhoneOwnerProof = {
  /** A password submitted with the code: the account's own, or one just chosen. */
  readonly password?: string | undefined
  /** The user states that the account belongs to somebody else. */
  readonly isNewOwner?: boolean | undefined
  /** The user is resetting the password and therefore cannot provide it. */
  readonly resetsPassword?: boolean
  /** The name that the user stated. */
  readonly name?: string | undefined
  /** The company's chat platform vouches for the user's identity. */
  readonly isVouchedByPlatform?: boolean
}
const ownerNameMessage = '这个手机号很久没有登录了，可能已换人使用。请填写您在公司花名册上的姓名'
const cannotResetMessage = '这个手机号登记过账号，可能已换人使用，不能凭短信重设它的密码。记得原来的密码，请直接登录'
const noPasswordMessage = '这个手机号登记过账号，可能已换人使用；它没有设过密码，无法确认就是您的'

/**
 * Returns the account of the user who has just proven this phone by a code: the existing one, or a new one for the next
 * owner. Throws `other_holder` where only the user can tell which of the two applies. The caller links roster members
 * to the result.
 */
export async function resolvePhoneOwner(ctx: ExternalContext, mobile: string, proof: PhoneOwnerProof = {}): Promise<Account> {
  const { database, now } = ctx
  const account = await database.withoutCompany((tx) => selectAccountByPhone(tx, mobile))
  if (!account) return database.withoutCompany((tx) => createAccount(tx, mobile, now))
  const password = account.password_hash ? proof.password : undefined
  const passwordProven = password ? (await authenticateByPassword(ctx, { phone: mobile, password })) !== null : false
  const evidence = await loadRosterEvidence(ctx, account)
  const dormant = !proof.isVouchedByPlatform && (await isDormant(ctx, account))
  const isNamedOnly = !account.phone_proven && account.password_hash !== null
  let decision = decidePhoneOwner({ ...evidence, dormant, passwordProven, isNamedOnly })
  // A submitted password is never ignored: either it is the account's, or the account belongs to somebody else.
  if (password && !passwordProven && decision === 'same' && evidence.hasAccess) decision = 'ask'
  if ((decision === 'ask' || decision === 'silent') && proof.isNewOwner) decision = 'next'
  // The password field is named only if there is a password to verify: for an account without one the only question is
  // whether the phone has a new owner.
  if (decision === 'ask' && account.password_hash && !proof.resetsPassword)
    throw fail('other_holder', undefined, { field: 'password' })
  if (decision === 'ask') throw fail('other_holder', proof.resetsPassword ? cannotResetMessage : noPasswordMessage)
  if (decision === 'next') return transferPhone(ctx, account)
  if (decision === 'silent') await assertOwnerIdentity(ctx, account, evidence, proof)
  if (passwordProven || !account.phone_proven)
    await database.withoutCompany((tx) =>
      tx
        .updateTable('account')
        .set({ phone_proven: true, ...(passwordProven && { verified_at: now }) })
        .where('id', '=', account.id)
        .execute(),
    )
  return account
}

/** Whether nobody has signed in for a long time; a known browser of the owner counts as evidence against it. */
async function isDormant(ctx: ExternalContext, { id, signed_in_at }: AccountRow): Promise<boolean> {
  if (!signed_in_at || ctx.now.getTime() - signed_in_at.getTime() < numberReuseDelayMs) return false
  const existingDevice = await ctx.database.withoutCompany((tx) =>
    tx
      .selectFrom('device')
      .select('id')
      .where('account_id', '=', id)
      .where('secret_hash', '=', getBrowserHash(ctx) ?? Buffer.alloc(0))
      .executeTakeFirst(),
  )
  return !existingDevice
}

/**
 * Finds members terminated from this phone's rosters who never signed in and were sent a payslip since. The user has to
 * state their name, because the number may have been the company's. Returns none if the user states that they are
 * somebody else.
 */
export async function findTerminatedMembers(
  ctx: ExternalContext,
  account: Account & { readonly mobile: string },
  proof: PhoneOwnerProof,
): Promise<FormerMember[]> {
  const candidates = proof.isNewOwner ? [] : await findUnclaimedFormerMembers(ctx.database, account, ctx.now)
  if (candidates.length === 0) return []
  const field = 'holder_name'
  if (!proof.name)
    throw fail('other_holder', '有一张离职前公司的工资条发给了这个手机号。请填写您在那家公司花名册上的姓名', { field })
  await countAttempt(ctx.database, `holder-name|${account.id}`, { ...attemptLimits.ownerName, now: ctx.now })
  const nameInput = normalizeName(proof.name)
  const matches = candidates.filter(({ name }) => normalizeName(name) === nameInput)
  if (matches.length === 0) throw fail('other_holder', '姓名与公司花名册上的不一致，请重新填写', { field })
  return matches
}

/**
 * The password is required where there is one, and the name where there is none or where it was forgotten. For an
 * administrator, a name does not replace the password.
 */
async function assertOwnerIdentity(
  ctx: ExternalContext,
  account: AccountRow,
  evidence: Pick<RosterEvidence, 'names' | 'formerNames' | 'heads'>,
  proof: PhoneOwnerProof,
): Promise<void> {
  const { id, password_hash } = account
  if (password_hash && !proof.resetsPassword) throw fail('other_holder', undefined, { field: 'password' })
  if (password_hash && evidence.heads) throw fail('other_holder', cannotResetMessage)
  const field = 'holder_name'
  if (!proof.name) throw fail('other_holder', ownerNameMessage, { field })
  await countAttempt(ctx.database, `holder-name|${id}`, { ...attemptLimits.ownerName, now: ctx.now })
  const nameInput = normalizeName(proof.name)
  if (![...evidence.names, ...evidence.formerNames].some((name) => normalizeName(name) === nameInput))
    throw fail('other_holder', '姓名与公司花名册上的不一致，请重新填写', { field })
}
const normalizeName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/[\s·•.]/g, '')
    .toLowerCase()

/**
 * Whether this is the password of an account, including one whose phone has a new owner. Without an account, the
 * comparison takes as long. The caller counts the attempt.
 */
export async function verifyAccountPassword(database: Database, account_id: string | null, password: string): Promise<boolean> {
  return (await checkPassword(database, account_id, password)) === 'right'
}

/** Compares a password with an account's; `none`: the account has no password. */
export async function checkPassword(
  database: Database,
  account_id: string | null,
  password: string,
): Promise<'right' | 'wrong' | 'none'> {
  const account = await database.withoutCompany((tx) =>
    tx.selectFrom('account').select('password_hash').where('id', '=', account_id).executeTakeFirst(),
  )
  const hash = account?.password_hash ?? null
  // The check takes as long for an account without a password.
  const isRight = await isPasswordCorrect(hash, password)
  return hash === null ? 'none' : isRight ? 'right' : 'wrong'
}

/** Whether a signed-in user has set a password; undefined if the account does not exist. */
export const hasPassword = async (db: Tx, account_id: string): Promise<boolean | undefined> =>
  (
    await db
      .selectFrom('account')
      .select(sql<boolean>`password_hash is not null`.as('has'))
      .where('id', '=', account_id)
      .executeTakeFirst()
  )?.has

type RosterEvidence = Awaited<ReturnType<typeof loadRosterEvidence>>
/** Loads what the rosters contain about this account and its phone. Called only after the phone was proven. */
async function loadRosterEvidence({ database, now }: Pick<ExternalContext, 'database' | 'now'>, account: AccountRow) {
  const { id, mobile } = account
  const since = account.verified_at ?? account.created_at
  // Sequentially: if members were read before a concurrent link and companies after it, the evidence would show an
  // owner who is not the pending member.
  const corps = await listAvailableCompanies(database, id, now)
  const rows = await listMembersByPhone(database, { account_id: id, mobile })
  const ownMembers = rows.filter((row) => row.account_id === id && row.status !== 'left')
  const ownCompanyIds = new Set(ownMembers.map((row) => row.company_id))
  const pendingMembers = rows.filter(
    (row) =>
      row.account_id === null &&
      row.status !== 'left' &&
      // A user is never two members of one company, and rows left by another owner stay pending for that owner.
      !ownCompanyIds.has(row.company_id) &&
      !(row.unconfirmed_at && row.former_mobile === mobile),
  )
  return {
    names: ownMembers.map((row) => row.name),
    hasAccess: corps.some((corp) => !corp.left),
    hasTerminatedAccess: corps.some((corp) => corp.left),
    formerNames: rows
      .filter((row) => row.former_account === id && row.status === 'left' && !row.unconfirmed_at)
      .map((row) => row.name),
    heads: corps.some((corp) => corp.as.includes('admin')),
    pendingNames: pendingMembers.map((row) => row.name),
    isUnused: corps.length === 0 && account.signed_in_at === null && account.password_hash === null,
    terminatedSince: rows.some(
      (row) => row.status === 'left' && row.mobile === mobile && row.left_at !== null && row.left_at > since,
    ),
  }
}

type PhoneTransfer = { readonly account_id: string; readonly mobile: string }

/** Transfers the phone to its next owner: a new, empty account. The previous account keeps its data and is signed out. */
async function transferPhone({ database, jobs, now }: ExternalContext, account: AccountRow): Promise<Account> {
  const { id, mobile } = account
  return database.withoutCompany(async (tx) => {
    const released = await tx
      .updateTable('account')
      .set({ mobile: null, former_mobile: mobile, detached_at: now })
      .where('id', '=', id)
      .where('mobile', '=', mobile)
      .executeTakeFirst()
    if (released.numUpdatedRows === 1n) {
      await endOtherSessions(tx, id, 'passed_on')
      const data: PhoneTransfer = { account_id: id, mobile }
      await jobs.send(tx, 'phone_passed_on', { ...data })
    }
    return createAccount(tx, mobile, now)
  })
}

type PhoneTransferDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly clock: Clock
  readonly secrets: Secrets
}

/**
 * In rosters that still name the phone for its former owner, unlinks that row until it is confirmed, and notifies
 * system administrators. The function is idempotent: a row is unlinked once, and the ids of notifications derive from
 * account and company.
 */
export function registerPhoneTransferJob({ database, jobs, clock, secrets }: PhoneTransferDeps): void {
  jobs.register<PhoneTransfer>('phone_passed_on', async ({ account_id, mobile }) => {
    for (const { corp_id: company_id } of await listAvailableCompanies(database, account_id, clock.now()))
      await database.inCompany(company_id, async (tx) => {
        const companyTx = { db: tx, company_id, now: clock.now(), vault: await secrets.vault(tx, company_id) }
        const name = await unlinkPhone(companyTx, { account_id, mobile })
        if (!name) return
        const text = `${name} 登记的手机号（尾号${mobile.slice(-4)}）已换人使用，工资条已暂停发给他；请向本人核实，在「花名册」更新手机号`
        for (const adminId of await listSystemAdminIds(companyTx))
          await notify(companyTx, adminId, {
            id: deriveId('passed_on', account_id, company_id, adminId),
            kind: 'phone',
            text,
            batch_id: null,
          })
      })
  })
}
