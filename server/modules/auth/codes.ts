/**
 * Codes sent by SMS: six digits, bound to one phone, one purpose and one browser, valid for five minutes, five attempts
 * and one use.
 */

import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import * as contract from '../../contract/auth/sign-in.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { type AppError, defineHandler, type ExternalContext, fail, invalidInput } from '../../http/handler.ts'
import {
  type BudgetExceeded,
  consumeBudget,
  isFirstInWindow,
  toBudgetError,
  tryConsumeBudget,
} from '../../http/limits/attempts.ts'
import { notificationIntervals } from '../../http/limits/config.ts'
import { toNetworkAddress, toPeerAddress } from '../../http/limits/rate-limits.ts'
import { systemCompanyId } from '../../jobs/companies.ts'
import type { Log } from '../../observability/log.ts'
import { createMessageSource, createSystemTx, type MessageDeps, registerMessageKind, type SendNow } from '../../outbox/index.ts'
import { numberReuseDelayMs } from '../../rules/phone.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { memberView } from '../directory/read-model.ts'
import { type CodePurpose, issueGrant } from './grants.ts'
import {
  type CodeUse,
  getAccountBudgets,
  getCodePairBudgets,
  getPeerBudgets,
  getPhoneBudgets,
  getUnknownPhoneBudgets,
  type RequesterTrust,
} from './phone/code-budgets.ts'
import { ensureBrowserHash, getBrowserHash } from './sign-in/browser.ts'
import { assertRegistrationOpen } from './sign-in/registration.ts'

const codeLifetimeSeconds = 300
const resendDelaySeconds = 60
const maxCodeAttempts = 5

const computeCodeHash = (secrets: Secrets, challenge_id: string, code: string): Buffer =>
  secrets.mac('code', `${challenge_id}|${code}`)

/** Purposes for which only known phones are sent a code; the response is the same for unknown ones. */
const existingPhonePurposes: readonly CodePurpose[] = ['login', 'resetpwd', 'view']

/** Whether a phone is known, and how far the requester is trusted. */
type PhoneStatus = { readonly isExisting: boolean; readonly trust: RequesterTrust }

/**
 * Finds whether the phone belongs to an account or to a member of some company's roster, and whether its owner has
 * signed in here before. All queries always run: if the first result skipped the second query, the response time would
 * reveal who has an account (`npm run bench known`).
 */
async function findPhoneStatus(
  { database, address, now }: ExternalContext,
  mobile: string,
  browser: Buffer | null,
): Promise<PhoneStatus> {
  const { account, member } = await database.asPerson({ mobile }, (tx) =>
    tx
      .selectNoFrom((eb) => [
        eb.exists(eb.selectFrom('account').select('id').where('mobile', '=', mobile)).as('account'),
        eb
          .exists(
            eb
              .selectFrom(memberView)
              .select('id')
              .where('mobile', '=', mobile)
              .where(isReachableMember(toShanghaiDate(now))),
          )
          .as('member'),
      ])
      .executeTakeFirstOrThrow(),
  )
  const { device, sessions } = await database.withoutCompany(async (tx) => ({
    device: await tx
      .selectFrom('device')
      .innerJoin('account', 'account.id', 'device.account_id')
      .select('device.id')
      .where('account.mobile', '=', mobile)
      .where('secret_hash', '=', browser ?? Buffer.alloc(0))
      .executeTakeFirst(),
    sessions: await tx
      .selectFrom('session')
      .innerJoin('account', 'account.id', 'session.account_id')
      .select('session.address')
      .where('account.mobile', '=', mobile)
      .orderBy('session.created_at', 'desc')
      .limit(20)
      .execute(),
  }))
  const isNear = sessions.some((one) => toNetworkAddress(one.address ?? '') === toNetworkAddress(address))
  return { isExisting: Boolean(account) || Boolean(member), trust: device ? 'browser' : isNear ? 'network' : 'anybody' }
}

/**
 * SQL condition for `member`: active members, and members terminated so recently that the number has not been
 * reassigned. They may still have a last payslip to read.
 */
const isReachableMember = (today: string) => sql<boolean>`(status <> 'left' or (former_account is null and unconfirmed_at is null
  and coalesce(left_on, left_at::date) > ${today}::date - ${numberReuseDelayMs / 86_400_000}::int))`

const getCodeUse = (type: CodePurpose): CodeUse =>
  type === 'register' || type === 'invite' || type === 'changephone' ? type : 'enter'

/**
 * Applies the limits on who may request a code and how often (phone/code-budgets.ts). Messages to unknown phones are
 * the cost that a stranger can cause, so they have budgets of their own. Returns whether a message may be sent, or
 * which budget of the phone is exhausted.
 */
async function consumeCodeBudgets(
  ctx: ExternalContext,
  request: { phone: string; type: CodePurpose } & PhoneStatus,
): Promise<{ leaves: boolean } | { used_up: BudgetExceeded }> {
  const { database, now, currentAccount, address } = ctx
  const { phone, type, isExisting, trust } = request
  const from = { peer: toPeerAddress(address), network: toNetworkAddress(address) }
  const common = getPhoneBudgets(phone, trust, getCodeUse(type))
  if (type === 'changephone') {
    if (!currentAccount) throw fail('signed_out')
    common.push(...getAccountBudgets(currentAccount.account_id))
  }
  const choices =
    type === 'register'
      ? getUnknownPhoneBudgets(from, 'stranger').map((choice) => [...common, ...choice])
      : // A requester in a trusted browser is not limited by others behind the same address.
        [[...common, ...(trust === 'browser' ? [] : getPeerBudgets(from.peer))]]
  const short = await tryConsumeBudget(database, choices, now)
  if (short?.budget.resource === 'phone') return { used_up: short }
  if (short) throw type === 'register' ? await reportUnknownPhoneError(ctx, toBudgetError(short)) : toBudgetError(short)
  if (type !== 'invite') return { leaves: isExisting || !existingPhonePurposes.includes(type) }
  // An error here would reveal which phones are on a roster: over the budget, an unknown phone gets the same response
  // but no message. Known phones are counted too, without a limit, so that the response time reveals nothing either.
  return {
    leaves: (await tryConsumeBudget(database, getUnknownPhoneBudgets(from, isExisting ? 'roster' : 'stranger'), now)) === null,
  }
}

/**
 * Logs a warning for the operator, at most once an hour, when requests for unknown phones are rejected: it may be an
 * attack on the SMS bill or on registration.
 */
async function reportUnknownPhoneError({ database, now, address, log }: ExternalContext, error: AppError): Promise<AppError> {
  if (await isFirstInWindow(database, 'sms-stranger-alarm', notificationIntervals.unknownPhoneCodes, now))
    log.warn({ network: toNetworkAddress(address), say: error.message }, 'a code to an unknown phone was refused by its budget')
  return error
}

/**
 * Purposes available without signing in: the user may be in a new browser while others exhaust the budget of their
 * phone.
 */
const signedOutPurposes: readonly CodePurpose[] = ['login', 'resetpwd', 'register', 'invite']
const pairLifetimeSeconds = 600

/**
 * Starts a sign-in by two codes when the phone may receive no more messages: two unused codes that were already sent to
 * the phone prove its possession. An attacker who exhausts a phone's budget therefore locks nobody out; whether the
 * phone is known makes no difference here.
 */
async function requestCodePair(
  ctx: ExternalContext,
  { phone, type }: { phone: string; type: CodePurpose },
  exhausted: BudgetExceeded,
): Promise<AppError> {
  const { database, now, address } = ctx
  const error = toBudgetError(exhausted)
  if (!signedOutPurposes.includes(type)) return error
  await consumeBudget(database, [getCodePairBudgets(phone, toPeerAddress(address))], now)
  const [sms, browser_hash] = [newId(), ensureBrowserHash(ctx)]
  const row = { id: sms, mobile: phone, purpose: type, browser_hash, pair: true, created_at: now }
  const expires_at = new Date(now.getTime() + pairLifetimeSeconds * 1000)
  await database.withoutCompany((tx) =>
    // The row has no code of its own: the input is compared with the codes already sent.
    tx
      .insertInto('challenge')
      .values({ ...row, code_hash: randomBytes(32), expires_at })
      .execute(),
  )
  const minutes = Math.ceil(exhausted.retryAfterSeconds / 60)
  const message = `获取验证码太频繁了，请在 ${minutes} 分钟后再试。最近收到的两条验证码都还没用过的，也可以连着填写（共 12 位）`
  return fail('locked', message, { ...error.details, sms, expires_in: pairLifetimeSeconds })
}

/**
 * Registers the job `code`. Idempotent, because it goes through the outbox (outbox/sender.ts). Returns a function that
 * sends a code immediately.
 */
export const createCodeSender = ({ log, ...deps }: MessageDeps & { readonly log: Log }): SendNow =>
  registerMessageKind(deps, 'code', (company_id) =>
    createMessageSource(deps, 'code', company_id, ({ id, code }) =>
      log.warn({ message_id: id, code }, 'a code was not taken by the gateway'),
    ),
  ).postNow

export const getVerifyCode = (sendCode: SendNow) =>
  defineHandler(contract.getVerifyCode, { kind: 'external' }, async (ctx, { phone: phoneInput, type }) => {
    const { database, secrets, jobs, log, now } = ctx
    const { sms } = ctx.senders
    const phone = phoneInput ?? (type === 'view' ? ctx.currentAccount?.mobile : undefined)
    if (!phone) throw invalidInput('phone', '手机号不能为空')
    if (type === 'register') await assertRegistrationOpen(ctx)
    if (!sms) throw fail('wrong_state', '还没有配置短信服务，请用密码登录或联系管理员')
    const budget = await consumeCodeBudgets(ctx, { phone, type, ...(await findPhoneStatus(ctx, phone, getBrowserHash(ctx))) })
    if ('used_up' in budget) throw await requestCodePair(ctx, { phone, type }, budget.used_up)

    const id = newId()
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const browser_hash = ensureBrowserHash(ctx)
    const expires_at = new Date(now.getTime() + codeLifetimeSeconds * 1000)
    const sendNow = await database.inCompany(systemCompanyId, async (tx) => {
      // A new code invalidates older ones of the same phone, purpose and browser. Those of other browsers stay valid;
      // otherwise anybody who knows the phone could invalidate each code just sent to its owner.
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
          code_hash: computeCodeHash(secrets, id, code),
          browser_hash,
          created_at: now,
          sent_at: budget.leaves ? now : null,
          expires_at,
        })
        .execute()
      // Also written for a phone that receives no message; otherwise the response time would reveal whether it is
      // known.
      const content = { to: phone, message: { kind: 'code', params: { code } } } as const
      return sendCode(createSystemTx({ secrets, jobs }, tx, now), {
        id,
        channel: 'sms',
        content,
        expires_at,
        isDecoy: !budget.leaves,
      })
    })
    // Not awaited: the gateway's latency would reveal whether the phone is known. A user whose code does not arrive
    // requests another.
    sendNow(ctx.noTransaction).catch((error: unknown) =>
      log.warn({ err: error, request_id: ctx.request_id }, 'a code waits for the queue'),
    )
    return { sms: id, expires_in: codeLifetimeSeconds, resend_after: resendDelaySeconds }
  })

/**
 * Consumes a code. Throws `wrong_code` unless it is correct, unused, not expired, and for this phone (and purpose, when
 * given). With `keep` a correct code stays valid: a user who proved their phone may be asked for further input and
 * submits the same code again.
 */
export async function consumeCode(
  database: Database,
  secrets: Secrets,
  attempt: {
    sms: string
    phone: string
    code: string
    purposes: readonly CodePurpose[]
    /** `getBrowserHash(ctx)`: the code is valid only in the browser that requested it. */
    browser: Buffer | null
    now: Date
    keep?: boolean
  },
): Promise<CodePurpose> {
  const result = await database.withoutCompany<{ purpose?: CodePurpose | undefined; attemptsLeft: number }>(async (tx) => {
    // The counter is incremented before the code is compared, so that a hundred parallel attempts still count as five.
    const row = await tx
      .updateTable('challenge')
      .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
      .where('id', '=', attempt.sms)
      .where('mobile', '=', attempt.phone)
      .where('purpose', 'in', attempt.purposes)
      .where('browser_hash', '=', attempt.browser ?? Buffer.alloc(0))
      .where('used_at', 'is', null)
      .where('expires_at', '>', attempt.now)
      .where('attempts', '<', maxCodeAttempts)
      .returning(['code_hash', 'purpose', 'pair', 'attempts'])
      .executeTakeFirst()
    if (!row) return { attemptsLeft: 0 }
    const isRight = row.pair
      ? await isValidCodePair(tx, secrets, attempt)
      : timingSafeEqual(row.code_hash, computeCodeHash(secrets, attempt.sms, attempt.code))
    if (!isRight) return { attemptsLeft: maxCodeAttempts - row.attempts }
    // A correct code that stays valid reveals nothing: the attempt does not count.
    await tx
      .updateTable('challenge')
      .set((eb) => (attempt.keep ? { attempts: eb('attempts', '-', 1) } : { used_at: attempt.now, sent_at: null }))
      .where('id', '=', attempt.sms)
      .execute()
    // A pair that was used proves nothing again, and neither do the other codes sent to this phone.
    if (row.pair && !attempt.keep)
      await tx.updateTable('challenge').set({ sent_at: null }).where('mobile', '=', attempt.phone).execute()
    return { purpose: attempt.purposes.find((one) => one === row.purpose), attemptsLeft: 0 }
  })
  if (result.purpose) return result.purpose
  const { attemptsLeft } = result
  const message = attemptsLeft > 0 ? `验证码不正确，请检查后再输一次（还可以试 ${attemptsLeft} 次）` : undefined
  throw fail('wrong_code', message, { field: 'code' })
}

/** Whether the twelve digits are two different unused codes sent to this phone within the last day. */
async function isValidCodePair(
  tx: Tx,
  secrets: Secrets,
  { phone, code, now }: { phone: string; code: string; now: Date },
): Promise<boolean> {
  const sentCodes = await tx
    .selectFrom('challenge')
    .select(['id', 'code_hash'])
    .where('mobile', '=', phone)
    .where('sent_at', '>', new Date(now.getTime() - 86_400_000))
    .execute()
  const findMatchingIds = (one: string): string[] =>
    sentCodes.filter(({ id, code_hash }) => timingSafeEqual(code_hash, computeCodeHash(secrets, id, one))).map(({ id }) => id)
  // All codes are compared even after a match: the response time reveals nothing about the first one.
  const [first, second] = [findMatchingIds(code.slice(0, 6)), findMatchingIds(code.slice(6))]
  return code.length === 12 && first.some((id) => second.some((other) => other !== id))
}

/** Exchanges a code for a token: single use, ten minutes, bound to this phone, purpose and browser. */
export const validatePhoneCode = defineHandler(
  contract.validatePhoneCode,
  { kind: 'external' },
  async (ctx, { phone, code, sms }) => {
    const purposes = ['resetpwd', 'changephone', 'register', 'invite'] as const
    const { database, now, secrets } = ctx
    const purpose = await consumeCode(database, secrets, { sms, phone, code, purposes, browser: getBrowserHash(ctx), now })
    return { token: await issueGrant(ctx, { mobile: phone, purpose, lives_s: 600 }) }
  },
)
