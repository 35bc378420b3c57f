/** Receipts of many employees on few readable pages: who confirmed what, when and how, with the code to verify it. */
import { drawRule, mutedColor, type PdfCanvas, textColor } from './canvas.ts'
import { drawHandwriting } from './evidence-pages.ts'
import { formatConfirmationMethod, formatTime, type PdfMember } from './pdf-content.ts'
import { renderQrCode } from './qr-code.ts'

const qrCodeSize = 96
export function drawReceipts(canvas: PdfCanvas, { name, department, receipts }: PdfMember, origin: string): void {
  const { doc, left, right } = canvas
  for (const receiptView of receipts) {
    const { receipt, handwriting } = receiptView
    const side = canvas.scale(qrCodeSize)
    canvas.ensureSpace(side + 14)
    const { y } = doc
    const width = right - left - side - 12
    canvas.drawText(department ? `${name}  ${department}` : name, left, y + 4, {
      size: canvas.scale(12),
      width,
      color: textColor,
    })
    const lines = [
      `${receiptView.month ?? ''} 第 ${receiptView.version} 版  ${formatConfirmationMethod(receiptView)}，${formatTime(new Date(receiptView.confirmed_at))}`.trim(),
      `回执编号 ${receiptView.number}`,
      `签名钥匙指纹 ${receiptView.kid}`,
    ]
    for (const text of lines) canvas.drawText(text, left, doc.y + 2, { size: canvas.scale(9), width, color: mutedColor })
    if (handwriting) drawHandwriting(canvas, handwriting, { x: left, y: doc.y + 2, width, height: y + side - doc.y })
    doc.image(renderQrCode(`${origin}/m/verify#${receipt}`), right - side, y + 4, { width: side })
    doc.y = y + side + 6
    drawRule(canvas)
  }
}
