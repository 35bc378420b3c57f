/** A company's departments and people as plain values, before anything is written. */
import type { CorpRole } from '../contract/who.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Terms } from './pay.ts'
import { type CompanyPlan, nameOf, phoneOf, type StaffBranch } from './people.ts'

/** Ids of what does not depend on today carry this time, so that they are the same on every day. */
export const epoch = new Date('2024-03-01T09:00:00+08:00')

type Department = { readonly id: string; readonly parent_id: string; readonly name: string; readonly place: number }
export type Staff = {
  readonly at: number
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  readonly position: string
  readonly entry_on: string
  /** Last month paid; null for who is still here. */
  readonly last_month: string | null
  readonly department: Department
  readonly platform_user_id: string | null
  readonly terms: Terms
}
export type Company = {
  readonly plan: CompanyPlan
  readonly id: string
  readonly root_id: string
  readonly corp_role: CorpRole
  readonly departments: readonly Department[]
  readonly staff: readonly Staff[]
  readonly admins: readonly { readonly id: string; readonly staff: Staff }[]
}

const jobs: Readonly<Record<string, readonly string[]>> = {
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

/** Everybody of a company. `months` are the six paid ones, oldest first; `shared` works here as well and keeps the account. */
export function companyOf(plan: CompanyPlan, months: readonly string[], shared?: Staff): Company {
  const chance = chanceOf(plan.number * 7919, plan.set)
  const id = chance.id(epoch)
  const root_id = chance.id(epoch)
  const departments: Department[] = []
  const seats: Department[] = []
  const grow = (branches: readonly StaffBranch[], parent_id: string): void => {
    for (const branch of branches) {
      const department = { id: chance.id(epoch), parent_id, name: branch.name, place: departments.length }
      departments.push(department)
      for (let seat = 0; seat < branch.people; seat += 1) seats.push(department)
      grow(branch.below ?? [], department.id)
    }
  }
  grow(plan.root, root_id)
  const staff = seats.map((department, at) => person(plan, department, at, months, chance))
  const [first] = departments
  if (shared && first) {
    const made = person(plan, first, staff.length, months, chance)
    const { account_id, name, mobile } = shared
    staff.push({
      ...made,
      account_id,
      name,
      mobile,
      position: '兼职会计',
      terms: { ...made.terms, base: 2600, post: 0, performance: 0 },
    })
  }
  const stay = staff.length
  for (let gone = 0; gone < plan.leavers; gone += 1) {
    const department = seats[(gone * 31 + 19) % seats.length]
    const last_month = months[1 + gone]
    if (!department || !last_month) continue
    const leaver = person(plan, department, stay + gone, months, chance)
    staff.push({ ...leaver, last_month, entry_on: '2023-06-12', terms: { ...leaver.terms, entry_month: '2023-06' } })
  }
  const admins = plan.admins.flatMap(({ at }) => {
    const one = staff[at]
    return one ? [{ id: chance.id(epoch), staff: one }] : []
  })
  return { plan, id, root_id, corp_role: plan.corp_role, departments, staff, admins }
}

function person(plan: CompanyPlan, department: Department, at: number, months: readonly string[], chance: Chance): Staff {
  const { number } = plan
  // A few came within these months, so that the number of people moves; administrators did not.
  const month = months[chance.whole(1, 5)] ?? '2025-01'
  const isNew = chance.often(0.06) && at > 5
  const day = String(chance.whole(1, 28)).padStart(2, '0')
  const entry_on = isNew
    ? `${month}-${day}`
    : `${chance.whole(2018, 2024)}-${String(chance.whole(1, 12)).padStart(2, '0')}-${day}`
  return {
    at,
    id: chance.id(epoch),
    account_id: chance.id(epoch),
    name: nameOf(number, at, chance),
    mobile: phoneOf(plan, at),
    employee_no: `${['', 'YS', 'XM', 'CD'][number] ?? 'X'}${String(at + 1).padStart(4, '0')}`,
    position: chance.pick(jobs[department.name] ?? ['职员']),
    entry_on,
    last_month: null,
    department,
    platform_user_id: plan.provider && chance.often(0.5) ? `ou_${chance.id(epoch).replaceAll('-', '')}` : null,
    terms: termsOf(plan, entry_on, months, chance),
  }
}

function termsOf(plan: CompanyPlan, entry_on: string, months: readonly string[], chance: Chance): Terms {
  const office = plan.pay === 'office'
  const level = chance.next() ** 2
  return {
    base: office ? 5000 + Math.round(level * 20) * 500 : 3200 + chance.whole(0, 8) * 100,
    post: office ? 800 + Math.round(level * 30) * 100 : 300 + chance.whole(0, 6) * 100,
    performance: office ? 600 + Math.round(level * 40) * 100 : 300 + chance.whole(0, 5) * 100,
    overtime: office ? 900 : 500,
    fund_ppm: office ? 120_000 : 50_000,
    special: chance.pick([0, 0, 1000, 1500, 2000, 3000]),
    raise: chance.often(0.35) ? { month: months[chance.whole(2, 4)] ?? '', ppm: chance.whole(3, 10) * 10_000 } : null,
    entry_month: entry_on.slice(0, 7),
  }
}
