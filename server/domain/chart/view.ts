/** Whose figures somebody is told: his people and departments, and the slips of some months. */
import { fewest_people } from '../../contract/wage/chart.ts'
import { holds } from '../../contract/who.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { refuse } from '../../runtime/handle.ts'
import { everybodyPlaced, type RosterDepartment } from '../member/index.ts'
import { paidBetween, type Reader } from '../sheet/index.ts'
import { toldIn } from './divided.ts'
import { type Ask, job_name, type Preparing, sheavesOf } from './kept.ts'
import { toldApart } from './rules/groups.ts'
import { type Branched, type ChartView, type Months, type ToldMonth } from './rules/lines.ts'
import { keyOfPerson, type Sheaf } from './rules/packed.ts'

export type ChartHere = Pick<Ctx, 'db' | 'company_id' | 'vault'> & {
  readonly me: Reader
  readonly may_write: boolean
  readonly ask: Ask | null
}

/** A call that shows charts. Where the disk is nearly full nothing is kept that can be made again. */
export const chartHere = (ctx: Ctx): ChartHere => ({
  db: ctx.db,
  company_id: ctx.company_id,
  vault: ctx.vault,
  me: ctx.me,
  may_write: ctx.spare === null,
  ask: (batch_ids, id) => ctx.jobs.send(job_name, { company_id: ctx.company_id, batch_ids: [...batch_ids] }, { id }),
})

/** He may open the slips behind the figures; whoever may not is told nothing of fewer than three people. */
export const opensSlips = ({ me }: Pick<ChartHere, 'me'>): boolean => holds(me.power, ['2'])

/** Departments in the order of the tree, a parent before what is below it. One whose parent is not among them stands highest. */
export function branched(departments: readonly RosterDepartment[]): Branched[] {
  const known = new Set(departments.map(({ id }) => id))
  const children = Map.groupBy(departments, ({ parent_id }) => (parent_id !== null && known.has(parent_id) ? parent_id : null))
  const tree: Branched[] = []
  const walk = (parent_id: string | null, parent: number, level: number): void => {
    for (const { id, name } of children.get(parent_id) ?? []) {
      tree.push({ id, name, parent, level })
      walk(id, tree.length - 1, level + 1)
    }
  }
  walk(null, -1, 0)
  return tree
}

/** Each person stands in one place: in the first of his departments that I am shown. */
export async function viewOf(ctx: ChartHere): Promise<ChartView> {
  const { people, departments } = await everybodyPlaced(ctx)
  const opens = opensSlips(ctx)
  const tree = branched(opens ? departments.filter(({ is_mine }) => is_mine) : departments)
  const at = new Map(tree.map(({ id }, place) => [id, place]))
  const seen = opens ? people.filter(({ is_mine }) => is_mine) : people
  return {
    tree,
    people: seen.map(({ id, name, entry_on, left_on, department_ids }) => ({
      id,
      name,
      entry_on,
      left_on,
      at: department_ids.map((one) => at.get(one)).find((place) => place !== undefined) ?? -1,
    })),
    fewest: opens ? null : fewest_people,
  }
}

/** The slips that are paid in these months, of the people of the view; of somebody who may not open them with what may be told apart. */
export async function monthsOf(
  ctx: ChartHere,
  view: ChartView,
  { from, to }: { from: string; to: string },
): Promise<{ months: Months; preparing: Preparing }> {
  const runs = await paidBetween(ctx, { from, to, all: !opensSlips(ctx) })
  const { sheaves, preparing } = await sheavesOf(
    ctx,
    runs.map(({ id }) => id),
    ctx.ask,
  )
  const placeOf = new Map(view.people.map(({ id }, place) => [keyOfPerson(id), place]))
  const months: Months = new Map()
  const { fewest } = view
  if (fewest !== null) {
    const paid = Map.groupBy(runs, ({ month }) => month)
    const few = { ...view, fewest }
    for (const [month, of_month] of preparing ? [] : paid)
      months.set(month, await toldMonth(ctx, few, month, togetherOf(of_month.flatMap(({ id }) => sheaves.get(id) ?? []))))
    return { months, preparing }
  }
  for (const { id, month } of runs) {
    const sheaf = sheaves.get(id)
    if (!sheaf) continue
    const known = months.get(month)
    const people = new Int32Array(sheaf.people.length)
    sheaf.people.forEach((key, at) => {
      people[at] = placeOf.get(key) ?? -1
    })
    const bundle = { people, parts: sheaf.parts }
    if (known) known.bundles.push(bundle)
    else months.set(month, { bundles: [bundle], told: null })
  }
  return { months, preparing }
}

function togetherOf(sheaves: readonly Sheaf[]): Sheaf {
  const parts = new Float64Array(sheaves.reduce((sum, one) => sum + one.parts.length, 0))
  let end = 0
  for (const one of sheaves) {
    parts.set(one.parts, end)
    end += one.parts.length
  }
  return { people: sheaves.flatMap(({ people }) => people), parts }
}

/** What is told of a month, and which departments may be told apart by it. */
async function toldMonth(
  ctx: ChartHere,
  view: ChartView & { readonly fewest: number },
  name: string,
  paid: Sheaf,
): Promise<ToldMonth> {
  const slips = await toldIn(ctx, view, name, paid)
  if (!slips) return { bundles: [], told: [...view.tree.map(() => false), false] }
  const { at, people, parts, ...waits } = slips
  const own = view.tree.map(() => 0)
  let outside = 0
  for (const person of new Set(people)) {
    if (person < 0) continue
    const place = at[person] ?? -1
    if (place < 0) outside += 1
    else own[place] = (own[place] ?? 0) + 1
  }
  const tree = view.tree.map(({ parent }, place) => ({ parent, own: own[place] ?? 0 }))
  return { bundles: [{ people, parts }], told: toldApart(tree, outside, view.fewest), at, ...waits }
}

/** The place of a department in the view; −1: the company. */
export function placeIn(view: ChartView, department_id: string | undefined): number {
  if (department_id === undefined) return -1
  const place = view.tree.findIndex(({ id }) => id === department_id)
  if (place < 0) throw refuse('not_found', '没有找到这个部门，请刷新后重选')
  return place
}

/** Whether all pay runs that went into a file are still mine to see. */
export async function seesAllRuns(
  ctx: Pick<ChartHere, 'db' | 'me' | 'company_id'>,
  batch_ids: readonly string[],
): Promise<boolean> {
  if (!opensSlips(ctx)) return true
  const runs = await paidBetween(ctx, { from: '1900-01', to: '2999-12', all: false })
  const seen = new Set(runs.map(({ id }) => id))
  return batch_ids.every((id) => seen.has(id))
}
