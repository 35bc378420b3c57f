/**
 * One wage sheet of several served companies. What is whose is decided here, in the agency; each part is cut out as a file of its own and kept by a
 * transaction of its company, from the seat there and with a line of evidence there. Nothing of the whole is kept anywhere
 * (docs/decisions/20261123-use-separate-drafts-for-split-wage-sheets.md).
 */
import * as contract from '../../contract/corp/agency.ts'
import { uploadWageExcel } from '../../contract/sheet/sheet.ts'
import { may } from '../../contract/who.ts'
import { dayOf } from '../../runtime/clock.ts'
import { type Ctx, handleOutside, invalid, type Me, type OutsideCtx, refuse, type Upload } from '../../runtime/handle.ts'
import { writeAudit } from '../../runtime/request/audit.ts'
import { loadMe } from '../../runtime/request/sessions.ts'
import { nameHere } from '../company/index.ts'
import { holdSeat, seatOf, serviceBy } from '../role/index.ts'
import { cutOut, openWage, readPart, type WageTable } from '../sheet/upload/index.ts'
import { stateOf } from './rules/late.ts'
import { companyColumn, plainCompany, rowOfAnother, type ServedLink, whose } from './rules/whose.ts'
import { mine, sessionOf, sit, there } from './serve.ts'

/** A workbook of more sheets is no month of an agency's. */
const most_sheets = 40

/** The companies of this agency by the names they go by, and whether each lets this person in now. */
async function linksOf(ctx: OutsideCtx, me: Me): Promise<ServedLink[]> {
  const rows = await ctx.inTransaction(({ db, company_id }) =>
    db
      .selectFrom('agency_link')
      .select(['served_company_id', 'served_name'])
      .where('company_id', '=', company_id)
      .orderBy('served_name')
      .orderBy('id')
      .execute(),
  )
  const links: ServedLink[] = []
  for (const { served_company_id, served_name } of rows) {
    const seen = served_company_id && (await standing(ctx, me, served_company_id))
    if (!seen) links.push({ corp_id: null, name: served_name, open: false })
    else links.push({ corp_id: served_company_id, ...seen })
  }
  return links
}

/** Nothing of a company that has not approved, not even its present name. */
const standing = (ctx: OutsideCtx, me: Me, served: string): Promise<{ name: string; open: boolean } | null> =>
  there(ctx, served, async (here) => {
    const service = await serviceBy(here, me.company_id)
    if (!service || service.status === 'waiting' || service.status === 'refused') return null
    const seat = await seatOf(here, { agency_id: me.company_id, account_id: me.account_id })
    const is_active = stateOf(service.status, service.until, dayOf(here.now)) === 'active'
    return { name: await nameHere(here), open: is_active && (!seat || seat.power.length > 0) }
  })

type Part = { readonly label: string; readonly table: WageTable }
type Apart = { readonly by: 'column' | 'sheet'; readonly column: string | null; readonly parts: readonly Part[] }

async function takeApart(ctx: OutsideCtx, me: Me, links: readonly ServedLink[]): Promise<Apart> {
  const file = ctx.upload
  if (!file || file.bytes.length === 0) throw refuse('unreadable_sheet', '请选择工资表')
  const options = { owner: me.company_id, signal: ctx.signal }
  const first = await openWage(ctx.outdoors, file, options)
  const names = new Set(links.map(({ name }) => plainCompany(name)))
  if (first.sheets.length > 1 && first.sheets.some((sheet) => names.has(plainCompany(sheet))))
    return { by: 'sheet', column: null, parts: await sheetsOf(ctx, { file, first, links }, options) }
  const column = companyColumn(first.columns, first.rows, links)
  if (!column)
    throw refuse(
      'unreadable_sheet',
      '没有找到写企业名称的列，工作表的名字也不是您服务的企业；请加一列「企业名称」，写上与企业列表一致的名称',
    )
  const groups = Map.groupBy(first.rows, ({ cells }) => (cells[column.key]?.value ?? '').trim())
  const parts = [...groups].map(([label, rows]) => ({ label, table: { ...first, rows } }))
  return { by: 'column', column: column.label, parts }
}

/** Each sheet is a table of its own. One that is no wage sheet has nobody in it. */
async function sheetsOf(
  ctx: OutsideCtx,
  { file, first, links }: { file: Upload; first: WageTable; links: readonly ServedLink[] },
  options: { owner: string; signal: AbortSignal },
) {
  if (first.sheets.length > most_sheets)
    throw refuse('unreadable_sheet', `这个文件有 ${first.sheets.length} 张工作表，一次最多 ${most_sheets} 张`)
  const parts: Part[] = []
  for (const sheet of first.sheets) {
    const table = sheet === first.sheet ? first : await openWage(ctx.outdoors, file, { ...options, sheet }).catch(ifNoWages)
    if (!table) continue
    const other = rowOfAnother(sheet, table, links)
    if (other)
      throw refuse(
        'unreadable_sheet',
        `工作表「${sheet}」第 ${other.row} 行写的是「${other.says}」，不能确定是哪家企业的；请把这一行移到那家企业的工作表，或改正企业名称`,
      )
    parts.push({ label: sheet, table })
  }
  return parts
}
function ifNoWages(error: unknown): null {
  if (error instanceof Error && 'refusal' in error && error.refusal === 'unreadable_sheet') return null
  throw error
}

export const splitSheet = handleOutside(contract.splitSheet, async (ctx) => {
  const me = mine(ctx)
  const links = await linksOf(ctx, me)
  const { by, column, parts } = await takeApart(ctx, me, links)
  ctx.about({ parts: parts.length })
  const shown = parts.map(({ label, table }) => ({ label, rows: table.rows.length, ...whose(label, links) }))
  return {
    by,
    column,
    // What is somebody's first, what is to be asked then.
    parts: shown.toSorted((a, b) => Number(a.corp_id === null) - Number(b.corp_id === null)),
    served: links.flatMap(({ corp_id, name, open }) => (corp_id && open ? [{ corp_id, name }] : [])),
  }
})

export const uploadSplit = handleOutside(contract.uploadSplit, async (ctx, { corp_id, labels }) => {
  const me = mine(ctx)
  const links = await linksOf(ctx, me)
  const target = links.find((one) => one.corp_id === corp_id && one.open)
  if (!target) throw refuse('not_found', '这家企业没有授权，或授权已到期，请刷新列表')
  const { by, parts } = await takeApart(ctx, me, links)
  const wanted = new Set(labels.split('\n').flatMap((label) => label.trim() || []))
  for (const label of wanted) mustBeIts(label, target, links)
  const its = parts.filter(({ label }) => wanted.has(label.trim()) && label.trim() !== '')
  const [one, other] = its
  if (!one) throw refuse('not_found', '文件里没有这些行，请重新选择文件')
  if (by === 'sheet' && other) throw invalid('labels', '工作表请一张一张上传')
  const rows = its.flatMap(({ table }) => table.rows).toSorted((a, b) => a.row - b.row)
  const bytes = await cutOut(one.table, rows)
  const file_name = `${ctx.upload?.file_name.replace(/\.[^.]+$/, '') ?? '工资表'}（${target.name}）.xlsx`
  // Read in the agency's turn: whoever sends waits for himself, and keeps no company that is served from its own sheets.
  const keepIt = await readPart(ctx.outdoors, { file_name, bytes }, { owner: me.company_id, signal: ctx.signal })
  const kept = await fromSeat(ctx, me, corp_id, keepIt)
  ctx.about({ served_company_id: corp_id, rows: kept.rows })
  return ctx.deed(async () => ({ batch_id: kept.batch_id, rows: kept.rows }))
})

/** What a name says by itself nobody says otherwise. */
function mustBeIts(label: string, target: ServedLink, links: readonly ServedLink[]): void {
  const said = whose(label, links)
  const fits =
    said.why === null
      ? said.corp_id === target.corp_id
      : said.why === 'unknown' || (said.why === 'several' && plainCompany(label) === plainCompany(target.name))
  if (!fits) throw invalid('labels', `「${label}」不是「${target.name}」，不能上传到这家企业`)
}

/** In a transaction of the served company, by the one who sits there for the agency, while he still may; with its line of evidence. */
const fromSeat = <T extends { readonly batch_id: string; readonly rows: number }>(
  ctx: OutsideCtx,
  me: Me,
  served: string,
  work: (inner: Ctx) => Promise<T>,
): Promise<T> =>
  there(ctx, served, async (here) => {
    const { db, company_id, now } = here
    const { request_id, address, origin, pieces, shown, about } = ctx
    await sit(here, me)
    await holdSeat(here, { agency_id: me.company_id, account_id: me.account_id })
    const seat = await loadMe(db, { ...sessionOf(me), company_id, agency_id: me.company_id }, now)
    if (!seat || !may(seat, uploadWageExcel.who)) throw refuse('not_permitted')
    const done = await work({
      now,
      request_id,
      address,
      origin,
      pieces,
      shown,
      about,
      db,
      company_id,
      me: seat,
      spare: null,
      vault: await ctx.secrets.vault(db, company_id),
      jobs: { send: (name, data, options) => ctx.jobs.send(db, name, data, options) },
    })
    const line = { batch_id: done.batch_id, rows: done.rows }
    await writeAudit(db, seat, { call: contract.uploadSplit, outcome: 'done', about: line, at: now, address, request_id })
    return done
  })
