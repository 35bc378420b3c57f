/** Codes sent by SMS: six digits for one phone, one purpose and one browser, five minutes, five tries, one use. */
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import * as contract from '../../contract/auth/sign-in.ts'
import type { CallInput } from '../../contract/call.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Database, Tx } from '../../database/database.ts'
import { type AppError, defineExternalHandler, type ExternalContext, fail, invalidInput } from '../../http/handler.ts'
import { type BudgetExceeded, consumeBudget, toBudgetError, tryConsumeBudget } from '../../http/limits/attempt-budgets.ts'
import { isFirstInWindow, toNetworkAddress, toPeerAddress } from '../../http/limits/rate-limits.ts'
import type { Log } from '../../observability/log.ts'
import {
  createMessageSource,
  createSystemTx,
  type MessageDeps,
  registerMessageKind,
  type SendNow,
  systemCompanyId,
} from '../../outbox/index.ts'
import { numberReuseDelayMs } from '../../rules/phone.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { issueGrant } from './grants.ts'
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

export type CodePurpose = CallInput<typeof contract.getVerifyCode>['type']
const codeLifetimeSeconds = 300
const resendDelaySeconds = 60

const computeCodeHash = (secrets: Secrets, challenge_id: string, code: string): Buffer =>
  secrets.mac('code', `${challenge_id}|${code}`)

/** Purposes for which nobody but a known person is sent a code; the answer is the same. */
const existingPhonePurposes: readonly CodePurpose[] = ['login', 'resetpwd', 'view']

/** What is known of a phone and of whoever asks for it. */
type PhoneStatus = { readonly isExisting: boolean; readonly trust: RequesterTrust }

/**
 * Whether the phone belongs to an account, or to a person in some company's roster, and whether its owner has signed in here before. All is
 * always asked: if the first answer spared the second question, the time would tell who has an account (npm run bench known).
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
              .selectFrom('member')
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

/** For queries on `member`: whoever works there, or left so lately that the phone is nobody else's: a last payslip may wait for them. */
const isReachableMember = (today: string) => sql<boolean>`(status <> 'left' or (former_account is null and unconfirmed_at is null
  and coalesce(left_on, left_at::date) > ${today}::date - ${numberReuseDelayMs / 86_400_000}::int))`

const getCodeUse = (type: CodePurpose): CodeUse =>
  type === 'register' || type === 'invite' || type === 'changephone' ? type : 'enter'

/**
 * Who may ask for a code, and how often (phone/code-budgets.ts). Messages to phones that nobody knows are what a stranger can make us pay
 * for: those have budgets of their own. Answers whether a message may leave, or what of the phone is used up.
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
      : // Whom his browser speaks for waits for nobody behind the same address.
        [[...common, ...(trust === 'browser' ? [] : getPeerBudgets(from.peer))]]
  const short = await tryConsumeBudget(database, choices, now)
  if (short?.budget.resource === 'phone') return { used_up: short }
  if (short) throw type === 'register' ? await reportUnknownPhoneError(ctx, toBudgetError(short)) : toBudgetError(short)
  if (type !== 'invite') return { leaves: isExisting || !existingPhonePurposes.includes(type) }
  // A refusal here would tell which phones are on a roster: over the budget a stranger is answered like everybody, and sent nothing. What is
  // known is counted as well, against no limit, so that the time of the answer tells nothing either.
  return {
    leaves: (await tryConsumeBudget(database, getUnknownPhoneBudgets(from, isExisting ? 'roster' : 'stranger'), now)) === null,
  }
}

/** Strangers are refused: the operator hears of it, once an hour, because it may be an attack on his money or on those who register. */
async function reportUnknownPhoneError({ database, now, address, log }: ExternalContext, error: AppError): Promise<AppError> {
  if (await isFirstInWindow(database, 'sms-stranger-alarm', 3600, now))
    log.warn({ network: toNetworkAddress(address), say: error.message }, 'a code to an unknown phone was refused by its budget')
  return error
}

/** The ways of somebody who is not signed in: he may be in a new browser while others make his phone ring. */
const signedOutPurposes: readonly CodePurpose[] = ['login', 'resetpwd', 'register', 'invite']
const pairLifetimeSeconds = 600

/**
 * The phone may ring no more, and whoever made it ring has put the proof into its owner's hand: two codes that rang and that nobody has used.
 * An attacker who uses up what a phone may get keeps nobody out; whether the phone is known makes no difference here.
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
    // Two codes are compared with those that rang: of its own it has none.
    tx
      .insertInto('challenge')
      .values({ ...row, code_hash: randomBytes(32), expires_at })
      .execute(),
  )
  const minutes = Math.ceil(exhausted.retryAfterSeconds / 60)
  const message = `这个手机号今天收到的验证码较多，暂不再发送。请把最近收到、还没用过的两条验证码连着填写（共 12 位）；没有收到的，请在 ${minutes} 分钟后再获取`
  return fail('locked', message, { ...error.details, sms, expires_in: pairLifetimeSeconds })
}

/** The job `code`. Doing it twice is harmless: it is a turn of the post office (runtime/post/sender.ts). Answers how to send one at once. */
export const createCodeSender = ({ log, ...deps }: MessageDeps & { readonly log: Log }): SendNow =>
  registerMessageKind(deps, 'code', (company_id) =>
    createMessageSource(deps, 'code', company_id, ({ id, code }) =>
      log.warn({ message_id: id, code }, 'a code was not taken by the gateway'),
    ),
  ).postNow

export const getVerifyCode = (sendCode: SendNow) =>
  defineExternalHandler(contract.getVerifyCode, async (ctx, { phone: phoneInput, type }) => {
    const { database, secrets, jobs, log, now } = ctx
    const { sms } = ctx.senders
    const phone = phoneInput ?? (type === 'view' ? ctx.currentAccount?.mobile : undefined)
    if (!phone) throw invalidInput('phone', '手机号不能为空')
    if (!sms) throw fail('wrong_state', '还没有配置短信服务，请用密码登录或联系管理员')
    const budget = await consumeCodeBudgets(ctx, { phone, type, ...(await findPhoneStatus(ctx, phone, getBrowserHash(ctx))) })
    if ('used_up' in budget) throw await requestCodePair(ctx, { phone, type }, budget.used_up)

    const id = newId()
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const browser_hash = ensureBrowserHash(ctx)
    const expires_at = new Date(now.getTime() + codeLifetimeSeconds * 1000)
    const sendNow = await database.inCompany(systemCompanyId, async (tx) => {
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
          code_hash: computeCodeHash(secrets, id, code),
          browser_hash,
          created_at: now,
          sent_at: budget.leaves ? now : null,
          expires_at,
        })
        .execute()
      // Written for a phone that gets none as well: or the time of the answer would tell whether it is known.
      const content = { to: phone, message: { kind: 'code', params: { code } } } as const
      return sendCode(createSystemTx({ secrets, jobs }, tx, now), {
        id,
        channel: 'sms',
        content: content,
        expires_at,
        isDecoy: !budget.leaves,
      })
    })
    // Not waited for: how long the gateway takes would tell whether the phone is known. A code that does not arrive is asked for again.
    sendNow(ctx.noTransaction).catch((error: unknown) =>
      log.warn({ err: error, request_id: ctx.request_id }, 'a code waits for the queue'),
    )
    return { sms: id, expires_in: codeLifetimeSeconds, resend_after: resendDelaySeconds }
  })

/**
 * Spends a code: throws `wrong_code` unless it is right, unused, in time, and for this phone (and purpose, when given). With `keep` a right
 * one stays good: who proved his phone may be asked for what else is needed, and comes again with the same code.
 */
export async function consumeCode(
  database: Database,
  secrets: Secrets,
  attempt: {
    sms: string
    phone: string
    code: string
    purposes: readonly CodePurpose[]
    /** `browserOf(ctx)`: the code is good in the browser that asked for it. */
    browser: Buffer | null
    now: Date
    keep?: boolean
  },
): Promise<CodePurpose> {
  const purpose = await database.withoutCompany(async (tx) => {
    // The counter moves before the code is looked at, so that a hundred parallel tries are still five.
    const row = await tx
      .updateTable('challenge')
      .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
      .where('id', '=', attempt.sms)
      .where('mobile', '=', attempt.phone)
      .where('purpose', 'in', attempt.purposes)
      .where('browser_hash', '=', attempt.browser ?? Buffer.alloc(0))
      .where('used_at', 'is', null)
      .where('expires_at', '>', attempt.now)
      .where('attempts', '<', 5)
      .returning(['code_hash', 'purpose', 'pair'])
      .executeTakeFirst()
    if (!row) return null
    const isRight = row.pair
      ? await isValidCodePair(tx, secrets, attempt)
      : timingSafeEqual(row.code_hash, computeCodeHash(secrets, attempt.sms, attempt.code))
    if (!isRight) return null
    // A right code that is kept has told nobody anything: its try does not count.
    await tx
      .updateTable('challenge')
      .set((eb) => (attempt.keep ? { attempts: eb('attempts', '-', 1) } : { used_at: attempt.now, sent_at: null }))
      .where('id', '=', attempt.sms)
      .execute()
    // Two that were a proof are none again, and neither are the others that lie beside them.
    if (row.pair && !attempt.keep)
      await tx.updateTable('challenge').set({ sent_at: null }).where('mobile', '=', attempt.phone).execute()
    return attempt.purposes.find((one) => one === row.purpose) ?? null
  })
  if (!purpose) throw fail('wrong_code', undefined, { field: 'code' })
  return purpose
}

/** Whether the twelve digits are two different codes that rang this phone within a day and that nobody has used. */
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
  // All are compared, whichever is right: the time tells nothing of the first one.
  const [first, second] = [findMatchingIds(code.slice(0, 6)), findMatchingIds(code.slice(6))]
  return code.length === 12 && first.some((id) => second.some((other) => other !== id))
}

/** A code for a token: single use, ten minutes, for this phone, purpose and browser. */
export const validatePhoneCode = defineExternalHandler(contract.validatePhoneCode, async (ctx, { phone, code, sms }) => {
  const purposes = ['resetpwd', 'changephone', 'register', 'invite'] as const
  const { database, now, secrets } = ctx
  const purpose = await consumeCode(database, secrets, { sms, phone, code, purposes, browser: getBrowserHash(ctx), now })
  return { token: await issueGrant(ctx, { mobile: phone, purpose, lives_s: 600 }) }
})
