/** Reads an uploaded roster: a child process opens the file outside any transaction; then the import is planned and stored. */
import * as contract from '../../../contract/directory/import.ts'
import { toSheetRowNumber } from '../../../contract/sheets/row-number.ts'
import { readFile } from '../../../files/stored-files.ts'
import {
  assertAllowed,
  defineHandler,
  type ExternalContext,
  fail,
  type HandlerContext,
  invalidInput,
} from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { type ReadRosterResult, type RecognizedRoster, readRoster, UnreadableSheetError } from '../../../spreadsheets/index.ts'
import { getLabelFingerprint } from '../../../spreadsheets/rules.ts'
import { createImport, deleteImport, ImportProgress, loadAnswers, lockImport, requireImport } from './import-record.ts'
import { savePlan } from './plan.ts'
import type { ImportAnswers } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'
import { loadImportSheets, toImportWithSheets } from './sheets.ts'

type RolesByLetter = Record<string, contract.RosterColumnRole>
type ReadWork = {
  readonly id: string
  readonly file_name: string
  readonly bytes: Buffer
  readonly answers: ImportAnswers
  /** Sheets that were read before. */
  readonly sheets: readonly contract.ImportSheet[]
  readonly is_new: boolean
}
const maxListedRows = 200

export const importMemberFile = defineHandler(contract.importMemberFile, { kind: 'external' }, async (ctx, input) => {
  const roles = parseRoles(input.roles)
  const work = await prepareImport(ctx, input.import_id)
  const progress = new ImportProgress(ctx, work.id, 'waiting')
  try {
    const { sheets, packed, ...read } = await readRosterFile(ctx, work, {
      sheet: input.sheet?.trim() || undefined,
      roles,
      progress,
    })
    await progress.stop()
    return await ctx.mutate(async (inner) => {
      // The import may have been applied with its previous content while the file was read.
      const { stage } = await lockImport(inner, work.id)
      assertAllowed((stage !== 'applying' && stage !== 'done' && stage !== 'undone') || '这份花名册已经导入，或正在导入', {
        status: stage,
      })
      if (roles) await saveRoles(inner, read.fingerprint, roles)
      // Rows of another sheet may have the numbers of rows that were already answered.
      await savePlan(inner, work.id, { read, file: { sheets, packed } }, haveSameSheets(work.sheets, sheets) ? work.answers : [])
      return buildResponse(inner, work.id, read)
    })
  } catch (error) {
    await progress.stop()
    await deleteFailedImport(ctx, work)
    // The file reader's error messages mention wage sheets.
    throw error instanceof UnreadableSheetError ? fail('unreadable_sheet', error.message.replaceAll('工资表', '花名册')) : error
  } finally {
    await progress.stop()
  }
})

/** Prepares an uploaded file, or the stored one to be read with other settings. */
function prepareImport(ctx: ExternalContext, import_id: string | undefined): Promise<ReadWork> {
  const { upload } = ctx
  return ctx.inTransaction(async (inner): Promise<ReadWork> => {
    if (upload) {
      if (upload.bytes.length === 0) throw fail('unreadable_sheet', '文件是空的，请检查后重新上传')
      return { ...upload, id: await createImport(inner, import_id, upload), answers: [], sheets: [], is_new: true }
    }
    if (!import_id) throw invalidInput('file', '请选择要导入的花名册')
    const record = await lockImport(inner, import_id)
    assertAllowed(record.stage === 'planned' || '这份花名册已经导入，或正在导入', { status: record.stage })
    if (!record.file_id) throw fail('not_found', '原文件已经不在了，请重新上传')
    const { name, bytes } = await readFile(inner, record.file_id)
    return {
      id: import_id,
      file_name: name,
      bytes,
      answers: await loadAnswers(inner, record),
      sheets: await loadImportSheets(inner, import_id),
      is_new: false,
    }
  })
}

const getReadSheetNames = (sheets: readonly contract.ImportSheet[]) =>
  sheets.flatMap(({ name, is_included }) => (is_included ? [name] : []))
const haveSameSheets = (before: readonly contract.ImportSheet[], now: readonly contract.ImportSheet[]) =>
  getReadSheetNames(before).join('\n') === getReadSheetNames(now).join('\n')

type ReadRosterFile = ReadRoster & Pick<ReadRosterResult, 'sheets' | 'packed'>
type ReadImportOptions = { sheet: string | undefined; roles: RolesByLetter | null; progress: ImportProgress }
async function readRosterFile(
  ctx: ExternalContext,
  { file_name, bytes }: ReadWork,
  { sheet, roles, progress }: ReadImportOptions,
): Promise<ReadRosterFile> {
  const stop = new AbortController()
  let isRead = false
  // A client that disconnects gives up its place in the queue; a file already being read is read to the end and is
  // available when the user returns.
  const onClientAbort = () => !isRead && stop.abort(ctx.signal.reason)
  ctx.signal.addEventListener('abort', onClientAbort)
  const options = {
    file_name,
    sheet,
    signal: stop.signal,
    owner: ctx.me?.company_id,
    onQueuePosition: (before: number) => progress.report({ stage: 'waiting', total: before }),
    started: () => {
      isRead = true
      progress.report({ stage: 'reading', total: 0 })
    },
  }
  try {
    const first = assertRoster(await readRoster(ctx.noTransaction, bytes, roles ? { ...options, roles } : options))
    const { fingerprint, rememberedRoles } = await ctx.inTransaction(async (inner) => {
      const headerFingerprint = inner.vault.blindIndex('roster', getHeaderText(first)).toString('hex')
      return {
        fingerprint: headerFingerprint,
        rememberedRoles: roles ? null : await findRememberedRoles(inner, headerFingerprint),
      }
    })
    const usesRememberedRoles =
      rememberedRoles !== null &&
      first.columns.some(({ letter, role }) => rememberedRoles[letter] !== undefined && rememberedRoles[letter] !== role)
    const {
      sheet: name,
      columns,
      rows,
      bad,
      entries_lost,
      sheets,
      packed,
    } = usesRememberedRoles
      ? assertRoster(await readRoster(ctx.noTransaction, bytes, { ...options, roles: rememberedRoles }))
      : first
    return { sheet: name, columns, rows, bad, entries_lost, fingerprint, remembered: usesRememberedRoles, sheets, packed }
  } finally {
    ctx.signal.removeEventListener('abort', onClientAbort)
    stop.abort()
  }
}

function assertRoster(read: ReadRosterResult): ReadRosterResult {
  if (read.kind === 'roster') return read
  if (read.kind === 'template') throw new UnreadableSheetError('表里只有表头，没有人员；请填好员工信息后再上传')
  const message = read.reason ?? '没有找到员工名单：表里要有一行写着「姓名」「手机号」「部门」等列名'
  throw new UnreadableSheetError(message.includes('请') ? message : `${message}，请修改后重新上传`)
}

const getHeaderText = ({ columns }: RecognizedRoster): string =>
  columns.map(({ label }) => getLabelFingerprint(label.split(' / '))).join('|')

/** The text has one `B=mobile` per line. */
function parseRoles(text: string | undefined): RolesByLetter | null {
  if (text === undefined) return null
  const roles: RolesByLetter = {}
  for (const line of text.split('\n')) {
    const [letter = '', role = ''] = line.trim().split('=')
    const parsedRole = contract.rosterColumnRoles.find((one) => one === role)
    if (!parsedRole || !/^[A-Z]{1,3}$/.test(letter)) throw invalidInput('roles', '列对应关系不正确，请刷新后重试')
    roles[letter] = parsedRole
  }
  if (!Object.values(roles).some((role) => role === 'name' || role === 'given_name' || role === 'family_name'))
    throw invalidInput('roles', '请指明哪一列是姓名')
  return roles
}

async function saveRoles(
  { db, company_id, now }: HandlerContext,
  fingerprint: string,
  rolesByLetter: RolesByLetter,
): Promise<void> {
  const roles = JSON.stringify(rolesByLetter)
  await db
    .insertInto('roster_mapping')
    .values({ company_id, id: newId(), fingerprint, roles, used_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'fingerprint']).doUpdateSet({ roles, used_at: now }))
    .execute()
}

async function findRememberedRoles({ db, company_id }: HandlerContext, fingerprint: string): Promise<RolesByLetter | null> {
  const row = await db
    .selectFrom('roster_mapping')
    .select('roles')
    .where('company_id', '=', company_id)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  return row
    ? parseRoles(
        Object.entries(row.roles ?? {})
          .map(([letter, role]) => `${letter}=${String(role)}`)
          .join('\n'),
      )
    : null
}

/** Handles a failed read: deletes a new import and leaves an existing one unchanged. */
const deleteFailedImport = (ctx: ExternalContext, { id, is_new }: ReadWork): Promise<void> =>
  ctx.inTransaction((inner) => (is_new ? deleteImport(inner, id) : Promise.resolve())).catch(() => undefined)

async function buildResponse(ctx: HandlerContext, id: string, read: ReadRoster) {
  const info = await toImportWithSheets(ctx, await requireImport(ctx, id))
  const sheetByRow = new Map(
    read.rows.flatMap(({ row, form, sheet = form }) => (sheet === undefined ? [] : [[row, sheet] as const])),
  )
  const usedColumns = new Set(info.columns.filter(({ role }) => role !== 'info').map(({ letter }) => letter))
  const unreadableCells = read.bad.filter(({ column }) => usedColumns.has(column))
  return {
    ...info,
    rows_ok: read.rows.length - new Set(unreadableCells.map(({ row }) => row)).size,
    rows_bad: unreadableCells.slice(0, maxListedRows).map(({ row, column, why }) => ({
      row: toSheetRowNumber(row),
      sheet: sheetByRow.get(row) ?? null,
      field: column,
      message: why,
    })),
  }
}
