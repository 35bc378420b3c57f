/** The step that refuses calls which need disk space while there is little (`limits/disk-guard.ts`). */
import type { FastifyInstance } from 'fastify'
import { type AppDeps, authenticatesInTransaction, getRequestContext, type RequestContext } from './request-context.ts'

export function registerDiskSpace(app: FastifyInstance, deps: AppDeps): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    // Inspects the disk now: nothing waits for a disk while a transaction is open.
    if (authenticatesInTransaction(ctx)) await deps.diskGuard.checkFor(ctx.call)
    else await assertDiskSpace(deps, ctx)
  })
}

export async function assertDiskSpace({ diskGuard }: AppDeps, ctx: RequestContext): Promise<void> {
  ctx.spareBytes = await diskGuard.assertSpaceFor(ctx.call)
}
