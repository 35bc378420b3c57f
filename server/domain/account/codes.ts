/** Codes sent by SMS: six digits for one phone and one purpose, five minutes, five tries, one use. */
import { randomInt, timingSafeEqual } from 'node:crypto'
import * as contract from '../../contract/account.ts'
import type { InputOf } from '../../contract/call.ts'
import type { Database } from '../../runtime/db.ts'
import { handleOutside, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { countTry } from '../../runtime/limits.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { hashOf, newSecret } from '../../runtime/sessions.ts'

export type Purpose = InputOf<typeof contract.getVerifyCode>['type']
const lives_s = 300
const resend_s = 60
const hour = 3600
const day = 86_400

const sealOf = (secrets: Secrets, challenge_id: string, code: string): Buffer => secrets.mac('code', `${challenge_id}|${code}`)

/** Purposes for which nobody but a known person is sent a code; the answer is the same. */
const onlyKnown: readonly Purpose[] = ['login', 'resetpwd', 'view']

/** Whether the phone belongs to an account, or to a person in some company's roster. */
async function isKnown(database: Database, mobile: string): Promise<boolean> {
  return database.asPerson({ mobile }, async (tx) => {
    const account = await tx.selectFrom('account').select('id').where('mobile', '=', mobile).executeTakeFirst()
    if (account) return true
    const member = await tx
      .selectFrom('member')
      .select('id')
      .where('mobile', '=', mobile)
      .where('status', '<>', 'left')
      .limit(1)
      .executeTakeFirst()
    return member !== undefined
  })
}

export const getVerifyCode = (secrets: Secrets) =>
  handleOutside(contract.getVerifyCode, async ({ database, sms, now, address }, { phone, type }) => {
    if (!sms) throw refuse('wrong_state', '还没有配置短信服务，请用密码登录或联系管理员')
    await countTry(database, `sms-ip-hour|${address}`, { max: 60, window_s: hour, now })
    await countTry(database, `sms-ip-day|${address}`, { max: 300, window_s: day, now })
    await mustNotHurry(database, phone, now)
    await countTry(database, `sms-hour|${phone}`, { max: 5, window_s: hour, now })
    await countTry(database, `sms-day|${phone}`, { max: 10, window_s: day, now })

    const id = newId()
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const known = !onlyKnown.includes(type) || (await isKnown(database, phone))
    await database.outside(async (tx) => {
      // A new code ends the older ones of the same phone and purpose.
      await tx
        .updateTable('challenge')
        .set({ used_at: now })
        .where('mobile', '=', phone)
        .where('purpose', '=', type)
        .where('used_at', 'is', null)
        .execute()
      await tx
        .insertInto('challenge')
        .values({
          id,
          mobile: phone,
          purpose: type,
          code_hash: sealOf(secrets, id, code),
          created_at: now,
          expires_at: new Date(now.getTime() + lives_s * 1000),
        })
        .execute()
    })
    // Not waited for: how long the gateway takes would tell whether the phone is known. A code that does not arrive is asked for again.
    if (known) sms.send({ id, mobile: phone, kind: 'code', params: { code } }).catch(() => undefined)
    return { sms: id, expires_in: lives_s, resend_after: resend_s }
  })

async function mustNotHurry(database: Database, mobile: string, now: Date): Promise<void> {
  const last = await database.outside((tx) =>
    tx
      .selectFrom('challenge')
      .select('created_at')
      .where('mobile', '=', mobile)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
  )
  const waited = last ? (now.getTime() - last.created_at.getTime()) / 1000 : resend_s
  if (waited < resend_s) throw refuse('too_often', '验证码刚刚发过，请稍后再获取', { retry_after: Math.ceil(resend_s - waited) })
}

/**
 * Spends a code: throws `wrong_code` unless it is right, unused, in time, and for this phone (and purpose, when given). With `keep` a right
 * one stays good: who proved his phone may be asked for what else is needed, and comes again with the same code.
 */
export async function spendCode(
  database: Database,
  secrets: Secrets,
  asked: { sms: string; phone: string; code: string; purposes: readonly Purpose[]; now: Date; keep?: boolean },
): Promise<Purpose> {
  const purpose = await database.outside(async (tx) => {
    // The counter moves before the code is looked at, so that a hundred parallel tries are still five.
    const row = await tx
      .updateTable('challenge')
      .set((eb) => ({ tries: eb('tries', '+', 1) }))
      .where('id', '=', asked.sms)
      .where('mobile', '=', asked.phone)
      .where('purpose', 'in', asked.purposes)
      .where('used_at', 'is', null)
      .where('expires_at', '>', asked.now)
      .where('tries', '<', 5)
      .returning(['code_hash', 'purpose'])
      .executeTakeFirst()
    if (!row || !timingSafeEqual(row.code_hash, sealOf(secrets, asked.sms, asked.code))) return null
    // A right code that is kept has told nobody anything: its try does not count.
    await tx
      .updateTable('challenge')
      .set((eb) => (asked.keep ? { tries: eb('tries', '-', 1) } : { used_at: asked.now }))
      .where('id', '=', asked.sms)
      .execute()
    return row.purpose as Purpose
  })
  if (!purpose) throw refuse('wrong_code', undefined, { field: 'code' })
  return purpose
}

/** A code for a token: single use, ten minutes, for this phone and purpose. */
export const validatePhoneCode = (secrets: Secrets) =>
  handleOutside(contract.validatePhoneCode, async ({ database, now }, { phone, code, sms }) => {
    const purpose = await spendCode(database, secrets, {
      sms,
      phone,
      code,
      purposes: ['resetpwd', 'changephone', 'register', 'invite'],
      now,
    })
    const token = newSecret()
    await database.outside((tx) =>
      tx
        .insertInto('grant_token')
        .values({ token_hash: hashOf(token), mobile: phone, purpose, expires_at: new Date(now.getTime() + 600_000) })
        .execute(),
    )
    return { token }
  })

/** Spends such a token; throws `wrong_code` unless it is for this phone and purpose, unused and in time. */
export async function spendGrant(
  database: Database,
  asked: { token: string; phone: string; purpose: Purpose; now: Date },
): Promise<void> {
  const spent = await database.outside((tx) =>
    tx
      .updateTable('grant_token')
      .set({ used_at: asked.now })
      .where('token_hash', '=', hashOf(asked.token))
      .where('mobile', '=', asked.phone)
      .where('purpose', '=', asked.purpose)
      .where('used_at', 'is', null)
      .where('expires_at', '>', asked.now)
      .executeTakeFirst(),
  )
  if (spent.numUpdatedRows === 0n) throw refuse('wrong_code', '验证已过期，请重新获取验证码')
}
