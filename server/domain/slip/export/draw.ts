/**
 * Exports as pages. They are drawn in a thread of their own: a person takes a hundredth to a tenth of a second of a processor, and nobody else waits
 * for that. It is told the next people when it has drawn the last ones, so that neither side holds more than a few of them.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ExportKind } from '../../../contract/slip/slip.ts'
import type { Tx } from '../../../runtime/db.ts'
import { nameHere } from '../../company/index.ts'
import { openedReceipt, readReceipt, receiptsOf } from '../../pay/index.ts'
import { type Making, ofEach, pagesOf, proofs_a_page } from './page.ts'
import type { PagesWish, Piece } from './pages.ts'
import { evidenceOf } from './proofs.ts'
import type { ToldReceipt } from './said.ts'
import type { FromThread, ToThread } from './thread.ts'

const a_turn = 20
/** Of the thread; what it draws leaves it at once, so that it holds its font and one turn of people, also where ten thousand have four thousand different signs. */
const heap = { maxOldGenerationSizeMb: 40, maxYoungGenerationSizeMb: 8 }

/** Draws what comes; what was drawn is written at once. */
export async function drawn(asked: PagesWish, pieces: AsyncIterable<Piece>, write: Making['write']): Promise<void> {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: asked,
    resourceLimits: heap,
  })
  const tell = async (told: ToThread): Promise<void> => {
    const answered = once(thread, 'message')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- to a thread, not to a window
    thread.postMessage(told)
    const [written]: FromThread[] = await answered
    if (written) await write(written.bytes)
  }
  try {
    let next: Piece[] = []
    for await (const piece of pieces) {
      next.push(piece)
      if (next.length < a_turn) continue
      await tell({ pieces: next, last: false })
      next = []
    }
    await tell({ pieces: next, last: true })
  } finally {
    await thread.terminate()
  }
}

/** A receipt as its pages tell it. */
export function told({ receipt, handwriting }: { readonly receipt: string; readonly handwriting: string | null }): ToldReceipt {
  const { says, kid, signature } = readReceipt(receipt)
  const { kind, version, month, confirmed_at } = says
  return { receipt, handwriting, kind, version, month, confirmed_at, kid, number: signature.slice(0, 16) }
}

async function* evidencePieces(making: Making, company: string): AsyncGenerator<Piece> {
  for await (const evidence of evidenceOf(making, company))
    yield { evidence: { ...evidence, receipts: evidence.receipts.map(told) } }
}
async function* receiptPieces(making: Making): AsyncGenerator<Piece> {
  const { company_id, vault } = making
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  const receipts = (db: Tx, page: readonly { id: string }[]) => receiptsOf({ db, company_id, vault }, idsOf(page))
  for await (const { rows, more } of pagesOf(making, receipts, proofs_a_page)) {
    const bySlip = Map.groupBy(more, ({ salary_id }) => salary_id)
    for (const { id, name, departments } of rows)
      yield {
        receipts: {
          person: name,
          department: departments,
          receipts: (bySlip.get(id) ?? []).map((one) => told(openedReceipt(one))),
        },
      }
  }
}

/** The pages of a batch, or of one person in it. */
export async function paperOf(making: Making, kind: Extract<ExportKind, 'paper' | 'receipts'>): Promise<void> {
  const { task, called, origin, now, company_id } = making
  const company = await making.read((db) => nameHere({ db, company_id }))
  const paper = task.paper ?? { size: 'A4', large: false }
  const title = `${called.title} ${kind === 'paper' ? '工资条证据' : '确认回执'}`.trim()
  const pieces = kind === 'paper' ? evidencePieces(making, company) : ofEach(making, receiptPieces)
  await drawn({ paper, title, origin, made_at: now, company }, pieces, making.write)
}
