/** The port to an SMS gateway, and the demo's gateway, which writes into the outbox. */
import { piecesOf, type Saying, type SmsForm, smsText, textOf, usual_signature } from '../contract/messages.ts'
import type { Database } from './db.ts'
import { newId } from './ids.ts'

/** What is said is a kind and its variables (contract/messages.ts); a gateway that wants the whole text makes it with `textOf`. */
export type SmsMessage = Saying & {
  /** Our delivery's id, or the challenge's: the gateway's reference to find it again. */
  readonly id: string
  readonly mobile: string
  /** The person's name, masked: for the eyes of the demo. */
  readonly name?: string
}

/** A message that may or may not have left. Some gateways know an id only together with the phone and the day. */
export type Asked = {
  readonly id: string
  readonly mobile: string
  /** When it was last tried, or a little later. */
  readonly at: Date
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
  /** It is about this one phone, which has had enough for now; others are served. */
  readonly one_phone: boolean
  constructor(retry_after_s: number, message = 'the gateway asks for patience', { one_phone = false } = {}) {
    super(message)
    this.retry_after_s = retry_after_s
    this.one_phone = one_phone
  }
}

export type Sms = {
  /** Without it: the whole text under the usual signature. */
  readonly form?: SmsForm
  /** Resolves when the gateway has taken the message; throws `MessageRefused`, `SlowDown`, or anything else where the outcome is unknown. */
  send(message: SmsMessage): Promise<{ ref: string }>
  /**
   * Which of these messages the gateway has taken. Those that it surely has not are left out; null where it cannot tell, because its
   * books are behind: such a message must not be repeated.
   */
  lookup(asked: readonly Asked[]): Promise<ReadonlyMap<string, { ref: string } | null>>
}

const usualForm: SmsForm = { signature: usual_signature, brief: false }
/** How many pieces an SMS is charged as. */
export type CountPieces = (saying: Saying) => number
export const pieceCounter =
  (sms: Pick<Sms, 'form'> | null, origin: string): CountPieces =>
  (saying) =>
    piecesOf(smsText(saying, sms?.form ?? usualForm, origin))

/** The demo's outside world. Takes everything it is handed, also twice, so that a doubled message would show. */
export function outboxGateway(database: Database, channel: 'sms' | 'platform', signature?: string): Sms {
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
            text: textOf(message, signature),
            link: 'link' in message.params ? message.params.link : '',
          })
          .execute(),
      )
      return { ref: id }
    },
    async lookup(asked) {
      if (asked.length === 0) return new Map()
      const rows = await database.outside((tx) =>
        tx
          .selectFrom('outbox')
          .select(['id', 'delivery_id'])
          .where('channel', '=', channel)
          .where(
            'delivery_id',
            'in',
            asked.map((one) => one.id),
          )
          .execute(),
      )
      return new Map(rows.map((row) => [String(row.delivery_id), { ref: row.id }]))
    },
  }
}
