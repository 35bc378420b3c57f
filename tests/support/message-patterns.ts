/** Recognizes messages in tests by their template, so that no test repeats the text of a message. */
import { renderMessage } from '../../server/contract/messages/rendering.ts'
import { type MessageKind, messageKinds } from '../../server/contract/messages/sms-templates.ts'

/** Returns the pattern of all messages of a kind, whatever their variables are. */
export const getMessagePattern = (kind: MessageKind): RegExp =>
  new RegExp(
    messageKinds[kind].full
      .split(/\{\w+\}/)
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*'),
  )

/** Returns the SMS with a verification code, as a user pastes it. */
export const renderCodeMessage = (code: string): string => renderMessage({ kind: 'code', params: { code } })
