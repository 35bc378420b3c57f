/** A roster that comes in: the file is opened by a child process, outside any transaction; then what it would do is planned and kept. */
import * as contract from '../../../contract/people/import.ts'
import { rowShown } from '../../../contract/sheet/row-number.ts'
import { readFile } from '../../../runtime/files/files.ts'
import { type Ctx, handleOutside, invalid, must, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { type RosterFile, type RosterRead, readRoster, SheetUnreadable } from '../../../tables/index.ts'
import { fingerprintOf } from '../../../tables/rules.ts'
import { AtWork, answersOf, beginImport, forgetImport, heldImport, importOf } from './kept.ts'
import { keepPlan } from './plan.ts'
import type { ImportAnswers } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'
import { importSheets, inFile } from './sheets.ts'

type Roles = Record<string, contract.ImportRole>
type Work = {
  readonly id: string
  readonly file_name: string
  readonly bytes: Buffer
  readonly answered: ImportAnswers
  /** That were read before. */
  readonly sheets: readonly contract.ImportSheet[]
  readonly is_new: boolean
}
const rows_told = 200

export const importMemberFile = handleOutside(contract.importMemberFile, async (ctx, input) => {
  const said = rolesSaid(input.roles)
  const work = await workOf(ctx, input.import_id)
  const doing = new AtWork(ctx, work.id, 'waiting')
  try {
    const { sheets, packed, ...read } = await open(ctx, work, { sheet: input.sheet?.trim() || undefined, said, doing })
    await doing.end()
    return await ctx.deed(async (inner) => {
      // While it was read it may have been carried out, as it was read before.
      const { stage } = await heldImport(inner, work.id)
      must((stage !== 'applying' && stage !== 'done' && stage !== 'undone') || '这份花名册已经导入，或正在导入', {
        status: stage,
      })
      if (said) await remember(inner, read.fingerprint, said)
      // A row of another sheet bears the number of the one that was answered.
      await keepPlan(inner, work.id, { read, file: { sheets, packed } }, areSame(work.sheets, sheets) ? work.answered : [])
      return answerOf(inner, work.id, read)
    })
  } catch (error) {
    await doing.end()
    await after(ctx, work)
    // The sentences of whoever opens files speak of wage sheets.
    throw error instanceof SheetUnreadable ? refuse('unreadable_sheet', error.message.replaceAll('工资表', '花名册')) : error
  } finally {
    await doing.end()
  }
})

/** A file that came with it; or the one that is there, to be read otherwise. */
function workOf(ctx: OutsideCtx, import_id: string | undefined): Promise<Work> {
  const { upload } = ctx
  return ctx.inTransaction(async (inner): Promise<Work> => {
    if (upload) {
      if (upload.bytes.length === 0) throw refuse('unreadable_sheet', '文件是空的，请检查后重新上传')
      return { ...upload, id: await beginImport(inner, import_id, upload), answered: [], sheets: [], is_new: true }
    }
    if (!import_id) throw invalid('file', '请选择要导入的花名册')
    const kept = await heldImport(inner, import_id)
    must(kept.stage === 'planned' || '这份花名册已经导入，或正在导入', { status: kept.stage })
    if (!kept.file_id) throw refuse('not_found', '原文件已经不在了，请重新上传')
    const { name, bytes } = await readFile(inner, kept.file_id)
    return {
      id: import_id,
      file_name: name,
      bytes,
      answered: await answersOf(inner, kept),
      sheets: await importSheets(inner, import_id),
      is_new: false,
    }
  })
}

const readNames = (sheets: readonly contract.ImportSheet[]) => sheets.flatMap(({ name, read }) => (read ? [name] : []))
const areSame = (before: readonly contract.ImportSheet[], now: readonly contract.ImportSheet[]) =>
  readNames(before).join('\n') === readNames(now).join('\n')

type ReadFile = ReadRoster & Pick<RosterFile, 'sheets' | 'packed'>
type Options = { sheet: string | undefined; said: Roles | null; doing: AtWork }
async function open(ctx: OutsideCtx, { file_name, bytes }: Work, { sheet, said, doing }: Options): Promise<ReadFile> {
  const stop = new AbortController()
  let isRead = false
  // Whoever has left waits for no seat; what is being read already is read to its end, and is there when he comes back.
  const left = () => !isRead && stop.abort(ctx.signal.reason)
  ctx.signal.addEventListener('abort', left)
  const options = {
    file_name,
    sheet,
    signal: stop.signal,
    owner: ctx.me?.company_id,
    waits: (before: number) => doing.say({ stage: 'waiting', total: before }),
    started: () => {
      isRead = true
      doing.say({ stage: 'reading', total: 0 })
    },
  }
  try {
    const first = usable(await readRoster(ctx.outdoors, bytes, said ? { ...options, roles: said } : options))
    const { fingerprint, kept } = await ctx.inTransaction(async (inner) => {
      const own = inner.vault.index('roster', headerOf(first)).toString('hex')
      return { fingerprint: own, kept: said ? null : await remembered(inner, own) }
    })
    const isOther = kept !== null && first.columns.some(({ letter, role }) => kept[letter] !== undefined && kept[letter] !== role)
    const {
      sheet: name,
      columns,
      rows,
      bad,
      entries_lost,
      sheets,
      packed,
    } = isOther ? usable(await readRoster(ctx.outdoors, bytes, { ...options, roles: kept })) : first
    return { sheet: name, columns, rows, bad, entries_lost, fingerprint, remembered: isOther, sheets, packed }
  } finally {
    ctx.signal.removeEventListener('abort', left)
    stop.abort()
  }
}

function usable(read: RosterFile): RosterFile {
  if (read.kind === 'roster') return read
  if (read.kind === 'template') throw new SheetUnreadable('表里只有表头，没有人员；请填好员工信息后再上传')
  const why = read.reason ?? '没有找到员工名单：表里要有一行写着「姓名」「手机号」「部门」等列名'
  throw new SheetUnreadable(why.includes('请') ? why : `${why}，请修改后重新上传`)
}

const headerOf = ({ columns }: RosterRead): string => columns.map(({ label }) => fingerprintOf(label.split(' / '))).join('|')

/** `B=mobile`, a line each. */
function rolesSaid(text: string | undefined): Roles | null {
  if (text === undefined) return null
  const roles: Roles = {}
  for (const line of text.split('\n')) {
    const [letter = '', role = ''] = line.trim().split('=')
    const known = contract.rosterRoles.find((one) => one === role)
    if (!known || !/^[A-Z]{1,3}$/.test(letter)) throw invalid('roles', '列的含义不正确，请刷新后重试')
    roles[letter] = known
  }
  if (!Object.values(roles).some((role) => role === 'name' || role === 'given_name' || role === 'family_name'))
    throw invalid('roles', '请指明哪一列是姓名')
  return roles
}

async function remember({ db, company_id, now }: Ctx, fingerprint: string, said: Roles): Promise<void> {
  const roles = JSON.stringify(said)
  await db
    .insertInto('roster_recipe')
    .values({ company_id, id: newId(), fingerprint, roles, used_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'fingerprint']).doUpdateSet({ roles, used_at: now }))
    .execute()
}

async function remembered({ db, company_id }: Ctx, fingerprint: string): Promise<Roles | null> {
  const row = await db
    .selectFrom('roster_recipe')
    .select('roles')
    .where('company_id', '=', company_id)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  return row
    ? rolesSaid(
        Object.entries(row.roles ?? {})
          .map(([letter, role]) => `${letter}=${String(role)}`)
          .join('\n'),
      )
    : null
}

/** It could not be read: what came is gone; what was there stays as it was. */
const after = (ctx: OutsideCtx, { id, is_new }: Work): Promise<void> =>
  ctx.inTransaction((inner) => (is_new ? forgetImport(inner, id) : Promise.resolve())).catch(() => undefined)

async function answerOf(ctx: Ctx, id: string, read: ReadRoster) {
  const info = await inFile(ctx, await importOf(ctx, id))
  const sheetOf = new Map(
    read.rows.flatMap(({ row, form, sheet = form }) => (sheet === undefined ? [] : [[row, sheet] as const])),
  )
  const used = new Set(info.columns.filter(({ role }) => role !== 'info').map(({ letter }) => letter))
  const rows_bad = read.bad.filter(({ column }) => used.has(column))
  return {
    ...info,
    rows_ok: read.rows.length - new Set(rows_bad.map(({ row }) => row)).size,
    rows_bad: rows_bad
      .slice(0, rows_told)
      .map(({ row, column, why }) => ({ row: rowShown(row), sheet: sheetOf.get(row) ?? null, field: column, message: why })),
  }
}
