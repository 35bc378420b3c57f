/** Where a message of an application leads. */
import type { ChatApp } from '../types.ts'

/**
 * A page that signs people in by their chat (`/entry`) has to know by which company's application: several may be bound to one installation. Who is in
 * a chat knows his company's id there; it is no secret and proves nothing.
 */
export function addCorpToLink<T extends { readonly link: string | null; readonly text: string }>(
  message: T,
  { corp_id }: Pick<ChatApp, 'corp_id'>,
): T {
  const { link, text } = message
  if (!link || !URL.canParse(link) || new URL(link).pathname !== '/entry') return message
  const linkWithCorp = `${link}${link.includes('?') ? '&' : '?'}corp=${encodeURIComponent(corp_id)}`
  return { ...message, link: linkWithCorp, text: text.replaceAll(link, linkWithCorp) }
}
