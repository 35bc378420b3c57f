/** How whoever runs the server comes in: a name, a password and a phone, always all three. */
import * as contract from '../../../contract/corp/ops.ts'
import { isoOf } from '../../../runtime/clock.ts'
import {
  beginOperator,
  endOperator,
  endOperatorSession,
  inviteOperator,
  makeReady,
  type OperatorDoor,
  type OperatorLine,
  operatorCookie,
  operatorLines,
  operatorLives,
  operatorPassword,
  operatorsIn,
  operatorXsrfCookie,
  startOperatorSession,
  takeOperatorCode,
  tellOfOperator,
} from '../../../runtime/data/operators.ts'
import { handleOps, handleOutside, invalid, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { countTry, forgiveTries } from '../../../runtime/request/limits.ts'
import { xsrfOf } from '../../../runtime/request/sessions.ts'

const tries = { max: 5, window_s: 900 }
/** Guesses at one name, and from one address: counted before anything is compared. */
const count = async ({ database, now, address }: OutsideCtx, name: string): Promise<void> => {
  await countTry(database, `ops|${name}`, { ...tries, now })
  await countTry(database, `ops from|${address}`, { max: 30, window_s: tries.window_s, now })
}

/** How passwords are kept and compared; the room of accounts knows it. */
export type Passwords = {
  hash(password: string): Promise<string>
  isRight(stored: string | null, password: string): Promise<boolean>
  mustBeGood(password: string, confirm: string, field: string, about: { mobile: string }): void
}
const least_password = 10

const lineOf = ({ now: at, address, request_id }: OutsideCtx, call: string, outcome: string): OperatorLine => ({
  call,
  outcome,
  about: {},
  at,
  address,
  request_id,
})

export function signInHandlers(door: OperatorDoor, passwords: Passwords) {
  const open = async (ctx: OutsideCtx, operator: { id: string; name: string }, call: string) => {
    const { secrets, request } = ctx
    const { token, cookie, session_id } = await startOperatorSession(door, operator, lineOf(ctx, call, 'done'))
    const max_age_s = operatorLives.absolute_s
    ctx.setCookie(operatorCookie(request.https), cookie, { http_only: true, max_age_s })
    ctx.setCookie(operatorXsrfCookie, xsrfOf(secrets, session_id), { http_only: false, max_age_s })
    return { token }
  }
  return {
    beginOperator: handleOutside(contract.beginOperator, async (ctx, { key, name, password, confirm_password }) => {
      await countTry(ctx.database, `ops key|${ctx.address}`, { max: 20, window_s: tries.window_s, now: ctx.now })
      passwords.mustBeGood(password, confirm_password, 'password', { mobile: name })
      if (password.length < least_password) throw invalid('password', `运营后台的密码至少 ${least_password} 位`)
      return beginOperator(door, { key, name, password_hash: await passwords.hash(password), now: ctx.now })
    }),
    confirmOperator: handleOutside(contract.confirmOperator, async (ctx, { key, name, code }) => {
      await count(ctx, name)
      const id = await makeReady(door, { key, name, code, now: ctx.now })
      await forgiveTries(ctx.database, `ops|${name}`)
      return open(ctx, { id, name }, contract.confirmOperator.at)
    }),
    signInOperator: handleOutside(contract.signInOperator, async (ctx, { name, password, code }) => {
      await count(ctx, name)
      const known = await operatorPassword(door, name)
      const isHis = await passwords.isRight(known?.password_hash ?? null, password)
      // The code is spent only by whoever knows the password.
      if (!known || !isHis || !(await takeOperatorCode(door, { id: known.id, code, now: ctx.now }))) {
        const who = { id: known?.id ?? null, name }
        await tellOfOperator(door, who, lineOf(ctx, contract.signInOperator.at, 'wrong_password'))
        throw refuse('wrong_password', '用户名、密码或动态码不正确')
      }
      await forgiveTries(ctx.database, `ops|${name}`)
      return open(ctx, { id: known.id, name }, contract.signInOperator.at)
    }),
  }
}

export const signOutOperator = handleOps(contract.signOutOperator, async ({ db, operator, now }) => {
  await endOperatorSession(db, operator.session_id, now)
  return {}
})

export const getOperatorList = handleOps(contract.getOperatorList, async ({ db, operator }) => {
  const list = await operatorsIn(db)
  return {
    me: operator.name,
    list: list.map(({ operator_id, name, created_at, seen_at, ended_at }) => ({
      operator_id,
      name,
      created_at: isoOf(created_at),
      seen_at: seen_at && isoOf(seen_at),
      ended_at: ended_at && isoOf(ended_at),
      is_me: operator_id === operator.id,
    })),
  }
})

export const inviteAnother = handleOps(contract.inviteOperator, async ({ db, operator, now }) => {
  const { key, expires_at } = await inviteOperator(db, operator.id, now)
  return { key, expires_at: isoOf(expires_at) }
})

export const endAnother = handleOps(contract.endOperator, async ({ db, operator, now }, { operator_id }) => {
  // Somebody is always left who may.
  if (operator_id === operator.id) throw refuse('wrong_state', '不能停用自己的账号，请由另一位运营人员操作', { status: 'me' })
  if (!(await endOperator(db, operator_id, now))) throw refuse('not_found', '没有这位运营人员，或已经停用')
  return {}
})

export const getOperatorLog = handleOps(contract.getOperatorLog, async ({ db }, { page, pagesize }) => {
  const { rows, total } = await operatorLines(db, { page, pagesize })
  const list = rows.map(({ at, about, ...row }) => ({ ...row, at: isoOf(at), about: JSON.stringify(about) }))
  return { list, page: { page, pagesize, total } }
})
