/**
 * The door of whoever runs the server: another account kind, another cookie, another log. His transaction sees of companies what they buy and nothing
 * else (row-level security); what he does in one company is done by it narrowed to that company, without the key to anything sealed there.
 */

import { scopeToCompany, type Tx } from '../database/database.ts'
import { fail, type OperatorContext, type UploadedFile } from './handler.ts'
import { createCommonContext } from './handler-contexts.ts'
import { findOperatorBySession, getOperatorCookieName, type Operator, writeOperatorLogEntry } from './operators.ts'
import type { AppDeps, RequestContext } from './request-context.ts'
import { createXsrfToken } from './sessions.ts'

/** Who asks; he is asked for again in each transaction. */
async function findOperator(tx: Tx, { https, secrets }: AppDeps, { call, request, now }: RequestContext): Promise<Operator> {
  const token = request.headers['user-token']
  const cookie = request.cookies[getOperatorCookieName(https)]
  const operator =
    typeof token === 'string' && cookie && token.length <= 200 && cookie.length <= 200
      ? await findOperatorBySession(tx, token, cookie, now)
      : null
  const isOurs =
    operator && (call.method === 'GET' || request.headers['x-xsrf-token'] === createXsrfToken(secrets, operator.session_id))
  if (!operator || !isOurs) throw fail('signed_out', '登录已失效，请重新登录运营后台')
  return operator
}

/** Refuses who is none. */
export const authenticateOperator = (house: AppDeps, visit: RequestContext): Promise<Operator> =>
  house.database.asOperator((tx) => findOperator(tx, house, visit))

/** One transaction: he is known, the thing is done, and its line stands with it. */
export function withOperatorTx<T>(
  house: AppDeps,
  visit: RequestContext,
  upload: UploadedFile | null,
  fn: (ctx: OperatorContext) => Promise<T>,
): Promise<T> {
  const { database, jobs } = house
  return database.asOperator(async (tx) => {
    const operator = await findOperator(tx, house, visit)
    const output = await fn({
      ...createCommonContext(house, visit),
      db: tx,
      operator,
      upload,
      seal: house.secrets.seal,
      inCompany: async (company_id, work) => {
        await scopeToCompany(tx, company_id)
        return work({
          db: tx,
          company_id,
          now: visit.now,
          jobs: { send: (name, data, options) => jobs.send(tx, name, data, options) },
        })
      },
    })
    if (visit.call.audit === 'change') await writeOperatorEntry(tx, operator, visit, 'done')
    visit.isAudited = true
    return output
  })
}

const writeOperatorEntry = (tx: Tx, who: Operator, { call, auditDetails, now, request }: RequestContext, outcome: string) =>
  writeOperatorLogEntry(tx, who, { call: call.route, outcome, about: auditDetails, at: now, address: request.ip, request_id: request.id })

/** A deed that was refused has its line too, where he is one who may try. */
export async function recordOperatorError(house: AppDeps, visit: RequestContext, outcome: string): Promise<void> {
  if (visit.call.audit !== 'change' || visit.isAudited || outcome === 'signed_out') return
  await house.database.asOperator(async (tx) => writeOperatorEntry(tx, await findOperator(tx, house, visit), visit, outcome))
}
