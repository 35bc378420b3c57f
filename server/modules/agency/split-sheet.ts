/**
 * Splits one wage sheet of several served companies. The agency decides which rows belong to which company; each part
 * becomes a separate file, stored in a transaction of its company under the agency's seat there, with an audit log
 * entry. The whole file is stored nowhere (docs/decisions/20261123-use-separate-drafts-for-split-wage-sheets.md).
 */

import { canAccess } from '../../contract/access.ts'
import * as contract from '../../contract/agency/agency.ts'
import { uploadWageExcel } from '../../contract/sheets/sheet.ts'
import { writeAuditEntry } from '../../http/audit-log.ts'
import {
  type CurrentUser,
  defineHandler,
  type ExternalContext,
  fail,
  type HandlerContext,
  invalidInput,
  type UploadedFile,
} from '../../http/handler.ts'
import { loadCurrentUser } from '../../http/sessions.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { findAgencyService, findSeat, lockSeat } from '../access/index.ts'
import { getCompanyName } from '../company/index.ts'
import { openWageTable, readCompanyFile, type WageTable, writeCompanyFile } from '../sheets/upload/index.ts'
import {
  findCompanyColumn,
  findForeignRow,
  matchCompany,
  normalizeCompanyName,
  type ServedCompany,
} from './rules/company-match.ts'
import { getServiceStatus } from './rules/overdue.ts'
import { ensureSeat, inServedCompany, requireSignedInUser, toSessionRef } from './served-companies.ts'

/** A workbook with more sheets is not an agency's monthly file. */
const maxSheets = 40

/** Lists the companies of this agency with their names, and whether each currently grants this user access. */
async function listServedCompanies(ctx: ExternalContext, me: CurrentUser): Promise<ServedCompany[]> {
  const rows = await ctx.inTransaction(({ db, company_id }) =>
    db
      .selectFrom('agency_link')
      .select(['served_company_id', 'served_name'])
      .where('company_id', '=', company_id)
      .orderBy('served_name')
      .orderBy('id')
      .execute(),
  )
  const companies: ServedCompany[] = []
  for (const { served_company_id, served_name } of rows) {
    const company = served_company_id && (await loadServedCompanyStatus(ctx, me, served_company_id))
    if (!company) companies.push({ corp_id: null, name: served_name, isOpen: false })
    else companies.push({ corp_id: served_company_id, ...company })
  }
  return companies
}

/** Reveals nothing about a company that has not approved the service, not even its current name. */
const loadServedCompanyStatus = (
  ctx: ExternalContext,
  me: CurrentUser,
  served: string,
): Promise<{ name: string; isOpen: boolean } | null> =>
  inServedCompany(ctx, served, async (companyTx) => {
    const service = await findAgencyService(companyTx, me.company_id)
    if (!service || service.status === 'waiting' || service.status === 'refused') return null
    const seat = await findSeat(companyTx, { agency_id: me.company_id, account_id: me.account_id })
    const isActive = getServiceStatus(service.status, service.until, toShanghaiDate(companyTx.now)) === 'active'
    return { name: await getCompanyName(companyTx), isOpen: isActive && (!seat || seat.power.length > 0) }
  })

type SheetSection = { readonly label: string; readonly table: WageTable }
type SplitResult = { readonly by: 'column' | 'sheet'; readonly column: string | null; readonly sections: readonly SheetSection[] }

async function splitUploadedSheet(
  ctx: ExternalContext,
  me: CurrentUser,
  companies: readonly ServedCompany[],
): Promise<SplitResult> {
  const file = ctx.upload
  if (!file || file.bytes.length === 0) throw fail('unreadable_sheet', '请选择工资表')
  const options = { owner: me.company_id, signal: ctx.signal }
  const first = await openWageTable(ctx.noTransaction, file, options)
  const names = new Set(companies.map(({ name }) => normalizeCompanyName(name)))
  if (first.sheets.length > 1 && first.sheets.some((sheet) => names.has(normalizeCompanyName(sheet))))
    return { by: 'sheet', column: null, sections: await readSections(ctx, { file, first, links: companies }, options) }
  const column = findCompanyColumn(first.columns, first.rows, companies)
  if (!column)
    throw fail(
      'unreadable_sheet',
      '没有找到写企业名称的列，工作表的名字也不是您服务的企业；请加一列「企业名称」，写上与企业列表一致的名称',
    )
  const groups = Map.groupBy(first.rows, ({ cells }) => (cells[column.key]?.value ?? '').trim())
  const sections = [...groups].map(([label, rows]) => ({ label, table: { ...first, rows } }))
  return { by: 'column', column: column.label, sections }
}

/** Reads each sheet as a table of its own; skips those that are not wage sheets. */
async function readSections(
  ctx: ExternalContext,
  { file, first, links }: { file: UploadedFile; first: WageTable; links: readonly ServedCompany[] },
  options: { owner: string; signal: AbortSignal },
) {
  if (first.sheets.length > maxSheets)
    throw fail('unreadable_sheet', `这个文件有 ${first.sheets.length} 张工作表，一次最多 ${maxSheets} 张`)
  const sections: SheetSection[] = []
  for (const sheet of first.sheets) {
    const table =
      sheet === first.sheet
        ? first
        : await openWageTable(ctx.noTransaction, file, { ...options, sheet }).catch(nullIfNotWageSheet)
    if (!table) continue
    const other = findForeignRow(sheet, table, links)
    if (other)
      throw fail(
        'unreadable_sheet',
        `工作表「${sheet}」第 ${other.row} 行写的是「${other.says}」，不能确定是哪家企业的；请把这一行移到那家企业的工作表，或改正企业名称`,
      )
    sections.push({ label: sheet, table })
  }
  return sections
}
function nullIfNotWageSheet(error: unknown): null {
  if (error instanceof Error && 'error' in error && error.error === 'unreadable_sheet') return null
  throw error
}

export const splitSheet = defineHandler(contract.splitSheet, { kind: 'external' }, async (ctx) => {
  const me = requireSignedInUser(ctx)
  const companies = await listServedCompanies(ctx, me)
  const { by, column, sections } = await splitUploadedSheet(ctx, me, companies)
  ctx.addAuditDetails({ parts: sections.length })
  const matched = sections.map(({ label, table }) => ({ label, rows: table.rows.length, ...matchCompany(label, companies) }))
  return {
    by,
    column,
    // Assigned sections first, then those that need a question.
    sections: matched.toSorted((a, b) => Number(a.corp_id === null) - Number(b.corp_id === null)),
    served_companies: companies.flatMap(({ corp_id, name, isOpen }) => (corp_id && isOpen ? [{ corp_id, name }] : [])),
  }
})

export const uploadSplit = defineHandler(contract.uploadSplit, { kind: 'external' }, async (ctx, { corp_id, labels }) => {
  const me = requireSignedInUser(ctx)
  const companies = await listServedCompanies(ctx, me)
  const target = companies.find((one) => one.corp_id === corp_id && one.isOpen)
  if (!target) throw fail('not_found', '这家企业没有授权，或授权已到期，请刷新列表')
  const { by, sections } = await splitUploadedSheet(ctx, me, companies)
  const selectedLabels = new Set(labels.split('\n').flatMap((label) => label.trim() || []))
  for (const label of selectedLabels) assertLabelMatches(label, target, companies)
  const selectedSections = sections.filter(({ label }) => selectedLabels.has(label.trim()) && label.trim() !== '')
  const [one, other] = selectedSections
  if (!one) throw fail('not_found', '文件里没有这些行，请重新选择文件')
  if (by === 'sheet' && other) throw invalidInput('labels', '工作表请一张一张上传')
  const rows = selectedSections.flatMap(({ table }) => table.rows).toSorted((a, b) => a.row - b.row)
  const bytes = await writeCompanyFile(one.table, rows)
  const file_name = `${ctx.upload?.file_name.replace(/\.[^.]+$/, '') ?? '工资表'}（${target.name}）.xlsx`
  // The file is read in the agency's queue slot: agencies wait only for their own files and do not delay the served
  // company's uploads.
  const saveSection = await readCompanyFile(ctx.noTransaction, { file_name, bytes }, { owner: me.company_id, signal: ctx.signal })
  const saved = await runFromSeat(ctx, me, corp_id, saveSection)
  ctx.addAuditDetails({ served_company_id: corp_id, rows: saved.rows })
  return ctx.mutate(async () => ({ batch_id: saved.batch_id, rows: saved.rows }))
})

/** Rejects an assignment that contradicts an unambiguous company name. */
function assertLabelMatches(label: string, target: ServedCompany, links: readonly ServedCompany[]): void {
  const match = matchCompany(label, links)
  const fits =
    match.reason === null
      ? match.corp_id === target.corp_id
      : match.reason === 'unknown' ||
        (match.reason === 'several' && normalizeCompanyName(label) === normalizeCompanyName(target.name))
  if (!fits) throw invalidInput('labels', `「${label}」不是「${target.name}」，不能上传到这家企业`)
}

/** Runs a function in a transaction of the served company as the agency's seat, while it has access; writes the audit entry. */
const runFromSeat = <T extends { readonly batch_id: string; readonly rows: number }>(
  ctx: ExternalContext,
  me: CurrentUser,
  served: string,
  run: (inner: HandlerContext) => Promise<T>,
): Promise<T> =>
  inServedCompany(ctx, served, async (companyTx) => {
    const { db, company_id, now } = companyTx
    const { request_id, address, origin, billing, countSegments, previewMessage: previewMessages, addAuditDetails } = ctx
    await ensureSeat(companyTx, me)
    await lockSeat(companyTx, { agency_id: me.company_id, account_id: me.account_id })
    const seat = await loadCurrentUser(db, { ...toSessionRef(me), company_id, agency_id: me.company_id }, now)
    if (!seat || !canAccess(seat, uploadWageExcel.access)) throw fail('not_permitted')
    const result = await run({
      now,
      request_id,
      address,
      origin,
      billing,
      countSegments,
      previewMessage: previewMessages,
      addAuditDetails,
      db,
      company_id,
      currentUser: seat,
      spareBytes: null,
      isReadOnly: false,
      vault: await ctx.secrets.vault(db, company_id),
      jobs: { send: (name, data, options) => ctx.jobs.send(db, name, data, options) },
    })
    const details = { batch_id: result.batch_id, rows: result.rows }
    await writeAuditEntry(db, seat, {
      call: contract.uploadSplit,
      outcome: 'done',
      details,
      at: now,
      address,
      request_id,
    })
    return result
  })
