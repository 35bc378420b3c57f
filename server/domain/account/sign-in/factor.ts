/** The second factor (TOTP, RFC 6238): a code of the authenticator app or one of ten recovery codes, each good once. */
import { randomBytes } from 'node:crypto'
import * as contract from '../../../contract/account/account.ts'
import * as profile from '../../../contract/account/profile.ts'
import { maskMobile } from '../../../contract/words/words.ts'
import { stepOf, totpOf } from '../../../runtime/data/totp.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import { handleOutside, refuse } from '../../../runtime/handle.ts'
import { countTry, forgiveTries } from '../../../runtime/request/limits.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { seeGrant, spendGrant } from '../grants.ts'
import { provePassword } from '../password/change.ts'
import { enterWithFactor } from './enter.ts'
import { endOthers } from './epoch.ts'

const recovery_codes = 10

const placeOf = (account_id: string) => ({ table: 'account', row: account_id, column: 'totp' })
const hashOfRecovery = (secrets: Secrets, account_id: string, code: string): Buffer =>
  secrets.mac('recovery', `${account_id}|${code}`)

/** Takes a code of the app; of the same step, or an older one, no second. */
async function takeStep(tx: Tx, secrets: Secrets, account_id: string, code: string, now: Date): Promise<boolean> {
  const account = await tx.selectFrom('account').select('totp').where('id', '=', account_id).executeTakeFirst()
  if (!account?.totp) return false
  const step = stepOf(secrets.open(placeOf(account_id), account.totp), code, now)
  if (step === null) return false
  const taken = await tx
    .updateTable('account')
    .set({ totp_step: step })
    .where('id', '=', account_id)
    .where('totp_step', '<', step)
    .executeTakeFirst()
  return taken.numUpdatedRows === 1n
}

async function takeRecovery(tx: Tx, secrets: Secrets, account_id: string, code: string, now: Date): Promise<boolean> {
  const taken = await tx
    .updateTable('recovery_code')
    .set({ used_at: now })
    .where('account_id', '=', account_id)
    .where('code_hash', '=', hashOfRecovery(secrets, account_id, code))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return taken.numUpdatedRows === 1n
}

type Asked = { readonly account_id: string; readonly code: string; readonly now: Date }

/** Throws `wrong_code` unless the code is right and new. Five tries in a quarter of an hour, counted before it is looked at. */
async function proveFactor(database: Database, secrets: Secrets, { account_id, code, now }: Asked): Promise<void> {
  const key = `factor|${account_id}`
  await countTry(database, key, { max: 5, window_s: 900, now })
  const take = /^\d{6}$/.test(code) ? takeStep : takeRecovery
  const right = await database.outside((tx) => take(tx, secrets, account_id, code, now))
  if (!right) throw refuse('wrong_code', '动态码不正确或已用过，请等下一个再试', { field: 'code' })
  await forgiveTries(database, key)
}

export const checkTotp = handleOutside(contract.checkTotp, async (ctx, { factor_token: token, code }) => {
  const { database, now, secrets } = ctx
  const over = () => refuse('wrong_code', '登录已超时，请返回重新登录', { field: 'factor_token' })
  const grant = await seeGrant(ctx, { token, purpose: 'factor' })
  if (!grant?.account_id || grant.epoch === null) throw over()
  const { account_id, epoch, company_id } = grant
  ctx.about({ account_id, company_id })
  await proveFactor(database, secrets, { account_id, code, now })
  await database.outside((tx) => spendGrant(tx, ctx, { token, purpose: 'factor' }))
  return enterWithFactor(ctx, { id: account_id, epoch }, company_id ?? undefined)
})

export const startTotp = handleOutside(profile.startTotp, async (ctx, { password }) => {
  const { database, half, secrets } = ctx
  if (!half) throw refuse('signed_out')
  await provePassword(ctx, half.account_id, password, { field: 'password', say: '登录密码不正确' })
  const secret = randomBytes(20)
  const set = await database.outside((tx) =>
    tx
      .updateTable('account')
      .set({ totp: secrets.seal(placeOf(half.account_id), secret), totp_step: 0 })
      .where('id', '=', half.account_id)
      .where('totp_on', 'is', null)
      .executeTakeFirst(),
  )
  if (set.numUpdatedRows === 0n) throw refuse('wrong_state', '两步验证已经开启；要更换手机，请先关闭再重新开启', { status: 'on' })
  const totp = totpOf(secret)
  totp.label = maskMobile(half.mobile)
  return { secret: totp.secret.base32, url: totp.toString() }
})

/** `abcde-12345`: 50 random bits of 32 signs, without those that look alike. */
function newRecoveryCode(): string {
  const signs = 'abcdefghjkmnpqrstuvwxyz023456789'
  const text = [...randomBytes(10)].map((byte) => signs[byte & 31]).join('')
  return `${text.slice(0, 5)}-${text.slice(5)}`
}

export const confirmTotp = handleOutside(profile.confirmTotp, async (ctx, { code }) => {
  const { database, half, now, secrets } = ctx
  if (!half) throw refuse('signed_out')
  const { account_id, session_id } = half
  const account = await database.outside((tx) =>
    tx.selectFrom('account').select(['totp', 'totp_on']).where('id', '=', account_id).executeTakeFirstOrThrow(),
  )
  if (!account.totp || account.totp_on) throw refuse('wrong_state', '请先输入登录密码，再绑定验证器', { status: 'not_started' })
  await proveFactor(database, secrets, { account_id, code, now })
  const codes = Array.from({ length: recovery_codes }, newRecoveryCode)
  await ctx.deed(async ({ db: tx }) => {
    const on = await tx
      .updateTable('account')
      .set({ totp_on: now })
      .where('id', '=', account_id)
      .where('totp_on', 'is', null)
      .executeTakeFirst()
    if (on.numUpdatedRows === 0n) throw refuse('wrong_state', '两步验证已经开启', { status: 'on' })
    await tx.deleteFrom('recovery_code').where('account_id', '=', account_id).execute()
    await tx
      .insertInto('recovery_code')
      .values(codes.map((one) => ({ account_id, code_hash: hashOfRecovery(secrets, account_id, one) })))
      .execute()
    await endOthers(tx, account_id, 'factor', session_id)
  })
  return { recovery_codes: codes }
})

export const stopTotp = handleOutside(profile.stopTotp, async (ctx, { password, code }) => {
  const { database, half, now, secrets } = ctx
  if (!half) throw refuse('signed_out')
  const { account_id } = half
  const account = await database.outside((tx) =>
    tx.selectFrom('account').select('totp_on').where('id', '=', account_id).executeTakeFirstOrThrow(),
  )
  if (!account.totp_on) throw refuse('wrong_state', '两步验证没有开启', { status: 'off' })
  await provePassword(ctx, account_id, password, { field: 'password', say: '登录密码不正确' })
  await proveFactor(database, secrets, { account_id, code, now })
  await ctx.deed(async ({ db: tx }) => {
    await tx.updateTable('account').set({ totp: null, totp_on: null, totp_step: 0 }).where('id', '=', account_id).execute()
    await tx.deleteFrom('recovery_code').where('account_id', '=', account_id).execute()
  })
  return {}
})
