/** Data behind the charts of a user: the members and departments they may see, and the payslips of some months. */

import { hasPower } from '../../contract/access.ts'
import { minGroupSize } from '../../contract/reports/charts.ts'
import type { CompanyVaultTx } from '../../database/company-tx.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { fail } from '../../http/handler.ts'
import { loadMembersWithDepartments, type RosterDepartment } from '../directory/index.ts'
import { listPaidBatches, type ViewerAccess } from '../sheets/index.ts'
import { componentsJob, loadComponentTables, type PreparationProgress, type QueueComponentsJob } from './component-tables.ts'
import { type ComponentTable, toMemberKey } from './rules/packed-components.ts'
import { type ChartMonth, type ChartMonths, type ChartView, type TreeDepartment } from './rules/totals.ts'
import { findVisibleDepartments } from './rules/visible-departments.ts'
import { loadVisiblePayslips } from './suppression-groups.ts'

export type ChartContext = CompanyVaultTx & {
  readonly currentUser: ViewerAccess
  readonly canWrite: boolean
  readonly queueJob: QueueComponentsJob | null
}

/** Creates the context of a chart call. When the disk is nearly full, nothing is stored that can be recomputed. */
export const createChartContext = (ctx: HandlerContext): ChartContext => ({
  db: ctx.db,
  company_id: ctx.company_id,
  vault: ctx.vault,
  currentUser: ctx.currentUser,
  canWrite: ctx.spareBytes === null,
  queueJob: (batch_ids, id) => ctx.jobs.send(componentsJob, { company_id: ctx.company_id, batch_ids: [...batch_ids] }, { id }),
})

/** Whether the user may open the payslips behind the amounts; others see no amounts of fewer than three members. */
export const canOpenPayslips = ({ currentUser }: Pick<ChartContext, 'currentUser'>): boolean => hasPower(currentUser.power, ['2'])

/** Sorts departments so that parents come before their children. A department whose parent is not in the list becomes a root. */
export function buildDepartmentTree(departments: readonly RosterDepartment[]): TreeDepartment[] {
  const departmentIds = new Set(departments.map(({ id }) => id))
  const children = Map.groupBy(departments, ({ parent_id }) =>
    parent_id !== null && departmentIds.has(parent_id) ? parent_id : null,
  )
  const tree: TreeDepartment[] = []
  const walk = (parent_id: string | null, parent: number, level: number): void => {
    for (const { id, name } of children.get(parent_id) ?? []) {
      tree.push({ id, name, parent, level })
      walk(id, tree.length - 1, level + 1)
    }
  }
  walk(null, -1, 0)
  return tree
}

/** Loads the view. Each member is counted in one department: the first of theirs that the user may see. */
export async function loadChartView(ctx: ChartContext): Promise<ChartView> {
  const { people, departments } = await loadMembersWithDepartments(ctx)
  const canOpen = canOpenPayslips(ctx)
  const tree = buildDepartmentTree(canOpen ? departments.filter(({ is_manageable }) => is_manageable) : departments)
  const departmentIndexById = new Map(tree.map(({ id }, index) => [id, index]))
  const visibleMembers = canOpen ? people.filter(({ is_manageable }) => is_manageable) : people
  return {
    tree,
    members: visibleMembers.map(({ id, name, entry_on, left_on, department_ids }) => ({
      id,
      name,
      entry_on,
      left_on,
      departmentIndex: department_ids.map((one) => departmentIndexById.get(one)).find((index) => index !== undefined) ?? -1,
    })),
    minGroupSize: canOpen ? null : minGroupSize,
  }
}

/** Loads the payslips paid in these months to members of the view, reduced to what may be published for limited users. */
export async function loadChartMonths(
  ctx: ChartContext,
  view: ChartView,
  { from, to }: { from: string; to: string },
): Promise<{ months: ChartMonths; preparing: PreparationProgress }> {
  const batches = await listPaidBatches(ctx, { from, to, all: !canOpenPayslips(ctx) })
  const { tables, preparing } = await loadComponentTables(
    ctx,
    batches.map(({ id }) => id),
    ctx.queueJob,
  )
  const memberIndexByKey = new Map(view.members.map(({ id }, index) => [toMemberKey(id), index]))
  const months: ChartMonths = new Map()
  const { minGroupSize } = view
  if (minGroupSize !== null) {
    const paid = Map.groupBy(batches, ({ month }) => month)
    const restrictedView = { ...view, minGroupSize }
    for (const [month, of_month] of preparing ? [] : paid)
      months.set(
        month,
        await loadVisibleMonth(
          ctx,
          restrictedView,
          month,
          concatComponentTables(of_month.flatMap(({ id }) => tables.get(id) ?? [])),
        ),
      )
    return { months, preparing }
  }
  for (const { id, month } of batches) {
    const table = tables.get(id)
    if (!table) continue
    const existingMonth = months.get(month)
    const memberIndexes = new Int32Array(table.memberKeys.length)
    table.memberKeys.forEach((key, at) => {
      memberIndexes[at] = memberIndexByKey.get(key) ?? -1
    })
    const bundle = { memberIndexes, components: table.components }
    if (existingMonth) existingMonth.bundles.push(bundle)
    else months.set(month, { bundles: [bundle], visible: null })
  }
  return { months, preparing }
}

function concatComponentTables(tables: readonly ComponentTable[]): ComponentTable {
  const components = new Float64Array(tables.reduce((sum, one) => sum + one.components.length, 0))
  let end = 0
  for (const one of tables) {
    components.set(one.components, end)
    end += one.components.length
  }
  return { memberKeys: tables.flatMap(({ memberKeys }) => memberKeys), components }
}

/** Loads the published payslips of a month and the departments that may be shown separately in it. */
async function loadVisibleMonth(
  ctx: ChartContext,
  view: ChartView & { readonly minGroupSize: number },
  name: string,
  paid: ComponentTable,
): Promise<ChartMonth> {
  const visiblePayslips = await loadVisiblePayslips(ctx, view, name, paid)
  if (!visiblePayslips) return { bundles: [], visible: [...view.tree.map(() => false), false] }
  const { departmentIndexes, memberIndexes, components, ...suppression } = visiblePayslips
  const directCounts = view.tree.map(() => 0)
  let withoutDepartment = 0
  for (const memberIndex of new Set(memberIndexes)) {
    if (memberIndex < 0) continue
    const departmentIndex = departmentIndexes[memberIndex] ?? -1
    if (departmentIndex < 0) withoutDepartment += 1
    else directCounts[departmentIndex] = (directCounts[departmentIndex] ?? 0) + 1
  }
  const tree = view.tree.map(({ parent }, departmentIndex) => ({ parent, directCount: directCounts[departmentIndex] ?? 0 }))
  return {
    bundles: [{ memberIndexes, components }],
    visible: findVisibleDepartments(tree, withoutDepartment, view.minGroupSize),
    departmentIndexes,
    ...suppression,
  }
}

/** Returns the index of a department in the view; −1: the company. */
export function findDepartmentIndex(view: ChartView, department_id: string | undefined): number {
  if (department_id === undefined) return -1
  const index = view.tree.findIndex(({ id }) => id === department_id)
  if (index < 0) throw fail('not_found', '没有找到这个部门，请刷新后重选')
  return index
}

/** Checks whether the user may still see all batches that a file was generated from. */
export async function canViewAllBatches(
  ctx: Pick<ChartContext, 'db' | 'currentUser' | 'company_id'>,
  batch_ids: readonly string[],
): Promise<boolean> {
  if (!canOpenPayslips(ctx)) return true
  const batches = await listPaidBatches(ctx, { from: '1900-01', to: '2999-12', all: false })
  const visibleIds = new Set(batches.map(({ id }) => id))
  return batch_ids.every((id) => visibleIds.has(id))
}
