/**
 * The demo's replacement for external services: writes every message into the outbox, also a duplicate, so that a
 * doubled message would show.
 */
import { type Carrier, type CarrierSender, createCarrierSender, rejectRecalls, sendOneByOne } from '../../platform/carrier.ts'
import { defaultSignature } from '../contract/messages/rendering.ts'
import type { Database } from '../database/database.ts'
import { newId } from '../shared/ids.ts'

type DemoChannel = { readonly channel: 'sms' | 'platform' | 'email'; readonly signature: string }

const createDemoCarrier = (database: Database): Carrier<DemoChannel> => ({
  describe: ({ signature }) => ({ maxPerCall: 1, rateLimit: null, style: 'whole', signature, canRecall: false }),
  send: ({ channel }, messages) =>
    sendOneByOne(messages, async ({ id: delivery_id, to: mobile, name, text, link }) => {
      const id = newId()
      await database.withoutCompany((tx) =>
        tx
          .insertInto('outbox')
          .values({ id, delivery_id, channel, mobile, name, text, link: link ?? '' })
          .execute(),
      )
      return { ref: id }
    }),
  async find({ channel }, messages) {
    const ids = messages.map((one) => one.id)
    const rows = await database.withoutCompany((tx) =>
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
  recall: (_, messages) => rejectRecalls(messages),
})

export const createDemoSender = (
  database: Database,
  channel: 'sms' | 'platform' | 'email',
  signature: string = defaultSignature,
): CarrierSender => createCarrierSender(`outbox:${channel}`, createDemoCarrier(database), { channel, signature })
