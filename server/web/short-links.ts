/**
 * Short links in SMS: the code of a payslip or of the feedback on it, or its id without dashes in messages of earlier versions; the id of a test
 * send; the code of an invite in two halves.
 * They redirect to the page and grant no access of their own. `from=sms`: the sign-in page then starts with a code.
 */
import type { FastifyInstance } from 'fastify'
import { messageKinds } from '../contract/messages/sms-templates.ts'
import { isFeedbackCode, toPartialId } from '../rules/short-ids.ts'

/** Restores the dashes of an id in a short link; null if it is not an id. */
const toUuid = (text: string): string | null =>
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text)?.slice(1).join('-') ?? null

export function registerShortLinks(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(`${messageKinds.slip.linkPath}:id`, async (request, reply) => {
    const code = request.params.id
    const id = toPartialId(code) ?? toUuid(code)
    const page = id === toPartialId(code) && isFeedbackCode(code) ? 'feedback' : 'slip'
    return reply.header('cache-control', 'no-store').redirect(id ? `/m/${page}/${id}?from=sms` : '/m/slips')
  })
  app.get<{ Params: { id: string } }>(`${messageKinds.rehearsal.linkPath}:id`, async (request, reply) => {
    const id = toUuid(request.params.id)
    return reply.header('cache-control', 'no-store').redirect(id ? `/m/rehearsal/${id}?from=sms` : '/m')
  })
  app.get<{ Params: { half: string; rest: string } }>(`${messageKinds.invite.splitPath}:half/:rest`, async (request, reply) => {
    const code = `${request.params.half}${request.params.rest}`
    return reply
      .header('cache-control', 'no-store')
      .redirect(/^[\w-]{2,70}$/.test(code) ? `${messageKinds.invite.linkPath}${code}` : '/m')
  })
}
