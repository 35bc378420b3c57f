/** The port to an SMS gateway, and the demo's gateway, which writes into the outbox. */
import type { Database } from './db.ts'
import { newId } from './ids.ts'

export type SmsMessage = {
  /** Our delivery's id, or the challenge's: the gateway's reference to find it again. */
  readonly id: string
  readonly mobile: string
  readonly text: string
  readonly name?: string
  readonly link?: string
}

/** The gateway said no, and will say no again: not to be repeated. */
export class MessageRefused extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The gateway takes nothing now and says when it will: nothing left, the same message may be asked again after that time. */
export class SlowDown extends Error {
  readonly retry_after_s: number
  constructor(retry_after_s: number, message = 'the gateway asks for patience') {
    super(message)
    this.retry_after_s = retry_after_s
  }
}

export type Sms = {
  /** Resolves when the gateway has taken the message; throws `MessageRefused`, `SlowDown`, or anything else where the outcome is unknown. */
  send(message: SmsMessage): Promise<{ ref: string }>
  /** Which of these messages the gateway has taken. Ids it does not know are left out. */
  lookup(ids: readonly string[]): Promise<ReadonlyMap<string, { ref: string }>>
}

/** The demo's outside world. Takes everything it is handed, also twice, so that a doubled message would show. */
export function outboxGateway(database: Database, channel: 'sms' | 'platform'): Sms {
  return {
    async send(message) {
      const id = newId()
      await database.outside((tx) =>
        tx
          .insertInto('outbox')
          .values({
            id,
            delivery_id: message.id,
            channel,
            mobile: message.mobile,
            name: message.name ?? '',
            text: message.text,
            link: message.link ?? '',
          })
          .execute(),
      )
      return { ref: id }
    },
    async lookup(ids) {
      if (ids.length === 0) return new Map()
      const rows = await database.outside((tx) =>
        tx
          .selectFrom('outbox')
          .select(['id', 'delivery_id'])
          .where('channel', '=', channel)
          .where('delivery_id', 'in', ids)
          .execute(),
      )
      return new Map(rows.map((row) => [String(row.delivery_id), { ref: row.id }]))
    },
  }
}
