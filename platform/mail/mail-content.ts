/** A message as a mail: what stands in the list of a mailbox, and what is read when it is opened. Nothing but what the text says. */
import type { OutgoingMessage } from '../carrier.ts'

/** Where id and mark stand in a message of ours, besides its Message-ID: relays may write another one over that. */
export const markHeader = 'X-Message-Mark'
/** As they stand there. */
export const formatMarkedId = (id: string, mark: string): string => `${id}.${mark}`

export type MailContent = { readonly subject: string; readonly text: string; readonly html: string }

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[one] ?? '')
const footerText = '这封邮件由系统发出，请勿回复。邮件里没有金额，登录后才能查看。'

export function toMailContent({ text, link }: Pick<OutgoingMessage, 'text' | 'link'>): MailContent {
  // Without the signature in brackets, which is for a phone, and without the address.
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

/** What lights up on a locked phone: the subject, and how the text begins. */
export function previewMail(message: Pick<OutgoingMessage, 'text' | 'link'>): { title: string; text: string } {
  const { subject, text } = toMailContent(message)
  return { title: subject, text: text.split('\n\n')[0] ?? '' }
}
