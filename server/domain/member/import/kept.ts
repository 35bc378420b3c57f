/** An import of a roster as it is kept: who brought it, how far it is, what was read, answered and planned. Writes member_import. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { type ImportInfo, type ImportStage, importInfo } from '../../../contract/people/import.ts'
import { identityDocumentKind, identityDocumentWords } from '../../../rules/identity-document.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import { dropFile, putFile } from '../../../runtime/files/files.ts'
import { type Ctx, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { roleOf } from '../rules/import-rows.ts'
import { atHand, dropAtHand } from './at-hand.ts'
import { type ImportAnswers, type ImportPlan, importAnswers, openPlan } from './plan-document.ts'
import { openRead, type ReadRoster } from './read-document.ts'
import { openUndo, type Undo } from './undo-document.ts'

export const day_ms = 86_400_000
const hold_s = 8
const again_ms = 2_000
const often_ms = 250
export const held = sql<Date>`statement_timestamp() + make_interval(secs => ${hold_s})`
const isHeld = sql<boolean>`coalesce(held_until > statement_timestamp(), false)`

export const importPlace = (id: string, column: 'named' | 'info' | Large) => ({
  table: 'member_import',
  row: id,
  column,
})

type Where = Pick<Ctx, 'db' | 'company_id' | 'me'>
export const mine = ({ db, company_id, me }: Where, id: string) =>
  db
    .updateTable('member_import')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('account_id', '=', me.account_id)

const columns = [
  'id',
  'stage',
  'done',
  'total',
  'named',
  'info',
  'result',
  'file_id',
  'shown',
  'applied_at',
  'created_at',
] as const
/** Of twenty thousand rows megabytes: each is read by whoever needs it. */
type Large = 'read' | 'answers' | 'plan' | 'undo'
const found = ({ db, company_id, me, now }: Where & Pick<Ctx, 'now'>) =>
  db
    .selectFrom('member_import')
    .select([...columns, isHeld.as('held')])
    .where('company_id', '=', company_id)
    .where('account_id', '=', me.account_id)
    .where('created_at', '>', new Date(now.getTime() - day_ms))

const gone = () => refuse('not_found', '没有找到这次导入，可能已过期，请重新选择文件')

/** One of mine of today. */
export async function importOf(ctx: Ctx, id: string) {
  const row = await found(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw gone()
  return row
}
export type KeptImport = Awaited<ReturnType<typeof importOf>>
export const lastImport = (ctx: Ctx) => found(ctx).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()

/** The same, held until the end of the transaction. */
export async function heldImport(ctx: Ctx, id: string): Promise<KeptImport> {
  const row = await found(ctx).where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row) throw gone()
  return row
}

const empty: ReadRoster = { sheet: '', columns: [], rows: [], bad: [], entries_lost: 0, fingerprint: '', remembered: false }
async function sealedOf({ db, company_id }: Ctx, id: string, column: Large): Promise<Buffer | null> {
  const row = await db
    .selectFrom('member_import')
    .select(column)
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.[column] ?? null
}
export async function readOf(ctx: Ctx, row: KeptImport): Promise<ReadRoster> {
  const { id } = row
  const known = atHand(row)
  if (known) return known.read
  const read = await sealedOf(ctx, id, 'read')
  return read ? openRead(ctx.vault, importPlace(id, 'read'), read) : empty
}
export async function answersOf(ctx: Ctx, row: KeptImport): Promise<ImportAnswers> {
  const { id } = row
  const known = atHand(row)
  if (known) return known.answered
  const answers = await sealedOf(ctx, id, 'answers')
  return answers ? importAnswers.open(ctx.vault, importPlace(id, 'answers'), answers).answers : []
}
export async function planOf(ctx: Ctx, row: KeptImport): Promise<ImportPlan> {
  const { id } = row
  const known = atHand(row)
  if (known) return known.plan
  const plan = await sealedOf(ctx, id, 'plan')
  return plan ? openPlan(ctx.vault, importPlace(id, 'plan'), plan) : { rows: [], departments: [] }
}
/** Null: it was not carried out, or is taken back. */
export async function undoOf(ctx: Ctx, { id }: KeptImport): Promise<Undo | null> {
  const undo = await sealedOf(ctx, id, 'undo')
  return undo && openUndo(ctx.vault, importPlace(id, 'undo'), undo)
}

/** Who came by an import of mine. */
export async function importedPeople(ctx: Ctx, import_id: string): Promise<string[]> {
  const undo = await undoOf(ctx, await importOf(ctx, import_id))
  if (!undo) throw refuse('wrong_state', '这份花名册还没有导入，或已经撤销')
  return undo.people.flatMap(({ before, after }) => (before ? [] : [after.id]))
}

type Vaulted = Pick<Ctx, 'vault'>
export const fileNameOf = ({ vault }: Vaulted, { id, named }: Pick<KeptImport, 'id' | 'named'>): string =>
  vault.open<string>(importPlace(id, 'named'), named)

const numberIn = (value: object, name: string): number => {
  const one: unknown = Reflect.get(value, name)
  return typeof one === 'number' ? one : 0
}
/** As it was written: numbers by their names. */
const resultOf = (value: unknown): ImportInfo['result'] =>
  typeof value === 'object' && value !== null
    ? {
        created: numberIn(value, 'created'),
        updated: numberIn(value, 'updated'),
        left: numberIn(value, 'left'),
        skipped: numberIn(value, 'skipped'),
        departments: numberIn(value, 'departments'),
      }
    : null

const departments_told = 50

const told = z.pick(importInfo, {
  sheet: true,
  columns: true,
  remembered: true,
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
  status_words: true,
})
type Told = z.infer<typeof told>
const toldKind = documentKind<Told>({
  kind: 'what an import would do',
  version: 2,
  schema: told,
  upgrades: {
    // Of the first version none of these was told.
    1: (older) => ({
      ...older,
      without_phone: 0,
      shared_phones: 0,
      entry_months: 0,
      entries_lost: 0,
      documents: [],
      leaving: [],
      status_words: [],
    }),
  },
})
export const sealTold = ({ vault }: Vaulted, id: string, read: ReadRoster, plan: ImportPlan, answers: ImportAnswers): Buffer =>
  toldKind.seal(vault, importPlace(id, 'info'), toldOf(read, plan, answers))

/** So many people are named before a number stands for the others. */
const most_named = 20
/** The words that nobody can read, with the people beside whom they stand and what was said of them. */
function statusWords(read: ReadRoster, answers: ImportAnswers): Told['status_words'] {
  const answered = new Map(answers)
  const byWord = Map.groupBy(
    read.rows.filter(({ status_word }) => status_word !== undefined),
    ({ status_word }) => status_word ?? '',
  )
  return [...byWord].map(([word, rows]) => {
    const said = new Set(
      rows.map(({ row }) => {
        const answer = answered.get(row)
        if (answer?.take === 'skip') return 'skip'
        return answer?.status ?? null
      }),
    )
    const [only = null] = said
    return {
      word,
      count: rows.length,
      names: rows.slice(0, most_named).map(({ name }) => name),
      take: said.size === 1 ? only : null,
    }
  })
}

/** Papers other than the identity card of a citizen, by their kinds. */
function otherDocuments({ rows }: ReadRoster): Told['documents'] {
  const counts = new Map<string, number>()
  for (const { id_card } of rows) {
    const kind = id_card === null ? null : identityDocumentKind(id_card)
    if (kind !== null && kind !== 'id_card')
      counts.set(identityDocumentWords[kind], (counts.get(identityDocumentWords[kind]) ?? 0) + 1)
  }
  return [...counts].map(([kind, count]) => ({ kind, count }))
}

/** What is told of what was read and planned. */
function toldOf(read: ReadRoster, { rows, departments }: ImportPlan, answers: ImportAnswers): Told {
  const counts = { new: 0, changed: 0, back: 0, leaves: 0, conflict: 0, fault: 0, same: 0, skipped: 0 }
  for (const { decision } of rows) counts[decision.kind] += 1
  return {
    sheet: read.sheet,
    columns: read.columns.map(({ letter, label, role }) => ({ letter, label, role: roleOf(role) })),
    remembered: read.remembered,
    counts,
    departments_new: departments.slice(0, departments_told).map((way) => way.join('/')),
    departments_count: departments.length,
    phones_changed: rows.filter(
      ({ decision }) => decision.kind === 'changed' && decision.changes.some(({ field }) => field === 'mobile'),
    ).length,
    without_phone: rows.filter(({ phone }) => phone === 'none').length,
    shared_phones: rows.filter(({ phone, decision }) => phone === 'shared' && decision.kind !== 'same').length,
    entry_months: read.rows.filter(({ entry_on }) => entry_on?.length === 'YYYY-MM'.length).length,
    entries_lost: read.entries_lost,
    documents: otherDocuments(read),
    leaving: rows
      .flatMap(({ decision }, at) => (decision.kind === 'leaves' ? [read.rows[at]?.name ?? ''] : []))
      .slice(0, most_named),
    status_words: statusWords(read, answers),
  }
}

export async function infoOf(ctx: Ctx, row: KeptImport): Promise<ImportInfo> {
  const undo_until = row.applied_at && row.stage === 'done' ? new Date(row.applied_at.getTime() + day_ms) : null
  return {
    import_id: row.id,
    stage: row.stage,
    done: row.done,
    total: row.total,
    held: row.held,
    file_name: fileNameOf(ctx, row),
    ...(row.info ? toldKind.open(ctx.vault, importPlace(row.id, 'info'), row.info) : toldOf(...(await wholeOf(ctx, row)))),
    result: resultOf(row.result),
    undo_until: undo_until && undo_until > ctx.now ? isoOf(undo_until) : null,
  }
}

/** Of one that is being read, or that was planned before anything was kept to be told. */
const wholeOf = async (ctx: Ctx, row: KeptImport): Promise<[ReadRoster, ImportPlan, ImportAnswers]> => [
  await readOf(ctx, row),
  await planOf(ctx, row),
  await answersOf(ctx, row),
]

/** A new import of mine takes the place of those that were not carried out, and of all that are over. */
export async function beginImport(ctx: Ctx, id: string | undefined, file: { file_name: string; bytes: Buffer }): Promise<string> {
  const { db, company_id, me, now, vault } = ctx
  const over = await db
    .deleteFrom('member_import')
    .where('company_id', '=', company_id)
    .where(({ or, and, eb }) =>
      or([
        eb('created_at', '<', new Date(now.getTime() - day_ms)),
        and([
          eb('account_id', '=', me.account_id),
          eb('stage', 'in', ['waiting', 'reading', 'planned', 'undone']),
          sql<boolean>`not ${isHeld}`,
        ]),
      ]),
    )
    .returning(['id', 'file_id'])
    .execute()
  for (const { id: its, file_id } of over) {
    dropAtHand(its)
    if (file_id) await dropFile(ctx, file_id)
  }
  const import_id = id ?? newId()
  const expires_at = new Date(now.getTime() + day_ms)
  const file_id = await putFile(ctx, { kind: 'member', name: file.file_name, bytes: file.bytes, expires_at, of_id: import_id })
  const made = await db
    .insertInto('member_import')
    .values({
      company_id,
      id: import_id,
      account_id: me.account_id,
      stage: 'waiting',
      held_until: held,
      file_id,
      named: vault.seal(importPlace(import_id, 'named'), file.file_name),
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (!made.numInsertedOrUpdatedRows) throw refuse('wrong_state', '这份花名册已经在识别，请刷新后查看')
  return import_id
}

/** It came to nothing: with its file. */
export async function forgetImport(ctx: Ctx, id: string): Promise<void> {
  const { db, company_id, me } = ctx
  const row = await db
    .deleteFrom('member_import')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('account_id', '=', me.account_id)
    .returning('file_id')
    .executeTakeFirst()
  if (row?.file_id) await dropFile(ctx, row.file_id)
}

/** Says again and again that somebody is at work on it, and how far: in transactions of its own, and never in the way of the work. */
export class AtWork {
  readonly #ctx: Pick<OutsideCtx, 'inTransaction'>
  readonly #id: string
  #said: { stage: ImportStage; done: number; total: number }
  #clock: NodeJS.Timeout
  #telling: Promise<unknown> = Promise.resolve()
  #isTelling = false
  #told_at = Number.NEGATIVE_INFINITY

  constructor(ctx: Pick<OutsideCtx, 'inTransaction'>, id: string, stage: ImportStage) {
    this.#ctx = ctx
    this.#id = id
    this.#said = { stage, done: 0, total: 0 }
    this.#clock = setInterval(() => this.#tell(), again_ms)
  }

  say(said: Partial<{ stage: ImportStage; done: number; total: number }>): void {
    this.#said = { ...this.#said, ...said }
    // Whoever looks does so twice a second: the work does not stop for more.
    if (said.stage !== undefined || performance.now() - this.#told_at > often_ms) this.#tell()
  }

  #tell(): void {
    if (this.#isTelling) return
    this.#isTelling = true
    this.#told_at = performance.now()
    const said = this.#said
    this.#telling = this.#ctx
      .inTransaction((inner) =>
        mine(inner, this.#id)
          .set({ ...said, held_until: held })
          // What is over is not said to be under way.
          .where('stage', 'in', said.stage === 'applying' ? ['applying'] : ['waiting', 'reading'])
          .execute(),
      )
      // Nobody's work is lost because nobody could hear how far it is.
      .catch(() => undefined)
      .finally(() => {
        this.#isTelling = false
      })
  }

  /** Nothing is said any more. */
  async end(): Promise<void> {
    clearInterval(this.#clock)
    await this.#telling
  }
}
