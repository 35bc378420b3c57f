/** Calls a carrier as the outbox does: without an open transaction. */
import type { AttemptedMessage, CarrierSender } from '../../../platform/carrier.ts'
import { noTransaction } from '../../../server/database/no-transaction.ts'
import * as lines from '../../../server/outbox/channel-senders.ts'
import { type AddressedMessage, createChannelSender } from '../../../server/outbox/index.ts'

export const transfer = (line: CarrierSender, messages: readonly AddressedMessage[], patience_ms?: number) =>
  lines.sendMessages(noTransaction, createChannelSender(line), messages, patience_ms)

export const find = (line: CarrierSender, messages: readonly AttemptedMessage[], patience_ms?: number) =>
  lines.findDeliveries(noTransaction, createChannelSender(line), messages, patience_ms)
