/** Evidence as files: receipts with their signatures, corrections, and evidence that can be verified offline. */
import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../../database/database.ts'
import { createXlsxStream } from '../../../files/xlsx-writer.ts'
import { getCompanyName } from '../../company/index.ts'
import {
  canonicalizePayslip,
  createEvidenceWriter,
  type EvidencePayslip,
  listReceipts,
  openPayslipContent,
  parseReceipt,
  requestTimeStamp,
  toOpenedReceipt,
} from '../../payslip-records/index.ts'
import { openPayslipLayout, openRecognition, renderPayslip } from '../../sheets/display/index.ts'
import { listMessagesByPayslip } from '../feedback/threads.ts'
import { listChanges } from '../payslip/corrections.ts'
import { readHistory } from '../payslip/version-history.ts'
import { parsePurpose } from '../rules/dispatch.ts'
import { selectDeliveries } from '../send/ledger.ts'
import { type ExportContext, type ExportRow, receiptsPerPage, streamBatches, streamPages } from './export-context.ts'
import { formatTime } from './pdf-content.ts'

const payslipsPerYield = 10

const getIds = (rows: readonly ExportRow[]): string[] => rows.map(({ id }) => id)

/**
 * The table covers every confirmed version; the last column contains the receipt itself, which anybody can verify
 * (docs/receipt.md).
 */
export async function exportReceipts(exportContext: ExportContext): Promise<void> {
  const { vault, company_id } = exportContext
  const sheet = createXlsxStream(exportContext.write, {
    sheet: '确认回执',
    widths: [12, 20, 8, 14, 17, 17, 10, 22, 48, 60],
    mark: exportContext.export_id,
  })
  const head = ['员工', '部门', '版本', '确认方式', '确认时间', '签发时间', '手写签名', '回执编号', '签名钥匙指纹', '回执']
  await sheet.row(head, 'head')
  const loadReceipts = (db: Tx, rows: readonly ExportRow[]) => listReceipts({ db, company_id, vault }, getIds(rows))
  for await (const { rows, more } of streamPages(exportContext, loadReceipts, receiptsPerPage)) {
    const byPayslip = Map.groupBy(more, ({ salary_id }) => salary_id)
    for (const { id, name, departments } of rows)
      for (const { receipt, version, handwriting } of byPayslip.get(id) ?? []) {
        const { kid, claims, signature } = parseReceipt(receipt)
        const method = claims.kind === 'auto' ? '到期自动确认' : handwriting ? '手写签名' : '点击确认'
        const times = [claims.confirmed_at, claims.signed_at].map((at) => formatTime(new Date(at)))
        const number = signature.slice(0, 16)
        await sheet.row([name, departments, `第 ${version} 版`, method, ...times, handwriting ? '有' : '', number, kid, receipt])
      }
  }
  await sheet.end()
}

export async function exportChanges(exportContext: ExportContext): Promise<void> {
  const { vault, company_id, task } = exportContext
  const sheet = createXlsxStream(exportContext.write, {
    sheet: '修改记录',
    widths: [12, 20, 17, 12, 8, 18, 16, 16, 40],
    mark: exportContext.export_id,
  })
  await sheet.row(['员工', '部门', '修改时间', '修改人', '版本', '项目', '原来', '改为', '原因'], 'head')
  for await (const { rows, more } of streamPages(exportContext, (db, rows) =>
    listChanges({ db, company_id, vault }, task, getIds(rows)),
  )) {
    const byPayslip = Map.groupBy(more, ({ salary_id }) => salary_id)
    for (const { id, name, departments } of rows)
      for (const { at, by, version, column, from, to, reason } of byPayslip.get(id) ?? [])
        await sheet.row([name, departments, formatTime(at), by, `第 ${version} 版`, column, from, to, reason])
  }
  await sheet.end()
}

const toIsoOrNull = (at: Date | null): string | null => at && at.toISOString()

async function loadRelatedRecords(db: Tx, { company_id, vault, task }: ExportContext, rows: readonly ExportRow[]) {
  const companyTx = { db, company_id, vault }
  const ids = getIds(rows)
  return {
    receipts: Map.groupBy(await listReceipts(companyTx, ids), ({ salary_id }) => salary_id),
    changes: Map.groupBy(await listChanges(companyTx, task, ids), ({ salary_id }) => salary_id),
    messages: Map.groupBy(await selectDeliveries(companyTx, ids), ({ salary_id }) => salary_id),
    questions: await listMessagesByPayslip(companyTx, ids),
  }
}
type RelatedRecords = Awaited<ReturnType<typeof loadRelatedRecords>>

/** When each version was viewed, confirmed and withdrawn, with the current version last. */
const getVersionMoments = ({ vault, task }: ExportContext, row: ExportRow) =>
  [...readHistory({ vault }, task.id, row.past), { ...row, withdrawn_reason: null }].map((one) => ({
    viewed_at: toIsoOrNull(one.viewed_at),
    confirmed_at: toIsoOrNull(one.confirmed_at),
    confirmed_auto: one.confirmed_auto,
    withdrawn_at: toIsoOrNull(one.withdrawn_at),
  }))

const toEvidenceRecords = (related: RelatedRecords, id: string) => ({
  messages: (related.messages.get(id) ?? []).map((one) => ({
    version: one.version,
    about: parsePurpose(one.purpose),
    channel: one.channel,
    status: one.status,
    requested_at: one.created_at.toISOString(),
    done_at: toIsoOrNull(one.done_at),
  })),
  changes: (related.changes.get(id) ?? []).map(({ at, version, by, column, from, to, reason }) => ({
    at: at.toISOString(),
    version,
    by,
    column,
    from,
    to,
    reason,
  })),
  questions: (related.questions.get(id) ?? []).map(({ at, from, name, about, content }) => ({ at, from, name, about, content })),
  receipts: (related.receipts.get(id) ?? []).map(toOpenedReceipt),
})

/** Streams the evidence of every payslip, page by page. */
export const streamEvidence = (exportContext: ExportContext, company: string): AsyncGenerator<EvidencePayslip> =>
  streamBatches(exportContext, (batchContext) => streamBatchEvidence(batchContext, company))

async function* streamBatchEvidence(exportContext: ExportContext, company: string): AsyncGenerator<EvidencePayslip> {
  const { vault, task } = exportContext
  const recognition = openRecognition({ vault }, task)
  const layout = openPayslipLayout({ vault }, task, recognition)
  const title = task.title_name ?? ''
  for await (const { rows, more } of streamPages(
    exportContext,
    (db, rows) => loadRelatedRecords(db, exportContext, rows),
    receiptsPerPage,
  ))
    for (const row of rows) {
      const { columns, formula } = recognition
      const { cells } = openPayslipContent(vault, row)
      const payslipInput = { layout, columns, formula, cells, title, month: task.title_month, corp_name: company, name: row.name }
      yield {
        slip_id: row.id,
        person: row.name,
        version: row.version,
        status: row.status,
        slip: canonicalizePayslip({ slip_id: row.id, version: row.version, slip: renderPayslip(payslipInput) }),
        department: row.departments,
        sent_at: toIsoOrNull(row.sent_at),
        moments: getVersionMoments(exportContext, row),
        ...toEvidenceRecords(more, row.id),
      }
    }
}

/** The file consists of chained and signed JSON lines (docs/evidence.md). */
export async function exportEvidenceFile(exportContext: ExportContext): Promise<void> {
  const { vault, company_id, exportTitle, now } = exportContext
  const { company, evidence } = await exportContext.inTransaction(async (db) => {
    const company = await getCompanyName({ db, company_id })
    return { company, evidence: await createEvidenceWriter({ db, company_id, vault, now }, { company, ...exportTitle }) }
  })
  await exportContext.write(Buffer.from(`${evidence.head}\n`))
  let lines = 0
  for await (const slip of streamEvidence(exportContext, company)) {
    await exportContext.write(Buffer.from(`${evidence.slip(slip)}\n`))
    lines += 1
    // A page of payslips takes a tenth of a second, so the loop yields to other work after each one.
    if (lines % payslipsPerYield === 0) await setImmediate()
  }
  const seal = evidence.seal()
  await exportContext.write(Buffer.from(seal))
  const timeStamp = exportContext.timeStampClient && (await requestTimeStamp(seal, exportContext.timeStampClient))
  // The package is complete whether or not the time stamp succeeded.
  if (timeStamp && 'token' in timeStamp) await exportContext.write(Buffer.from(`\n${evidence.stamp(timeStamp.token)}`))
  else if (timeStamp) exportContext.setNote(`没有第三方时间戳：${timeStamp.error}。证据已生成，可以稍后重新导出`)
}
