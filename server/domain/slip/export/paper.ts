/** Evidence of one person as pages to read and to print: the slip, what happened to it, and how to check it. The font is in the file, as far as it is used. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { encode } from 'uqr'
import * as z from 'zod/mini'
import { formatFen } from '../../../contract/money.ts'
import { channelWords, salaryWords } from '../../../contract/states.ts'
import type { DeliveryStatus } from '../../../contract/words.ts'
import { nameHere } from '../../company/index.ts'
import { type EvidenceSlip, readReceipt } from '../../pay/index.ts'
import type { Making } from './page.ts'
import { evidenceOf } from './proofs.ts'
import { timeOf } from './wage-sheet.ts'

/** A4 with margins of 2 cm, in points. */
const page = { left: 57, right: 538, top: 57, bottom: 770 }
const wide = page.right - page.left
const ink = '#1c1917'
const pale = '#57534e'
const line = '#d6d3d1'

const form = z.object({
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
type Form = z.infer<typeof form>

/** Handed out with the product; one weight of it (docs/decisions/20261123-pages-with-their-font.md). */
const fontFile = (): string => {
  const folder = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans-sc/package.json'))
  return join(folder, '400Regular', 'NotoSansSC_400Regular.ttf')
}

type Doc = PDFKit.PDFDocument
const room = (doc: Doc, height: number): void => {
  if (doc.y + height > page.bottom) doc.addPage()
}
function heading(doc: Doc, text: string): void {
  room(doc, 60)
  doc.moveDown(1)
  doc.fontSize(13).fillColor(ink).text(text, page.left, doc.y, { width: wide })
  rule(doc)
}
function rule(doc: Doc): void {
  const y = doc.y + 3
  doc.moveTo(page.left, y).lineTo(page.right, y).lineWidth(0.5).strokeColor(line).stroke()
  doc.y = y + 5
}

type Pairing = { readonly share?: number; readonly align?: 'left' | 'right'; readonly size?: number }
/** A name and what is said of it, beside each other; either may be long. */
function pair(doc: Doc, name: string, value: string, { share = 0.5, align = 'left', size = 10 }: Pairing = {}): void {
  const [left, right] = [wide * share - 12, wide * (1 - share)]
  doc.fontSize(size)
  const height = Math.max(doc.heightOfString(name, { width: left }), doc.heightOfString(value || ' ', { width: right })) + 5
  room(doc, height)
  const { y } = doc
  doc.fillColor(pale).text(name, page.left, y, { width: left })
  doc.fillColor(ink).text(value || ' ', page.left + wide * share, y, { width: right, align })
  doc.y = y + height
}

function slipOn(doc: Doc, { net, groups, hint }: Form): void {
  const money = { align: 'right' } as const
  if (net) pair(doc, net.label, formatFen(net.fen), { ...money, size: 14 })
  for (const { name, sum_fen, lines } of groups) {
    if (name || sum_fen !== null) {
      rule(doc)
      pair(doc, name, sum_fen === null ? '' : formatFen(sum_fen), { ...money, size: 11 })
    }
    for (const { label, text, fen, minus, note } of lines)
      pair(doc, note ? `${label}（${note}）` : label, fen === null ? text : formatFen(minus ? -fen : fen), money)
  }
  if (hint)
    doc
      .fontSize(9)
      .fillColor(pale)
      .text(hint, page.left, doc.y + 4, { width: wide })
}

const aboutWords: Readonly<Record<string, string>> = {
  slip: '发放',
  corrected: '更正通知',
  remind: '提醒',
  answered: '疑问回复通知',
}
const sentWords: Record<DeliveryStatus, string> = {
  queued: '等待发送',
  leased: '正在发送',
  accepted: '已发出',
  failed: '没有发出',
  unknown: '是否送达不确定',
  cancelled: '没有再发',
}
const at = (iso: string | null): string => (iso ? timeOf(new Date(iso)) : '')
const story = { share: 0.27 }

/** What happened, each kind in its own order. */
function happenings(doc: Doc, slip: EvidenceSlip): void {
  heading(doc, '发送与查看')
  pair(doc, '现在', `${salaryWords[slip.status].word}，第 ${slip.version} 版`, story)
  for (const { about, channel, status, done_at, asked_at, version } of slip.messages)
    pair(
      doc,
      at(done_at ?? asked_at),
      `${aboutWords[about] ?? about}（${channelWords[channel]}，第 ${version} 版）：${sentWords[status]}`,
      story,
    )
  for (const { viewed_at, confirmed_at, confirmed_auto, withdrawn_at } of slip.moments) {
    if (viewed_at) pair(doc, at(viewed_at), '首次查看', story)
    if (confirmed_at) pair(doc, at(confirmed_at), confirmed_auto ? '到期自动确认' : '本人确认', story)
    if (withdrawn_at) pair(doc, at(withdrawn_at), '公司撤回', story)
  }
  if (slip.changes.length > 0) heading(doc, '更正')
  for (const { at: when, by, version, column, from, to, reason } of slip.changes)
    pair(doc, `${at(when)}\n${by}`, `第 ${version} 版 ${column}：${from || '空'} → ${to || '空'}\n原因：${reason}`, story)
  if (slip.questions.length > 0) heading(doc, '疑问与回复')
  for (const { at: when, name, about, content } of slip.questions)
    pair(doc, `${when.slice(0, 16).replace('T', ' ')}\n${name}`, about ? `关于「${about}」：${content}` : content, story)
}

/** Where a path lies, so that it is drawn at its place and size. */
function drawn(doc: Doc, path: string): void {
  const numbers = (path.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
  const [xs, ys] = [numbers.filter((_, place) => place % 2 === 0), numbers.filter((_, place) => place % 2 === 1)]
  const least = (list: readonly number[]): number => list.reduce((one, other) => Math.min(one, other), list[0] ?? 0)
  const most = (list: readonly number[]): number => list.reduce((one, other) => Math.max(one, other), list[0] ?? 0)
  const [left, right, top, bottom] = [least(xs), most(xs), least(ys), most(ys)]
  const scale = Math.min(160 / Math.max(1, right - left), 56 / Math.max(1, bottom - top), 1)
  room(doc, 70)
  const { y } = doc
  doc
    .save()
    .translate(page.left + wide * story.share - left * scale, y + 4 - top * scale)
    .scale(scale)
  doc
    .path(path)
    .lineWidth(1.5 / scale)
    .lineCap('round')
    .lineJoin('round')
    .strokeColor(ink)
    .stroke()
    .restore()
  doc.y = y + 68
}

function code(doc: Doc, text: string): void {
  const { data, size } = encode(text, { ecc: 'L', border: 4 })
  const cell = 170 / size
  room(doc, 180)
  const { y } = doc
  for (const [row, cells] of data.entries())
    for (const [column, dark] of cells.entries()) if (dark) doc.rect(page.left + column * cell, y + row * cell, cell, cell)
  doc.fillColor('#000000').fill()
  doc.y = y + 175
}

function proofs(doc: Doc, slip: EvidenceSlip, origin: string): void {
  if (slip.receipts.length === 0) return
  heading(doc, '确认回执')
  for (const { receipt, handwriting } of slip.receipts) {
    const { says, kid, signature } = readReceipt(receipt)
    const how = says.kind === 'auto' ? '到期自动确认' : handwriting ? '本人手写签名' : '本人点击确认'
    pair(doc, `第 ${says.version} 版`, `${how}，${at(says.confirmed_at)}`, story)
    pair(doc, '回执编号', signature.slice(0, 16), story)
    pair(doc, '签名钥匙指纹', kid, story)
    if (handwriting) drawn(doc, handwriting)
    code(doc, `${origin}/m/verify#${receipt}`)
  }
  const how =
    '扫描二维码可以核验回执。本文件供阅读和打印；要在没有网络、没有薪函的情况下核验全部内容，请另外导出证据包（.jsonl）。'
  doc.fontSize(9).fillColor(pale).text(how, page.left, doc.y, { width: wide })
}

/** The pages' own last line: which page of how many, and when they were made. */
function numbered(doc: Doc, foot: string): void {
  const { start, count } = doc.bufferedPageRange()
  for (let number = start; number < start + count; number += 1) {
    doc.switchToPage(number)
    // Below the margin pdfkit would begin another page.
    doc.page.margins.bottom = 0
    doc.fontSize(8).fillColor(pale)
    doc.text(foot, page.left, 795, { width: wide * 0.75, lineBreak: false })
    doc.text(`${number - start + 1} / ${count}`, page.left + wide * 0.75, 795, {
      width: wide * 0.25,
      align: 'right',
      lineBreak: false,
    })
  }
}

type Paper = { readonly slip: EvidenceSlip; readonly origin: string; readonly made_at: Date }
export async function drawPaper({ slip, origin, made_at }: Paper): Promise<Buffer> {
  const { default: PDFDocument } = await import('pdfkit')
  const shown = z.parse(form, JSON.parse(slip.slip))
  const margins = { top: page.top, bottom: 842 - page.bottom, left: page.left, right: 595 - page.right }
  const doc = new PDFDocument({
    size: 'A4',
    margins,
    bufferPages: true,
    font: fontFile(),
    lang: 'zh-CN',
    info: { Title: `工资条证据 ${shown.person}` },
  })
  const chunks: Buffer[] = []
  const whole = new Promise<Buffer>((done, fail) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => done(Buffer.concat(chunks)))
    doc.on('error', fail)
  })
  doc.fontSize(18).fillColor(ink).text('工资条证据', page.left, page.top, { width: wide })
  doc.fontSize(10).fillColor(pale)
  doc.text([shown.company, shown.person, slip.department, shown.title, shown.month].filter(Boolean).join(' · '), { width: wide })
  heading(doc, `工资条（第 ${slip.version} 版）`)
  slipOn(doc, shown)
  happenings(doc, slip)
  proofs(doc, slip, origin)
  numbered(doc, `${shown.company} · 由薪函生成 · ${timeOf(made_at)} · 含工资信息，请妥善保管`)
  doc.end()
  return whole
}

export async function evidencePaper(making: Making): Promise<Buffer> {
  const company = await making.read((db) => nameHere({ db, company_id: making.company_id }))
  for await (const slip of evidenceOf(making, company)) return drawPaper({ slip, origin: making.origin, made_at: making.now })
  throw new Error('the slip of a paper is gone')
}
