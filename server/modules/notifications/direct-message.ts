/** A message to one user that concerns no payslip: security or status. It is sent through the outbox with its ledger. */
import type { MessageContent } from '../../contract/messages/sms-templates.ts'
import { createMessageSource, enqueueMessages, type MessageDeps, type OutboxTx, registerMessageKind } from '../../outbox/index.ts'

type DirectMessage = MessageContent & {
  /** This is also the carrier's reference: the same id means the same message. */
  readonly id: string
  readonly channel: 'sms' | 'platform' | 'email'
  readonly to: string
}

/** Older messages are not sent any more. */
const maxMessageAgeMs = 24 * 3_600_000

/** The message is sent after the caller's transaction commits, and never if it is rolled back. */
export const sendDirectMessage = (ctx: OutboxTx, { id, channel, to, ...content }: DirectMessage): Promise<void> =>
  enqueueMessages(ctx, 'tell', [
    { id, channel, content: { to, message: content }, expires_at: new Date(ctx.now.getTime() + maxMessageAgeMs) },
  ])

export type DirectMessageDeps = MessageDeps & { readonly log: { error(about: object, message: string): void } }

/** The job is idempotent because it uses the outbox (outbox/sender.ts). */
export function registerDirectMessages({ log, ...deps }: DirectMessageDeps): void {
  registerMessageKind(deps, 'tell', (company_id) =>
    createMessageSource(deps, 'tell', company_id, ({ id, code }) => log.error({ message_id: id, code }, 'a message was refused')),
  )
}
