/** Codes sent by SMS: six digits for one phone, one purpose and one browser, five minutes, five tries, one use. */
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import * as contract from '../../contract/account/account.ts'
import type { InputOf } from '../../contract/call.ts'
import { given_out_after_ms } from '../../rules/phone.ts'
import { dayOf } from '../../runtime/clock.ts'
import type { Database, Tx } from '../../runtime/db.ts'
import { handleOutside, invalid, type OutsideCtx, type Refusal, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { refusalOf, type Short, takeOf, tryTake } from '../../runtime/load/budgets.ts'
import type { Log } from '../../runtime/log.ts'
import { houseTx, letterSubject, type MessageParts, nobody, openKind, type PostNow } from '../../runtime/post/index.ts'
import { isFirst, networkOf, peerOf } from '../../runtime/request/limits.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { issueGrant } from './grants.ts'
import { type AskedFrom, type CodeFor, ofAccount, ofPair, ofPeer, ofPhone, ofStranger } from './phone/code-budgets.ts'
import { browserOf, markBrowser } from './sign-in/browser.ts'

export type CodePurpose = InputOf<typeof contract.getVerifyCode>['type']
const lives_s = 300
const resend_s = 60

const sealOf = (secrets: Secrets, challenge_id: string, code: string): Buffer => secrets.mac('code', `${challenge_id}|${code}`)

/** Purposes for which nobody but a known person is sent a code; the answer is the same. */
const onlyKnown: readonly CodePurpose[] = ['login', 'resetpwd', 'view']

/** What is known of a phone and of whoever asks for it. */
type Known = { readonly known: boolean; readonly standing: AskedFrom }

/**
 * Whether the phone belongs to an account, or to a person in some company's roster, and whether its owner has signed in here before. All is
 * always asked: if the first answer spared the second question, the time would tell who has an account (npm run bench known).
 */
async function knownOf({ database, address, now }: OutsideCtx, mobile: string, browser: Buffer | null): Promise<Known> {
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
              .where(mayComeIn(dayOf(now))),
          )
          .as('member'),
      ])
      .executeTakeFirstOrThrow(),
  )
  const { device, sessions } = await database.outside(async (tx) => ({
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
  const isNear = sessions.some((one) => networkOf(one.address ?? '') === networkOf(address))
  return { known: Boolean(account) || Boolean(member), standing: device ? 'browser' : isNear ? 'network' : 'anybody' }
}

/** For queries on `member`: whoever works there, or left so lately that the phone is nobody else's: a last payslip may wait for them. */
const mayComeIn = (today: string) => sql<boolean>`(status <> 'left' or (former_account is null and unconfirmed_at is null
  and coalesce(left_on, left_at::date) > ${today}::date - ${given_out_after_ms / 86_400_000}::int))`

const budgetOf = (type: CodePurpose): CodeFor =>
  type === 'register' || type === 'invite' || type === 'changephone' ? type : 'enter'

/**
 * Who may ask for a code, and how often (phone/code-budgets.ts). Messages to phones that nobody knows are what a stranger can make us pay
 * for: those have budgets of their own. Answers whether a message may leave, or what of the phone is used up.
 */
async function mayAsk(
  ctx: OutsideCtx,
  asked: { phone: string; type: CodePurpose } & Known,
): Promise<{ leaves: boolean } | { used_up: Short }> {
  const { database, now, half, address } = ctx
  const { phone, type, known, standing } = asked
  const from = { peer: peerOf(address), network: networkOf(address) }
  const common = ofPhone(phone, standing, budgetOf(type))
  if (type === 'changephone') {
    if (!half) throw refuse('signed_out')
    common.push(...ofAccount(half.account_id))
  }
  const choices =
    type === 'register'
      ? ofStranger(from, 'stranger').map((choice) => [...common, ...choice])
      : // Whom his browser speaks for waits for nobody behind the same address.
        [[...common, ...(standing === 'browser' ? [] : ofPeer(from.peer))]]
  const short = await tryTake(database, choices, now)
  if (short?.short.of === 'phone') return { used_up: short }
  if (short) throw type === 'register' ? await told(ctx, refusalOf(short)) : refusalOf(short)
  if (type !== 'invite') return { leaves: known || !onlyKnown.includes(type) }
  // A refusal here would tell which phones are on a roster: over the budget a stranger is answered like everybody, and sent nothing. What is
  // known is counted as well, against no limit, so that the time of the answer tells nothing either.
  return { leaves: (await tryTake(database, ofStranger(from, known ? 'roster' : 'stranger'), now)) === null }
}

/** Strangers are refused: the operator hears of it, once an hour, because it may be an attack on his money or on those who register. */
async function told({ database, now, address, log }: OutsideCtx, refusal: Refusal): Promise<Refusal> {
  if (await isFirst(database, 'sms-stranger-alarm', 3600, now))
    log.warn({ network: networkOf(address), say: refusal.message }, 'a code to an unknown phone was refused by its budget')
  return refusal
}

/** The ways of somebody who is not signed in: he may be in a new browser while others make his phone ring. */
const entrances: readonly CodePurpose[] = ['login', 'resetpwd', 'register', 'invite']
const pair_lives_s = 600

/**
 * The phone may ring no more, and whoever made it ring has put the proof into its owner's hand: two codes that rang and that nobody has used.
 * An attacker who uses up what a phone may get keeps nobody out; whether the phone is known makes no difference here.
 */
async function askForPair(
  ctx: OutsideCtx,
  { phone, type }: { phone: string; type: CodePurpose },
  used_up: Short,
): Promise<Refusal> {
  const { database, now, address } = ctx
  const refusal = refusalOf(used_up)
  if (!entrances.includes(type)) return refusal
  await takeOf(database, [ofPair(phone, peerOf(address))], now)
  const [sms, browser_hash] = [newId(), markBrowser(ctx)]
  const row = { id: sms, mobile: phone, purpose: type, browser_hash, pair: true, created_at: now }
  const expires_at = new Date(now.getTime() + pair_lives_s * 1000)
  await database.outside((tx) =>
    // Two codes are compared with those that rang: of its own it has none.
    tx
      .insertInto('challenge')
      .values({ ...row, code_hash: randomBytes(32), expires_at })
      .execute(),
  )
  const minutes = Math.ceil(used_up.wait_s / 60)
  const say = `这个手机号今天收到的验证码较多，暂不再发送。请把最近收到、还没用过的两条验证码连着填写（共 12 位）；没有收到的，请在 ${minutes} 分钟后再获取`
  return refuse('locked', say, { ...refusal.data, sms, expires_in: pair_lives_s })
}

/** The job `code`. Doing it twice is harmless: it is a turn of the post office (runtime/post/sender.ts). Answers how to send one at once. */
export const openCodes = ({ log, ...parts }: MessageParts & { readonly log: Log }): PostNow =>
  openKind(parts, 'code', (company_id) =>
    letterSubject(parts, 'code', company_id, ({ id, code }) =>
      log.warn({ message_id: id, code }, 'a code was not taken by the gateway'),
    ),
  ).postNow

export const getVerifyCode = (postCode: PostNow) =>
  handleOutside(contract.getVerifyCode, async (ctx, { phone: given, type }) => {
    const { database, secrets, jobs, log, now } = ctx
    const { sms } = ctx.lines
    const phone = given ?? (type === 'view' ? ctx.half?.mobile : undefined)
    if (!phone) throw invalid('phone', '手机号不能为空')
    if (!sms) throw refuse('wrong_state', '还没有配置短信服务，请用密码登录或联系管理员')
    const may = await mayAsk(ctx, { phone, type, ...(await knownOf(ctx, phone, browserOf(ctx))) })
    if ('used_up' in may) throw await askForPair(ctx, { phone, type }, may.used_up)

    const id = newId()
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const browser_hash = markBrowser(ctx)
    const expires_at = new Date(now.getTime() + lives_s * 1000)
    const leave = await database.inCompany(nobody, async (tx) => {
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
          rang_at: may.leaves ? now : null,
          expires_at,
        })
        .execute()
      // Written for a phone that gets none as well: or the time of the answer would tell whether it is known.
      const letter = { to: phone, saying: { kind: 'code', params: { code } } } as const
      return postCode(houseTx({ secrets, jobs }, tx, now), { id, channel: 'sms', letter, expires_at, decoy: !may.leaves })
    })
    // Not waited for: how long the gateway takes would tell whether the phone is known. A code that does not arrive is asked for again.
    leave(ctx.outdoors).catch((error: unknown) =>
      log.warn({ err: error, request_id: ctx.request_id }, 'a code waits for the queue'),
    )
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
    purposes: readonly CodePurpose[]
    /** `browserOf(ctx)`: the code is good in the browser that asked for it. */
    browser: Buffer | null
    now: Date
    keep?: boolean
  },
): Promise<CodePurpose> {
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
      .returning(['code_hash', 'purpose', 'pair'])
      .executeTakeFirst()
    if (!row) return null
    const isRight = row.pair
      ? await isPairThatRang(tx, secrets, asked)
      : timingSafeEqual(row.code_hash, sealOf(secrets, asked.sms, asked.code))
    if (!isRight) return null
    // A right code that is kept has told nobody anything: its try does not count.
    await tx
      .updateTable('challenge')
      .set((eb) => (asked.keep ? { tries: eb('tries', '-', 1) } : { used_at: asked.now, rang_at: null }))
      .where('id', '=', asked.sms)
      .execute()
    // Two that were a proof are none again, and neither are the others that lie beside them.
    if (row.pair && !asked.keep)
      await tx.updateTable('challenge').set({ rang_at: null }).where('mobile', '=', asked.phone).execute()
    return asked.purposes.find((one) => one === row.purpose) ?? null
  })
  if (!purpose) throw refuse('wrong_code', undefined, { field: 'code' })
  return purpose
}

/** Whether the twelve digits are two different codes that rang this phone within a day and that nobody has used. */
async function isPairThatRang(
  tx: Tx,
  secrets: Secrets,
  { phone, code, now }: { phone: string; code: string; now: Date },
): Promise<boolean> {
  const rang = await tx
    .selectFrom('challenge')
    .select(['id', 'code_hash'])
    .where('mobile', '=', phone)
    .where('rang_at', '>', new Date(now.getTime() - 86_400_000))
    .execute()
  const whose = (one: string): string[] =>
    rang.filter(({ id, code_hash }) => timingSafeEqual(code_hash, sealOf(secrets, id, one))).map(({ id }) => id)
  // All are compared, whichever is right: the time tells nothing of the first one.
  const [first, second] = [whose(code.slice(0, 6)), whose(code.slice(6))]
  return code.length === 12 && first.some((id) => second.some((other) => other !== id))
}

/** A code for a token: single use, ten minutes, for this phone, purpose and browser. */
export const validatePhoneCode = handleOutside(contract.validatePhoneCode, async (ctx, { phone, code, sms }) => {
  const purposes = ['resetpwd', 'changephone', 'register', 'invite'] as const
  const { database, now, secrets } = ctx
  const purpose = await spendCode(database, secrets, { sms, phone, code, purposes, browser: browserOf(ctx), now })
  return { token: await issueGrant(ctx, { mobile: phone, purpose, lives_s: 600 }) }
})
