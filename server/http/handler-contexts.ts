/** The parts of a handler's context, created from the dependencies and the request. */
import type { FastifyReply } from 'fastify'
import type { Tx } from '../database/database.ts'
import type { CurrentUser } from './current-user.ts'
import { fail } from './errors.ts'
import type { HandlerContext } from './handler.ts'
import type { AppDeps, RequestContext } from './request-context.ts'

/** Creates the part of the context that every handler gets. */
export const createCommonContext = (
  { origin, billing, countSegments, previewMessage }: AppDeps,
  { now, request, auditDetails }: RequestContext,
) => ({
  now,
  request_id: request.id,
  address: request.ip,
  origin,
  billing,
  countSegments,
  previewMessage,
  addAuditDetails: (ids: RequestContext['auditDetails']) => void Object.assign(auditDetails, ids),
})

export async function createHandlerContext(app: AppDeps, ctx: RequestContext, tx: Tx): Promise<HandlerContext> {
  const me = requireCurrentUser(ctx)
  return {
    ...createCommonContext(app, ctx),
    db: tx,
    currentUser: me,
    company_id: me.company_id,
    spareBytes: ctx.spareBytes,
    isReadOnly: false,
    vault: await app.secrets.vault(tx, me.company_id),
    jobs: { send: (name, data, options) => app.jobs.send(tx, name, data, options) },
  }
}

/** Returns the user of a company, for calls that require one. */
export const requireCurrentUser = ({ principal }: RequestContext): CurrentUser => {
  if (!principal.me) throw fail('signed_out')
  return principal.me
}

/** Aborts when the connection is closed before the response was sent: the client is gone. */
export function getClosedSignal(reply: FastifyReply): AbortSignal {
  const removed = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) removed.abort(new Error('the client has gone'))
  })
  return removed.signal
}
