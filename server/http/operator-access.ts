/**
 * Access check for operators: another kind of account, another cookie, another log. An operator's transaction sees only
 * the purchases of companies (row-level security); actions in one company narrow the transaction to that company,
 * without the key to its encrypted data.
 */

import { scopeToCompany, type Tx } from '../database/database.ts'
import { readCredentials } from './credentials.ts'
import { fail } from './errors.ts'
import type { OperatorContext, OperatorHandler } from './handler.ts'
import { createCommonContext } from './handler-contexts.ts'
import { findOperatorBySession, getOperatorCookieName, type Operator, writeOperatorLogEntry } from './operators.ts'
import type { AppDeps, RequestContext } from './request-context.ts'
import { createXsrfToken } from './sessions.ts'
import { validate } from './validate.ts'

/** Authenticates the operator; repeated in each transaction. */
async function findOperator(
  tx: Tx,
  { https, secrets, provenCallers }: AppDeps,
  { call, request, now }: RequestContext,
): Promise<Operator> {
  const credentials = readCredentials(request.headers, request.cookies, getOperatorCookieName(https))
  const operator = credentials?.cookie ? await findOperatorBySession(tx, credentials.token, credentials.cookie, now) : null
  if (credentials && operator) provenCallers.remember(credentials, operator.id)
  else if (credentials) provenCallers.forget(credentials)
  const isOurs =
    operator && (call.method === 'GET' || request.headers['x-xsrf-token'] === createXsrfToken(secrets, operator.session_id))
  if (!operator || !isOurs) throw fail('signed_out', '登录已失效，请重新登录运营后台')
  return operator
}

/** Throws if the request is not from an operator. */
export const authenticateOperator = (app: AppDeps, ctx: RequestContext): Promise<Operator> =>
  app.database.asOperator((tx) => findOperator(tx, app, ctx))

/** Runs one transaction: authenticates the operator, does the work, and writes its log entry. */
export function runOperatorHandler(app: AppDeps, ctx: RequestContext, handler: OperatorHandler): Promise<unknown> {
  const { database, jobs } = app
  return database.asOperator(async (tx) => {
    const operator = await findOperator(tx, app, ctx)
    validate(ctx)
    const handlerContext: OperatorContext = {
      ...createCommonContext(app, ctx),
      db: tx,
      operator,
      upload: ctx.form?.upload ?? null,
      seal: app.secrets.seal,
      inCompany: async (company_id, work) => {
        await scopeToCompany(tx, company_id)
        return work({
          db: tx,
          company_id,
          now: ctx.now,
          jobs: { send: (name, data, options) => jobs.send(tx, name, data, options) },
        })
      },
    }
    const output = await handler.run(handlerContext, ctx.input)
    if (ctx.call.audit === 'change') await writeOperatorEntry(tx, operator, ctx, 'done')
    ctx.isAudited = true
    return output
  })
}

const writeOperatorEntry = (tx: Tx, who: Operator, { call, auditDetails, now, request }: RequestContext, outcome: string) =>
  writeOperatorLogEntry(tx, who, {
    call: call.route,
    outcome,
    details: auditDetails,
    at: now,
    address: request.ip,
    request_id: request.id,
  })

/** Also logs a refused action, if it came from an operator. */
export async function recordOperatorError(app: AppDeps, ctx: RequestContext, outcome: string): Promise<void> {
  if (ctx.call.audit !== 'change' || ctx.isAudited || outcome === 'signed_out') return
  await app.database.asOperator(async (tx) => writeOperatorEntry(tx, await findOperator(tx, app, ctx), ctx, outcome))
}
