/** The demo's outside world: writes into the outbox what it is handed, also twice, so that a doubled message would show. */
import { type Carrier, type CarrierLine, lineOf, neverRecalled, oneByOne } from '../../../platform/carrier.ts'
import { usual_signature } from '../../contract/words/messages.ts'
import type { Database } from '../db.ts'
import { newId } from '../ids.ts'

type Outbox = { readonly channel: 'sms' | 'platform' | 'email'; readonly signature: string }

const outboxCarrier = (database: Database): Carrier<Outbox> => ({
  describe: ({ signature }) => ({ at_once: 1, pace: null, texts: 'whole', signature, recalls: false }),
  send: ({ channel }, messages) =>
    oneByOne(messages, async ({ id: delivery_id, to: mobile, name, text, link }) => {
      const id = newId()
      await database.outside((tx) =>
        tx
          .insertInto('outbox')
          .values({ id, delivery_id, channel, mobile, name, text, link: link ?? '' })
          .execute(),
      )
      return { ref: id }
    }),
  async lookup({ channel }, messages) {
    const ids = messages.map((one) => one.id)
    const rows = await database.outside((tx) =>
      tx
        .selectFrom('outbox')
        .select(['id', 'delivery_id'])
        .where('channel', '=', channel)
        .where('delivery_id', 'in', ids)
        .execute(),
    )
    const refs = new Map(rows.map((row) => [row.delivery_id, row.id]))
    return ids.map((id) => {
      const ref = refs.get(id)
      return ref ? { id, result: 'accepted', ref } : { id, result: 'not_accepted' }
    })
  },
  recall: (_, messages) => neverRecalled(messages),
})

export const outboxLine = (
  database: Database,
  channel: 'sms' | 'platform' | 'email',
  signature: string = usual_signature,
): CarrierLine => lineOf(`outbox:${channel}`, outboxCarrier(database), { channel, signature })
