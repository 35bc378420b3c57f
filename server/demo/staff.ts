/** A company's departments and employees as plain values, before anything is written. */
import type { CorpRole } from '../contract/access.ts'
import { type CompanyPlan, type DepartmentPlan, getDemoName, getDemoPhone } from './company-plans.ts'
import type { PayTerms } from './pay.ts'
import { createSeededRandom, type SeededRandom } from './random.ts'

/** Time used for ids that do not depend on the current date, so that they are the same every day. */
export const demoEpoch = new Date('2024-03-01T09:00:00+08:00')

type DemoDepartment = { readonly id: string; readonly parent_id: string; readonly name: string; readonly position: number }
export type DemoStaff = {
  readonly index: number
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  readonly position: string
  readonly entry_on: string
  /** The last paid month; null for active employees. */
  readonly last_month: string | null
  readonly department: DemoDepartment
  readonly platform_user_id: string | null
  readonly terms: PayTerms
}
export type DemoCompany = {
  readonly plan: CompanyPlan
  readonly id: string
  readonly root_id: string
  readonly corp_role: CorpRole
  readonly departments: readonly DemoDepartment[]
  readonly staff: readonly DemoStaff[]
  readonly admins: readonly { readonly id: string; readonly staff: DemoStaff }[]
}

const positionsByDepartment: Readonly<Record<string, readonly string[]>> = {
  综合管理部: ['行政专员', '人事专员', '会计', '出纳', '法务专员'],
  研发中心: ['技术总监', '架构师', '项目经理'],
  平台研发部: ['后端工程师', '高级后端工程师', '运维工程师'],
  应用研发部: ['前端工程师', '客户端工程师', '产品设计师'],
  质量保障部: ['测试工程师', '自动化测试工程师'],
  营销中心: ['营销总监', '商务经理'],
  市场部: ['市场专员', '品牌策划', '内容运营'],
  销售部: ['销售代表', '大客户经理', '销售主管'],
  店务管理: ['店长', '副店长', '采购'],
  前厅: ['服务员', '收银员', '领班'],
  后厨: ['厨师', '切配', '面点师'],
  客户服务部: ['客户经理', '薪酬专员'],
}

/**
 * Builds all employees of a company. `months` are the six paid ones, oldest first; `shared` also works here, with the
 * same account.
 */
export function buildCompany(plan: CompanyPlan, months: readonly string[], shared?: DemoStaff): DemoCompany {
  const random = createSeededRandom(plan.number * 7919, plan.set)
  const id = random.id(demoEpoch)
  const root_id = random.id(demoEpoch)
  const departments: DemoDepartment[] = []
  const staffDepartments: DemoDepartment[] = []
  const addDepartments = (branches: readonly DepartmentPlan[], parent_id: string): void => {
    for (const branch of branches) {
      const department = { id: random.id(demoEpoch), parent_id, name: branch.name, position: departments.length }
      departments.push(department)
      for (let count = 0; count < branch.member_count; count += 1) staffDepartments.push(department)
      addDepartments(branch.children ?? [], department.id)
    }
  }
  addDepartments(plan.root, root_id)
  const staff = staffDepartments.map((department, at) => buildStaff(plan, department, at, months, random))
  const [first] = departments
  if (shared && first) {
    const created = buildStaff(plan, first, staff.length, months, random)
    const { account_id, name, mobile } = shared
    staff.push({
      ...created,
      account_id,
      name,
      mobile,
      position: '兼职会计',
      terms: { ...created.terms, base: 2600, post: 0, performance: 0 },
    })
  }
  const activeCount = staff.length
  for (let index = 0; index < plan.terminated_count; index += 1) {
    const department = staffDepartments[(index * 31 + 19) % staffDepartments.length]
    const last_month = months[1 + index]
    if (!department || !last_month) continue
    const terminated = buildStaff(plan, department, activeCount + index, months, random)
    staff.push({ ...terminated, last_month, entry_on: '2023-06-12', terms: { ...terminated.terms, entry_month: '2023-06' } })
  }
  const admins = plan.admins.flatMap(({ at }) => {
    const one = staff[at]
    return one ? [{ id: random.id(demoEpoch), staff: one }] : []
  })
  return { plan, id, root_id, corp_role: plan.corp_role, departments, staff, admins }
}

function buildStaff(
  plan: CompanyPlan,
  department: DemoDepartment,
  index: number,
  months: readonly string[],
  random: SeededRandom,
): DemoStaff {
  const { number } = plan
  // Some joined within these months, so that the headcount varies; administrators did not.
  const month = months[random.integer(1, 5)] ?? '2025-01'
  const isNew = random.chance(0.06) && index > 5
  const day = String(random.integer(1, 28)).padStart(2, '0')
  const entry_on = isNew
    ? `${month}-${day}`
    : `${random.integer(2018, 2024)}-${String(random.integer(1, 12)).padStart(2, '0')}-${day}`
  return {
    index,
    id: random.id(demoEpoch),
    account_id: random.id(demoEpoch),
    name: getDemoName(number, index, random),
    mobile: getDemoPhone(plan, index),
    employee_no: `${['', 'YS', 'XM', 'CD'][number] ?? 'X'}${String(index + 1).padStart(4, '0')}`,
    position: random.pick(positionsByDepartment[department.name] ?? ['职员']),
    entry_on,
    last_month: null,
    department,
    platform_user_id: plan.provider && random.chance(0.5) ? `ou_${random.id(demoEpoch).replaceAll('-', '')}` : null,
    terms: buildPayTerms(plan, entry_on, months, random),
  }
}

function buildPayTerms(plan: CompanyPlan, entry_on: string, months: readonly string[], random: SeededRandom): PayTerms {
  const office = plan.pay === 'office'
  const level = random.next() ** 2
  return {
    base: office ? 5000 + Math.round(level * 20) * 500 : 3200 + random.integer(0, 8) * 100,
    post: office ? 800 + Math.round(level * 30) * 100 : 300 + random.integer(0, 6) * 100,
    performance: office ? 600 + Math.round(level * 40) * 100 : 300 + random.integer(0, 5) * 100,
    overtime: office ? 900 : 500,
    fund_ppm: office ? 120_000 : 50_000,
    special: random.pick([0, 0, 1000, 1500, 2000, 3000]),
    raise: random.chance(0.35) ? { month: months[random.integer(2, 4)] ?? '', ppm: random.integer(3, 10) * 10_000 } : null,
    entry_month: entry_on.slice(0, 7),
  }
}
