/** A PDF as it is drawn here: its paper, its fonts (as far as they are used they are in the file), and text that may be long or rare. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PaperOptions } from '../../../contract/payslips/send.ts'
import { type HasGlyph, splitIntoFontRuns, toMeasurableText } from './font-runs.ts'

export const textColor = '#1c1917'
export const mutedColor = '#57534e'
const lineColor = '#d6d3d1'

/** In points; margins of 2 cm, or 1.2 cm on the smaller one. */
const paperSizes = {
  A4: { width: 595, height: 842, margin: 57 },
  A5: { width: 420, height: 595, margin: 34 },
} as const
/** How much larger 大字 is. */
const largeTextScale = 1.4

/** Handed out with the product; one weight of it (docs/decisions/20261123-use-pdfkit-with-an-embedded-font.md). */
const getFontPath = (): string => {
  const folder = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans-sc/package.json'))
  return join(folder, '400Regular', 'NotoSansSC_400Regular.ttf')
}
/** Fonts of this machine with signs that ours lacks, the first that is there. */
const fallbackFonts = [
  { path: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', family: 'NotoSansCJKsc-Regular' },
  { path: '/usr/share/fonts/truetype/hanazono/HanaMinB.ttf', family: undefined },
]
const findFallbackFont = () => fallbackFonts.find(({ path }) => existsSync(path)) ?? null

/** Names and numbers do not come twice: kept, they would fill the memory. The types do not know it. */
const noLayoutCache = { fontLayoutCache: false }

const codePointFootnote = '〔U+…〕是统一码，代替这台服务器没有字形的字。'

type PdfDocument = PDFKit.PDFDocument
type TextOptions = {
  readonly size: number
  readonly width: number
  readonly color?: string
  readonly align?: 'left' | 'right'
}
export type PdfCanvas = {
  readonly doc: PdfDocument
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly contentWidth: number
  /** Whether a sign that no font here has was spelled on this page; asked once. */
  hasCodePointGlyphs(page: object): boolean
  /** A size of the plain paper on this one. */
  scale(points: number): number
  /** Draws at this place and moves below it. */
  drawText(text: string, x: number, y: number, words: TextOptions): void
  measureHeight(text: string, words: TextOptions): number
  /** Where so much does not fit any more the next page begins. */
  ensureSpace(height: number): void
}

/** What a font of the document has; asked of the font itself, for none says it of a text. */
function createGlyphCheck(doc: PdfDocument): HasGlyph {
  const activeFont: unknown = Reflect.get(doc, '_font')
  const font: unknown = typeof activeFont === 'object' && activeFont !== null ? Reflect.get(activeFont, 'font') : null
  const has: unknown = typeof font === 'object' && font !== null ? Reflect.get(font, 'hasGlyphForCodePoint') : null
  if (typeof has !== 'function') throw new Error('a font does not say what it has')
  return (code) => Reflect.apply(has, font, [code]) === true
}

export type CanvasOptions = { readonly paper: PaperOptions; readonly title: string }
export async function createCanvas({ paper, title }: CanvasOptions): Promise<PdfCanvas> {
  const { default: PDFDocument } = await import('pdfkit')
  const { width, height, margin } = paperSizes[paper.size]
  const mainFontPath = getFontPath()
  const textScale = (paper.large ? largeTextScale : 1) * (paper.size === 'A5' ? 0.9 : 1)
  const doc = new PDFDocument({
    size: [width, height],
    margins: { top: margin, bottom: margin + 15, left: margin, right: margin },
    autoFirstPage: false,
    bufferPages: true,
    font: mainFontPath,
    lang: 'zh-CN',
    info: { Title: title },
    ...noLayoutCache,
  })
  const fallbackFont = findFallbackFont()
  const hasGlyph = createGlyphCheck(doc)
  // The font of this machine is large: it is opened when somebody needs it.
  let fallbackCheck: HasGlyph | null = fallbackFont ? null : () => false
  const hasFallbackGlyph: HasGlyph = (code) => {
    if (!fallbackCheck && fallbackFont) {
      doc.registerFont('rare', fallbackFont.path, fallbackFont.family)
      doc.font('rare')
      fallbackCheck = createGlyphCheck(doc)
      doc.font(mainFontPath)
    }
    return fallbackCheck?.(code) ?? false
  }
  const codePointPages = new Set<object>()
  /** What is drawn next stands for this sign, which is copied along with it; some readers (PDFium) leave out signs beyond the basic plane, so the number stays. */
  const markReplacement = (character: string, text: string): void => {
    doc.markContent('Span', { actual: character + text })
    codePointPages.add(doc.page)
  }
  const canvas: PdfCanvas = {
    doc,
    hasCodePointGlyphs: (page) => codePointPages.delete(page),
    left: margin,
    right: width - margin,
    top: margin,
    bottom: height - margin - 15,
    contentWidth: width - 2 * margin,
    scale: (points) => points * textScale,
    measureHeight: (text, labels) => {
      doc.fontSize(labels.size)
      return doc.heightOfString(toMeasurableText(splitIntoFontRuns(text || ' ', hasGlyph, hasFallbackGlyph)), {
        width: labels.width,
      })
    },
    drawText: (text, x, y, { size, width: wide, color = textColor, align = 'left' }) => {
      const runs = splitIntoFontRuns(text || ' ', hasGlyph, hasFallbackGlyph)
      doc.fontSize(size).fillColor(color)
      const full = toMeasurableText(runs)
      if (runs.every((run) => !run.isRare && !run.replaces)) return void doc.text(full, x, y, { width: wide, align })
      // Flowing text of two fonts cannot be set to the right: it is measured, and begun further in.
      const from = align === 'right' ? x + Math.max(0, wide - doc.widthOfString(full)) : x
      for (const [at, run] of runs.entries()) {
        doc.font(run.isRare ? 'rare' : mainFontPath)
        const more = { width: wide - (from - x), continued: at < runs.length - 1 }
        if (run.replaces) markReplacement(run.replaces, run.text)
        if (at === 0) doc.text(run.text, from, y, more)
        else doc.text(run.text, more)
        if (run.replaces) doc.endMarkedContent()
      }
      doc.font(mainFontPath)
    },
    ensureSpace: (height_) => {
      if (doc.y + height_ > canvas.bottom) doc.addPage()
    },
  }
  return canvas
}

export function drawRule({ doc, left, right }: PdfCanvas): void {
  const y = doc.y + 3
  doc.moveTo(left, y).lineTo(right, y).lineWidth(0.5).strokeColor(lineColor).stroke()
  doc.y = y + 5
}
export function drawHeading(canvas: PdfCanvas, text: string): void {
  const { doc, left, contentWidth } = canvas
  canvas.ensureSpace(canvas.scale(60))
  canvas.drawText(text, left, doc.y + canvas.scale(10), { size: canvas.scale(13), width: contentWidth })
  drawRule(canvas)
}

type PairOptions = { readonly labelShare?: number; readonly align?: 'left' | 'right'; readonly size?: number }
/** A name and what is said of it, beside each other; either may be long. */
export function drawPair(
  canvas: PdfCanvas,
  label: string,
  value: string,
  { labelShare = 0.5, align = 'left', size = 10 }: PairOptions = {},
): void {
  const { doc, left, contentWidth } = canvas
  const textOptions = { size: canvas.scale(size) }
  const [labelOptions, valueOptions] = [
    { ...textOptions, width: contentWidth * labelShare - 12, color: mutedColor },
    { ...textOptions, width: contentWidth * (1 - labelShare), align },
  ]
  const height = Math.max(canvas.measureHeight(label, labelOptions), canvas.measureHeight(value, valueOptions)) + 5
  canvas.ensureSpace(height)
  const { y } = doc
  canvas.drawText(label, left, y, labelOptions)
  canvas.drawText(value, left + contentWidth * labelShare, y, valueOptions)
  doc.y = y + height
}

/** The last line of each page that was drawn since the last time: which of how many (`open`: only which of all); afterwards they are in the file and no longer in memory. */
export function numberPages(
  { doc, left, contentWidth, bottom, scale, hasCodePointGlyphs }: PdfCanvas,
  footer: string,
  numbering: 'all' | 'open' = 'all',
): void {
  const { start, count } = doc.bufferedPageRange()
  const finishedPages: object[] = []
  for (let pageIndex = start; pageIndex < start + count; pageIndex += 1) {
    doc.switchToPage(pageIndex)
    finishedPages.push(doc.page.dictionary)
    // Below the margin pdfkit would begin another page.
    doc.page.margins.bottom = 0
    doc.fontSize(scale(8)).fillColor(mutedColor)
    doc.text(footer, left, bottom + 10, { width: contentWidth * 0.8, height: scale(10), lineBreak: false, ellipsis: true })
    if (hasCodePointGlyphs(doc.page))
      doc.text(codePointFootnote, left, bottom + 20, { width: contentWidth, height: scale(10), lineBreak: false })
    const pageLabel = numbering === 'all' ? `${pageIndex - start + 1} / ${count}` : `${pageIndex + 1}`
    doc.text(pageLabel, left + contentWidth * 0.8, bottom + 10, { width: contentWidth * 0.2, align: 'right', lineBreak: false })
  }
  doc.flushPages()
  // What is in the file is no longer needed here but for its number; thousands of pages would hold all their pictures.
  for (const page of finishedPages) Object.assign(page, { data: {} })
}
