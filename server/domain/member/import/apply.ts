/** An import carried out: one transaction for all of it, so that whatever happens nothing is half done and nothing is done twice. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { InputOf, OutputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/people/import.ts'
import { arrayText } from '../../../runtime/data/array-text.ts'
import { takeTurn } from '../../../runtime/data/turns.ts'
import { type Ctx, handleOutside, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { addPlaced, type NewMember, type Private } from '../add.ts'
import { holdPeople } from '../file/hold.ts'
import type { Leader } from '../leave.ts'
import { entryDay } from '../rules/import-changes.ts'
import type { PlacedDepartment } from '../rules/import-departments.ts'
import type { ImportDecision, ImportRow, PlannedRow, StandingPerson } from '../rules/import-plan.ts'
import { holdTree } from '../tree/change.ts'
import { atHand, type CompanyPeople, dropAtHand } from './at-hand.ts'
import { AtWork, answersOf, held, heldImport, importOf, importPlace, type KeptImport, mine, readOf } from './kept.ts'
import { changePeople, type PersonChange, partPeople } from './people.ts'
import { departmentIds, keepPlan, newDepartments, planned, shownOf, standing } from './plan.ts'
import { planText } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'
import { type ArrivalMark, markOf, type Snapshot, snapshots } from './snapshots.ts'
import { sealUndo, type Undo } from './undo-document.ts'

type Input = InputOf<typeof contract.uploadMembers>
type Result = OutputOf<typeof contract.uploadMembers>
const at_once = 2_000

export const uploadMembers = handleOutside(contract.uploadMembers, async (ctx, input) => {
  const { import_id } = input
  const isMine = await ctx.inTransaction((inner) => begin(inner, import_id))
  const work = new AtWork(ctx, import_id, 'applying')
  try {
    const result = await ctx.deed((inner) => carryOut(inner, input, (done) => work.say({ done })))
    dropAtHand(import_id)
    return result
  } catch (error) {
    await work.end()
    if (isMine) await letGo(ctx, import_id)
    throw error
  } finally {
    await work.end()
  }
})

/** Takes it for this call; false where it is done already, and the answer of before is asked for once more. */
async function begin(ctx: Ctx, import_id: string): Promise<boolean> {
  const row = await heldImport(ctx, import_id)
  if (row.stage === 'done') return false
  if (row.stage !== 'planned' && !(row.stage === 'applying' && !row.held))
    throw refuse('wrong_state', row.stage === 'applying' ? '正在导入，请稍候' : '请先等花名册识别完', { status: row.stage })
  await mine(ctx, import_id).set({ stage: 'applying', done: 0, held_until: held }).execute()
  return true
}

/** It did not come about: what would become of each row is looked at again, for the roster may be another one now. */
const letGo = (ctx: OutsideCtx, import_id: string): Promise<void> =>
  ctx
    .inTransaction(async (inner) => {
      const row = await heldImport(inner, import_id)
      if (row.stage === 'applying')
        await keepPlan(inner, import_id, { read: await readOf(inner, row) }, await answersOf(inner, row))
    })
    // It is let go by itself in a few seconds.
    .catch(() => undefined)

type Decided = Pick<PlannedRow, 'decision' | 'phone'> & { readonly row: ImportRow; readonly said: Private }
type Work = {
  readonly fresh: readonly Decided[]
  readonly changed: readonly Decided[]
  readonly leaving: readonly string[]
}

async function carryOut(
  ctx: Ctx,
  { import_id, mode, whole = false, leaving }: Input,
  told: (done: number) => void,
): Promise<Result> {
  // One import after the other; and the tree stands still meanwhile.
  await takeTurn(ctx, 'import')
  await holdTree(ctx)
  const kept = await importOf(ctx, import_id)
  if (kept.stage === 'done') throw refuse('wrong_state', '这份花名册已经导入过了', { status: kept.stage })
  const read = await readOf(ctx, kept)
  const now = await standing(ctx)
  const { plan, rows, isShown } = await planNow(ctx, kept, read, now)
  if (!isShown) throw refuse('wrong_state', '花名册在这期间有变化，已经重新比对，请核对后再导入', { status: 'planned' })
  const open = plan.rows.filter(({ decision }) => decision.kind === 'conflict' || decision.kind === 'fault').length
  if (whole && open > 0)
    throw refuse('wrong_state', `还有 ${open} 行有问题或待确认，要么全部解决，要么取消「全部成功才导入」`, { status: 'planned' })
  const decided = plan.rows.map(
    ({ decision, phone }, at): Decided => ({ decision, ...(phone && { phone }), ...rowAt(rows, read, at) }),
  )
  const work = sort(decided, mode)
  mustBeConfirmed(decided, work, leaving)
  const departments = placedAnew(mode === 'update' ? plan.departments : newDepartments(work.fresh, now.tree), now.tree)
  const wide = widened(ctx, departments.made)
  const [people] = await Promise.all([
    // While the database writes them.
    nextTurn().then(() => newcomers(work.fresh, departments.ids, now.people)),
    makeDepartments(ctx, departments, now.tree),
  ])
  const created = await create(wide, people, told)
  const touched = [...work.changed.map(idOf), ...work.leaving]
  await holdPeople(ctx, touched)
  const before = await snapshots(ctx, touched)
  await change(wide, work.changed, departments.ids, (done) => told(created.length + done))
  const leaders = await partPeople(ctx, work.leaving)
  const result: Result = {
    created: created.length,
    updated: work.changed.length,
    left: work.leaving.length,
    skipped: plan.rows.length - created.length - touched.length,
    departments: departments.made.length,
  }
  await finish(ctx, kept, result, { departments: departments.made, before, created, leaders })
  ctx.about(result)
  return result
}

/** What it would do now. Beside the very same company it is what was planned; else that is done again, and compared with what was shown. */
async function planNow(ctx: Ctx, kept: KeptImport, read: ReadRoster, now: CompanyPeople) {
  const known = atHand(kept)
  if (known && isDeepStrictEqual(known.company, now)) return { ...known, isShown: true }
  const { plan, rows } = await planned(ctx, read, await answersOf(ctx, kept), now)
  return { plan, rows, isShown: shownOf(ctx, planText(plan)) === kept.shown }
}

/** A row with its numbers as they were written: what is planned knows only their keyed hashes. */
function rowAt(rows: readonly ImportRow[], read: ReadRoster, at: number): Omit<Decided, 'decision'> {
  const row = rows[at]
  if (!row) throw new TypeError('a plan of other rows')
  const { id_card, bank_account } = read.rows[at] ?? {}
  return { row, said: { ...(id_card && { id_card }), ...(bank_account && { bank_account }) } }
}
const idOf = ({ decision }: Decided): string => ('person_id' in decision ? decision.person_id : '')

function sort(decided: readonly Decided[], mode: Input['mode']): Work {
  const of = (...kinds: ImportDecision['kind'][]) => decided.filter(({ decision }) => kinds.includes(decision.kind))
  return {
    fresh: of('new', 'back'),
    changed: mode === 'update' ? of('changed') : [],
    leaving: mode === 'update' ? of('leaves').map(idOf) : [],
  }
}

/** More people leave by one file only where somebody has seen how many, and who. */
const few = 3
const names_told = 10
function mustBeConfirmed(decided: readonly Decided[], { leaving }: Work, confirmed: number | undefined): void {
  if (leaving.length <= few || confirmed === leaving.length) return
  const names = decided.flatMap(({ decision, row }) => (decision.kind === 'leaves' ? [row.name] : []))
  const told = `${names.slice(0, names_told).join('、')}${names.length > names_told ? ' 等' : ''}`
  throw refuse('wrong_state', `这次导入会把 ${leaving.length} 人标记为离职：${told}。请核对名单，确认后再导入`, {
    status: 'planned',
  })
}

type Departments = {
  /** By their ways, those that are made among them. */
  readonly ids: ReadonlyMap<string, string>
  readonly made: readonly string[]
  readonly values: readonly {
    readonly id: string
    readonly parent_id: string | null
    readonly name: string
    readonly place: number
  }[]
}
function placedAnew(ways: readonly (readonly string[])[], tree: readonly PlacedDepartment[]): Departments {
  const ids = departmentIds(tree)
  const children = new Map<string, number>()
  for (const { parent_id } of tree) if (parent_id) children.set(parent_id, (children.get(parent_id) ?? 0) + 1)
  const values = ways.map((way) => {
    const id = newId()
    ids.set(keyOf(way), id)
    const parent_id = ids.get(keyOf(way.slice(0, -1))) ?? null
    const place = children.get(parent_id ?? '') ?? 0
    children.set(parent_id ?? '', place + 1)
    return { id, parent_id, name: way.at(-1) ?? '', place }
  })
  return { ids, made: values.map(({ id }) => id), values }
}

/** All of them in one statement; one that is there stands beside them, as in `insertMembers`. */
async function makeDepartments(
  { db, company_id }: Ctx,
  { values }: Departments,
  [beside]: readonly PlacedDepartment[],
): Promise<void> {
  if (values.length === 0) return
  if (!beside) throw refuse('not_found', '公司还没有部门，请先新建部门')
  const columns = [
    arrayText(values.map(({ id }) => id)),
    arrayText(values.map(({ parent_id }) => parent_id)),
    arrayText(values.map(({ name }) => name)),
  ]
  await sql`
    insert into department (company_id, id, parent_id, name, place)
    select beside.company_id, one.* from department as beside, unnest(${columns[0]}::uuid[], ${columns[1]}::uuid[], ${columns[2]}::text[],
      ${values.map(({ place }) => place)}::int[]) as one where beside.company_id = ${company_id} and beside.id = ${beside.id}`.execute(
    db,
  )
}
const keyOf = (way: readonly string[]) => way.join('\n').toLowerCase()

/** What hangs below a department of mine is mine, also when it was made a moment ago. */
const widened = (ctx: Ctx, made: readonly string[]): Ctx => ({
  ...ctx,
  me: { ...ctx.me, scope: { ...ctx.me.scope, department_ids: [...ctx.me.scope.department_ids, ...made] } },
})

/** People of one department have one and the same way, which is looked up once. */
function placer(ids: ReadonlyMap<string, string>): (row: ImportRow) => string[] {
  const known = new Map<readonly string[], string | undefined>()
  return ({ departments }) =>
    departments.flatMap((way) => {
      if (!known.has(way)) known.set(way, ids.get(keyOf(way)))
      return known.get(way) ?? []
    })
}

function newcomers(fresh: readonly Decided[], ids: ReadonlyMap<string, string>, people: readonly StandingPerson[]): NewMember[] {
  const placesOf = placer(ids)
  const gone = new Map(people.filter(({ has_left }) => has_left).map((one) => [one.id, one]))
  return fresh.map((one): NewMember => {
    const { row, said, phone } = one
    // Who comes back keeps what the list does not say.
    const before = gone.get(idOf(one))
    return {
      name: row.name,
      mobile: phone === undefined ? (row.mobile ?? '') : '',
      employee_no: row.employee_no ?? before?.employee_no ?? '',
      email: row.email ?? before?.email ?? '',
      position: row.position ?? before?.position ?? '',
      entry_on: entryDay(row.entry_on),
      ...said,
      department_ids: placesOf(row),
    }
  })
}

async function create(ctx: Ctx, people: readonly NewMember[], told: (done: number) => void): Promise<ArrivalMark[]> {
  const added = await addPlaced(ctx, people, told)
  const [first] = added
  const row_mark = first ? await markOf(ctx, first.id) : ''
  // Nothing of this transaction changes them any more.
  return added.map(({ id, department_ids }, at) => ({
    id,
    name: people[at]?.name ?? '',
    row_mark,
    departments: department_ids.length < 2 ? department_ids : department_ids.toSorted(),
  }))
}

const none = { id_card: null, bank_account: null }
async function change(ctx: Ctx, changed: readonly Decided[], ids: ReadonlyMap<string, string>, told: (done: number) => void) {
  const placesOf = placer(ids)
  for (let from = 0; from < changed.length; from += at_once) {
    const some = changed.slice(from, from + at_once).map((one): PersonChange => {
      const { row, said, decision } = one
      const fields = 'changes' in decision ? decision.changes.map(({ field }) => field) : []
      return {
        ...row,
        ...none,
        ...said,
        entry_on: entryDay(row.entry_on),
        person_id: idOf(one),
        fields,
        department_ids: placesOf(row),
      }
    })
    await changePeople(ctx, some)
    told(from + some.length)
  }
}

type Traces = {
  departments: readonly string[]
  before: readonly Snapshot[]
  created: readonly ArrivalMark[]
  leaders: readonly Leader[]
}
async function finish(
  ctx: Ctx,
  { id }: KeptImport,
  result: Result,
  { departments, before, created, leaders }: Traces,
): Promise<void> {
  const was = new Map(before.map((one) => [one.id, one]))
  const after = await snapshots(ctx, [...was.keys()])
  const people: Undo['people'] = [
    ...after.map((one) => ({ before: was.get(one.id) ?? one, after: one })),
    ...created.map((one) => ({ before: null, after: one })),
  ]
  const undo: Undo = { departments, people, leaders }
  const { numUpdatedRows } = await mine(ctx, id)
    .set({
      stage: 'done',
      held_until: null,
      result: JSON.stringify(result),
      undo: sealUndo(ctx.vault, importPlace(id, 'undo'), undo),
      applied_at: ctx.now,
    })
    .where('stage', '=', 'applying')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw refuse('wrong_state', '这次导入已由另一个窗口完成')
}
