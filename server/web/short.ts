/**
 * The short addresses that stand in an SMS: a slip's id without its dashes, an invite's code in two halves. They lead to the page and carry
 * no authority of their own. `from=sms`: the sign-in page then begins with a code.
 */
import type { FastifyInstance } from 'fastify'
import { invitePath, linkPaths } from '../contract/messages.ts'

export function shortPages(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(`${linkPaths.slip}:id`, async (request, reply) => {
    const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(request.params.id)
    return reply.header('cache-control', 'no-store').redirect(parts ? `/m/slip/${parts.slice(1).join('-')}?from=sms` : '/m/slips')
  })
  app.get<{ Params: { half: string; rest: string } }>(`${invitePath}:half/:rest`, async (request, reply) => {
    const code = `${request.params.half}${request.params.rest}`
    return reply.header('cache-control', 'no-store').redirect(/^[\w-]{2,70}$/.test(code) ? `${linkPaths.invite}${code}` : '/m')
  })
}
