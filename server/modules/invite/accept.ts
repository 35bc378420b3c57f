/**
 * Coming by an invite. Whoever comes proves his phone with a code first; only then does he hear whether the invite is his. An invite that is
 * over, used, replaced, for another phone, for somebody who left, or of another company is refused in one and the same way.
 */
import * as contract from '../../contract/directory/invite.ts'
import { maskMobile, sanitizeName } from '../../contract/shared/schemas.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { AppError, defineExternalHandler, fail, invalidInput } from '../../http/handler.ts'
import { countAttempt, isFirstInWindow, toPeerAddress } from '../../http/limits/rate-limits.ts'
import {
  assertPasswordStrong,
  completeSignIn,
  consumeCode,
  findAccountByPhone,
  getBrowserHash,
  listAvailableCompanies,
  resolvePhoneOwner,
  setInitialPassword,
} from '../account/index.ts'
import { notify } from '../desk/index.ts'
import { linkMember } from '../member/index.ts'
import { listAdminIdsWithPowers } from '../role/index.ts'
import { findValidInvite, type ValidInvite } from './codes.ts'
import { saveJoinRequest } from './join-requests.ts'

const hour = 3600
const day = 86_400
const createInviteInvalidError = () => fail('not_found', '邀请无效或已过期，请联系企业管理员重新邀请')

/** A whole office may come from one address in an hour. Whoever guesses codes has 128 bits before him; this keeps him from trying. */
const countPeerAttempt = (database: Database, address: string, now: Date) =>
  countAttempt(database, `invite-peer|${toPeerAddress(address)}`, { max: 600, window_s: hour, now })

export const getInvite = defineExternalHandler(contract.getInvite, async ({ database, address, now, secrets }, { code }) => {
  await countPeerAttempt(database, address, now)
  const invite = await findValidInvite(database, secrets, code, now)
  if (!invite) throw createInviteInvalidError()
  await markOpened(database, invite, now)
  return { corp_name: invite.corp_name, phone_masked: invite.mobile === null ? null : maskMobile(invite.mobile) }
})

/** The first time its page asks for it; the join code is everybody's. */
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

export const acceptInvite = defineExternalHandler(
  contract.acceptInvite,
  async (ctx, { code, phone, verify_code, sms, password, next_holder, name = '' }) => {
    const { database, address, now, secrets } = ctx
    await countPeerAttempt(database, address, now)
    const invite = await findValidInvite(database, secrets, code, now)
    if (!invite) throw createInviteInvalidError()
    if (password) assertPasswordStrong(password, password, 'password', { mobile: phone, company: invite.corp_name })
    const proof = { sms, phone, code: verify_code, purposes: ['invite'] as const, browser: getBrowserHash(ctx), now }
    // Kept: who proved his phone and must still choose a password, or say his name, comes again with the same code.
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
    // Also as another row of this roster: whoever took this phone later is not two people.
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
    // Of an account that has one it was shown (`resolvePhoneOwner`), and stays.
    if (password) await setInitialPassword(database, account.id, password)
    return { ...(await completeSignIn(ctx, account)), waiting: false }
  },
)

/** The field of this call is called otherwise than that of the others. */
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

/** The person of the roster this phone belongs to. By a personal invite only the one it was made for. */
function findInvitedMember(database: Database, { company_id, member_id }: ValidInvite, mobile: string) {
  return database.inCompany(company_id, (tx) =>
    tx
      .selectFrom('member')
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

/** Of several at the same moment only one finds it unused. */
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
 * Somebody who is on no roster asks to be let in: whoever keeps the roster reads of it and decides. A photograph of the picture that goes
 * around must not fill their desks: one notice a phone a day, twenty a company. The answer is the same.
 */
async function notifyJoinRequest(
  database: Database,
  secrets: Secrets,
  { company_id }: ValidInvite,
  { name, phone, now }: { name: string; phone: string; now: Date },
): Promise<void> {
  if (!(await isFirstInWindow(database, `join-phone|${company_id}|${phone}`, day, now))) return
  try {
    await countAttempt(database, `join-company|${company_id}`, { max: 20, window_s: day, now })
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
