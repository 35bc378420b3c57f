/** A PDF canvas: paper size, embedded fonts (only the glyphs used), and text that may be long or contain rare characters. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PaperOptions } from '../../../contract/payslips/send.ts'
import { exportMarkName } from '../../../files/export-mark.ts'
import { fontFile } from '../../../shared/build-output.ts'
import { type HasGlyph, splitIntoFontRuns, toMeasurableText } from './font-runs.ts'

export const textColor = '#1c1917'
export const mutedColor = '#57534e'
const lineColor = '#d6d3d1'

/** Sizes are in points; margins are 2 cm, or 1.2 cm on the smaller paper. */
const paperSizes = {
  A4: { width: 595, height: 842, margin: 57 },
  A5: { width: 420, height: 595, margin: 34 },
} as const
/** Scale factor of 大字. */
const largeTextScale = 1.4

/**
 * Shipped with the product in one weight (docs/decisions/20261123-use-pdfkit-with-an-embedded-font.md). The package has
 * nine and is installed for development only; the build copies the one.
 */
const builtFont = fileURLToPath(new URL(`../../../../${fontFile}`, import.meta.url))
const getFontPath = (): string => {
  if (existsSync(builtFont)) return builtFont
  const folder = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans-sc/package.json'))
  return join(folder, '400Regular', 'NotoSansSC_400Regular.ttf')
}
/** System fonts with glyphs that the embedded font lacks; the first one found is used. */
const fallbackFonts = [
  { path: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', family: 'NotoSansCJKsc-Regular' },
  { path: '/usr/share/fonts/truetype/hanazono/HanaMinB.ttf', family: undefined },
]
const findFallbackFont = () => fallbackFonts.find(({ path }) => existsSync(path)) ?? null

/**
 * Names and numbers rarely repeat, so cached layouts would only fill the memory. The option is missing in the type
 * definitions.
 */
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
  /** Whether a character without a glyph was written as a code point on this page; reading it resets the flag. */
  hasCodePointGlyphs(page: object): boolean
  /** Scales a size for the standard paper to this one. */
  scale(points: number): number
  /** Draws text at this position and moves below it. */
  drawText(text: string, x: number, y: number, options: TextOptions): void
  measureHeight(text: string, options: TextOptions): number
  /** Starts a new page if this height does not fit. */
  ensureSpace(height: number): void
}

/** Checks which glyphs a font of the document has, on the font object itself, because pdfkit offers no such query. */
function createGlyphCheck(doc: PdfDocument): HasGlyph {
  const activeFont: unknown = Reflect.get(doc, '_font')
  const font: unknown = typeof activeFont === 'object' && activeFont !== null ? Reflect.get(activeFont, 'font') : null
  const has: unknown = typeof font === 'object' && font !== null ? Reflect.get(font, 'hasGlyphForCodePoint') : null
  if (typeof has !== 'function') throw new Error('a font does not say what it has')
  return (code) => Reflect.apply(has, font, [code]) === true
}

/** `mark`: the number of the export. */
export type CanvasOptions = { readonly paper: PaperOptions; readonly title: string; readonly mark: string }
export async function createCanvas({ paper, title, mark }: CanvasOptions): Promise<PdfCanvas> {
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
    info: { Title: title, Keywords: `${exportMarkName} ${mark}` },
    ...noLayoutCache,
  })
  const fallbackFont = findFallbackFont()
  const hasGlyph = createGlyphCheck(doc)
  // The system font is large: it is opened only when needed.
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
  /**
   * Marks the text drawn next as a replacement for this character, which is copied along with it; some readers (PDFium)
   * drop characters beyond the basic plane, so the number stays.
   */
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
    measureHeight: (text, options) => {
      doc.fontSize(options.size)
      return doc.heightOfString(toMeasurableText(splitIntoFontRuns(text || ' ', hasGlyph, hasFallbackGlyph)), {
        width: options.width,
      })
    },
    drawText: (text, x, y, { size, width: wide, color = textColor, align = 'left' }) => {
      const runs = splitIntoFontRuns(text || ' ', hasGlyph, hasFallbackGlyph)
      doc.fontSize(size).fillColor(color)
      const full = toMeasurableText(runs)
      if (runs.every((run) => !run.isRare && !run.replaces)) return void doc.text(full, x, y, { width: wide, align })
      // Continued text in two fonts cannot be right-aligned: its width is measured and its start moved to the right.
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
/** Draws a label and its value in one row; either may be long. */
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

/**
 * Draws the footer of each page since the last call: page number and total (`open`: page number only); afterwards the
 * pages are written to the file and released from memory.
 */
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
    // Below the margin, pdfkit would start another page.
    doc.page.margins.bottom = 0
    doc.fontSize(scale(8)).fillColor(mutedColor)
    doc.text(footer, left, bottom + 10, { width: contentWidth * 0.8, height: scale(10), lineBreak: false, ellipsis: true })
    if (hasCodePointGlyphs(doc.page))
      doc.text(codePointFootnote, left, bottom + 20, { width: contentWidth, height: scale(10), lineBreak: false })
    const pageLabel = numbering === 'all' ? `${pageIndex - start + 1} / ${count}` : `${pageIndex + 1}`
    doc.text(pageLabel, left + contentWidth * 0.8, bottom + 10, { width: contentWidth * 0.2, align: 'right', lineBreak: false })
  }
  doc.flushPages()
  // Written pages are needed only for their number; thousands of pages would keep all their images in memory.
  for (const page of finishedPages) Object.assign(page, { data: {} })
}
