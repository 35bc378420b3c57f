/**
 * Parses reports in which a mail server later tells that a message accepted by another server was not delivered, or not
 * yet (RFC 3464). Anybody can write such mail: a report counts only if it contains the mark of our own message, which
 * the caller verifies.
 */
import PostalMime, { type Attachment } from 'postal-mime'
import type { Bounce } from '../carrier.ts'
import { markHeader } from './mail-content.ts'
import { explainBounce } from './send-result.ts'

/** Maximum number of bytes of a mail that are parsed; the machine-readable part of a report precedes the returned message. */
export const maxMailBytes = 64 * 1024
const markPattern = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{32})/i

type HeaderFields = ReadonlyMap<string, string>

/** Parses blocks of unfolded header fields; of a repeated field the first one counts. */
function parseHeaderBlocks(text: string): HeaderFields[] {
  const blocks: Map<string, string>[] = []
  let block = new Map<string, string>()
  let last = ''
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.trim() === '') {
      if (block.size > 0) blocks.push(block)
      block = new Map()
      last = ''
    } else if (/^[ \t]/.test(line)) {
      const before = block.get(last)
      if (before !== undefined) block.set(last, `${before} ${line.trim()}`)
    } else {
      const at = line.indexOf(':')
      last = at > 0 ? line.slice(0, at).trim().toLowerCase() : ''
      if (last && !block.has(last)) block.set(last, line.slice(at + 1).trim())
    }
  }
  return block.size > 0 ? [...blocks, block] : blocks
}

/** Returns whether a mail may be a bounce, judging by its header alone; personal mail is not opened. */
export function isPossibleBounce(head: string): boolean {
  const [fields] = parseHeaderBlocks(head)
  const type = fields?.get('content-type') ?? ''
  if (/^multipart\/report\b/i.test(type)) return !/report-type\s*=\s*"?(?!delivery-status)[\w-]+/i.test(type)
  return /^multipart\//i.test(type) && /\b(?:mailer-daemon|postmaster)@/i.test(fields?.get('from') ?? '')
}

const getAttachmentText = ({ content }: Attachment): string => (typeof content === 'string' ? content : '')
const permanentCodePattern = /\b5\.\d{1,3}\.\d{1,3}\b/
const delayedMessage = '对方邮箱暂时没有收下，发件邮箱的服务器还在重试'

/** Formats the reason and what to do, with the same text as for an immediate rejection. */
function formatBounceMessage(status: string, diagnostic: string): string {
  const text = `${status} ${diagnostic}`
  const reply = Number(/\b(5\d\d)[ -]/.exec(diagnostic)?.[1] ?? 550)
  // The code 4.4.7, or another 4.x.x code after the retries ended, means that the other server could not be reached at
  // all.
  if (status.startsWith('4')) return '邮件被退回：对方邮箱的服务器一直连不上或没有收下，请核对邮箱或改用其他渠道'
  return `邮件被退回：${explainBounce({ reply, text })}`
}

type BounceReport = Pick<Bounce, 'result' | 'message'>

/** Evaluates the machine-readable part: a message has failed if all of its addresses have failed. */
function parseDeliveryStatus(status: string): BounceReport | null {
  const all = parseHeaderBlocks(status).flatMap((fields) => {
    const action = fields.get('action')?.toLowerCase()
    return action ? [{ action, status: fields.get('status') ?? '', diagnostic: fields.get('diagnostic-code') ?? '' }] : []
  })
  const [first] = all
  if (!first) return null
  if (all.every(({ action }) => action === 'failed'))
    return { result: 'failed', message: formatBounceMessage(first.status, first.diagnostic.slice(0, 500)) }
  return all.some(({ action }) => action === 'delayed') ? { result: 'delayed', message: delayedMessage } : null
}

/** Evaluates reports without a machine-readable part: only a permanent status code in their text counts. */
function parseBounceText(text: string): BounceReport | null {
  const code = permanentCodePattern.exec(text)?.[0]
  return code ? { result: 'failed', message: formatBounceMessage(code, text.slice(0, 2_000)) } : null
}

function findMark(fields: HeaderFields | undefined, ...names: readonly string[]): { id: string; mark: string } | null {
  for (const name of names) {
    const [, id, mark] = markPattern.exec(fields?.get(name) ?? '') ?? []
    if (id && mark) return { id: id.toLowerCase(), mark: mark.toLowerCase() }
  }
  return null
}

/** Returns what a mail reports about one of our messages; null for other or unreadable mail. `source`: its first bytes. */
export async function parseBounce(source: Buffer): Promise<Bounce | null> {
  const mail = await PostalMime.parse(source.subarray(0, maxMailBytes), {
    attachmentEncoding: 'utf8',
    forceRfc822Attachments: true,
    maxNestingDepth: 8,
    maxHeadersSize: 32 * 1024,
  }).catch(() => null)
  if (!mail) return null
  const findAttachment = (type: RegExp) => mail.attachments.find(({ mimeType }) => type.test(mimeType))
  const report = findAttachment(/^message\/(?:global-)?delivery-status$/i)
  const returned = findAttachment(/^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/i)
  const [head] = returned ? parseHeaderBlocks(getAttachmentText(returned).slice(0, 32 * 1024)) : []
  const [envelope] = report ? parseHeaderBlocks(getAttachmentText(report)) : []
  const markedId = findMark(head, markHeader.toLowerCase(), 'message-id') ?? findMark(envelope, 'original-envelope-id')
  const bounceReport = report
    ? parseDeliveryStatus(getAttachmentText(report))
    : parseBounceText(`${mail.text ?? ''} ${mail.html ?? ''}`)
  return markedId && bounceReport ? { ...markedId, ...bounceReport } : null
}
