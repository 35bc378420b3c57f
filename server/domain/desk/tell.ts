/** A message to one person that is about no slip of his: security, or how things stand. It leaves by the post office, with its ledger. */
import type { Saying } from '../../contract/words/messages.ts'
import { letterSubject, type MessageParts, openKind, type PostTx, post } from '../../runtime/post/index.ts'

type Message = Saying & {
  /** The carrier's reference too: the same id is one message. */
  readonly id: string
  readonly channel: 'sms' | 'platform' | 'email'
  readonly to: string
}

/** News older than that is none: it is not told any more. */
const news_ms = 24 * 3_600_000

/** Leaves after the caller's transaction; if that is rolled back, never. */
export const tell = (ctx: PostTx, { id, channel, to, ...saying }: Message): Promise<void> =>
  post(ctx, 'tell', [{ id, channel, letter: { to, saying }, expires_at: new Date(ctx.now.getTime() + news_ms) }])

export type TellerParts = MessageParts & { readonly log: { error(about: object, message: string): void } }

/** Doing this job twice is harmless: it is a turn of the post office (runtime/post/sender.ts). */
export function openTeller({ log, ...parts }: TellerParts): void {
  openKind(parts, 'tell', (company_id) =>
    letterSubject(parts, 'tell', company_id, ({ id, code }) => log.error({ message_id: id, code }, 'a message was refused')),
  )
}
