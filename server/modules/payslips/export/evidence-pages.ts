/** The evidence of one employee as readable, printable pages: the payslip, its history, and how to verify it. */
import * as z from 'zod/mini'
import { formatFen } from '../../../contract/shared/money.ts'
import type { DeliveryStatus } from '../../../contract/shared/schemas.ts'
import { channelLabels, payslipStatusLabels } from '../../../contract/shared/statuses.ts'
import { drawHeading, drawPair, drawRule, mutedColor, numberPages, type PdfCanvas, textColor } from './canvas.ts'
import { formatConfirmationMethod, formatTime, type PdfPayslip } from './pdf-content.ts'
import { renderQrCode } from './qr-code.ts'

const canonicalFormSchema = z.object({
  company: z.string(),
  person: z.string(),
  title: z.string(),
  month: z.nullable(z.string()),
  net: z.nullable(z.object({ label: z.string(), fen: z.int() })),
  groups: z.array(
    z.object({
      name: z.string(),
      sum_fen: z.nullable(z.int()),
      lines: z.array(
        z.object({ label: z.string(), text: z.string(), fen: z.nullable(z.int()), minus: z.boolean(), note: z.string() }),
      ),
    }),
  ),
  hint: z.string(),
})
type CanonicalForm = z.infer<typeof canonicalFormSchema>

function drawPayslip(canvas: PdfCanvas, { net, groups, hint }: CanonicalForm): void {
  const amountOptions = { align: 'right' } as const
  if (net) drawPair(canvas, net.label, formatFen(net.fen), { ...amountOptions, size: 14 })
  for (const { name, sum_fen, lines } of groups) {
    if (name || sum_fen !== null) {
      drawRule(canvas)
      drawPair(canvas, name, sum_fen === null ? '' : formatFen(sum_fen), { ...amountOptions, size: 11 })
    }
    for (const { label, text, fen, minus, note } of lines)
      drawPair(canvas, note ? `${label}（${note}）` : label, fen === null ? text : formatFen(minus ? -fen : fen), amountOptions)
  }
  drawSmallText(canvas, hint)
}

/** Draws a sentence in small type. */
function drawSmallText(canvas: PdfCanvas, text: string): void {
  if (text === '') return
  const textOptions = { size: canvas.scale(9), width: canvas.contentWidth, color: mutedColor }
  canvas.ensureSpace(canvas.measureHeight(text, textOptions))
  canvas.drawText(text, canvas.left, canvas.doc.y + 4, textOptions)
}

const purposeLabels: Readonly<Record<string, string>> = {
  slip: '发放',
  corrected: '更正通知',
  remind: '提醒',
  answered: '反馈回复通知',
}
const deliveryStatusLabels: Record<DeliveryStatus, string> = {
  queued: '等待发送',
  leased: '正在发送',
  accepted: '已发出',
  failed: '没有发出',
  unknown: '是否送达不确定',
  cancelled: '没有再发',
}
const formatIsoTime = (iso: string | null): string => (iso ? formatTime(new Date(iso)) : '')
const timelineLayout = { labelShare: 0.27 }

/** Draws the events, each kind in its own order. */
function drawTimeline(canvas: PdfCanvas, slip: PdfPayslip): void {
  drawHeading(canvas, '发送与查看')
  drawPair(canvas, '现在', `${payslipStatusLabels[slip.status].label}，第 ${slip.version} 版`, timelineLayout)
  for (const { about, channel, status, done_at, requested_at, version } of slip.messages)
    drawPair(
      canvas,
      formatIsoTime(done_at ?? requested_at),
      `${purposeLabels[about] ?? about}（${channelLabels[channel]}，第 ${version} 版）：${deliveryStatusLabels[status]}`,
      timelineLayout,
    )
  for (const { viewed_at, confirmed_at, confirmed_auto, withdrawn_at } of slip.moments) {
    if (viewed_at) drawPair(canvas, formatIsoTime(viewed_at), '首次查看', timelineLayout)
    if (confirmed_at) drawPair(canvas, formatIsoTime(confirmed_at), confirmed_auto ? '到期自动确认' : '本人确认', timelineLayout)
    if (withdrawn_at) drawPair(canvas, formatIsoTime(withdrawn_at), '公司撤回', timelineLayout)
  }
  if (slip.changes.length > 0) drawHeading(canvas, '更正')
  for (const { at: changedAt, by, version, column, from, to, reason } of slip.changes)
    drawPair(
      canvas,
      `${formatIsoTime(changedAt)}\n${by}`,
      `第 ${version} 版 ${column}：${from || '空'} → ${to || '空'}\n原因：${reason}`,
      timelineLayout,
    )
  if (slip.questions.length > 0) drawHeading(canvas, '反馈与回复')
  for (const { at: changedAt, name, about, content } of slip.questions)
    drawPair(
      canvas,
      `${changedAt.slice(0, 16).replace('T', ' ')}\n${name}`,
      about ? `关于「${about}」：${content}` : content,
      timelineLayout,
    )
}

type Rectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
/** Draws a handwritten signature as large as the box allows, but not larger than the original. */
export function drawHandwriting({ doc }: PdfCanvas, path: string, { x, y, width, height }: Rectangle): void {
  const numbers = (path.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
  const [xs, ys] = [numbers.filter((_, index) => index % 2 === 0), numbers.filter((_, index) => index % 2 === 1)]
  const getMin = (list: readonly number[]): number => list.reduce((one, other) => Math.min(one, other), list[0] ?? 0)
  const getMax = (list: readonly number[]): number => list.reduce((one, other) => Math.max(one, other), list[0] ?? 0)
  const [left, right, top, bottom] = [getMin(xs), getMax(xs), getMin(ys), getMax(ys)]
  const scale = Math.max(0.01, Math.min(width / Math.max(1, right - left), height / Math.max(1, bottom - top), 1))
  doc
    .save()
    .translate(x - left * scale, y - top * scale)
    .scale(scale)
  doc
    .path(path)
    .lineWidth(1.5 / scale)
    .lineCap('round')
    .lineJoin('round')
    .strokeColor(textColor)
    .stroke()
    .restore()
}

function drawEvidenceReceipts(canvas: PdfCanvas, slip: PdfPayslip, origin: string): void {
  if (slip.receipts.length === 0) return
  const { doc, left, contentWidth } = canvas
  drawHeading(canvas, '确认回执')
  for (const receiptView of slip.receipts) {
    const { receipt, handwriting } = receiptView
    drawPair(
      canvas,
      `第 ${receiptView.version} 版`,
      `${formatConfirmationMethod(receiptView)}，${formatIsoTime(receiptView.confirmed_at)}`,
      timelineLayout,
    )
    drawPair(canvas, '回执编号', receiptView.number, timelineLayout)
    drawPair(canvas, '签名钥匙指纹', receiptView.kid, timelineLayout)
    if (handwriting) {
      canvas.ensureSpace(70)
      const { y } = doc
      drawHandwriting(canvas, handwriting, {
        x: left + contentWidth * timelineLayout.labelShare,
        y: y + 4,
        width: 160,
        height: 56,
      })
      doc.y = y + 68
    }
    canvas.ensureSpace(180)
    const { y } = doc
    doc.image(renderQrCode(`${origin}/m/verify#${receipt}`), left, y, { width: 170 })
    doc.y = y + 175
  }
  drawSmallText(
    canvas,
    '扫描二维码可以核验回执。本文件供阅读和打印；要在没有网络、没有薪函的情况下核验全部内容，请另外导出证据包（.jsonl）。',
  )
}

/** `logo`: the company's picture as a data URL. */
export type PdfMetadata = { readonly origin: string; readonly made_at: Date; readonly logo: string | null }
/** The logo stands in the corner beside the title. */
const logoSize = { width: 120, height: 36 }
/** Draws the pages of one employee, with separate page numbers. */
export function drawEvidence(canvas: PdfCanvas, slip: PdfPayslip, { origin, made_at, logo }: PdfMetadata): void {
  const { doc, left, right, top, contentWidth } = canvas
  const canonicalForm = z.parse(canonicalFormSchema, JSON.parse(slip.slip))
  doc.addPage()
  const { width, height } = logoSize
  // The same picture is embedded once for all pages.
  if (logo) doc.image(logo, right - width, top - 6, { fit: [width, height], align: 'right' })
  const titleWidth = logo ? contentWidth - width - 12 : contentWidth
  canvas.drawText('工资条证据', left, top, { size: canvas.scale(18), width: titleWidth })
  const subtitle = [canonicalForm.company, canonicalForm.person, slip.department, canonicalForm.title, canonicalForm.month]
    .filter(Boolean)
    .join(' · ')
  canvas.drawText(subtitle, left, doc.y + 2, { size: canvas.scale(10), width: titleWidth, color: mutedColor })
  drawHeading(canvas, `工资条（第 ${slip.version} 版）`)
  drawPayslip(canvas, canonicalForm)
  drawTimeline(canvas, slip)
  drawEvidenceReceipts(canvas, slip, origin)
  // The most important text comes first, because on small paper with large type the rest is cut off.
  numberPages(canvas, `含工资信息，请妥善保管 · ${canonicalForm.company} · 由薪函生成 · ${formatTime(made_at)}`)
}
