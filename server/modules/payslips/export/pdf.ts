/**
 * PDF exports. They are drawn in a separate thread: a member takes a hundredth to a tenth of a second of CPU time,
 * which must not delay other requests. The next members are sent once the previous ones are drawn, so neither side
 * holds more than a few.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ExportKind } from '../../../contract/payslips/send.ts'
import type { Tx } from '../../../database/database.ts'
import { getCompanyName, getLogoUrl } from '../../company/index.ts'
import { listReceipts, parseReceipt, toOpenedReceipt } from '../../payslip-records/index.ts'
import { streamEvidence } from './evidence-files.ts'
import { type ExportContext, receiptsPerPage, streamBatches, streamPages } from './export-context.ts'
import type { ReceiptView } from './pdf-content.ts'
import type { WorkerRequest, WorkerResponse } from './pdf-worker.ts'
import type { PdfOptions, PdfSection } from './pdf-writer.ts'

const sectionsPerMessage = 20
/**
 * Memory limits of the thread; drawn pages leave it at once, so it holds its font and one group of members, even if ten
 * thousand members have four thousand different characters.
 */
const workerLimits = { maxOldGenerationSizeMb: 40, maxYoungGenerationSizeMb: 8 }

/** Draws incoming data and writes the result immediately. */
export async function drawPdf(
  options: PdfOptions,
  sections: AsyncIterable<PdfSection>,
  write: ExportContext['write'],
): Promise<void> {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), {
    workerData: options,
    resourceLimits: workerLimits,
  })
  const sendToWorker = async (request: WorkerRequest): Promise<void> => {
    const responded = once(worker, 'message')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- to a thread, not to a window
    worker.postMessage(request)
    const [response]: WorkerResponse[] = await responded
    if (response) await write(response.bytes)
  }
  try {
    let pending: PdfSection[] = []
    for await (const section of sections) {
      pending.push(section)
      if (pending.length < sectionsPerMessage) continue
      await sendToWorker({ sections: pending, last: false })
      pending = []
    }
    await sendToWorker({ sections: pending, last: true })
  } finally {
    await worker.terminate()
  }
}

/** Converts a receipt for display. */
export function toReceiptView({
  receipt,
  handwriting,
}: {
  readonly receipt: string
  readonly handwriting: string | null
}): ReceiptView {
  const { claims, kid, signature } = parseReceipt(receipt)
  const { kind, version, month, confirmed_at } = claims
  return { receipt, handwriting, kind, version, month, confirmed_at, kid, number: signature.slice(0, 16) }
}

async function* streamEvidenceSections(exportContext: ExportContext, company: string): AsyncGenerator<PdfSection> {
  for await (const evidence of streamEvidence(exportContext, company))
    yield { evidence: { ...evidence, receipts: evidence.receipts.map(toReceiptView) } }
}
async function* streamReceiptSections(exportContext: ExportContext): AsyncGenerator<PdfSection> {
  const { company_id, vault } = exportContext
  const getIds = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  const loadReceipts = (db: Tx, page: readonly { id: string }[]) => listReceipts({ db, company_id, vault }, getIds(page))
  for await (const { rows, more: related } of streamPages(exportContext, loadReceipts, receiptsPerPage)) {
    const byPayslip = Map.groupBy(related, ({ salary_id }) => salary_id)
    for (const { id, name, departments } of rows)
      yield {
        receipts: {
          name,
          department: departments,
          receipts: (byPayslip.get(id) ?? []).map((receipt) => toReceiptView(toOpenedReceipt(receipt))),
        },
      }
  }
}

/** Exports the pages of a batch, or of one member in it. */
export async function exportPdf(exportContext: ExportContext, kind: Extract<ExportKind, 'paper' | 'receipts'>): Promise<void> {
  const { task, exportTitle, origin, now, company_id } = exportContext
  const { company, logo } = await exportContext.inTransaction(async (db) => ({
    company: await getCompanyName({ db, company_id }),
    logo: await getLogoUrl({ db, company_id }),
  }))
  const paper = task.paper ?? { size: 'A4', large: false }
  const title = `${exportTitle.title} ${kind === 'paper' ? '工资条证据' : '确认回执'}`.trim()
  const sections =
    kind === 'paper' ? streamEvidenceSections(exportContext, company) : streamBatches(exportContext, streamReceiptSections)
  await drawPdf(
    { paper, title, mark: exportContext.export_id, origin, made_at: now, company, logo },
    sections,
    exportContext.write,
  )
}
