/** Code shared by all message senders: the message text, the timeout, and the meaning of a missing response. */
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
import { defaultSignature, renderSms } from '../contract/messages/rendering.ts'
import { countSmsSegments } from '../contract/messages/sms-segments.ts'
import type { MessageContent } from '../contract/messages/sms-templates.ts'
import { type NoTransaction, requireNoTransaction } from '../database/no-transaction.ts'
import { composeMessage } from './rules/compose.ts'

/** A sender for one channel; requires that no transaction is open. */
export type ChannelSender = Pick<CarrierSender, 'key' | 'description'> & {
  readonly send: (noTransaction: NoTransaction, messages: readonly OutgoingMessage[]) => Promise<readonly SendOutcome[]>
  readonly find: (noTransaction: NoTransaction, messages: readonly AttemptedMessage[]) => Promise<readonly LookupOutcome[]>
  readonly recall: (noTransaction: NoTransaction, messages: readonly AcceptedMessage[]) => Promise<readonly RecallOutcome[]>
  readonly updateMessage: (
    noTransaction: NoTransaction,
    messages: readonly OutdatedMessage[],
  ) => Promise<readonly UpdateOutcome[]>
  /** The value is null if this carrier never reports it. */
  readonly getReadStatus:
    | ((noTransaction: NoTransaction, messages: readonly ReadStatusRequest[]) => Promise<readonly ReadStatus[]>)
    | null
}
/** The senders of the channels; null where there is none. Each company has its own for mail and chat platforms. */
export type ChannelSenders = {
  readonly sms: ChannelSender | null
  getPlatformSender(company_id: string): Promise<ChannelSender | null>
  getMailSender(company_id: string): Promise<ChannelSender | null>
}
/** The senders of one company while its messages are sent. */
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

/** Creates a renderer for SMS as the recipient reads them. */
export const createSmsRenderer =
  (line: Pick<CarrierSender, 'description'> | null, origin: string) =>
  (message: MessageContent): string => {
    const { signature = defaultSignature, style = 'whole' } = line?.description ?? {}
    return renderSms(message, { signature, brief: style === 'brief' }, origin)
  }
/** Counts the segments that an SMS is charged as. */
export type CountSmsSegments = (message: MessageContent) => number
/** Creates a counter for the segments that an SMS through this gateway is charged as. */
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

/** A carrier that does not respond for this long has an unknown outcome. */
const defaultSendTimeoutMs = 20_000

/**
 * Sends messages; one outcome each. No transaction is open here. The outcome is unknown for messages that the carrier
 * does not mention, and for all where it throws or does not respond.
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

/** Sends one message with free text instead of a template: for testing a carrier. */
export async function sendRawMessage(
  noTransaction: NoTransaction,
  line: ChannelSender,
  message: OutgoingMessage,
): Promise<SendOutcome> {
  const messages = await withTimeout(defaultSendTimeoutMs, line.send(noTransaction, [message])).catch(() => [])
  return messages.find(({ id }) => id === message.id) ?? { id: message.id, result: 'unclear' }
}

/** Returns what the carrier knows about messages that may have been sent, by id; null where it could not be queried. */
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
