/** A message to one person that is about no slip of his: security, or how things stand. Slips have the ledger (domain/slip). */
import type { Saying } from '../../contract/messages.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { type Jobs, leastRest_ms } from '../../runtime/jobs.ts'
import { MessageRefused, type Sms } from '../../runtime/sms.ts'

export type Message = Saying & {
  /** The gateway's reference too: the same id is one message. */
  readonly id: string
  readonly channel: 'sms' | 'platform'
  readonly to: string
}

/** Leaves after the caller's transaction; if that is rolled back, never. */
export const tell = (ctx: { readonly jobs: Ctx['jobs'] }, message: Message): Promise<void> =>
  ctx.jobs.send('tell', { ...message }, { id: message.id })

export type TellerParts = {
  readonly jobs: Jobs
  readonly sms: Sms | null
  readonly platform: Sms | null
  readonly log: { error(about: object, message: string): void }
}

/**
 * Doing this job twice is harmless: from the second try on the gateway is asked for the message's own id first. Fewer tries than the usual ones, so that all of
 * them lie within the time for which gateways know an id.
 */
export function openTeller({ jobs, sms, platform, log }: TellerParts): void {
  const gateways = { sms, platform }
  jobs.on<Message>(
    'tell',
    async ({ channel, to, ...message }, { tried }) => {
      const { id } = message
      const gateway = gateways[channel]
      if (!gateway) return
      if (tried > 0) {
        const known = await gateway.lookup([{ id, mobile: to, at: new Date(Date.now() - leastRest_ms(tried)) }])
        if (known.get(id) === null) throw new Error('the gateway cannot tell whether it took the message')
        if (known.has(id)) return
      }
      try {
        await gateway.send({ ...message, mobile: to })
      } catch (error) {
        // Anything else is tried again by the queue, later and later: silence, and a gateway that asks for patience.
        if (!(error instanceof MessageRefused)) throw error
        log.error({ message_id: id, code: error.code }, 'a message was refused')
      }
    },
    { retries: 8 },
  )
}
