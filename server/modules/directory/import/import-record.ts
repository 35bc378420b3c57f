/** A stored roster import: its user, its stage, and what was read, answered and planned. Writes member_import. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { type ImportInfo, type ImportStage, importInfo } from '../../../contract/directory/import.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import { deleteFile, saveFile } from '../../../files/stored-files.ts'
import type { CompanyUserTx } from '../../../http/current-user.ts'
import { type ExternalContext, fail, type HandlerContext } from '../../../http/handler.ts'
import { detectIdentityDocument, identityDocumentLabels } from '../../../rules/identity-document.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { toImportRole } from '../rules/import-rows.ts'
import { getCachedPlan, removeCachedPlan } from './plan-cache.ts'
import { type ImportAnswers, type ImportPlan, importAnswersDocument, openPlan } from './plan-document.ts'
import { openReadRoster, type ReadRoster } from './read-document.ts'
import { type ImportUndo, openUndo } from './undo-document.ts'

export const dayMs = 86_400_000
const leaseSeconds = 8
const renewIntervalMs = 2_000
const minWriteIntervalMs = 250
export const leaseEnd = sql<Date>`statement_timestamp() + make_interval(secs => ${leaseSeconds})`
/** A lease that ends later than a new one would was written before the clock was set back. */
const isLeased = sql<boolean>`coalesce(leased_until > statement_timestamp() and leased_until <= ${leaseEnd}, false)`

export const getImportPosition = (id: string, column: 'named' | 'info' | LargeColumn) => ({
  table: 'member_import',
  row: id,
  column,
})

export const updateOwnImport = ({ db, company_id, currentUser }: CompanyUserTx, id: string) =>
  db
    .updateTable('member_import')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('account_id', '=', currentUser.account_id)

const importColumns = [
  'id',
  'stage',
  'done',
  'total',
  'named',
  'info',
  'result',
  'file_id',
  'summary',
  'applied_at',
  'created_at',
] as const
/** The columns contain megabytes for twenty thousand rows, so each is loaded only where needed. */
type LargeColumn = 'read' | 'answers' | 'plan' | 'undo'
const selectRecentImports = ({ db, company_id, currentUser, now }: CompanyUserTx & Pick<HandlerContext, 'now'>) =>
  db
    .selectFrom('member_import')
    .select([...importColumns, isLeased.as('held')])
    .where('company_id', '=', company_id)
    .where('account_id', '=', currentUser.account_id)
    .where('created_at', '>', new Date(now.getTime() - dayMs))

const createImportNotFoundError = () => fail('not_found', '没有找到这次导入，可能已过期，请重新选择文件')

/** Returns an import of the current user from today; throws if there is none. */
export async function requireImport(ctx: HandlerContext, id: string) {
  const row = await selectRecentImports(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw createImportNotFoundError()
  return row
}
export type ImportRecord = Awaited<ReturnType<typeof requireImport>>
export const findLastImport = (ctx: HandlerContext) =>
  selectRecentImports(ctx).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()

/** Like `requireImport`, but also locks the row until the end of the transaction. */
export async function lockImport(ctx: HandlerContext, id: string): Promise<ImportRecord> {
  const row = await selectRecentImports(ctx).where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row) throw createImportNotFoundError()
  return row
}

const emptyRoster: ReadRoster = { sheet: '', columns: [], rows: [], bad: [], entries_lost: 0, fingerprint: '', remembered: false }
async function loadSealedColumn({ db, company_id }: HandlerContext, id: string, column: LargeColumn): Promise<Buffer | null> {
  const row = await db
    .selectFrom('member_import')
    .select(column)
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.[column] ?? null
}
export async function loadReadRoster(ctx: HandlerContext, row: ImportRecord): Promise<ReadRoster> {
  const { id } = row
  const cached = getCachedPlan(row)
  if (cached) return cached.read
  const read = await loadSealedColumn(ctx, id, 'read')
  return read ? openReadRoster(ctx.vault, getImportPosition(id, 'read'), read) : emptyRoster
}
export async function loadAnswers(ctx: HandlerContext, row: ImportRecord): Promise<ImportAnswers> {
  const { id } = row
  const cached = getCachedPlan(row)
  if (cached) return cached.answers
  const answers = await loadSealedColumn(ctx, id, 'answers')
  return answers ? importAnswersDocument.open(ctx.vault, getImportPosition(id, 'answers'), answers).answers : []
}
export async function loadPlan(ctx: HandlerContext, row: ImportRecord): Promise<ImportPlan> {
  const { id } = row
  const cached = getCachedPlan(row)
  if (cached) return cached.plan
  const plan = await loadSealedColumn(ctx, id, 'plan')
  return plan ? openPlan(ctx.vault, getImportPosition(id, 'plan'), plan) : { rows: [], departments: [] }
}
/** The value is null if the import is not applied, or already undone. */
export async function loadUndo(ctx: HandlerContext, { id }: ImportRecord): Promise<ImportUndo | null> {
  const undo = await loadSealedColumn(ctx, id, 'undo')
  return undo && openUndo(ctx.vault, getImportPosition(id, 'undo'), undo)
}

/** Lists the members created by an import of the current user. */
export async function listImportedMembers(ctx: HandlerContext, import_id: string): Promise<string[]> {
  const undo = await loadUndo(ctx, await requireImport(ctx, import_id))
  if (!undo) throw fail('wrong_state', '这份花名册还没有导入，或已经撤销')
  return undo.members.flatMap(({ before, after }) => (before ? [] : [after.id]))
}

type VaultContext = Pick<HandlerContext, 'vault'>
export const openImportFileName = ({ vault }: VaultContext, { id, named }: Pick<ImportRecord, 'id' | 'named'>): string =>
  vault.open<string>(getImportPosition(id, 'named'), named)

const readNumber = (value: object, name: string): number => {
  const one: unknown = Reflect.get(value, name)
  return typeof one === 'number' ? one : 0
}
/** Reads the stored counts by name. */
const parseResult = (value: unknown): ImportInfo['result'] =>
  typeof value === 'object' && value !== null
    ? {
        created: readNumber(value, 'created'),
        updated: readNumber(value, 'updated'),
        terminated: readNumber(value, 'terminated'),
        skipped: readNumber(value, 'skipped'),
        departments: readNumber(value, 'departments'),
      }
    : null

const maxListedDepartments = 50

const importSummarySchema = z.pick(importInfo, {
  sheet: true,
  columns: true,
  uses_saved_mapping: true,
  counts: true,
  departments_new: true,
  departments_count: true,
  phones_changed: true,
  without_phone: true,
  shared_phones: true,
  entry_months: true,
  entries_lost: true,
  documents: true,
  leaving: true,
  status_labels: true,
})
type ImportSummary = z.infer<typeof importSummarySchema>
const importSummaryDocument = defineDocument<ImportSummary>({
  kind: 'summary of an import',
  version: 1,
  schema: importSummarySchema,
})
export const sealImportSummary = (
  { vault }: VaultContext,
  id: string,
  read: ReadRoster,
  plan: ImportPlan,
  answers: ImportAnswers,
): Buffer => importSummaryDocument.seal(vault, getImportPosition(id, 'info'), summarizeImport(read, plan, answers))

/** The number of members listed by name before the rest is only counted. */
const maxListedNames = 20
function summarizeStatusTexts(read: ReadRoster, answers: ImportAnswers): ImportSummary['status_labels'] {
  const answerByRow = new Map(answers)
  const byWord = Map.groupBy(
    read.rows.filter(({ status_word }) => status_word !== undefined),
    ({ status_word }) => status_word ?? '',
  )
  return [...byWord].map(([word, rows]) => {
    const answersForWord = new Set(
      rows.map(({ row }) => {
        const answer = answerByRow.get(row)
        if (answer?.take === 'skip') return 'skip'
        return answer?.status ?? null
      }),
    )
    const [only = null] = answersForWord
    return {
      word,
      count: rows.length,
      names: rows.slice(0, maxListedNames).map(({ name }) => name),
      take: answersForWord.size === 1 ? only : null,
    }
  })
}

/** Counts identity documents other than the resident identity card, by kind. */
function countOtherDocuments({ rows }: ReadRoster): ImportSummary['documents'] {
  const counts = new Map<string, number>()
  for (const { id_card } of rows) {
    const kind = id_card === null ? null : detectIdentityDocument(id_card)
    if (kind !== null && kind !== 'id_card')
      counts.set(identityDocumentLabels[kind], (counts.get(identityDocumentLabels[kind]) ?? 0) + 1)
  }
  return [...counts].map(([kind, count]) => ({ kind, count }))
}

/** Summarizes what was read and planned. */
function summarizeImport(read: ReadRoster, { rows, departments }: ImportPlan, answers: ImportAnswers): ImportSummary {
  const counts = { new: 0, changed: 0, back: 0, leaves: 0, conflict: 0, fault: 0, same: 0, skipped: 0 }
  for (const { decision } of rows) counts[decision.kind] += 1
  return {
    sheet: read.sheet,
    columns: read.columns.map(({ letter, label, role }) => ({ letter, label, role: toImportRole(role) })),
    uses_saved_mapping: read.remembered,
    counts,
    departments_new: departments.slice(0, maxListedDepartments).map((path) => path.join('/')),
    departments_count: departments.length,
    phones_changed: rows.filter(
      ({ decision }) => decision.kind === 'changed' && decision.changes.some(({ field }) => field === 'mobile'),
    ).length,
    without_phone: rows.filter(({ phone }) => phone === 'none').length,
    shared_phones: rows.filter(({ phone, decision }) => phone === 'shared' && decision.kind !== 'same').length,
    entry_months: read.rows.filter(({ entry_on }) => entry_on?.length === 'YYYY-MM'.length).length,
    entries_lost: read.entries_lost,
    documents: countOtherDocuments(read),
    leaving: rows
      .flatMap(({ decision }, at) => (decision.kind === 'leaves' ? [read.rows[at]?.name ?? ''] : []))
      .slice(0, maxListedNames),
    status_labels: summarizeStatusTexts(read, answers),
  }
}

export async function getImportInfo(ctx: HandlerContext, row: ImportRecord): Promise<ImportInfo> {
  const undo_until = row.applied_at && row.stage === 'done' ? new Date(row.applied_at.getTime() + dayMs) : null
  return {
    import_id: row.id,
    stage: row.stage,
    done: row.done,
    total: row.total,
    is_running: row.held,
    file_name: openImportFileName(ctx, row),
    ...(row.info
      ? importSummaryDocument.open(ctx.vault, getImportPosition(row.id, 'info'), row.info)
      : summarizeImport(...(await loadImportData(ctx, row)))),
    result: parseResult(row.result),
    undo_until: undo_until && undo_until > ctx.now ? toIsoTimestamp(undo_until) : null,
  }
}

/** Loads the data of an import that is being read. */
const loadImportData = async (ctx: HandlerContext, row: ImportRecord): Promise<[ReadRoster, ImportPlan, ImportAnswers]> => [
  await loadReadRoster(ctx, row),
  await loadPlan(ctx, row),
  await loadAnswers(ctx, row),
]

/** Creates an import; it replaces the user's imports that were not applied, and all expired ones. */
export async function createImport(
  ctx: HandlerContext,
  id: string | undefined,
  file: { file_name: string; bytes: Buffer },
): Promise<string> {
  const { db, company_id, currentUser, now, vault } = ctx
  const expired = await db
    .deleteFrom('member_import')
    .where('company_id', '=', company_id)
    .where(({ or, and, eb }) =>
      or([
        eb('created_at', '<', new Date(now.getTime() - dayMs)),
        and([
          eb('account_id', '=', currentUser.account_id),
          eb('stage', 'in', ['waiting', 'reading', 'planned', 'undone']),
          sql<boolean>`not ${isLeased}`,
        ]),
      ]),
    )
    .returning(['id', 'file_id'])
    .execute()
  for (const { id: its, file_id } of expired) {
    removeCachedPlan(its)
    if (file_id) await deleteFile(ctx, file_id)
  }
  const import_id = id ?? newId()
  const expires_at = new Date(now.getTime() + dayMs)
  const file_id = await saveFile(ctx, {
    kind: 'member',
    name: file.file_name,
    bytes: file.bytes,
    expires_at,
    source_id: import_id,
  })
  const inserted = await db
    .insertInto('member_import')
    .values({
      company_id,
      id: import_id,
      account_id: currentUser.account_id,
      stage: 'waiting',
      leased_until: leaseEnd,
      file_id,
      named: vault.seal(getImportPosition(import_id, 'named'), file.file_name),
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (!inserted.numInsertedOrUpdatedRows) throw fail('wrong_state', '这份花名册已经在识别，请刷新后查看')
  return import_id
}

/** Deletes a failed import with its file. */
export async function deleteImport(ctx: HandlerContext, id: string): Promise<void> {
  const { db, company_id, currentUser } = ctx
  const row = await db
    .deleteFrom('member_import')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('account_id', '=', currentUser.account_id)
    .returning('file_id')
    .executeTakeFirst()
  if (row?.file_id) await deleteFile(ctx, row.file_id)
}

/** Reports periodically that an import is in progress, and how far: in its own transactions, without blocking the work. */
export class ImportProgress {
  readonly #ctx: Pick<ExternalContext, 'inTransaction'>
  readonly #id: string
  /** Applying keeps the number of rows that the plan has stored. */
  #state: { stage: ImportStage; done: number; total?: number }
  #timer: NodeJS.Timeout
  #pendingWrite: Promise<unknown> = Promise.resolve()
  #isWriting = false
  #writtenAt = Number.NEGATIVE_INFINITY

  constructor(ctx: Pick<ExternalContext, 'inTransaction'>, id: string, stage: ImportStage) {
    this.#ctx = ctx
    this.#id = id
    this.#state = { stage, done: 0, ...(stage !== 'applying' && { total: 0 }) }
    this.#timer = setInterval(() => this.#write(), renewIntervalMs)
  }

  report(message: Partial<{ stage: ImportStage; done: number; total: number }>): void {
    this.#state = { ...this.#state, ...message }
    // Clients poll twice a second; more frequent updates are not worth interrupting the work.
    if (message.stage !== undefined || performance.now() - this.#writtenAt > minWriteIntervalMs) this.#write()
  }

  #write(): void {
    if (this.#isWriting) return
    this.#isWriting = true
    this.#writtenAt = performance.now()
    const message = this.#state
    this.#pendingWrite = this.#ctx
      .inTransaction((inner) =>
        updateOwnImport(inner, this.#id)
          .set({ ...message, leased_until: leaseEnd })
          // A finished import is not reported as in progress.
          .where('stage', 'in', message.stage === 'applying' ? ['applying'] : ['waiting', 'reading'])
          .execute(),
      )
      // A failed progress update must not fail the import.
      .catch(() => undefined)
      .finally(() => {
        this.#isWriting = false
      })
  }

  /** Stops reporting. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#pendingWrite
  }
}
