/** A message to one person that is about no slip of his: security, or how things stand. Slips have the ledger (domain/slip). */
import type { Saying } from '../../contract/messages.ts'
import type { Database } from '../../runtime/db.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { idOf } from '../../runtime/ids.ts'
import { type Jobs, leastRest_ms } from '../../runtime/jobs.ts'
import { type CarrierLines, handOver, lookUp } from '../../runtime/post/index.ts'

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
  readonly database: Database
  readonly jobs: Jobs
  readonly lines: CarrierLines
  readonly log: { error(about: object, message: string): void }
}

/** How often the gateway has asked for patience so far. */
type Again = { readonly put_off?: number }
const most_put_off = 30
const longest_wait_s = 900

/**
 * Doing this job twice is harmless: from the second try on the gateway is asked for the message's own id first. Fewer tries than the usual ones, so that all of
 * them lie within the time for which gateways know an id.
 */
export function openTeller({ database, jobs, lines, log }: TellerParts): void {
  jobs.on<Message & Again>(
    'tell',
    async ({ channel, to, put_off = 0, ...message }, { tried }) => {
      const { id, ...saying } = message
      const line = lines[channel]
      if (!line) return
      if (tried > 0) {
        const known = await lookUp(line, [{ id, to, at: new Date(Date.now() - leastRest_ms(tried)) }])
        const found = known?.get(id)?.result ?? 'unsure'
        if (found === 'unsure') throw new Error('the gateway cannot tell whether it took the message')
        if (found === 'accepted') return
      }
      const [outcome] = await handOver(line, [{ id, to, saying }])
      if (outcome?.result === 'accepted') return
      if (outcome?.result === 'refused') return log.error({ message_id: id, code: outcome.code }, 'a message was refused')
      if (outcome?.result === 'put_off' && put_off < most_put_off) {
        // Surely not taken: begins anew as another job, because after a mere retry of this one nothing would be certain.
        const again = { ...message, channel, to, put_off: put_off + 1 }
        const start_after = new Date(Date.now() + Math.min(longest_wait_s, outcome.wait_s) * 1000)
        return database.outside((tx) => jobs.send(tx, 'tell', again, { id: idOf('tell', id, String(put_off + 1)), start_after }))
      }
      // Silence is tried again by the queue, later and later.
      throw new Error('the gateway has not taken the message')
    },
    { retries: 8 },
  )
}
