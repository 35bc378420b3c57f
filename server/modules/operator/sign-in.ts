/** Operator sign-in: always by name, password and authenticator code. */

import * as contract from '../../contract/operator/operators.ts'
import { defineHandler, type ExternalContext, fail, invalidInput } from '../../http/handler.ts'
import { type AttemptBudget, clearAttempts, consumeBudget, countAttempt } from '../../http/limits/attempts.ts'
import { attemptLimits } from '../../http/limits/config.ts'
import { toNetworkAddress } from '../../http/limits/rate-limits.ts'
import {
  completeOperatorSetup,
  consumeOperatorCode,
  deactivateOperator,
  endOperatorSession,
  findOperatorPassword,
  getOperatorCookieName,
  inviteOperator,
  listOperatorLog,
  listOperators,
  logOperatorAttempt,
  type OperatorDeps,
  type OperatorLogEntry,
  operatorSessionLifetime,
  operatorXsrfCookie,
  startOperatorSession,
  startOperatorSetup,
} from '../../http/operators.ts'
import { createXsrfToken, hashSecret } from '../../http/sessions.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { ensureBrowserHash, getBrowserHash } from '../auth/index.ts'

type ClientTrust = Pick<NonNullable<Awaited<ReturnType<typeof findOperatorPassword>>>, 'isTrustedBrowser' | 'isTrustedNetwork'>
const byAddress = ({ address }: ExternalContext): AttemptBudget => ({
  ...attemptLimits.operatorByAddress,
  key: `ops from|${address}`,
})

/**
 * Returns the key of the attempts at this name. Strangers use up only their own: the operator has others in a browser in
 * which they signed in before, and in a network from which they did. The code of the phone gives none: whoever knows the
 * password could then try codes without a limit.
 */
function getAttemptKey({ address }: ExternalContext, name: string, browser: Buffer | null, trust: ClientTrust | null): string {
  if (trust?.isTrustedBrowser) return `ops|${name}|${browser?.toString('hex')}`
  return trust?.isTrustedNetwork ? `ops|${name}|${toNetworkAddress(address)}` : `ops|${name}`
}

/** Hashing and comparing passwords; implemented by the account module. */
export type PasswordService = {
  hash(password: string): Promise<string>
  isCorrect(stored: string | null, password: string): Promise<boolean>
  assertStrong(password: string, confirm: string, field: string, owner: { user_name: string }): void
}
const minPasswordLength = 10

const toLogEntry = ({ now: at, address, request_id }: ExternalContext, call: string, outcome: string): OperatorLogEntry => ({
  call,
  outcome,
  details: {},
  at,
  address,
  request_id,
})

export function createSignInHandlers(deps: OperatorDeps, passwords: PasswordService) {
  const startSession = async (ctx: ExternalContext, operator: { id: string; name: string }, call: string) => {
    const { secrets, request } = ctx
    const browser_hash = ensureBrowserHash(ctx)
    const entry = toLogEntry(ctx, call, 'done')
    const { token, cookie, session_id } = await startOperatorSession(deps, { ...operator, browser_hash }, entry)
    const max_age_s = operatorSessionLifetime.absolute_s
    ctx.setCookie(getOperatorCookieName(request.https), cookie, { http_only: true, max_age_s })
    ctx.setCookie(operatorXsrfCookie, createXsrfToken(secrets, session_id), { http_only: false, max_age_s })
    return { token }
  }
  return {
    startOperatorSetup: defineHandler(
      contract.startOperatorSetup,
      { kind: 'external' },
      async (ctx, { key, name, password, confirm_password }) => {
        await countAttempt(ctx.database, `ops key|${ctx.address}`, { ...attemptLimits.operatorKeyByAddress, now: ctx.now })
        passwords.assertStrong(password, confirm_password, 'password', { user_name: name })
        if (password.length < minPasswordLength) throw invalidInput('password', `运营后台的密码至少 ${minPasswordLength} 位`)
        return startOperatorSetup(
          deps,
          { key, name, password_hash: await passwords.hash(password), now: ctx.now },
          toLogEntry(ctx, contract.startOperatorSetup.route, 'done'),
        )
      },
    ),
    completeOperatorSetup: defineHandler(
      contract.completeOperatorSetup,
      { kind: 'external' },
      async (ctx, { key, name, code }) => {
        // By key, not by name: whoever does not have the key cannot use up the attempts of its owner.
        const byKey = { ...attemptLimits.operatorByName, key: `ops setup|${hashSecret(key).toString('hex')}` }
        await consumeBudget(ctx.database, [[byKey, byAddress(ctx)]], ctx.now)
        const id = await completeOperatorSetup(deps, { key, name, code, now: ctx.now })
        return startSession(ctx, { id, name }, contract.completeOperatorSetup.route)
      },
    ),
    signInOperator: defineHandler(contract.signInOperator, { kind: 'external' }, async (ctx, { name, password, code }) => {
      const browser = getBrowserHash(ctx)
      const operator = await findOperatorPassword(deps, { name, browser, address: ctx.address })
      // Counted before anything is hashed: a flood of guesses costs no processor time.
      const key = getAttemptKey(ctx, name, browser, operator)
      const ownBudget = { ...attemptLimits.operatorByName, key }
      await consumeBudget(ctx.database, [operator?.isTrustedBrowser ? [ownBudget] : [ownBudget, byAddress(ctx)]], ctx.now)
      const isCorrect = await passwords.isCorrect(operator?.password_hash ?? null, password)
      // The code is consumed only if the password is correct.
      if (!operator || !isCorrect || !(await consumeOperatorCode(deps, { id: operator.id, code, now: ctx.now }))) {
        const attempted = { id: operator?.id ?? null, name }
        await logOperatorAttempt(deps, attempted, toLogEntry(ctx, contract.signInOperator.route, 'wrong_password'))
        throw fail('wrong_password', '用户名、密码或动态码不正确')
      }
      await clearAttempts(ctx.database, key)
      return startSession(ctx, { id: operator.id, name }, contract.signInOperator.route)
    }),
  }
}

export const signOutOperator = defineHandler(contract.signOutOperator, { kind: 'operator' }, async ({ db, operator, now }) => {
  await endOperatorSession(db, operator.session_id, now)
  return {}
})

export const getOperatorList = defineHandler(contract.getOperatorList, { kind: 'operator' }, async ({ db, operator }) => {
  const list = await listOperators(db)
  return {
    current_operator: operator.name,
    list: list.map(({ operator_id, name, created_at, last_active_at: lastUsedAt, ended_at }) => ({
      operator_id,
      name,
      created_at: toIsoTimestamp(created_at),
      last_active_at: lastUsedAt && toIsoTimestamp(lastUsedAt),
      ended_at: ended_at && toIsoTimestamp(ended_at),
      is_me: operator_id === operator.id,
    })),
  }
})

export const inviteOperatorHandler = defineHandler(
  contract.inviteOperator,
  { kind: 'operator' },
  async ({ db, operator, now }) => {
    const { key, expires_at } = await inviteOperator(db, operator.id, now)
    return { key, expires_at: toIsoTimestamp(expires_at) }
  },
)

export const deactivateOperatorHandler = defineHandler(
  contract.deactivateOperator,
  { kind: 'operator' },
  async ({ db, operator, now }, { operator_id }) => {
    // At least one operator must remain active.
    if (operator_id === operator.id) throw fail('wrong_state', '不能停用自己的账号，请由另一位运营人员操作', { status: 'me' })
    if (!(await deactivateOperator(db, operator_id, now))) throw fail('not_found', '没有这位运营人员，或已经停用')
    return {}
  },
)

export const getOperatorLog = defineHandler(contract.getOperatorLog, { kind: 'operator' }, async ({ db }, { page, pagesize }) => {
  const { rows, total } = await listOperatorLog(db, { page, pagesize })
  const list = rows.map(({ at, details, ...row }) => ({ ...row, at: toIsoTimestamp(at), details: JSON.stringify(details) }))
  return { list, page: { page, pagesize, total } }
})
