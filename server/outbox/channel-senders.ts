/** What all who send have in common when they stand at the counter of a carrier: the words, the patience, and what a silence means. */
import type {
  AcceptedMessage,
  AttemptedMessage,
  CarrierSender,
  LookupOutcome,
  OutdatedMessage,
  OutgoingMessage,
  ReadStatus,
  ReadStatusRequest,
  RecallOutcome,
  SendOutcome,
  UpdateOutcome,
} from '../../platform/carrier.ts'
import { countSmsSegments, defaultSignature, type MessageContent, renderSms } from '../contract/shared/message-templates.ts'
import { type NoTransaction, requireNoTransaction } from '../database/no-transaction.ts'
import type { CountSmsSegments } from '../http/handler.ts'
import { composeMessage } from './rules/compose.ts'

/** A line out of the house, for whoever is outdoors. */
export type ChannelSender = Pick<CarrierSender, 'key' | 'description'> & {
  readonly send: (outdoors: NoTransaction, messages: readonly OutgoingMessage[]) => Promise<readonly SendOutcome[]>
  readonly find: (outdoors: NoTransaction, messages: readonly AttemptedMessage[]) => Promise<readonly LookupOutcome[]>
  readonly recall: (outdoors: NoTransaction, messages: readonly AcceptedMessage[]) => Promise<readonly RecallOutcome[]>
  readonly updateMessage: (outdoors: NoTransaction, messages: readonly OutdatedMessage[]) => Promise<readonly UpdateOutcome[]>
  /** Null: this carrier never knows. */
  readonly getReadStatus:
    | ((outdoors: NoTransaction, messages: readonly ReadStatusRequest[]) => Promise<readonly ReadStatus[]>)
    | null
}
/** The lines out of the house; null where there is none. By mail, and through its chat platform, each company has its own. */
export type ChannelSenders = {
  readonly sms: ChannelSender | null
  getPlatformSender(company_id: string): Promise<ChannelSender | null>
  getMailSender(company_id: string): Promise<ChannelSender | null>
}
/** As they are for one company while its messages are handed over. */
export type CompanySenders = Readonly<Record<'sms' | 'platform' | 'email', ChannelSender | null>>

export const createChannelSender = (line: CarrierSender): ChannelSender => ({
  key: line.key,
  description: line.description,
  send: requireNoTransaction((messages: readonly OutgoingMessage[]) => line.send(messages)),
  find: requireNoTransaction((messages: readonly AttemptedMessage[]) => line.find(messages)),
  recall: requireNoTransaction((messages: readonly AcceptedMessage[]) => line.recall(messages)),
  updateMessage: requireNoTransaction((messages: readonly OutdatedMessage[]) => line.updateMessage(messages)),
  getReadStatus: line.getReadStatus
    ? requireNoTransaction((messages: readonly ReadStatusRequest[]) => line.getReadStatus?.(messages) ?? Promise.resolve([]))
    : null,
})

/** An SMS on this line as its reader has it. */
export const createSmsRenderer =
  (line: Pick<CarrierSender, 'description'> | null, origin: string) =>
  (message: MessageContent): string => {
    const { signature = defaultSignature, style = 'whole' } = line?.description ?? {}
    return renderSms(message, { signature, brief: style === 'brief' }, origin)
  }
/** How many pieces an SMS on this line is charged as. */
export const createSegmentCounter = (line: Pick<CarrierSender, 'description'> | null, origin: string): CountSmsSegments => {
  const write = createSmsRenderer(line, origin)
  return (message) => countSmsSegments(write(message))
}

export type AddressedMessage = {
  readonly id: string
  readonly to: string
  readonly name?: string
  readonly message: MessageContent
}

/** A carrier that says nothing for so long has an unknown outcome. */
const defaultSendTimeoutMs = 20_000

/**
 * Hands messages over; one outcome each. No transaction is open here. What a carrier says nothing of, and everything where it throws or stays
 * silent, is unclear.
 */
export async function sendMessages(
  noTransaction: NoTransaction,
  line: ChannelSender,
  messages: readonly AddressedMessage[],
  patience_ms: number = defaultSendTimeoutMs,
): Promise<SendOutcome[]> {
  const outcomes: SendOutcome[] = []
  const ready: OutgoingMessage[] = []
  for (const { id, to, name = '', message } of messages) {
    const labels = composeMessage(message, line.description)
    if (labels) ready.push({ id, to, name, ...labels })
    else
      outcomes.push({
        id,
        result: 'refused',
        code: 'bad_link',
        message: '短信服务拒绝了这条消息，请改用其他渠道或联系系统管理员',
      })
  }
  const calls = chunk(ready, line.description.maxPerCall).map(async (some) => {
    const messages = await withTimeout(patience_ms, line.send(noTransaction, some)).catch(() => [])
    return some.map(({ id }) => messages.find((one) => one.id === id) ?? { id, result: 'unclear' as const })
  })
  return [...outcomes, ...(await Promise.all(calls)).flat()]
}

/** One message whose words are none of the templates': to whoever tries out a line. */
export async function sendRawMessage(
  noTransaction: NoTransaction,
  line: ChannelSender,
  message: OutgoingMessage,
): Promise<SendOutcome> {
  const messages = await withTimeout(defaultSendTimeoutMs, line.send(noTransaction, [message])).catch(() => [])
  return messages.find(({ id }) => id === message.id) ?? { id: message.id, result: 'unclear' }
}

/** By id, what the carrier says of messages that may have left; null where it could not be asked. */
export async function findDeliveries(
  noTransaction: NoTransaction,
  line: ChannelSender,
  messages: readonly AttemptedMessage[],
  patience_ms: number = defaultSendTimeoutMs,
): Promise<Map<string, LookupOutcome> | null> {
  if (messages.length === 0) return new Map()
  const match = await withTimeout(patience_ms, line.find(noTransaction, messages)).catch(() => null)
  return match && new Map(match.map((one) => [one.id, one]))
}

function chunk<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let at = 0; at < all.length; at += size) chunks.push(all.slice(at, at + size))
  return chunks
}

function withTimeout<T>(patience_ms: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => reject(new Error('the carrier did not answer in time')), patience_ms).unref()
  work.finally(() => clearTimeout(timer)).then(resolve, reject)
  return promise
}
