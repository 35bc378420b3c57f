/** Evidence of one person as pages to read and to print: the slip, what happened to it, and how to check it. */
import * as z from 'zod/mini'
import { formatFen } from '../../../contract/words/money.ts'
import { channelWords, salaryWords } from '../../../contract/words/states.ts'
import type { DeliveryStatus } from '../../../contract/words/words.ts'
import { type Canvas, heading, ink, number, pair, pale, rule } from './canvas.ts'
import { codeOf } from './code.ts'
import { howOf, type PaperSlip, timeOf } from './said.ts'

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

function slipOn(canvas: Canvas, { net, groups, hint }: Form): void {
  const money = { align: 'right' } as const
  if (net) pair(canvas, net.label, formatFen(net.fen), { ...money, size: 14 })
  for (const { name, sum_fen, lines } of groups) {
    if (name || sum_fen !== null) {
      rule(canvas)
      pair(canvas, name, sum_fen === null ? '' : formatFen(sum_fen), { ...money, size: 11 })
    }
    for (const { label, text, fen, minus, note } of lines)
      pair(canvas, note ? `${label}（${note}）` : label, fen === null ? text : formatFen(minus ? -fen : fen), money)
  }
  small(canvas, hint)
}

/** A sentence below. */
function small(canvas: Canvas, text: string): void {
  if (text === '') return
  const words = { size: canvas.size(9), width: canvas.wide, colour: pale }
  canvas.room(canvas.heightOf(text, words))
  canvas.say(text, canvas.left, canvas.doc.y + 4, words)
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
function happenings(canvas: Canvas, slip: PaperSlip): void {
  heading(canvas, '发送与查看')
  pair(canvas, '现在', `${salaryWords[slip.status].word}，第 ${slip.version} 版`, story)
  for (const { about, channel, status, done_at, asked_at, version } of slip.messages)
    pair(
      canvas,
      at(done_at ?? asked_at),
      `${aboutWords[about] ?? about}（${channelWords[channel]}，第 ${version} 版）：${sentWords[status]}`,
      story,
    )
  for (const { viewed_at, confirmed_at, confirmed_auto, withdrawn_at } of slip.moments) {
    if (viewed_at) pair(canvas, at(viewed_at), '首次查看', story)
    if (confirmed_at) pair(canvas, at(confirmed_at), confirmed_auto ? '到期自动确认' : '本人确认', story)
    if (withdrawn_at) pair(canvas, at(withdrawn_at), '公司撤回', story)
  }
  if (slip.changes.length > 0) heading(canvas, '更正')
  for (const { at: when, by, version, column, from, to, reason } of slip.changes)
    pair(canvas, `${at(when)}\n${by}`, `第 ${version} 版 ${column}：${from || '空'} → ${to || '空'}\n原因：${reason}`, story)
  if (slip.questions.length > 0) heading(canvas, '疑问与回复')
  for (const { at: when, name, about, content } of slip.questions)
    pair(canvas, `${when.slice(0, 16).replace('T', ' ')}\n${name}`, about ? `关于「${about}」：${content}` : content, story)
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
/** A handwriting, as large as there is room for it in the box, but not larger than it was written. */
export function handwritten({ doc }: Canvas, path: string, { x, y, width, height }: Box): void {
  const numbers = (path.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
  const [xs, ys] = [numbers.filter((_, place) => place % 2 === 0), numbers.filter((_, place) => place % 2 === 1)]
  const least = (list: readonly number[]): number => list.reduce((one, other) => Math.min(one, other), list[0] ?? 0)
  const most = (list: readonly number[]): number => list.reduce((one, other) => Math.max(one, other), list[0] ?? 0)
  const [left, right, top, bottom] = [least(xs), most(xs), least(ys), most(ys)]
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
    .strokeColor(ink)
    .stroke()
    .restore()
}

function proofs(canvas: Canvas, slip: PaperSlip, origin: string): void {
  if (slip.receipts.length === 0) return
  const { doc, left, wide } = canvas
  heading(canvas, '确认回执')
  for (const told of slip.receipts) {
    const { receipt, handwriting } = told
    pair(canvas, `第 ${told.version} 版`, `${howOf(told)}，${at(told.confirmed_at)}`, story)
    pair(canvas, '回执编号', told.number, story)
    pair(canvas, '签名钥匙指纹', told.kid, story)
    if (handwriting) {
      canvas.room(70)
      const { y } = doc
      handwritten(canvas, handwriting, { x: left + wide * story.share, y: y + 4, width: 160, height: 56 })
      doc.y = y + 68
    }
    canvas.room(180)
    const { y } = doc
    doc.image(codeOf(`${origin}/m/verify#${receipt}`), left, y, { width: 170 })
    doc.y = y + 175
  }
  small(
    canvas,
    '扫描二维码可以核验回执。本文件供阅读和打印；要在没有网络、没有薪函的情况下核验全部内容，请另外导出证据包（.jsonl）。',
  )
}

export type MadeBy = { readonly origin: string; readonly made_at: Date }
/** The pages of one person, numbered by themselves. */
export function drawEvidence(canvas: Canvas, slip: PaperSlip, { origin, made_at }: MadeBy): void {
  const { doc, left, top, wide } = canvas
  const shown = z.parse(form, JSON.parse(slip.slip))
  doc.addPage()
  canvas.say('工资条证据', left, top, { size: canvas.size(18), width: wide })
  const about = [shown.company, shown.person, slip.department, shown.title, shown.month].filter(Boolean).join(' · ')
  canvas.say(about, left, doc.y + 2, { size: canvas.size(10), width: wide, colour: pale })
  heading(canvas, `工资条（第 ${slip.version} 版）`)
  slipOn(canvas, shown)
  happenings(canvas, slip)
  proofs(canvas, slip, origin)
  // What must be read stands first: on a small page in large type the rest is cut off.
  number(canvas, `含工资信息，请妥善保管 · ${shown.company} · 由薪函生成 · ${timeOf(made_at)}`)
}
