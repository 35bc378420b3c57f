/** Problems put right: somebody is matched, made, left out or brought back, a cell is corrected, a warning accepted. Writes sheet_row and batch. */
import { sql } from 'kysely'
import type { Problem } from '../../../contract/sheet/sheet.ts'
import * as contract from '../../../contract/sheet/sheet.ts'
import { can } from '../../../contract/words/states.ts'
import type { Fix, ProblemKind } from '../../../contract/words/words.ts'
import { isIdCard } from '../../../rules/id-card.ts'
import { readMobile } from '../../../rules/phone.ts'
import { type Ctx, handle, invalid, must } from '../../../runtime/handle.ts'
import { addMembers, type NewMember, roster } from '../../member/index.ts'
import { type BatchRow, batchFor } from '../access.ts'
import { forgetNames } from '../names/sheet-names.ts'
import { rowsAt } from '../rows/stored-rows.ts'
import { a_statement, combineInto, insertMissingLines, separateRows, skipRows } from '../rows/written-rows.ts'
import { rowText } from '../rules/check/beside-last.ts'
import { sameNumber } from '../rules/check/matching.ts'
import type { Checked } from '../rules/check/problems.ts'
import { saidOf } from '../rules/check/problems-amounts.ts'
import { isOfSheet, markOf } from '../rules/check/problems-sheet.ts'
import { type Understood, understoodOf } from '../understood.ts'
import { cardIn, takeCards } from './bank-cards.ts'
import { type Edit, editCells, swapBack } from './edit-cells.ts'
import { checkBeforeFix } from './kept.ts'
import { countsOf, keepOutcome } from './run-check.ts'

type Action = {
  readonly problem_id?: string | undefined
  readonly kind?: ProblemKind | undefined
  readonly row?: number | undefined
  readonly column?: string | undefined
  readonly fix: Fix
  readonly member_id?: string | undefined
  readonly value?: string | undefined
}

/** People made by one call, in one transaction; whoever wants more asks again, and sees how far it is. */
const created_at_once = 2_500

export const dealWithSalaryList = handle(contract.dealWithSalaryList, async (ctx, { batch_id, actions }) => {
  const batch = await batchFor(ctx, batch_id, 'manage')
  must(can.arrange(batch.status), { status: batch.status })
  const before = await checkBeforeFix(ctx, batch)
  const { checked } = before.outcome
  const understood = understoodOf(ctx, batch)
  const work = sort(actions, checked, await within(ctx, actions, checked))
  let done = work.count
  await skipRows(ctx, batch.id, work.skip, true)
  done += await restore(ctx, batch, actions)
  done += await separate(ctx, batch, work.separate)
  await accept(ctx, batch, work.accept)
  await combine(ctx, batch, checked, work.combine)
  await match(ctx, batch, work.match)
  await editCells(ctx, batch, understood, work.edit)
  await swapBack(ctx, batch, understood, work.swap)
  done -= work.take.length - (await takeCards(ctx, batch, understood, work.take))
  const creating = work.create.slice(0, created_at_once)
  const left = work.create.length - creating.length
  done -= work.create.length - (await create(ctx, batch, understood, creating))
  await ctx.db
    .updateTable('batch')
    .set({ updated_at: ctx.now })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', batch.id)
    .execute()

  const fresh = await batchFor(ctx, batch_id, 'manage')
  const isAcceptedOnly = actions.every(({ fix }) => fix === 'accept')
  const isOfRows = work.create.length === 0 && work.take.length === 0
  const after = await before.after(fresh, { accepted: isAcceptedOnly ? work.accept : null, isOfRows })
  const status = await keepOutcome(ctx, fresh, after)
  ctx.about({ done })
  return { counts: countsOf(status, after), done, left }
})

type Work = {
  count: number
  skip: number[]
  accept: Problem[]
  match: { row: number; member_id: string }[]
  edit: Edit[]
  swap: Problem[]
  create: number[]
  take: { row: number; member_id: string }[]
  /** Rows of people whose rows become one payslip. */
  combine: number[]
  /** First rows of those whose rows no longer do. */
  separate: number[]
}

/** Those of the people who may be meant that are in reach and still work here. */
async function within(ctx: Ctx, actions: readonly Action[], { problems }: Checked): Promise<ReadonlySet<string>> {
  const meant = actions.filter(({ fix }) => fix === 'match')
  if (meant.length === 0) return new Set()
  const offered = meant.some(({ kind }) => kind !== undefined) ? problems.flatMap((one) => onlyOne(one) ?? []) : []
  const people = await roster(ctx, [...offered, ...meant.flatMap(({ member_id }) => member_id ?? [])])
  return new Set(people.filter(({ in_scope, status }) => in_scope && status !== 'left').map(({ id }) => id))
}

/** What is to be done. A problem that is gone already (two people at work, a second click) is passed over; a fix it does not offer is refused. */
function sort(actions: readonly Action[], checked: Checked, reach: ReadonlySet<string>): Work {
  const work: Work = {
    count: 0,
    skip: [],
    accept: [],
    match: [],
    edit: [],
    swap: [],
    create: [],
    take: [],
    combine: [],
    separate: [],
  }
  const byId = new Map(checked.problems.map((problem) => [problem.id, problem]))
  const personAt = new Map(checked.rows.map(({ row, member_id }) => [row, member_id]))
  for (const action of actions) {
    const isOne = action.problem_id !== undefined
    const cell = cellOf(action)
    if (cell) {
      work.edit.push(cell)
      work.count += 1
      continue
    }
    if (action.fix === 'restore') {
      if (isOne || action.kind) throw invalid('actions', '恢复跳过的人请指明是哪一行')
      continue
    }
    if (action.fix === 'separate' && action.row !== undefined) {
      if (isOne || action.kind) throw invalid('actions', '请指明要分开的是哪一行')
      work.separate.push(action.row)
      continue
    }
    if (isOne === (action.kind !== undefined) || action.row !== undefined) throw invalid('actions', '请指明要处理的问题')
    const one = action.problem_id === undefined ? undefined : byId.get(action.problem_id)
    const meant = action.kind ? checked.problems.filter((problem) => isMeant(problem, action)) : one ? [one] : []
    const firstOf = new Set<string>()
    for (const problem of meant) {
      if (!problem.fix.includes(action.fix)) {
        if (action.kind) continue
        throw invalid('fix', '这个问题不能这样处理，请刷新后重试')
      }
      if (action.fix === 'skip') {
        // All duplicates at once: the first row of each person stays.
        const person = action.kind === 'duplicate_person' ? personAt.get(problem.row) : null
        if (person && !firstOf.has(person)) {
          firstOf.add(person)
          continue
        }
        work.skip.push(problem.row)
      } else if (action.fix === 'accept') work.accept.push(problem)
      else if (action.fix === 'combine') work.combine.push(problem.row)
      else if (action.fix === 'separate') {
        // Said before they are one: they are looked at row by row. Said of those that are one: they are rows of their own again.
        if (problem.kind === 'several_rows') work.accept.push(problem)
        else {
          work.separate.push(problem.row)
          continue
        }
      } else if (action.fix === 'create') work.create.push(problem.row)
      else if (action.fix === 'edit') {
        if (action.kind) throw invalid('fix', '请逐个填写正确的内容')
        work.edit.push(editOf(action, problem.row, problem.column))
      } else if (action.fix === 'swap') work.swap.push(problem)
      else if (action.fix === 'take') work.take.push({ row: problem.row, member_id: personAt.get(problem.row) ?? '' })
      else {
        const member_id = action.kind ? onlyOne(problem) : action.member_id
        if (action.kind && member_id === null) continue
        if (!member_id || !reach.has(member_id)) throw invalid('member_id', '请选择这一行对应的员工')
        work.match.push({ row: problem.row, member_id })
      }
      work.count += 1
    }
  }
  return work
}

/** Of a kind. Rows of one person are combined in bulk only where they are asked about together. Who may be somebody of the roster with another phone is not made anew in bulk: that is looked at one by one. */
const isMeant = ({ kind, candidates }: Problem, action: Action): boolean =>
  kind === action.kind &&
  (action.fix !== 'create' || candidates.length === 0) &&
  (action.fix !== 'combine' || kind === 'several_rows')

/** Any cell of a row, whether something is wrong with it or not. */
function cellOf(action: Action): Edit | null {
  const { fix, row, column, problem_id, kind } = action
  if (fix !== 'edit' || row === undefined) return null
  if (problem_id !== undefined || kind !== undefined) throw invalid('actions', '请指明要改哪一格')
  return editOf(action, row, column)
}

function editOf({ value }: Action, row: number, column: string | null | undefined): Edit {
  if (!column) throw invalid('actions', '请指明要改哪一格')
  if (value === undefined) throw invalid('value', '请填写正确的内容')
  return { row, column, value }
}

/** In bulk only rows without a name may be matched, whose number points at one person: all else is looked at one by one. */
const onlyOne = (problem: Problem): string | null =>
  problem.kind === 'no_name' && problem.candidates.length === 1 ? (problem.candidates[0]?.member_id ?? null) : null

/** Brings skipped rows back as they were left: with who was chosen for them and what was accepted. Answers how many. */
async function restore({ db, company_id }: Ctx, batch: BatchRow, actions: readonly Action[]): Promise<number> {
  const meant = actions.filter((action) => action.fix === 'restore')
  if (meant.length === 0) return 0
  const rows = meant.some(({ row }) => row === undefined) ? null : meant.map(({ row }) => row)
  const { numUpdatedRows } = await db
    .updateTable('sheet_row')
    .set({ skipped: false })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('skipped', '=', true)
    .$if(rows !== null, (query) => query.where(sql<boolean>`row_no = any(${rows}::int[])`))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Rows that were combined by mistake are rows of their own again, with what was decided about each. Answers how many people they are. */
async function separate(ctx: Ctx, batch: BatchRow, firsts: readonly number[]): Promise<number> {
  if (firsts.length === 0) return 0
  await forgetNames(ctx, batch.id)
  return separateRows(ctx, batch.id, firsts)
}

/** The rows of each of these people become one payslip, at the first of them that is sent. */
async function combine(ctx: Ctx, batch: BatchRow, { rows }: Checked, meant: readonly number[]): Promise<void> {
  if (meant.length === 0) return
  const personAt = new Map(rows.map(({ row, member_id }) => [row, member_id]))
  const people = new Set(meant.flatMap((row) => personAt.get(row) ?? []))
  const rowsOf = new Map<string, number[]>()
  for (const { row, member_id, skipped } of rows)
    if (member_id !== null && !skipped && people.has(member_id)) rowsOf.set(member_id, [...(rowsOf.get(member_id) ?? []), row])
  for (const [first, ...others] of rowsOf.values())
    if (first !== undefined && others.length > 0) await combineInto(ctx, batch.id, first, others)
  await forgetNames(ctx, batch.id)
}

async function accept({ db, company_id }: Ctx, batch: BatchRow, problems: readonly Problem[]): Promise<void> {
  const rowsOf = new Map<string, number[]>()
  const whole = new Set(batch.accepted)
  for (const one of problems) {
    const { row } = one
    const mark = markOf(one)
    if (isOfSheet(one)) whole.add(mark)
    else {
      const rows = rowsOf.get(mark)
      if (rows) rows.push(row)
      else rowsOf.set(mark, [row])
    }
  }
  await insertMissingLines({ db, company_id }, batch.id, [...rowsOf.values()].flat())
  for (const [mark, rows] of rowsOf)
    await db
      .updateTable('sheet_row')
      .set({ accepted: sql<string[]>`array_append(accepted, ${mark})` })
      .where('company_id', '=', company_id)
      .where('batch_id', '=', batch.id)
      .where(sql<boolean>`row_no = any(${rows}::int[]) and not (${mark} = any(accepted))`)
      .execute()
  if (whole.size > batch.accepted.length)
    await db
      .updateTable('batch')
      .set({ accepted: [...whole] })
      .where('company_id', '=', company_id)
      .where('id', '=', batch.id)
      .execute()
}

async function match(
  { db, company_id }: Ctx,
  batch: BatchRow,
  matches: readonly { row: number; member_id: string }[],
): Promise<void> {
  await insertMissingLines(
    { db, company_id },
    batch.id,
    matches.map(({ row }) => row),
  )
  for (let from = 0; from < matches.length; from += a_statement) {
    const some = matches.slice(from, from + a_statement)
    const people = JSON.stringify(Object.fromEntries(some.map((one) => [one.row, one.member_id])))
    // By its name in a document and not by a join: that was made the wrong way round where the statistics knew only small batches.
    await db
      .updateTable('sheet_row')
      .set({ member_id: sql<string>`(${people}::jsonb ->> row_no::text)::uuid` })
      .where('company_id', '=', company_id)
      .where('batch_id', '=', batch.id)
      .where(sql<boolean>`row_no = any(${some.map((one) => one.row)}::int[])`)
      .execute()
  }
}

/** Adds the people of these rows to the roster; answers how many rows are for somebody now. Of rows that share a phone the first decides. */
async function create(ctx: Ctx, batch: BatchRow, understood: Understood, rows: readonly number[]): Promise<number> {
  if (rows.length === 0) return 0
  const made = new Map<string, { row: number; person: NewMember }>()
  for (let from = 0; from < rows.length; from += a_statement) {
    for (const { row, cells } of await rowsAt(ctx, batch.id, rows.slice(from, from + a_statement))) {
      const said = saidOf(cells, understood.columns)
      const mobile = readMobile(said.mobile)
      const name = said.names[0] ?? ''
      if (!mobile || !name || made.has(mobile)) continue
      if (name.length > 50) {
        // Among others it is left to be dealt with alone; alone it says why.
        if (rows.length > 1) continue
        throw invalid('actions', `第 ${rowText(row)} 行的姓名太长，请核对`)
      }
      const id_card = sameNumber(said.id_card)
      const bank_account = cardIn(cells, understood)
      made.set(mobile, {
        row,
        person: {
          name,
          mobile,
          ...(said.employee_no && said.employee_no.length <= 30 ? { employee_no: said.employee_no } : {}),
          ...(said.department && said.department.length <= 50 ? { department: said.department } : {}),
          ...(isIdCard(id_card) ? { id_card } : {}),
          ...(bank_account ? { bank_account } : {}),
        },
      })
    }
  }
  const list = [...made.values()]
  const ids = await addMembers(
    ctx,
    list.map(({ person }) => person),
  )
  await match(
    ctx,
    batch,
    list.map(({ row }, at) => ({ row, member_id: ids[at] ?? '' })),
  )
  return list.length
}
