/**
 * The door of whoever runs the server: another account kind, another cookie, another log. His transaction sees of companies what they buy and nothing
 * else (row-level security); what he does in one company is done by it narrowed to that company, without the key to anything sealed there.
 */

import { type Operator, operatorCookie, readOperator, writeOperatorLine } from '../data/operators.ts'
import { enterCompany, type Tx } from '../db.ts'
import { type OpsCtx, refuse, type Upload } from '../handle.ts'
import { commonOf } from './contexts.ts'
import { xsrfOf } from './sessions.ts'
import type { House, Visit } from './visit.ts'

/** Who asks; he is asked for again in each transaction. */
async function operatorIn(tx: Tx, { https, secrets }: House, { call, request, now }: Visit): Promise<Operator> {
  const token = request.headers['user-token']
  const cookie = request.cookies[operatorCookie(https)]
  const operator =
    typeof token === 'string' && cookie && token.length <= 200 && cookie.length <= 200
      ? await readOperator(tx, token, cookie, now)
      : null
  const isOurs = operator && (call.method === 'GET' || request.headers['x-xsrf-token'] === xsrfOf(secrets, operator.session_id))
  if (!operator || !isOurs) throw refuse('signed_out', '登录已失效，请重新登录运营后台')
  return operator
}

/** Refuses who is none. */
export const knowOperator = (house: House, visit: Visit): Promise<Operator> =>
  house.database.asOperator((tx) => operatorIn(tx, house, visit))

/** One transaction: he is known, the thing is done, and its line stands with it. */
export function asOperator<T>(house: House, visit: Visit, upload: Upload | null, fn: (ctx: OpsCtx) => Promise<T>): Promise<T> {
  const { database, jobs } = house
  return database.asOperator(async (tx) => {
    const operator = await operatorIn(tx, house, visit)
    const output = await fn({
      ...commonOf(house, visit),
      db: tx,
      operator,
      upload,
      seal: house.secrets.seal,
      inCompany: async (company_id, work) => {
        await enterCompany(tx, company_id)
        return work({
          db: tx,
          company_id,
          now: visit.now,
          jobs: { send: (name, data, options) => jobs.send(tx, name, data, options) },
        })
      },
    })
    if (visit.call.audit === 'change') await tell(tx, operator, visit, 'done')
    visit.isTold = true
    return output
  })
}

const tell = (tx: Tx, who: Operator, { call, about, now, request }: Visit, outcome: string) =>
  writeOperatorLine(tx, who, { call: call.at, outcome, about, at: now, address: request.ip, request_id: request.id })

/** A deed that was refused has its line too, where he is one who may try. */
export async function operatorRefused(house: House, visit: Visit, outcome: string): Promise<void> {
  if (visit.call.audit !== 'change' || visit.isTold || outcome === 'signed_out') return
  await house.database.asOperator(async (tx) => tell(tx, await operatorIn(tx, house, visit), visit, outcome))
}
