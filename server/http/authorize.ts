/** Authorization: whether the principal may make the call, and whether their company has the feature. */
import type { FastifyInstance } from 'fastify'
import { canAccess } from '../contract/access.ts'
import { featureLabels, hasFeature } from '../contract/billing/editions.ts'
import type { Call } from '../contract/call.ts'
import { assertScope } from './api-keys.ts'
import { fail } from './errors.ts'
import { authenticatesInTransaction, getRequestContext, type Principal } from './request-context.ts'

export function registerAuthorization(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    if (!authenticatesInTransaction(ctx) && ctx.handler.kind !== 'operator') authorize(ctx.call, ctx.principal)
  })
}

export function authorize(call: Call, principal: Principal): void {
  assertAccess(call, principal)
  requireEdition(call, principal)
}

function assertAccess(call: Call, { account, me, apiKey }: Principal): void {
  if (apiKey) assertScope(call, apiKey.scopes)
  if (call.access === 'public') return
  if (!account) throw fail('signed_out')
  if (call.access === 'half_signed_in') return
  if (!me) throw fail('signed_out')
  if (!apiKey && typeof call.access === 'object' && call.access.signIn === 'api_key')
    throw fail('not_permitted', '这个接口只接受接口密钥')
  if (!canAccess(me, call.access)) throw fail('not_permitted')
}

/** Throws if the company's edition lacks the feature that the call requires. */
function requireEdition({ requiredFeature }: Call, { me }: Principal): void {
  if (!requiredFeature || !me || hasFeature(me.edition, requiredFeature)) return
  throw fail('not_in_edition', `「${featureLabels[requiredFeature]}」是高级版的功能，请在「服务管理」开通`, {
    feature: requiredFeature,
  })
}
