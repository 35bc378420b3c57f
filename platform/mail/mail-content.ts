/** Builds a mail from a message: the subject in the mailbox list and the body. It contains nothing beyond the text. */
import type { OutgoingMessage } from '../carrier.ts'

/** Header with the id and mark of a message, in addition to its Message-ID, which relays may overwrite. */
export const markHeader = 'X-Message-Mark'
/** Formats id and mark as they appear in the header. */
export const formatMarkedId = (id: string, mark: string): string => `${id}.${mark}`

export type MailContent = { readonly subject: string; readonly text: string; readonly html: string }

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[one] ?? '')
const footerText = '这封邮件由系统发出，请勿回复。邮件里没有金额，登录后才能查看。'

export function toMailContent({ text, link }: Pick<OutgoingMessage, 'text' | 'link'>): MailContent {
  // The bracketed signature, which is for SMS only, and the URL are removed.
  const unsigned = text.replace(/^【[^】]*】/, '')
  const content = (link ? unsigned.replace(link, '') : unsigned).replace(/[，：:\s]+$/, '').trim()
  const [subject = content] = content.split('，')
  return {
    subject: [...subject].slice(0, 60).join(''),
    text: [content, ...(link ? [link] : []), footerText].join('\n\n'),
    html: `<div style="font:16px/1.6 -apple-system,'PingFang SC','Microsoft YaHei',sans-serif;color:#1c1917;max-width:520px">
<p>${escapeHtml(content)}</p>
${link ? `<p><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 24px;border-radius:8px;background:#0f766e;color:#fff;text-decoration:none">登录查看</a></p>\n` : ''}<p style="color:#6b6560;font-size:13px">${escapeHtml(footerText)}</p>
</div>`,
  }
}

/** Returns what a locked phone displays: the subject and the start of the text. */
export function previewMail(message: Pick<OutgoingMessage, 'text' | 'link'>): { title: string; text: string } {
  const { subject, text } = toMailContent(message)
  return { title: subject, text: text.split('\n\n')[0] ?? '' }
}
