/** A message to one person that is about no slip of his: security, or how things stand. It leaves by the post office, with its ledger. */
import type { MessageContent } from '../../contract/shared/message-templates.ts'
import { createMessageSource, enqueueMessages, type MessageDeps, type OutboxTx, registerMessageKind } from '../../outbox/index.ts'

type DirectMessage = MessageContent & {
  /** The carrier's reference too: the same id is one message. */
  readonly id: string
  readonly channel: 'sms' | 'platform' | 'email'
  readonly to: string
}

/** News older than that is none: it is not told any more. */
const maxMessageAgeMs = 24 * 3_600_000

/** Leaves after the caller's transaction; if that is rolled back, never. */
export const sendDirectMessage = (ctx: OutboxTx, { id, channel, to, ...content }: DirectMessage): Promise<void> =>
  enqueueMessages(ctx, 'tell', [
    { id, channel, content: { to, message: content }, expires_at: new Date(ctx.now.getTime() + maxMessageAgeMs) },
  ])

export type DirectMessageDeps = MessageDeps & { readonly log: { error(about: object, message: string): void } }

/** Doing this job twice is harmless: it is a turn of the post office (runtime/post/sender.ts). */
export function registerDirectMessages({ log, ...deps }: DirectMessageDeps): void {
  registerMessageKind(deps, 'tell', (company_id) =>
    createMessageSource(deps, 'tell', company_id, ({ id, code }) => log.error({ message_id: id, code }, 'a message was refused')),
  )
}
