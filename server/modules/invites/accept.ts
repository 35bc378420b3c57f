/**
 * Joining by invite. The user first proves their phone with a code; only then do they learn whether the invite is
 * theirs. An invite that is expired, used, replaced, for another phone, for a terminated member or of another company
 * gets one and the same error.
 */

import * as contract from '../../contract/invites/invite.ts'
import { maskMobile, sanitizeName } from '../../contract/shared/schemas.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { AppError, defineHandler, fail, invalidInput } from '../../http/handler.ts'
import { countAttempt, isFirstInWindow } from '../../http/limits/attempts.ts'
import { attemptLimits, notificationIntervals } from '../../http/limits/config.ts'
import { toPeerAddress } from '../../http/limits/rate-limits.ts'
import { listAdminIdsWithPowers } from '../access/index.ts'
import {
  assertPasswordStrong,
  completeSignIn,
  consumeCode,
  findAccountByPhone,
  getBrowserHash,
  listAvailableCompanies,
  resolvePhoneOwner,
  setInitialPassword,
} from '../auth/index.ts'
import { linkMember } from '../directory/index.ts'
import { memberView } from '../directory/read-model.ts'
import { notify } from '../notifications/index.ts'
import { findValidInvite, type ValidInvite } from './codes.ts'
import { saveJoinRequest } from './join-requests.ts'

const createInviteInvalidError = () => fail('not_found', '邀请无效或已过期，请联系企业管理员重新邀请')

/**
 * A whole office may come from one address within an hour. A code of 128 bits cannot be guessed; this limit prevents
 * attempts.
 */
const countPeerAttempt = (database: Database, address: string, now: Date) =>
  countAttempt(database, `invite-peer|${toPeerAddress(address)}`, { ...attemptLimits.inviteByAddress, now })

export const getInvite = defineHandler(
  contract.getInvite,
  { kind: 'external' },
  async ({ database, address, now, secrets }, { code }) => {
    await countPeerAttempt(database, address, now)
    const invite = await findValidInvite(database, secrets, code, now)
    if (!invite) throw createInviteInvalidError()
    await markOpened(database, invite, now)
    return { corp_name: invite.corp_name, phone_masked: invite.mobile === null ? null : maskMobile(invite.mobile) }
  },
)

/** Records when the invite's page first requests it; the join code is shared by everybody and has no such time. */
async function markOpened(database: Database, { company_id, invite_id }: ValidInvite, now: Date): Promise<void> {
  if (!invite_id) return
  await database.inCompany(company_id, (tx) =>
    tx
      .updateTable('invite')
      .set({ opened_at: now })
      .where('company_id', '=', company_id)
      .where('id', '=', invite_id)
      .where('opened_at', 'is', null)
      .execute(),
  )
}

export const acceptInvite = defineHandler(
  contract.acceptInvite,
  { kind: 'external' },
  async (ctx, { code, phone, verify_code, sms, password, next_holder, name = '' }) => {
    const { database, address, now, secrets } = ctx
    await countPeerAttempt(database, address, now)
    const invite = await findValidInvite(database, secrets, code, now)
    if (!invite) throw createInviteInvalidError()
    if (password) assertPasswordStrong(password, password, 'password', { mobile: phone, company: invite.corp_name })
    const proof = { sms, phone, code: verify_code, purposes: ['invite'] as const, browser: getBrowserHash(ctx), now }
    // The code is not consumed: a user who proved their phone and still has to choose a password or state their name
    // submits it again.
    await consumeInviteCode(ctx, secrets, { ...proof, keep: true })

    if (invite.mobile !== null && invite.mobile !== phone) throw createInviteInvalidError()
    const member = await findInvitedMember(database, invite, phone)
    if (!member) {
      if (invite.member_id) throw createInviteInvalidError()
      if (name === '') throw invalidInput('name', '请填写姓名，以便管理员核对')
      if (!/\p{L}/u.test(sanitizeName(name, 30))) throw invalidInput('name', '姓名不能只有符号或网址，请填写真实姓名')
      await consumeInviteCode(ctx, secrets, proof)
      await notifyJoinRequest(database, secrets, invite, { name, phone, now })
      return { token: null, corps: [], corp_id: null, factor_token: null, waiting: true }
    }
    const existing = await findAccountByPhone(database, phone)
    // This also applies when the user is linked to another row of this roster, because nobody is two members of one
    // company.
    if (member.account_id || (existing && (await belongsToCompany(database, existing.id, invite, now))))
      throw fail('wrong_state', '您已经加入，请直接登录', { status: 'joined' })
    if (!password && (!existing?.password_hash || next_holder)) throw invalidInput('password', '请设置登录密码')
    const account = await resolvePhoneOwner(ctx, phone, { password, isNewOwner: next_holder, name: name || undefined })
    if (!password && !account.password_hash) throw invalidInput('password', '请设置登录密码')
    await consumeInviteCode(ctx, secrets, proof)

    const joined = await database.inCompany(invite.company_id, async (tx) => {
      if (invite.invite_id && !(await consumeInvite(tx, invite, now))) return false
      return linkMember({ db: tx, company_id: invite.company_id }, member.id, account)
    })
    if (!joined) throw createInviteInvalidError()
    // A password is set only for an account without one; an existing one was verified (`resolvePhoneOwner`) and stays.
    if (password) await setInitialPassword(database, account.id, password)
    return { ...(await completeSignIn(ctx, account, { provenBy: 'credentials' })), waiting: false }
  },
)

/** In this call, the field of the code has a different name. */
async function consumeInviteCode(
  { database }: { database: Database },
  secrets: Secrets,
  proof: Parameters<typeof consumeCode>[2],
): Promise<void> {
  try {
    await consumeCode(database, secrets, proof)
  } catch (error) {
    if (error instanceof AppError && error.error === 'wrong_code')
      throw fail('wrong_code', error.message, { field: 'verify_code' })
    throw error
  }
}

/** Finds the roster member with this phone; for a personal invite only the member it was made for. */
function findInvitedMember(database: Database, { company_id, member_id }: ValidInvite, mobile: string) {
  return database.inCompany(company_id, (tx) =>
    tx
      .selectFrom(memberView)
      .select(['id', 'account_id'])
      .where('company_id', '=', company_id)
      .where('mobile', '=', mobile)
      .where('status', '<>', 'left')
      .$if(member_id !== null, (query) => query.where('id', '=', member_id ?? ''))
      .executeTakeFirst(),
  )
}

const belongsToCompany = async (
  database: Database,
  account_id: string,
  { company_id }: ValidInvite,
  now: Date,
): Promise<boolean> =>
  (await listAvailableCompanies(database, account_id, now)).some((corp) => corp.corp_id === company_id && !corp.left)

/** Of several concurrent attempts only one finds the invite unused. */
async function consumeInvite(tx: Tx, { company_id, invite_id }: ValidInvite, now: Date): Promise<boolean> {
  const used = await tx
    .updateTable('invite')
    .set({ used_at: now, code: null })
    .where('company_id', '=', company_id)
    .where('id', '=', invite_id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

/**
 * Notifies the roster's administrators of a join request from a user on no roster. A photo of the QR code that spreads
 * must not flood them, so there is one notification per phone and day, and twenty per company. The response is the
 * same.
 */
async function notifyJoinRequest(
  database: Database,
  secrets: Secrets,
  { company_id }: ValidInvite,
  { name, phone, now }: { name: string; phone: string; now: Date },
): Promise<void> {
  if (!(await isFirstInWindow(database, `join-phone|${company_id}|${phone}`, notificationIntervals.joinRequest, now))) return
  try {
    await countAttempt(database, `join-company|${company_id}`, { ...attemptLimits.joinRequestByCompany, now })
  } catch (error) {
    if (error instanceof AppError) return
    throw error
  }
  const displayName = sanitizeName(name, 30)
  const text = `${displayName}（手机尾号 ${phone.slice(-4)}）想通过二维码加入，请核对本人后在「待办」中同意或拒绝`
  await database.inCompany(company_id, async (tx) => {
    await saveJoinRequest({ db: tx, company_id, now }, { name: displayName, mobile: phone })
    const rosterAdmins = await listAdminIdsWithPowers({ db: tx, company_id }, ['2', '3', '4'])
    const vault = await secrets.vault(tx, company_id)
    for (const id of rosterAdmins) await notify({ db: tx, company_id, now, vault }, id, { kind: 'join', text, batch_id: null })
  })
}
