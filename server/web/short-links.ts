/**
 * The short addresses that stand in an SMS: the id of a slip, or of a rehearsal, without its dashes, an invite's code in two halves. They lead to the page and carry
 * no authority of their own. `from=sms`: the sign-in page then begins with a code.
 */
import type { FastifyInstance } from 'fastify'
import { invitePath, linkPaths } from '../contract/shared/message-templates.ts'

/** An id with the dashes that an SMS leaves out; null where it is none. */
const toUuid = (text: string): string | null =>
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text)?.slice(1).join('-') ?? null

export function registerShortLinks(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(`${linkPaths.slip}:id`, async (request, reply) => {
    const id = toUuid(request.params.id)
    return reply.header('cache-control', 'no-store').redirect(id ? `/m/slip/${id}?from=sms` : '/m/slips')
  })
  app.get<{ Params: { id: string } }>(`${linkPaths.rehearsal}:id`, async (request, reply) => {
    const id = toUuid(request.params.id)
    return reply.header('cache-control', 'no-store').redirect(id ? `/m/rehearsal/${id}?from=sms` : '/m')
  })
  app.get<{ Params: { half: string; rest: string } }>(`${invitePath}:half/:rest`, async (request, reply) => {
    const code = `${request.params.half}${request.params.rest}`
    return reply.header('cache-control', 'no-store').redirect(/^[\w-]{2,70}$/.test(code) ? `${linkPaths.invite}${code}` : '/m')
  })
}
