/** At the counter of a carrier, as the post office stands there: outdoors. */
import type { AttemptedMessage, CarrierSender } from '../../../platform/carrier.ts'
import { noTransaction } from '../../../server/database/no-transaction.ts'
import * as lines from '../../../server/outbox/channel-senders.ts'
import { type AddressedMessage, createChannelSender } from '../../../server/outbox/index.ts'

export const handOver = (line: CarrierSender, messages: readonly AddressedMessage[], patience_ms?: number) =>
  lines.sendMessages(noTransaction, createChannelSender(line), messages, patience_ms)

export const lookUp = (line: CarrierSender, messages: readonly AttemptedMessage[], patience_ms?: number) =>
  lines.lookUpDeliveries(noTransaction, createChannelSender(line), messages, patience_ms)
