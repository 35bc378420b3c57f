/** Employees and departments below /api/v1: found by the company's own references, changed by the handlers of the roster. */
import { sql } from 'kysely'
import * as contract from '../../contract/api-v1/employees.ts'
import type { CallInput } from '../../contract/call.ts'
import * as members from '../../contract/directory/members.ts'
import { bindHandlers, defineHandler, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { isManageableMemberId, listMembersAfter } from '../directory/index.ts'
import { memberView } from '../directory/read-model.ts'
import { parseIdCursor, toPage } from './cursor.ts'
import { findReferenced, loadReferences, saveReference } from './references.ts'
import { type CallRunner, forEachItem } from './run-call.ts'

type EmployeeReference = Pick<CallInput<typeof contract.terminateEmployee>, 'employee_id' | 'external_id' | 'employee_no'>
type NamedEmployee = { readonly id: string; readonly name: string; readonly employee_no: string }

const countReferences = ({ employee_id, external_id, employee_no }: EmployeeReference): number =>
  [employee_id, external_id, employee_no].filter((one) => one !== undefined).length

/** Lists the active employees within scope who have this number; a number may be given twice. */
const findByNumber = ({ db, company_id, ...ctx }: HandlerContext, employee_no: string): Promise<NamedEmployee[]> =>
  db
    .selectFrom(memberView)
    .select(['member.id', 'member.name', 'member.employee_no'])
    .where('member.company_id', '=', company_id)
    .where('member.employee_no', '=', employee_no)
    .where('member.status', '<>', 'left')
    .where(isManageableMemberId({ ...ctx, company_id }, sql`member.id`))
    .limit(2)
    .execute()

/** Returns the id of the employee that a request names by one of the three references. */
export async function resolveEmployee(ctx: HandlerContext, reference: EmployeeReference): Promise<string> {
  const { employee_id, external_id, employee_no } = reference
  if (countReferences(reference) !== 1)
    throw invalidInput('employee_id', '请用 employee_id、external_id、employee_no 三者之一指明员工')
  if (employee_id) return employee_id
  if (external_id) {
    const id = (await findReferenced(ctx, 'member_id', [external_id])).get(external_id)
    if (!id) throw fail('not_found', '没有找到这位员工', { field: 'external_id' })
    return id
  }
  const [first, second] = await findByNumber(ctx, employee_no ?? '')
  if (!first) throw fail('not_found', '没有找到这位员工', { field: 'employee_no' })
  if (second) throw fail('wrong_state', `工号 ${employee_no} 有多位员工，请改用 employee_id`, { field: 'employee_no' })
  return first.id
}

/** Returns the names of these employees as every response states them, in the given order. */
export async function nameEmployees({ db, company_id }: HandlerContext, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom(memberView)
    .select(['member.id', 'member.name', 'member.employee_no'])
    .where('member.company_id', '=', company_id)
    .where('member.id', 'in', [...ids])
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const references = await loadReferences({ db, company_id }, 'member_id', ids)
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [toNames(row, references)] : []
  })
}
export const toNames = ({ id, name, employee_no }: NamedEmployee, references: ReadonlyMap<string, string>) => ({
  employee_id: id,
  external_id: references.get(id) ?? null,
  employee_no,
  name,
})

type MemberItem = Awaited<ReturnType<typeof listMembersAfter>>[number]
async function toEmployees(ctx: HandlerContext, items: readonly MemberItem[]) {
  const references = await loadReferences(
    ctx,
    'member_id',
    items.map(({ ID }) => ID),
  )
  const departmentIds = items.flatMap(({ DEPARTMENTS }) => DEPARTMENTS.map(({ ID }) => ID))
  const departments = await loadReferences(ctx, 'department_id', departmentIds)
  return items.map((item) => ({
    ...toNames({ id: item.ID, name: item.NAME, employee_no: item.EMPLOYEE_NO }, references),
    mobile: item.MOBILE,
    email: item.EMAIL,
    position: item.POSITION,
    entry_date: item.ENTRY_DATE,
    terminated_on: item.TERMINATED_ON,
    status: item.STATUS === 'left' ? ('terminated' as const) : item.STATUS,
    departments: item.DEPARTMENTS.map(({ ID, NAME }) => ({
      department_id: ID,
      external_id: departments.get(ID) ?? null,
      name: NAME,
    })),
    phone_unconfirmed: item.PHONE_UNCONFIRMED,
  }))
}

const listEmployees = defineHandler(
  contract.listEmployees,
  async (ctx, { cursor, limit, status, department_id, ...reference }) => {
    const after = parseIdCursor(cursor)
    const stored = status === 'terminated' ? ('left' as const) : status
    const filter = { department_id, with_children: true, status: stored }
    if (countReferences(reference) === 0) {
      const rows = await listMembersAfter(ctx, filter, { after, ids: null, limit: limit + 1 })
      const { data, next_cursor } = toPage(rows, limit, ({ ID }) => ID)
      return { data: await toEmployees(ctx, data), next_cursor }
    }
    const ids = [await resolveEmployee(ctx, reference)]
    // One employee is found whatever their status, unless the request names one.
    const matches = await listMembersAfter(ctx, filter, { after, ids, limit: 1 })
    const left = status ? [] : await listMembersAfter(ctx, { ...filter, status: 'left' }, { after, ids, limit: 1 })
    if (matches.length + left.length === 0) throw fail('not_found', '没有找到这位员工')
    return { data: await toEmployees(ctx, [...matches, ...left]), next_cursor: null }
  },
)

type EmployeeItem = CallInput<typeof contract.upsertEmployees>['employees'][number]

/** Returns the id of the employee that an item changes; null where it adds one. A contradiction is refused, never guessed. */
async function findUpserted(ctx: HandlerContext, { external_id, employee_no, name }: EmployeeItem): Promise<string | null> {
  if (!external_id && !employee_no) throw invalidInput('external_id', '请填写 external_id 或 employee_no，下次才能找到同一位员工')
  const existingId = external_id && (await findReferenced(ctx, 'member_id', [external_id])).get(external_id)
  if (existingId) return existingId
  const [first, second] = employee_no ? await findByNumber(ctx, employee_no) : []
  if (!first) return null
  if (second) throw fail('wrong_state', `工号 ${employee_no} 有多位员工，请先在「花名册」核对`, { field: 'employee_no' })
  if (first.name !== name)
    throw fail('wrong_state', `工号 ${employee_no} 现在是另一位员工的，请核对；改了姓名请先在「花名册」更正`, {
      field: 'employee_no',
      employee_id: first.id,
    })
  return first.id
}

async function resolveDepartments(ctx: HandlerContext, { department_ids, department_external_ids }: EmployeeItem) {
  if (!department_external_ids) return department_ids
  const matches = await findReferenced(ctx, 'department_id', department_external_ids)
  const missing = department_external_ids.find((one) => !matches.has(one))
  if (missing !== undefined) throw fail('not_found', `没有编号为「${missing}」的部门`, { field: 'department_external_ids' })
  return [...(department_ids ?? []), ...matches.values()]
}

const createUpsertEmployees = ({ run }: CallRunner) =>
  defineHandler(contract.upsertEmployees, async (ctx, { employees }) => {
    const done = await forEachItem('employees', employees, async (item) => {
      const id = await findUpserted(ctx, item)
      const { external_id, department_ids: _ids, department_external_ids: _external, ...fields } = item
      const department_ids = await resolveDepartments(ctx, item)
      if (id) await run(ctx, members.editMemberInfo, { id, ...fields, ...(department_ids && { department_ids }) })
      const changed = id ?? (await run(ctx, members.insertMember, { ...fields, department_ids: department_ids ?? [] })).id
      if (external_id) await saveReference(ctx, 'member_id', changed, external_id)
      return { id: changed, outcome: id ? ('updated' as const) : ('created' as const) }
    })
    const names = await nameEmployees(
      ctx,
      done.map(({ id }) => id),
    )
    const created = done.filter(({ outcome }) => outcome === 'created').length
    ctx.addAuditDetails({ created, updated: done.length - created })
    return { data: names.map((name, at) => ({ ...name, outcome: done[at]?.outcome ?? 'updated' })) }
  })

const createTerminateEmployee = ({ run }: CallRunner) =>
  defineHandler(contract.terminateEmployee, { locks: 'access' }, async (ctx, { terminated_on, ...reference }) => {
    const id = await resolveEmployee(ctx, reference)
    await run(ctx, members.clearMember, { id, ...(terminated_on && { terminated_on }) })
    ctx.addAuditDetails({ member_id: id })
    const [names] = await nameEmployees(ctx, [id])
    if (!names) throw fail('not_found')
    return names
  })

type DepartmentRow = { readonly id: string; readonly name: string; readonly parent_id: string | null; readonly count: number }
const flatten = (tree: readonly members.Department[], parent_id: string | null = null): DepartmentRow[] =>
  tree.flatMap(({ ID, NAME, count, child }) => [{ id: ID, name: NAME, parent_id, count }, ...flatten(child, ID)])

const createListDepartments = ({ run }: CallRunner) =>
  defineHandler(contract.listDepartments, async (ctx, { external_id, cursor, limit }) => {
    const after = parseIdCursor(cursor)
    const only = external_id && (await findReferenced(ctx, 'department_id', [external_id])).get(external_id)
    const rows = flatten((await run(ctx, members.getDepartList, {})).list)
      .filter(({ id }) => (external_id ? id === only : true) && (after === null || id > after))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const { data, next_cursor } = toPage(rows, limit, ({ id }) => id)
    const references = await loadReferences(
      ctx,
      'department_id',
      data.map(({ id }) => id),
    )
    return {
      data: data.map(({ id, name, parent_id, count }) => ({
        department_id: id,
        external_id: references.get(id) ?? null,
        name,
        parent_id,
        employee_count: count,
      })),
      next_cursor,
    }
  })

const createUpsertDepartments = ({ run }: CallRunner) =>
  defineHandler(contract.upsertDepartments, async (ctx, { departments }) => {
    const findParent = async ({ parent_id, parent_external_id }: (typeof departments)[number]) => {
      if (!parent_external_id) return parent_id
      const id = (await findReferenced(ctx, 'department_id', [parent_external_id])).get(parent_external_id)
      if (!id) throw fail('not_found', `没有编号为「${parent_external_id}」的部门`, { field: 'parent_external_id' })
      return id
    }
    const getTop = async (): Promise<string> => {
      const [top] = (await run(ctx, members.getDepartList, {})).list
      if (!top) throw fail('not_found', '公司还没有部门，请先新建部门')
      return top.ID
    }
    const data = await forEachItem('departments', departments, async (item) => {
      const { external_id, name } = item
      const existingId = (await findReferenced(ctx, 'department_id', [external_id])).get(external_id)
      if (existingId && item.department_id && existingId !== item.department_id)
        throw fail('wrong_state', `编号「${external_id}」已经是另一个部门的`, { field: 'external_id' })
      const id = existingId ?? item.department_id
      const pid = await findParent(item)
      if (id) await run(ctx, members.editDepartment, { id, name, ...(pid && { pid }) })
      const department_id = id ?? (await run(ctx, members.insertDepartment, { name, pid: pid ?? (await getTop()) })).id
      await saveReference(ctx, 'department_id', department_id, external_id)
      return { department_id, external_id, outcome: id ? ('updated' as const) : ('created' as const) }
    })
    return { data }
  })

export const createEmployeeHandlers = (runner: CallRunner) =>
  bindHandlers(contract, {
    listEmployees,
    upsertEmployees: createUpsertEmployees(runner),
    terminateEmployee: createTerminateEmployee(runner),
    listDepartments: createListDepartments(runner),
    upsertDepartments: createUpsertDepartments(runner),
  })
