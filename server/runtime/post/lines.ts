/** What all who send have in common when they stand at the counter of a carrier: the words, the patience, and what a silence means. */
import type {
  AcceptedMessage,
  AmendOutcome,
  CarrierLine,
  LookupOutcome,
  OutgoingMessage,
  ReadOutcome,
  RecallOutcome,
  SeenMessage,
  SendOutcome,
  StaleMessage,
  TriedMessage,
} from '../../../platform/carrier.ts'
import { piecesOf, type Saying, smsText, usual_signature } from '../../contract/words/messages.ts'
import { type Outdoors, onlyOutdoors } from '../data/outdoors.ts'
import type { CountPieces } from '../handle.ts'
import { composed } from './rules/composed.ts'

/** A line out of the house, for whoever is outdoors. */
export type OutsideLine = Pick<CarrierLine, 'key' | 'description'> & {
  readonly send: (outdoors: Outdoors, messages: readonly OutgoingMessage[]) => Promise<readonly SendOutcome[]>
  readonly lookup: (outdoors: Outdoors, messages: readonly TriedMessage[]) => Promise<readonly LookupOutcome[]>
  readonly recall: (outdoors: Outdoors, messages: readonly AcceptedMessage[]) => Promise<readonly RecallOutcome[]>
  readonly amend: (outdoors: Outdoors, messages: readonly StaleMessage[]) => Promise<readonly AmendOutcome[]>
  /** Null: this carrier never knows. */
  readonly reads: ((outdoors: Outdoors, messages: readonly SeenMessage[]) => Promise<readonly ReadOutcome[]>) | null
}
/** The lines out of the house; null where there is none. By mail, and through its chat platform, each company has its own. */
export type CarrierLines = {
  readonly sms: OutsideLine | null
  platform(company_id: string): Promise<OutsideLine | null>
  mail(company_id: string): Promise<OutsideLine | null>
}
/** As they are for one company while its messages are handed over. */
export type LinesOfTurn = Readonly<Record<'sms' | 'platform' | 'email', OutsideLine | null>>

export const outsideLine = (line: CarrierLine): OutsideLine => ({
  key: line.key,
  description: line.description,
  send: onlyOutdoors((messages: readonly OutgoingMessage[]) => line.send(messages)),
  lookup: onlyOutdoors((messages: readonly TriedMessage[]) => line.lookup(messages)),
  recall: onlyOutdoors((messages: readonly AcceptedMessage[]) => line.recall(messages)),
  amend: onlyOutdoors((messages: readonly StaleMessage[]) => line.amend(messages)),
  reads: line.reads ? onlyOutdoors((messages: readonly SeenMessage[]) => line.reads?.(messages) ?? Promise.resolve([])) : null,
})

/** An SMS on this line as its reader has it. */
export const smsWriter =
  (line: Pick<CarrierLine, 'description'> | null, origin: string) =>
  (saying: Saying): string => {
    const { signature = usual_signature, texts = 'whole' } = line?.description ?? {}
    return smsText(saying, { signature, brief: texts === 'brief' }, origin)
  }
/** How many pieces an SMS on this line is charged as. */
export const pieceCounter = (line: Pick<CarrierLine, 'description'> | null, origin: string): CountPieces => {
  const write = smsWriter(line, origin)
  return (saying) => piecesOf(write(saying))
}

export type Addressed = { readonly id: string; readonly to: string; readonly name?: string; readonly saying: Saying }

/** A carrier that says nothing for so long has an unknown outcome. */
const usual_patience_ms = 20_000

/**
 * Hands messages over; one outcome each. No transaction is open here. What a carrier says nothing of, and everything where it throws or stays
 * silent, is unclear.
 */
export async function handOver(
  outdoors: Outdoors,
  line: OutsideLine,
  messages: readonly Addressed[],
  patience_ms: number = usual_patience_ms,
): Promise<SendOutcome[]> {
  const outcomes: SendOutcome[] = []
  const ready: OutgoingMessage[] = []
  for (const { id, to, name = '', saying } of messages) {
    const words = composed(saying, line.description)
    if (words) ready.push({ id, to, name, ...words })
    else
      outcomes.push({
        id,
        result: 'refused',
        code: 'bad_link',
        message: '短信服务拒绝了这条消息，请改用其他渠道或联系系统管理员',
      })
  }
  const calls = chunksOf(ready, line.description.at_once).map(async (some) => {
    const said = await within(patience_ms, line.send(outdoors, some)).catch(() => [])
    return some.map(({ id }) => said.find((one) => one.id === id) ?? { id, result: 'unclear' as const })
  })
  return [...outcomes, ...(await Promise.all(calls)).flat()]
}

/** One message whose words are none of the templates': to whoever tries out a line. */
export async function handOverWords(outdoors: Outdoors, line: OutsideLine, message: OutgoingMessage): Promise<SendOutcome> {
  const said = await within(usual_patience_ms, line.send(outdoors, [message])).catch(() => [])
  return said.find(({ id }) => id === message.id) ?? { id: message.id, result: 'unclear' }
}

/** By id, what the carrier says of messages that may have left; null where it could not be asked. */
export async function lookUp(
  outdoors: Outdoors,
  line: OutsideLine,
  messages: readonly TriedMessage[],
  patience_ms: number = usual_patience_ms,
): Promise<Map<string, LookupOutcome> | null> {
  if (messages.length === 0) return new Map()
  const found = await within(patience_ms, line.lookup(outdoors, messages)).catch(() => null)
  return found && new Map(found.map((one) => [one.id, one]))
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let at = 0; at < all.length; at += size) chunks.push(all.slice(at, at + size))
  return chunks
}

function within<T>(patience_ms: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => reject(new Error('the carrier did not answer in time')), patience_ms).unref()
  work.finally(() => clearTimeout(timer)).then(resolve, reject)
  return promise
}
