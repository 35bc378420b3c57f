/** The short address of a slip, as it stands in an SMS: its id without the dashes. Leads to the page; whoever opens that must sign in. */
import type { FastifyInstance } from 'fastify'
import { linkPaths } from '../contract/messages.ts'

export function shortPages(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(`${linkPaths.slip}:id`, async (request, reply) => {
    const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(request.params.id)
    return reply.header('cache-control', 'no-store').redirect(parts ? `/m/slip/${parts.slice(1).join('-')}` : '/m/slips')
  })
}
