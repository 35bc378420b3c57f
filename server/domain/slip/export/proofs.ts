/** What can be shown later, as files: receipts with their signatures, what was corrected, and evidence that verifies offline. */
import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../../runtime/db.ts'
import { streamXlsx } from '../../../runtime/files/xlsx.ts'
import { nameHere } from '../../company/index.ts'
import {
  type EvidenceSlip,
  formOf,
  openContent,
  openEvidence,
  openedReceipt,
  readReceipt,
  receiptsOf,
  stampOn,
} from '../../pay/index.ts'
import { layoutOf, renderSlip, understoodOf } from '../../sheet/index.ts'
import { threadsOf } from '../question/threads.ts'
import { purposeOf } from '../rules/outcome.ts'
import { pastOf } from '../salary/past.ts'
import { changesOf } from '../salary/salary.ts'
import { messagesAbout } from '../send/ledger.ts'
import { type ExportRow, type Making, ofEach, pagesOf, proofs_a_page } from './page.ts'
import { timeOf } from './said.ts'

const a_turn = 10

const idsOf = (rows: readonly ExportRow[]): string[] => rows.map(({ id }) => id)

/** Of every version that was confirmed; the receipt itself stands in the last column, to be checked by anybody (docs/receipt.md). */
export async function receiptSheet(making: Making): Promise<void> {
  const { vault, company_id } = making
  const sheet = streamXlsx(making.write, { sheet: '确认回执', widths: [12, 20, 8, 14, 17, 17, 10, 22, 48, 60] })
  const head = ['员工', '部门', '版本', '确认方式', '确认时间', '签发时间', '手写签名', '回执编号', '签名钥匙指纹', '回执']
  await sheet.row(head, 'head')
  const receipts = (db: Tx, rows: readonly ExportRow[]) => receiptsOf({ db, company_id, vault }, idsOf(rows))
  for await (const { rows, more } of pagesOf(making, receipts, proofs_a_page)) {
    const bySlip = Map.groupBy(more, ({ salary_id }) => salary_id)
    for (const { id, name, departments } of rows)
      for (const { receipt, version, handwriting } of bySlip.get(id) ?? []) {
        const { kid, says, signature } = readReceipt(receipt)
        const how = says.kind === 'auto' ? '到期自动确认' : handwriting ? '手写签名' : '点击确认'
        const times = [says.confirmed_at, says.signed_at].map((at) => timeOf(new Date(at)))
        const number = signature.slice(0, 16)
        await sheet.row([name, departments, `第 ${version} 版`, how, ...times, handwriting ? '有' : '', number, kid, receipt])
      }
  }
  await sheet.end()
}

export async function changeSheet(making: Making): Promise<void> {
  const { vault, company_id, task } = making
  const sheet = streamXlsx(making.write, { sheet: '修改记录', widths: [12, 20, 17, 12, 8, 18, 16, 16, 40] })
  await sheet.row(['员工', '部门', '修改时间', '修改人', '版本', '项目', '原来', '改为', '原因'], 'head')
  for await (const { rows, more } of pagesOf(making, (db, rows) => changesOf({ db, company_id, vault }, task, idsOf(rows)))) {
    const bySlip = Map.groupBy(more, ({ salary_id }) => salary_id)
    for (const { id, name, departments } of rows)
      for (const { at, by, version, column, from, to, reason } of bySlip.get(id) ?? [])
        await sheet.row([name, departments, timeOf(at), by, `第 ${version} 版`, column, from, to, reason])
  }
  await sheet.end()
}

const isoOrNull = (at: Date | null): string | null => at && at.toISOString()

/** Everything that is known of a page of slips. */
async function known(db: Tx, { company_id, vault, task }: Making, rows: readonly ExportRow[]) {
  const here = { db, company_id, vault }
  const ids = idsOf(rows)
  return {
    receipts: Map.groupBy(await receiptsOf(here, ids), ({ salary_id }) => salary_id),
    changes: Map.groupBy(await changesOf(here, task, ids), ({ salary_id }) => salary_id),
    messages: Map.groupBy(await messagesAbout(here, ids), ({ salary_id }) => salary_id),
    questions: await threadsOf(here, ids),
  }
}
type Known = Awaited<ReturnType<typeof known>>

/** When each version was seen, confirmed and withdrawn, the present one last. */
const momentsOf = ({ vault, task }: Making, row: ExportRow) =>
  [...pastOf({ vault }, task.id, row.past), { ...row, withdrawn_reason: null }].map((one) => ({
    viewed_at: isoOrNull(one.viewed_at),
    confirmed_at: isoOrNull(one.confirmed_at),
    confirmed_auto: one.confirmed_auto,
    withdrawn_at: isoOrNull(one.withdrawn_at),
  }))

const toldOf = (more: Known, id: string) => ({
  messages: (more.messages.get(id) ?? []).map((one) => ({
    version: one.version,
    about: purposeOf(one.purpose),
    channel: one.channel,
    status: one.status,
    asked_at: one.created_at.toISOString(),
    done_at: isoOrNull(one.done_at),
  })),
  changes: (more.changes.get(id) ?? []).map(({ at, version, by, column, from, to, reason }) => ({
    at: at.toISOString(),
    version,
    by,
    column,
    from,
    to,
    reason,
  })),
  questions: (more.questions.get(id) ?? []).map(({ at, from, name, about, content }) => ({ at, from, name, about, content })),
  receipts: (more.receipts.get(id) ?? []).map(openedReceipt),
})

/** Of every slip what can be proven, page by page. */
export const evidenceOf = (making: Making, company: string): AsyncGenerator<EvidenceSlip> =>
  ofEach(making, (one) => evidenceOfBatch(one, company))

async function* evidenceOfBatch(making: Making, company: string): AsyncGenerator<EvidenceSlip> {
  const { vault, task } = making
  const understood = understoodOf({ vault }, task)
  const layout = layoutOf({ vault }, task, understood)
  const title = task.title_name ?? ''
  for await (const { rows, more } of pagesOf(making, (db, rows) => known(db, making, rows), proofs_a_page))
    for (const row of rows) {
      const { columns, formula } = understood
      const { cells } = openContent(vault, row)
      const shown = { layout, columns, formula, cells, title, month: task.title_month, corp_name: company, name: row.name }
      yield {
        slip_id: row.id,
        person: row.name,
        version: row.version,
        status: row.status,
        slip: formOf({ slip_id: row.id, version: row.version, slip: renderSlip(shown) }),
        department: row.departments,
        sent_at: isoOrNull(row.sent_at),
        moments: momentsOf(making, row),
        ...toldOf(more, row.id),
      }
    }
}

/** Lines of JSON, chained and sealed (docs/evidence.md). */
export async function evidenceFile(making: Making): Promise<void> {
  const { vault, company_id, called, now } = making
  const { company, evidence } = await making.read(async (db) => {
    const company = await nameHere({ db, company_id })
    return { company, evidence: await openEvidence({ db, company_id, vault, now }, { company, ...called }) }
  })
  await making.write(Buffer.from(`${evidence.head}\n`))
  let lines = 0
  for await (const slip of evidenceOf(making, company)) {
    await making.write(Buffer.from(`${evidence.slip(slip)}\n`))
    lines += 1
    // A page of them is a tenth of a second: others have their turn meanwhile.
    if (lines % a_turn === 0) await setImmediate()
  }
  const seal = evidence.seal()
  await making.write(Buffer.from(seal))
  const stamped = making.stamps && (await stampOn(seal, making.stamps))
  // Whatever became of the stamp, the pack is there.
  if (stamped && 'token' in stamped) await making.write(Buffer.from(`\n${evidence.stamp(stamped.token)}`))
  else if (stamped) making.note(`没有第三方时间戳：${stamped.fault}。证据已生成，可以稍后重新导出`)
}
