/** The content of a message, encrypted until no further attempt is possible. */
import * as z from 'zod/mini'
import { isMessageContent } from '../contract/messages/rendering.ts'
import type { MessageContent } from '../contract/messages/sms-templates.ts'
import { defineDocument } from '../crypto/sealed-document.ts'
import type { SealPosition, Secrets, Vault } from '../crypto/secrets.ts'

export type ContentSealer = Pick<Vault, 'seal' | 'openBytes'>
/** Encrypts content that belongs to no company. */
export const createSystemSealer = (secrets: Pick<Secrets, 'seal' | 'open'>): ContentSealer => ({
  seal: (position, value) => secrets.seal(position, Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))),
  openBytes: (position, sealed) => secrets.open(position, sealed),
})

/** The recipient's address and the content. */
export type AddressedContent = { readonly to: string; readonly message: MessageContent }
const addressedContentDocument = defineDocument<{
  to: string
  message: { kind: string; params: Readonly<Record<string, string>> }
}>({
  kind: 'mail content',
  version: 1,
  schema: z.object({
    to: z.string(),
    message: z.object({ kind: z.string(), params: z.record(z.string(), z.string()) }),
  }),
})
const getContentPosition = (id: string): SealPosition => ({ table: 'message', row: id, column: 'letter' })

export const sealMessageContent = (vault: ContentSealer, id: string, letter: AddressedContent): Buffer =>
  addressedContentDocument.seal(vault, getContentPosition(id), letter)
export function openMessageContent(vault: ContentSealer, id: string, sealed: Buffer): AddressedContent {
  const { to, message } = addressedContentDocument.open(vault, getContentPosition(id), sealed)
  if (!isMessageContent(message)) throw new Error('a letter says nothing of what there is to say')
  return { to, message }
}
