/** Codes sent by SMS: six digits for one phone, one purpose and one browser, five minutes, five tries, one use. */
import { randomInt, timingSafeEqual } from 'node:crypto'
import * as contract from '../../contract/account.ts'
import type { InputOf } from '../../contract/call.ts'
import type { Database } from '../../runtime/db.ts'
import { handleOutside, type OutsideCtx, Refusal, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { countTry, peerOf } from '../../runtime/limits.ts'
import type { Log } from '../../runtime/log.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { browserOf, markBrowser } from './browser.ts'
import { issueGrant } from './grants.ts'

export type Purpose = InputOf<typeof contract.getVerifyCode>['type']
const lives_s = 300
const resend_s = 60
const hour = 3600
const day = 86_400
/** Messages to phones that nobody knows, of the whole installation. */
const strangers_a_day = 500

const sealOf = (secrets: Secrets, challenge_id: string, code: string): Buffer => secrets.mac('code', `${challenge_id}|${code}`)

/** Purposes for which nobody but a known person is sent a code; the answer is the same. */
const onlyKnown: readonly Purpose[] = ['login', 'resetpwd', 'view']

/**
 * Whether the phone belongs to an account, or to a person in some company's roster. Both are always asked: if the first answer spared the
 * second question, the time would tell who has an account (npm run bench known).
 */
async function isKnown(database: Database, mobile: string): Promise<boolean> {
  const { account, member } = await database.asPerson({ mobile }, (tx) =>
    tx
      .selectNoFrom((eb) => [
        eb.exists(eb.selectFrom('account').select('id').where('mobile', '=', mobile)).as('account'),
        eb.exists(eb.selectFrom('member').select('id').where('mobile', '=', mobile).where('status', '<>', 'left')).as('member'),
      ])
      .executeTakeFirstOrThrow(),
  )
  return Boolean(account) || Boolean(member)
}

/**
 * Who may ask for a code, and how often (docs/decisions/20261121-who-may-ask-for-codes.md). Messages to phones that nobody knows are what
 * a stranger can make us pay for: those have a small budget an address, and one for the whole installation. Answers whether a message may
 * leave.
 */
async function mayAsk(ctx: OutsideCtx, log: Log, asked: { phone: string; type: Purpose; known: boolean }): Promise<boolean> {
  const { database, now, half } = ctx
  const { phone, type, known } = asked
  const peer = peerOf(ctx.address)
  if (type === 'register') await countStrangers(ctx, 'sms-stranger')
  else {
    await countTry(database, `sms-peer-hour|${peer}`, { max: 60, window_s: hour, now })
    await countTry(database, `sms-peer-day|${peer}`, { max: 300, window_s: day, now })
  }
  if (type === 'changephone') {
    if (!half) throw refuse('signed_out')
    await countTry(database, `sms-account-hour|${half.account_id}`, { max: 5, window_s: hour, now })
    await countTry(database, `sms-account-day|${half.account_id}`, { max: 10, window_s: day, now })
  }
  const hurry = { refusal: 'too_often', say: '验证码刚刚发过，请稍后再获取' } as const
  await countTry(database, `sms-minute|${phone}`, { max: 1, window_s: resend_s, now, ...hurry })
  await countTry(database, `sms-hour|${phone}`, { max: 5, window_s: hour, now })
  await countTry(database, `sms-day|${phone}`, { max: 10, window_s: day, now })
  if (type === 'register') {
    await countAllStrangers(ctx, log, 'sms-stranger')
    return true
  }
  if (type !== 'invite') return known || !onlyKnown.includes(type)
  // A refusal here would tell which phones are on a roster: over the budget a stranger is answered like everybody, and sent nothing. What is
  // known is counted as well, against no limit, so that the time of the answer tells nothing either.
  const who = known ? 'sms-roster' : 'sms-stranger'
  try {
    await countStrangers(ctx, who)
    await countAllStrangers(ctx, log, who)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

type Who = 'sms-stranger' | 'sms-roster'
const limitOf = (who: Who, max: number): number => (who === 'sms-stranger' ? max : Number.MAX_SAFE_INTEGER)

async function countStrangers({ database, now, address }: OutsideCtx, who: Who): Promise<void> {
  const peer = peerOf(address)
  await countTry(database, `${who}-peer-hour|${peer}`, { max: limitOf(who, 10), window_s: hour, now })
  await countTry(database, `${who}-peer-day|${peer}`, { max: limitOf(who, 50), window_s: day, now })
}

async function countAllStrangers({ database, now }: OutsideCtx, log: Log, who: Who): Promise<void> {
  const busy = '今天申请注册的人较多，验证码已发完，请明天再试或联系客服'
  const used = await countTry(database, `${who}s`, { max: limitOf(who, strangers_a_day), window_s: day, now, say: busy })
  // An alarm line, once: from here on nobody can register.
  if (who === 'sms-stranger' && used === strangers_a_day) log.warn({ used }, 'the budget of codes for unknown phones is used up')
}

export const getVerifyCode = ({ secrets, log }: { secrets: Secrets; log: Log }) =>
  handleOutside(contract.getVerifyCode, async (ctx, { phone, type }) => {
    const { database, sms, now } = ctx
    if (!sms) throw refuse('wrong_state', '还没有配置短信服务，请用密码登录或联系管理员')
    const known = await isKnown(database, phone)
    const leaves = await mayAsk(ctx, log, { phone, type, known })

    const id = newId()
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const browser_hash = markBrowser(ctx)
    await database.outside(async (tx) => {
      // A new code ends the older ones of the same phone, purpose and browser. Not those of other browsers: or whoever knows my phone could
      // end each code that I have just been sent.
      await tx
        .updateTable('challenge')
        .set({ used_at: now })
        .where('mobile', '=', phone)
        .where('purpose', '=', type)
        .where('browser_hash', '=', browser_hash)
        .where('used_at', 'is', null)
        .execute()
      await tx
        .insertInto('challenge')
        .values({
          id,
          mobile: phone,
          purpose: type,
          code_hash: sealOf(secrets, id, code),
          browser_hash,
          created_at: now,
          expires_at: new Date(now.getTime() + lives_s * 1000),
        })
        .execute()
    })
    // Not waited for: how long the gateway takes would tell whether the phone is known. A code that does not arrive is asked for again.
    if (leaves)
      sms
        .send({ id, mobile: phone, kind: 'code', params: { code } })
        .catch((error: unknown) => log.warn({ err: error, request_id: ctx.request_id }, 'a code was not taken by the gateway'))
    return { sms: id, expires_in: lives_s, resend_after: resend_s }
  })

/**
 * Spends a code: throws `wrong_code` unless it is right, unused, in time, and for this phone (and purpose, when given). With `keep` a right
 * one stays good: who proved his phone may be asked for what else is needed, and comes again with the same code.
 */
export async function spendCode(
  database: Database,
  secrets: Secrets,
  asked: {
    sms: string
    phone: string
    code: string
    purposes: readonly Purpose[]
    /** `browserOf(ctx)`: the code is good in the browser that asked for it. */
    browser: Buffer | null
    now: Date
    keep?: boolean
  },
): Promise<Purpose> {
  const purpose = await database.outside(async (tx) => {
    // The counter moves before the code is looked at, so that a hundred parallel tries are still five.
    const row = await tx
      .updateTable('challenge')
      .set((eb) => ({ tries: eb('tries', '+', 1) }))
      .where('id', '=', asked.sms)
      .where('mobile', '=', asked.phone)
      .where('purpose', 'in', asked.purposes)
      .where('browser_hash', '=', asked.browser ?? Buffer.alloc(0))
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

/** A code for a token: single use, ten minutes, for this phone, purpose and browser. */
export const validatePhoneCode = (secrets: Secrets) =>
  handleOutside(contract.validatePhoneCode, async (ctx, { phone, code, sms }) => {
    const purposes = ['resetpwd', 'changephone', 'register', 'invite'] as const
    const { database, now } = ctx
    const purpose = await spendCode(database, secrets, { sms, phone, code, purposes, browser: browserOf(ctx), now })
    return { token: await issueGrant(ctx, { mobile: phone, purpose, lives_s: 600 }) }
  })
