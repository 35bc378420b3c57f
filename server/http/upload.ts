/** The step that reads the form of an upload: never before the request was authenticated and limited. */
import type { FastifyInstance } from 'fastify'
import { authenticateOperator } from './operator-access.ts'
import { type AppDeps, getRateLimitKey, getRequestContext } from './request-context.ts'

export function registerUpload(app: FastifyInstance, deps: AppDeps): void {
  app.addHook('preHandler', async (request) => {
    const ctx = getRequestContext(request)
    if (ctx.call.requestType !== 'file') return
    if (ctx.handler.kind === 'operator') await authenticateOperator(deps, ctx)
    const { form, release } = await deps.formReader.read(request, getRateLimitKey(ctx))
    ctx.form = form
    ctx.releaseForm = release
  })
  app.addHook('onSend', async ({ requestContext }) => requestContext?.releaseForm())
  app.addHook('onResponse', async ({ requestContext }) => requestContext?.releaseForm())
}
