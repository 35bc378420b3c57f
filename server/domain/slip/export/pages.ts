/** A whole file of pages, of one person or of many: what is drawn comes out as it is drawn. */
import { type CanvasWish, number, openCanvas } from './canvas.ts'
import { drawEvidence, type MadeBy } from './evidence-pages.ts'
import { drawReceipts } from './receipt-pages.ts'
import { type PaperPerson, type PaperSlip, timeOf } from './said.ts'

export type PagesWish = CanvasWish & MadeBy & { readonly company: string }
export type Piece = { readonly evidence: PaperSlip } | { readonly receipts: PaperPerson }
/** People whose receipts share their pages; after them a new page begins. */
const together = 200

/** Draws piece by piece; `take` answers what was written since the last time. */
export async function openPages({ origin, made_at, company, ...wanted }: PagesWish) {
  const canvas = await openCanvas(wanted)
  const { doc } = canvas
  let chunks: Buffer[] = []
  doc.on('data', (chunk: Buffer) => void chunks.push(chunk))
  const whole = new Promise<void>((done, fail) => {
    doc.on('end', done)
    doc.on('error', fail)
  })
  let people = 0
  const foot = `${company} · 由薪函生成 · ${timeOf(made_at)}`
  const settle = () => {
    if (people > 0) number(canvas, foot, 'open')
    people = 0
  }
  return {
    draw(piece: Piece): void {
      if ('evidence' in piece) return drawEvidence(canvas, piece.evidence, { origin, made_at })
      if (piece.receipts.receipts.length === 0) return
      if (people === 0) doc.addPage()
      people += 1
      drawReceipts(canvas, piece.receipts, origin)
      if (people >= together) settle()
    },
    take(): Buffer {
      const taken = Buffer.concat(chunks)
      chunks = []
      return taken
    },
    async end(): Promise<void> {
      settle()
      if (doc.bufferedPageRange().start + doc.bufferedPageRange().count === 0) {
        doc.addPage()
        canvas.say('还没有人确认，没有回执。', canvas.left, canvas.top, { size: canvas.size(12), width: canvas.wide })
        number(canvas, foot)
      }
      doc.end()
      await whole
    },
  }
}
