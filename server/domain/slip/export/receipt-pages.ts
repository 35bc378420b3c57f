/** Receipts of many people on as few pages as can be read: who confirmed what, when and how, with the code that leads to the check. */
import { type Canvas, ink, pale, rule } from './canvas.ts'
import { codeOf } from './code.ts'
import { handwritten } from './evidence-pages.ts'
import { howOf, type PaperPerson, timeOf } from './said.ts'

const code_side = 96
export function drawReceipts(canvas: Canvas, { person, department, receipts }: PaperPerson, origin: string): void {
  const { doc, left, right } = canvas
  for (const told of receipts) {
    const { receipt, handwriting } = told
    const side = canvas.size(code_side)
    canvas.room(side + 14)
    const { y } = doc
    const width = right - left - side - 12
    canvas.say(department ? `${person}  ${department}` : person, left, y + 4, { size: canvas.size(12), width, colour: ink })
    const lines = [
      `${told.month ?? ''} 第 ${told.version} 版  ${howOf(told)}，${timeOf(new Date(told.confirmed_at))}`.trim(),
      `回执编号 ${told.number}`,
      `签名钥匙指纹 ${told.kid}`,
    ]
    for (const text of lines) canvas.say(text, left, doc.y + 2, { size: canvas.size(9), width, colour: pale })
    if (handwriting) handwritten(canvas, handwriting, { x: left, y: doc.y + 2, width, height: y + side - doc.y })
    doc.image(codeOf(`${origin}/m/verify#${receipt}`), right - side, y + 4, { width: side })
    doc.y = y + side + 6
    rule(canvas)
  }
}
