/** The link of an application's message. */
import type { ChatApp } from '../types.ts'

/**
 * Adds the company's id to the link. The page that signs users in through their chat app (`/entry`) must know which
 * company's application to use, because several may be bound to one installation. Users of the chat know their
 * company's id there; it is not secret and proves nothing.
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
