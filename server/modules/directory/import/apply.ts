/** Applies an import in a single transaction, so that nothing is ever applied partially or twice. */
import { setImmediate as nextSlot } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { CallInput, CallOutput } from '../../../contract/call.ts'
import * as contract from '../../../contract/directory/import.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { formatPostgresArray } from '../../../database/postgres-array.ts'
import { defineHandler, type ExternalContext, fail, type HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { addMembersWithDepartments, type NewMember, type PrivateFields } from '../add.ts'
import { lockMembersForUpdate } from '../file/locks.ts'
import { toEntryDay } from '../rules/import-changes.ts'
import type { PlacedDepartment } from '../rules/import-departments.ts'
import type { ExistingMember, ImportDecision, ImportRow, PlannedRow } from '../rules/import-plan.ts'
import type { DepartmentLeader } from '../terminate.ts'
import { lockDepartmentTree } from '../tree/change.ts'
import {
  getImportPosition,
  ImportProgress,
  type ImportRecord,
  leaseEnd,
  loadAnswers,
  loadReadRoster,
  lockImport,
  requireImport,
  updateOwnImport,
} from './import-record.ts'
import { buildPlan, findNewDepartments, getDepartmentIdsByPath, hashPlan, loadCompany, savePlan } from './plan.ts'
import { type CompanyMembers, getCachedPlan, removeCachedPlan } from './plan-cache.ts'
import { serializePlan } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'
import { type ArrivalMark, getArrivalMark, loadSnapshots, type Snapshot } from './snapshots.ts'
import { type ImportUndo, sealUndo } from './undo-document.ts'
import { type MemberChange, terminateMembers, updateMembers } from './update-members.ts'

type ApplyImportInput = CallInput<typeof contract.uploadMembers>
type ApplyImportOutput = CallOutput<typeof contract.uploadMembers>
const rowsPerStatement = 2_000
/** Up to this many changed rows the planner's statistics stay good enough. */
const rowsWithoutStatistics = 500

export const uploadMembers = defineHandler(contract.uploadMembers, { kind: 'external' }, async (ctx, input) => {
  const { import_id } = input
  const isStarted = await ctx.inTransaction((inner) => startApplying(inner, import_id))
  const progress = new ImportProgress(ctx, import_id, 'applying')
  try {
    const result = await ctx.mutate((inner) => applyImport(inner, input, (done) => progress.report({ done })))
    removeCachedPlan(import_id)
    if (result.created + result.updated > rowsWithoutStatistics) await updateStatistics(ctx)
    return result
  } catch (error) {
    await progress.stop()
    if (isStarted) await returnToPlanned(ctx, import_id)
    throw error
  } finally {
    await progress.stop()
  }
})

/** Lets the planner see the new size of the roster. The import is already done, so a failure must not fail the call. */
async function updateStatistics({ inTransaction, log }: ExternalContext): Promise<void> {
  try {
    await inTransaction(({ db }) => sql`select analyze_roster()`.execute(db))
  } catch (error) {
    log.warn({ err: error }, 'the statistics of the roster were not updated')
  }
}

/** Claims the import for this call; returns false if it is already applied: then the earlier result is returned again. */
async function startApplying(ctx: HandlerContext, import_id: string): Promise<boolean> {
  const row = await lockImport(ctx, import_id)
  if (row.stage === 'done') return false
  if (row.stage !== 'planned' && !(row.stage === 'applying' && !row.held))
    throw fail('wrong_state', row.stage === 'applying' ? '正在导入，请稍候' : '请先等花名册识别完', { status: row.stage })
  await updateOwnImport(ctx, import_id).set({ stage: 'applying', done: 0, leased_until: leaseEnd }).execute()
  return true
}

/** Applying failed: each row's outcome must be planned again, because the roster may have changed. */
const returnToPlanned = (ctx: ExternalContext, import_id: string): Promise<void> =>
  ctx
    .inTransaction(async (inner) => {
      const row = await lockImport(inner, import_id)
      if (row.stage === 'applying')
        await savePlan(inner, import_id, { read: await loadReadRoster(inner, row) }, await loadAnswers(inner, row))
    })
    // The claim expires automatically within a few seconds.
    .catch(() => undefined)

type DecidedRow = Pick<PlannedRow, 'decision' | 'phone'> & { readonly row: ImportRow; readonly privateFields: PrivateFields }
type ImportWork = {
  readonly created: readonly DecidedRow[]
  readonly changed: readonly DecidedRow[]
  readonly terminated: readonly string[]
}

async function applyImport(
  ctx: HandlerContext,
  { import_id, mode, all_or_nothing: allOrNothing = false, leaving: confirmedTerminations }: ApplyImportInput,
  onProgress: (done: number) => void,
): Promise<ApplyImportOutput> {
  // Imports run one after the other, and the department tree must not change meanwhile.
  await lockCompanySubject(ctx, 'import')
  await lockDepartmentTree(ctx)
  const record = await requireImport(ctx, import_id)
  if (record.stage === 'done') throw fail('wrong_state', '这份花名册已经导入过了', { status: record.stage })
  const read = await loadReadRoster(ctx, record)
  const company = await loadCompany(ctx)
  const { plan, rows, isVisible: isUnchanged } = await getCurrentPlan(ctx, record, read, company)
  if (!isUnchanged) throw fail('wrong_state', '花名册在这期间有变化，已经重新比对，请核对后再导入', { status: 'planned' })
  const open = plan.rows.filter(({ decision }) => decision.kind === 'conflict' || decision.kind === 'fault').length
  if (allOrNothing && open > 0)
    throw fail('wrong_state', `还有 ${open} 行有问题或待确认，要么全部解决，要么取消「全部成功才导入」`, { status: 'planned' })
  const decided = plan.rows.map(
    ({ decision, phone }, at): DecidedRow => ({ decision, ...(phone && { phone }), ...getRow(rows, read, at) }),
  )
  const work = groupDecisions(decided, mode)
  assertTerminationsConfirmed(decided, work, confirmedTerminations)
  const departments = prepareDepartments(
    mode === 'update' ? plan.departments : findNewDepartments(work.created, company.tree),
    company.tree,
  )
  const widenedCtx = widenScope(ctx, departments.createdIds)
  const [newMembers] = await Promise.all([
    // This runs while the database writes them.
    nextSlot().then(() => toNewMembers(work.created, departments.ids, company.members)),
    insertDepartments(ctx, departments, company.tree),
  ])
  const created = await createImportedMembers(widenedCtx, newMembers, onProgress)
  const touched = [...work.changed.map(getMemberId), ...work.terminated]
  await lockMembersForUpdate(ctx, touched)
  const before = await loadSnapshots(ctx, touched)
  await updateImportedMembers(widenedCtx, work.changed, departments.ids, (done) => onProgress(created.length + done))
  const leaders = await terminateMembers(ctx, work.terminated)
  const result: ApplyImportOutput = {
    created: created.length,
    updated: work.changed.length,
    terminated: work.terminated.length,
    skipped: plan.rows.length - created.length - touched.length,
    departments: departments.createdIds.length,
  }
  await finishImport(ctx, record, result, { departments: departments.createdIds, before, created, leaders })
  ctx.addAuditDetails(result)
  return result
}

/** Returns the current plan: the cached one if the company is unchanged, else computed and compared with what was shown. */
async function getCurrentPlan(ctx: HandlerContext, record: ImportRecord, read: ReadRoster, company: CompanyMembers) {
  const cached = getCachedPlan(record)
  if (cached && isDeepStrictEqual(cached.company, company)) return { ...cached, isVisible: true }
  const { plan, rows } = await buildPlan(ctx, read, await loadAnswers(ctx, record), company)
  return { plan, rows, isVisible: hashPlan(ctx, serializePlan(plan)) === record.summary }
}

/** Returns a row with its original numbers: the plan contains only their keyed hashes. */
function getRow(rows: readonly ImportRow[], read: ReadRoster, at: number): Omit<DecidedRow, 'decision'> {
  const row = rows[at]
  if (!row) throw new TypeError('a plan of other rows')
  const { id_card, bank_account } = read.rows[at] ?? {}
  return { row, privateFields: { ...(id_card && { id_card }), ...(bank_account && { bank_account }) } }
}
const getMemberId = ({ decision }: DecidedRow): string => ('person_id' in decision ? decision.person_id : '')

function groupDecisions(decided: readonly DecidedRow[], mode: ApplyImportInput['mode']): ImportWork {
  const selectKinds = (...kinds: ImportDecision['kind'][]) => decided.filter(({ decision }) => kinds.includes(decision.kind))
  return {
    created: selectKinds('new', 'back'),
    changed: mode === 'update' ? selectKinds('changed') : [],
    terminated: mode === 'update' ? selectKinds('leaves').map(getMemberId) : [],
  }
}

/** A file may terminate more members only after the user has seen how many and who. */
const maxUnconfirmedTerminations = 3
const maxListedNames = 10
function assertTerminationsConfirmed(
  decided: readonly DecidedRow[],
  { terminated }: ImportWork,
  confirmed: number | undefined,
): void {
  if (terminated.length <= maxUnconfirmedTerminations || confirmed === terminated.length) return
  const names = decided.flatMap(({ decision, row }) => (decision.kind === 'leaves' ? [row.name] : []))
  const namesText = `${names.slice(0, maxListedNames).join('、')}${names.length > maxListedNames ? ' 等' : ''}`
  throw fail('wrong_state', `这次导入会把 ${terminated.length} 人标记为离职：${namesText}。请核对名单，确认后再导入`, {
    status: 'planned',
  })
}

type ImportedDepartments = {
  /** Departments by path, including newly created ones. */
  readonly ids: ReadonlyMap<string, string>
  readonly createdIds: readonly string[]
  readonly values: readonly {
    readonly id: string
    readonly parent_id: string | null
    readonly name: string
    readonly position: number
  }[]
}
function prepareDepartments(paths: readonly (readonly string[])[], tree: readonly PlacedDepartment[]): ImportedDepartments {
  const ids = getDepartmentIdsByPath(tree)
  const children = new Map<string, number>()
  for (const { parent_id } of tree) if (parent_id) children.set(parent_id, (children.get(parent_id) ?? 0) + 1)
  const values = paths.map((path) => {
    const id = newId()
    ids.set(getPathKey(path), id)
    const parent_id = ids.get(getPathKey(path.slice(0, -1))) ?? null
    const position = children.get(parent_id ?? '') ?? 0
    children.set(parent_id ?? '', position + 1)
    return { id, parent_id, name: path.at(-1) ?? '', position }
  })
  return { ids, createdIds: values.map(({ id }) => id), values }
}

/** Inserts all of them in one statement, joined with an existing one as in `insertMembers`. */
async function insertDepartments(
  { db, company_id }: HandlerContext,
  { values }: ImportedDepartments,
  [anchorDepartment]: readonly PlacedDepartment[],
): Promise<void> {
  if (values.length === 0) return
  if (!anchorDepartment) throw fail('not_found', '公司还没有部门，请先新建部门')
  const columns = [
    formatPostgresArray(values.map(({ id }) => id)),
    formatPostgresArray(values.map(({ parent_id }) => parent_id)),
    formatPostgresArray(values.map(({ name }) => name)),
  ]
  await sql`
    insert into department (company_id, id, parent_id, name, position)
    select beside.company_id, one.* from department as beside, unnest(${columns[0]}::uuid[], ${columns[1]}::uuid[], ${columns[2]}::text[],
      ${values.map(({ position }) => position)}::int[]) as one where beside.company_id = ${company_id} and beside.id = ${anchorDepartment.id}`.execute(
    db,
  )
}
const getPathKey = (path: readonly string[]) => path.join('\n').toLowerCase()

/** Departments below one of the user's departments are in scope too, even if just created. */
const widenScope = (ctx: HandlerContext, made: readonly string[]): HandlerContext => ({
  ...ctx,
  currentUser: {
    ...ctx.currentUser,
    scope: { ...ctx.currentUser.scope, department_ids: [...ctx.currentUser.scope.department_ids, ...made] },
  },
})

/** Members of one department share the same path array, which is resolved once. */
function createDepartmentResolver(ids: ReadonlyMap<string, string>): (row: ImportRow) => string[] {
  const cache = new Map<readonly string[], string | undefined>()
  return ({ departments }) =>
    departments.flatMap((path) => {
      if (!cache.has(path)) cache.set(path, ids.get(getPathKey(path)))
      return cache.get(path) ?? []
    })
}

function toNewMembers(
  created: readonly DecidedRow[],
  ids: ReadonlyMap<string, string>,
  existingMembers: readonly ExistingMember[],
): NewMember[] {
  const resolveDepartments = createDepartmentResolver(ids)
  const terminated = new Map(existingMembers.filter(({ has_left }) => has_left).map((one) => [one.id, one]))
  return created.map((one): NewMember => {
    const { row, privateFields, phone } = one
    // A returning member keeps the data that the list does not provide.
    const before = terminated.get(getMemberId(one))
    return {
      name: row.name,
      mobile: phone === undefined ? (row.mobile ?? '') : '',
      employee_no: row.employee_no ?? before?.employee_no ?? '',
      email: row.email ?? before?.email ?? '',
      position: row.position ?? before?.position ?? '',
      entry_on: toEntryDay(row.entry_on),
      ...privateFields,
      department_ids: resolveDepartments(row),
    }
  })
}

async function createImportedMembers(
  ctx: HandlerContext,
  members: readonly NewMember[],
  onProgress: (done: number) => void,
): Promise<ArrivalMark[]> {
  const added = await addMembersWithDepartments(ctx, members, onProgress)
  const [first] = added
  const row_mark = first ? await getArrivalMark(ctx, first.id) : ''
  // The current transaction does not change these rows any more.
  return added.map(({ id, department_ids }, at) => ({
    id,
    name: members[at]?.name ?? '',
    row_mark,
    departments: department_ids.length < 2 ? department_ids : department_ids.toSorted(),
  }))
}

const noPrivateFields = { id_card: null, bank_account: null }
async function updateImportedMembers(
  ctx: HandlerContext,
  changed: readonly DecidedRow[],
  ids: ReadonlyMap<string, string>,
  onProgress: (done: number) => void,
) {
  const resolveDepartments = createDepartmentResolver(ids)
  for (let from = 0; from < changed.length; from += rowsPerStatement) {
    const chunk = changed.slice(from, from + rowsPerStatement).map((one): MemberChange => {
      const { row, privateFields, decision } = one
      const fields = 'changes' in decision ? decision.changes.map(({ field }) => field) : []
      return {
        ...row,
        ...noPrivateFields,
        ...privateFields,
        entry_on: toEntryDay(row.entry_on),
        person_id: getMemberId(one),
        fields,
        department_ids: resolveDepartments(row),
      }
    })
    await updateMembers(ctx, chunk)
    onProgress(from + chunk.length)
  }
}

type AppliedChanges = {
  departments: readonly string[]
  before: readonly Snapshot[]
  created: readonly ArrivalMark[]
  leaders: readonly DepartmentLeader[]
}
async function finishImport(
  ctx: HandlerContext,
  { id }: ImportRecord,
  result: ApplyImportOutput,
  { departments, before, created, leaders }: AppliedChanges,
): Promise<void> {
  const snapshotById = new Map(before.map((one) => [one.id, one]))
  const after = await loadSnapshots(ctx, [...snapshotById.keys()])
  const undoEntries: ImportUndo['members'] = [
    ...after.map((one) => ({ before: snapshotById.get(one.id) ?? one, after: one })),
    ...created.map((one) => ({ before: null, after: one })),
  ]
  const undo: ImportUndo = { departments, members: undoEntries, leaders }
  const { numUpdatedRows } = await updateOwnImport(ctx, id)
    .set({
      stage: 'done',
      leased_until: null,
      result: JSON.stringify(result),
      undo: sealUndo(ctx.vault, getImportPosition(id, 'undo'), undo),
      applied_at: ctx.now,
    })
    .where('stage', '=', 'applying')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw fail('wrong_state', '这次导入已由另一个窗口完成')
}
