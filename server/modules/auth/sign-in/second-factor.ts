/** The second factor (TOTP, RFC 6238): a code of the authenticator app or one of ten recovery codes, each valid once. */

import { randomBytes } from 'node:crypto'
import * as profile from '../../../contract/auth/profile.ts'
import * as contract from '../../../contract/auth/sign-in.ts'
import { maskMobile } from '../../../contract/shared/schemas.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import { createTotp, findTotpStep } from '../../../crypto/totp.ts'
import type { Database, Tx } from '../../../database/database.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { clearAttempts, countAttempt } from '../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../http/limits/config.ts'
import { consumeGrant, findGrant } from '../grants.ts'
import { assertPasswordCorrect } from '../password/change.ts'
import { completeSignInWithFactor } from './complete-sign-in.ts'
import { endOtherSessions } from './epoch.ts'

const recoveryCodeCount = 10

const getTotpPosition = (account_id: string) => ({ table: 'account', row: account_id, column: 'totp' })
const hashRecoveryCode = (secrets: Secrets, account_id: string, code: string): Buffer =>
  secrets.mac('recovery', `${account_id}|${code}`)

/** Accepts a code of the authenticator app; a second code of the same or an older time step is rejected. */
async function consumeTotpCode(tx: Tx, secrets: Secrets, account_id: string, code: string, now: Date): Promise<boolean> {
  const account = await tx.selectFrom('account').select('totp').where('id', '=', account_id).executeTakeFirst()
  if (!account?.totp) return false
  const step = findTotpStep(secrets.open(getTotpPosition(account_id), account.totp), code, now)
  if (step === null) return false
  const updated = await tx
    .updateTable('account')
    .set({ totp_step: step })
    .where('id', '=', account_id)
    .where('totp_step', '<', step)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

async function consumeRecoveryCode(tx: Tx, secrets: Secrets, account_id: string, code: string, now: Date): Promise<boolean> {
  const updated = await tx
    .updateTable('recovery_code')
    .set({ used_at: now })
    .where('account_id', '=', account_id)
    .where('code_hash', '=', hashRecoveryCode(secrets, account_id, code))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

type FactorAttempt = { readonly account_id: string; readonly code: string; readonly now: Date }

/** Throws `wrong_code` unless the code is correct and unused. Five attempts per 15 minutes, counted before the comparison. */
async function verifyFactor(database: Database, secrets: Secrets, { account_id, code, now }: FactorAttempt): Promise<void> {
  const key = `factor|${account_id}`
  await countAttempt(database, key, { ...attemptLimits.secondFactor, now })
  const consume = /^\d{6}$/.test(code) ? consumeTotpCode : consumeRecoveryCode
  const isRight = await database.withoutCompany((tx) => consume(tx, secrets, account_id, code, now))
  if (!isRight) throw fail('wrong_code', '动态码不正确或已用过，请等下一个再试', { field: 'code' })
  await clearAttempts(database, key)
}

export const checkTotp = defineHandler(contract.checkTotp, { kind: 'external' }, async (ctx, { factor_token: token, code }) => {
  const { database, now, secrets } = ctx
  const createExpiredError = () => fail('wrong_code', '登录已超时，请返回重新登录', { field: 'factor_token' })
  const grant = await findGrant(ctx, { token, purpose: 'factor' })
  if (!grant?.account_id || grant.epoch === null) throw createExpiredError()
  const { account_id, epoch, company_id } = grant
  ctx.addAuditDetails({ account_id, company_id })
  await verifyFactor(database, secrets, { account_id, code, now })
  await database.withoutCompany((tx) => consumeGrant(tx, ctx, { token, purpose: 'factor' }))
  return completeSignInWithFactor(ctx, { id: account_id, epoch }, company_id ?? undefined)
})

export const startTotp = defineHandler(profile.startTotp, { kind: 'external' }, async (ctx, { password }) => {
  const { database, currentAccount, secrets } = ctx
  if (!currentAccount) throw fail('signed_out')
  await assertPasswordCorrect(ctx, currentAccount.account_id, password, { field: 'password', message: '登录密码不正确' })
  const secret = randomBytes(20)
  const set = await database.withoutCompany((tx) =>
    tx
      .updateTable('account')
      .set({ totp: secrets.seal(getTotpPosition(currentAccount.account_id), secret), totp_step: 0 })
      .where('id', '=', currentAccount.account_id)
      .where('totp_on', 'is', null)
      .executeTakeFirst(),
  )
  if (set.numUpdatedRows === 0n) throw fail('wrong_state', '两步验证已经开启；要更换手机，请先关闭再重新开启', { status: 'on' })
  const totp = createTotp(secret)
  totp.label = maskMobile(currentAccount.mobile)
  return { secret: totp.secret.base32, url: totp.toString() }
})

/** Generates a code such as `abcde-12345`: 50 random bits from 32 characters, without those that look alike. */
function generateRecoveryCode(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'
  const text = [...randomBytes(10)].map((byte) => alphabet[byte & 31]).join('')
  return `${text.slice(0, 5)}-${text.slice(5)}`
}

export const confirmTotp = defineHandler(profile.confirmTotp, { kind: 'external' }, async (ctx, { code }) => {
  const { database, currentAccount, now, secrets } = ctx
  if (!currentAccount) throw fail('signed_out')
  const { account_id, session_id } = currentAccount
  const account = await database.withoutCompany((tx) =>
    tx.selectFrom('account').select(['totp', 'totp_on']).where('id', '=', account_id).executeTakeFirstOrThrow(),
  )
  if (!account.totp || account.totp_on) throw fail('wrong_state', '请先输入登录密码，再绑定验证器', { status: 'not_started' })
  await verifyFactor(database, secrets, { account_id, code, now })
  const codes = Array.from({ length: recoveryCodeCount }, generateRecoveryCode)
  await ctx.mutate(async ({ db: tx }) => {
    const on = await tx
      .updateTable('account')
      .set({ totp_on: now })
      .where('id', '=', account_id)
      .where('totp_on', 'is', null)
      .executeTakeFirst()
    if (on.numUpdatedRows === 0n) throw fail('wrong_state', '两步验证已经开启', { status: 'on' })
    await tx.deleteFrom('recovery_code').where('account_id', '=', account_id).execute()
    await tx
      .insertInto('recovery_code')
      .values(codes.map((one) => ({ account_id, code_hash: hashRecoveryCode(secrets, account_id, one) })))
      .execute()
    await endOtherSessions(tx, account_id, 'factor', session_id)
  })
  return { recovery_codes: codes }
})

export const stopTotp = defineHandler(profile.stopTotp, { kind: 'external' }, async (ctx, { password, code }) => {
  const { database, currentAccount, now, secrets } = ctx
  if (!currentAccount) throw fail('signed_out')
  const { account_id } = currentAccount
  const account = await database.withoutCompany((tx) =>
    tx.selectFrom('account').select('totp_on').where('id', '=', account_id).executeTakeFirstOrThrow(),
  )
  if (!account.totp_on) throw fail('wrong_state', '两步验证没有开启', { status: 'off' })
  await assertPasswordCorrect(ctx, account_id, password, { field: 'password', message: '登录密码不正确' })
  await verifyFactor(database, secrets, { account_id, code, now })
  await ctx.mutate(async ({ db: tx }) => {
    await tx.updateTable('account').set({ totp: null, totp_on: null, totp_step: 0 }).where('id', '=', account_id).execute()
    await tx.deleteFrom('recovery_code').where('account_id', '=', account_id).execute()
  })
  return {}
})
