/** Writes a PDF file for one or many members; pages are output as they are drawn. */
import { type CanvasOptions, createCanvas, numberPages } from './canvas.ts'
import { drawEvidence, type PdfMetadata } from './evidence-pages.ts'
import { formatTime, type PdfMember, type PdfPayslip } from './pdf-content.ts'
import { drawReceipts } from './receipt-pages.ts'

export type PdfOptions = CanvasOptions & PdfMetadata & { readonly company: string }
export type PdfSection = { readonly evidence: PdfPayslip } | { readonly receipts: PdfMember }
/** Members whose receipts share pages; a new page begins after them. */
const membersPerGroup = 200

/** Draws step by step; `take` returns the output written since the last call. */
export async function createPdfWriter({ origin, made_at, company, logo, ...canvasOptions }: PdfOptions) {
  const canvas = await createCanvas(canvasOptions)
  const { doc } = canvas
  let chunks: Buffer[] = []
  doc.on('data', (chunk: Buffer) => void chunks.push(chunk))
  const finished = new Promise<void>((done, fail) => {
    doc.on('end', done)
    doc.on('error', fail)
  })
  let memberCount = 0
  const footer = `${company} · 由薪函生成 · ${formatTime(made_at)}`
  const finishMemberGroup = () => {
    if (memberCount > 0) numberPages(canvas, footer, 'open')
    memberCount = 0
  }
  return {
    draw(piece: PdfSection): void {
      if ('evidence' in piece) return drawEvidence(canvas, piece.evidence, { origin, made_at, logo })
      if (piece.receipts.receipts.length === 0) return
      if (memberCount === 0) doc.addPage()
      memberCount += 1
      drawReceipts(canvas, piece.receipts, origin)
      if (memberCount >= membersPerGroup) finishMemberGroup()
    },
    take(): Buffer {
      const accepted = Buffer.concat(chunks)
      chunks = []
      return accepted
    },
    async end(): Promise<void> {
      finishMemberGroup()
      if (doc.bufferedPageRange().start + doc.bufferedPageRange().count === 0) {
        doc.addPage()
        canvas.drawText('还没有人确认，没有回执。', canvas.left, canvas.top, {
          size: canvas.scale(12),
          width: canvas.contentWidth,
        })
        numberPages(canvas, footer)
      }
      doc.end()
      await finished
    },
  }
}
