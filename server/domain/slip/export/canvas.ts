/** A PDF as it is drawn here: its paper, its fonts (as far as they are used they are in the file), and text that may be long or rare. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Paper } from '../../../contract/slip/slip.ts'
import { type Knows, measured, runsOf } from './signs.ts'

export const ink = '#1c1917'
export const pale = '#57534e'
const line = '#d6d3d1'

/** In points; margins of 2 cm, or 1.2 cm on the smaller one. */
const sheets = {
  A4: { width: 595, height: 842, margin: 57 },
  A5: { width: 420, height: 595, margin: 34 },
} as const
/** How much larger 大字 is. */
const large = 1.4

/** Handed out with the product; one weight of it (docs/decisions/20261123-use-pdfkit-with-an-embedded-font.md). */
const fontFile = (): string => {
  const folder = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans-sc/package.json'))
  return join(folder, '400Regular', 'NotoSansSC_400Regular.ttf')
}
/** Fonts of this machine with signs that ours lacks, the first that is there. */
const rareFonts = [
  { path: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', family: 'NotoSansCJKsc-Regular' },
  { path: '/usr/share/fonts/truetype/hanazono/HanaMinB.ttf', family: undefined },
]
const rareFont = () => rareFonts.find(({ path }) => existsSync(path)) ?? null

/** Names and numbers do not come twice: kept, they would fill the memory. The types do not know it. */
const forgetful = { fontLayoutCache: false }

const spelled_foot = '〔U+…〕是统一码，代替这台服务器没有字形的字。'

type Doc = PDFKit.PDFDocument
type Words = {
  readonly size: number
  readonly width: number
  readonly colour?: string
  readonly align?: 'left' | 'right'
}
export type Canvas = {
  readonly doc: Doc
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly wide: number
  /** Whether a sign that no font here has was spelled on this page; asked once. */
  isSpelled(page: object): boolean
  /** A size of the plain paper on this one. */
  size(points: number): number
  /** Draws at this place and moves below it. */
  say(text: string, x: number, y: number, words: Words): void
  heightOf(text: string, words: Words): number
  /** Where so much does not fit any more the next page begins. */
  room(height: number): void
}

/** What a font of the document has; asked of the font itself, for none says it of a text. */
function knownBy(doc: Doc): Knows {
  const held: unknown = Reflect.get(doc, '_font')
  const font: unknown = typeof held === 'object' && held !== null ? Reflect.get(held, 'font') : null
  const has: unknown = typeof font === 'object' && font !== null ? Reflect.get(font, 'hasGlyphForCodePoint') : null
  if (typeof has !== 'function') throw new Error('a font does not say what it has')
  return (code) => Reflect.apply(has, font, [code]) === true
}

export type CanvasWish = { readonly paper: Paper; readonly title: string }
export async function openCanvas({ paper, title }: CanvasWish): Promise<Canvas> {
  const { default: PDFDocument } = await import('pdfkit')
  const { width, height, margin } = sheets[paper.size]
  const main = fontFile()
  const zoom = (paper.large ? large : 1) * (paper.size === 'A5' ? 0.9 : 1)
  const doc = new PDFDocument({
    size: [width, height],
    margins: { top: margin, bottom: margin + 15, left: margin, right: margin },
    autoFirstPage: false,
    bufferPages: true,
    font: main,
    lang: 'zh-CN',
    info: { Title: title },
    ...forgetful,
  })
  const rare = rareFont()
  const knows = knownBy(doc)
  // The font of this machine is large: it is opened when somebody needs it.
  let rareKnows: Knows | null = rare ? null : () => false
  const knowsRare: Knows = (code) => {
    if (!rareKnows && rare) {
      doc.registerFont('rare', rare.path, rare.family)
      doc.font('rare')
      rareKnows = knownBy(doc)
      doc.font(main)
    }
    return rareKnows?.(code) ?? false
  }
  const spelledOn = new Set<object>()
  /** What is drawn next stands for this sign, which is copied along with it; some readers (PDFium) leave out signs beyond the basic plane, so the number stays. */
  const spelled = (sign: string, text: string): void => {
    doc.markContent('Span', { actual: sign + text })
    spelledOn.add(doc.page)
  }
  const canvas: Canvas = {
    doc,
    isSpelled: (page) => spelledOn.delete(page),
    left: margin,
    right: width - margin,
    top: margin,
    bottom: height - margin - 15,
    wide: width - 2 * margin,
    size: (points) => points * zoom,
    heightOf: (text, words) => {
      doc.fontSize(words.size)
      return doc.heightOfString(measured(runsOf(text || ' ', knows, knowsRare)), { width: words.width })
    },
    say: (text, x, y, { size, width: wide, colour = ink, align = 'left' }) => {
      const runs = runsOf(text || ' ', knows, knowsRare)
      doc.fontSize(size).fillColor(colour)
      const whole = measured(runs)
      if (runs.every((run) => !run.rare && !run.for)) return void doc.text(whole, x, y, { width: wide, align })
      // Flowing text of two fonts cannot be set to the right: it is measured, and begun further in.
      const from = align === 'right' ? x + Math.max(0, wide - doc.widthOfString(whole)) : x
      for (const [at, run] of runs.entries()) {
        doc.font(run.rare ? 'rare' : main)
        const more = { width: wide - (from - x), continued: at < runs.length - 1 }
        if (run.for) spelled(run.for, run.text)
        if (at === 0) doc.text(run.text, from, y, more)
        else doc.text(run.text, more)
        if (run.for) doc.endMarkedContent()
      }
      doc.font(main)
    },
    room: (height_) => {
      if (doc.y + height_ > canvas.bottom) doc.addPage()
    },
  }
  return canvas
}

export function rule({ doc, left, right }: Canvas): void {
  const y = doc.y + 3
  doc.moveTo(left, y).lineTo(right, y).lineWidth(0.5).strokeColor(line).stroke()
  doc.y = y + 5
}
export function heading(canvas: Canvas, text: string): void {
  const { doc, left, wide } = canvas
  canvas.room(canvas.size(60))
  canvas.say(text, left, doc.y + canvas.size(10), { size: canvas.size(13), width: wide })
  rule(canvas)
}

type Pairing = { readonly share?: number; readonly align?: 'left' | 'right'; readonly size?: number }
/** A name and what is said of it, beside each other; either may be long. */
export function pair(
  canvas: Canvas,
  name: string,
  value: string,
  { share = 0.5, align = 'left', size = 10 }: Pairing = {},
): void {
  const { doc, left, wide } = canvas
  const words = { size: canvas.size(size) }
  const [names, values] = [
    { ...words, width: wide * share - 12, colour: pale },
    { ...words, width: wide * (1 - share), align },
  ]
  const height = Math.max(canvas.heightOf(name, names), canvas.heightOf(value, values)) + 5
  canvas.room(height)
  const { y } = doc
  canvas.say(name, left, y, names)
  canvas.say(value, left + wide * share, y, values)
  doc.y = y + height
}

/** The last line of each page that was drawn since the last time: which of how many (`open`: only which of all); afterwards they are in the file and no longer in memory. */
export function number({ doc, left, wide, bottom, size, isSpelled }: Canvas, foot: string, of: 'all' | 'open' = 'all'): void {
  const { start, count } = doc.bufferedPageRange()
  const written: object[] = []
  for (let at = start; at < start + count; at += 1) {
    doc.switchToPage(at)
    written.push(doc.page.dictionary)
    // Below the margin pdfkit would begin another page.
    doc.page.margins.bottom = 0
    doc.fontSize(size(8)).fillColor(pale)
    doc.text(foot, left, bottom + 10, { width: wide * 0.8, height: size(10), lineBreak: false, ellipsis: true })
    if (isSpelled(doc.page)) doc.text(spelled_foot, left, bottom + 20, { width: wide, height: size(10), lineBreak: false })
    const which = of === 'all' ? `${at - start + 1} / ${count}` : `${at + 1}`
    doc.text(which, left + wide * 0.8, bottom + 10, { width: wide * 0.2, align: 'right', lineBreak: false })
  }
  doc.flushPages()
  // What is in the file is no longer needed here but for its number; thousands of pages would hold all their pictures.
  for (const page of written) Object.assign(page, { data: {} })
}
