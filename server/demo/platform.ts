/**
 * The first demo company on the simulated Lark: its departments, its employees, and who has signed in through it
 * before.
 */

import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import { createSeededRandom } from './random.ts'
import { type DemoCompany, type DemoStaff, demoEpoch } from './staff.ts'

type DemoPlatformUser = {
  readonly provider: 'lark'
  readonly corp_id: string
  readonly user_id: string
  readonly name: string
  readonly mobile: string
  readonly description: string
  readonly department_ids: readonly string[]
  readonly employee_no: string
  readonly job_title: string
  /** The linked account; null for a user who signs in for the first time. */
  readonly account_id: string | null
}
type DemoDepartment = {
  readonly provider: 'lark'
  readonly corp_id: string
  readonly id: string
  /** '0': the company itself. */
  readonly parent_id: string
  readonly name: string
  readonly order: number
}
export type DemoPlatform = {
  readonly app: {
    readonly id: string
    readonly provider: 'lark'
    readonly corp_id: string
    readonly app_id: string
    readonly agent_id: string
    readonly secret: string
  }
  readonly departments: readonly DemoDepartment[]
  readonly people: readonly DemoPlatformUser[]
}

const corp_id = 'tenant_yunshan_demo'
/** Indexes of two employees who have signed in before; the others sign in for the first time. */
const linkedStaffIndexes = [8, 9]
const toPlatformDepartmentId = (id: string): string => `od-${id.replaceAll('-', '')}`

export function buildDemoPlatform(company: DemoCompany): DemoPlatform {
  const toPlatformUser = (one: DemoStaff, about: string, isLinked: boolean): DemoPlatformUser => ({
    provider: 'lark',
    corp_id,
    user_id: one.platform_user_id ?? `ou_${one.id.replaceAll('-', '')}`,
    name: one.name,
    mobile: one.mobile,
    description: `${about} · ${isLinked ? '已关联手机号' : '第一次从飞书登录，会请您验证手机号'}`,
    department_ids: [toPlatformDepartmentId(one.department.id)],
    employee_no: one.employee_no,
    job_title: one.position,
    account_id: isLinked ? one.account_id : null,
  })
  const admins = company.admins.map(({ staff: one }, at) => toPlatformUser(one, company.plan.admins[at]?.who ?? '', true))
  const isAdmin = new Set(company.admins.map(({ staff }) => staff.id))
  const staff = company.staff
    .filter((one) => one.last_month === null && !isAdmin.has(one.id))
    .map((one) => toPlatformUser(one, `员工 ${one.mobile}`, linkedStaffIndexes.includes(one.index)))
    .toSorted((a, b) => Number(b.account_id !== null) - Number(a.account_id !== null))
  const departments = company.departments.map(({ id, parent_id, name, position }) => ({
    provider: 'lark' as const,
    corp_id,
    id: toPlatformDepartmentId(id),
    parent_id: parent_id === company.root_id ? '0' : toPlatformDepartmentId(parent_id),
    name,
    order: position,
  }))
  return {
    app: {
      id: createSeededRandom(97).id(demoEpoch),
      provider: 'lark',
      corp_id,
      app_id: 'cli_demo0000000001',
      agent_id: '',
      // The value is no secret: it only opens the demo's own simulated platform.
      secret: 'the demo keeps no secrets',
    },
    departments,
    people: [...admins, ...staff],
  }
}

export async function seedPlatform(
  database: Database,
  secrets: Secrets,
  company_id: string,
  { app, people }: DemoPlatform,
): Promise<void> {
  await database.inCompany(company_id, async (tx) => {
    const vault = await secrets.vault(tx, company_id)
    const secret = vault.seal({ table: 'platform_app', row: app.id, column: 'secret' }, app.secret)
    await tx
      .insertInto('platform_app')
      .values({ ...app, company_id, secret, created_at: demoEpoch, proved_at: demoEpoch })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
  await database.inCompany(company_id, async (tx) => {
    const { id, provider, corp_id: corp } = app
    await tx
      .insertInto('binding')
      .values({
        company_id,
        id,
        provider,
        corp_id: corp,
        corp_name: '云杉科技',
        mode: 'self_built',
        app_id: id,
        status: 10,
        checked_at: demoEpoch,
        bound_at: demoEpoch,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await tx
      .insertInto('binding_event')
      .values({ company_id, id, binding_id: id, at: demoEpoch, kind: 'bound', by_name: '沈知遥' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
  const identities = people.flatMap(({ provider, corp_id: corp, user_id, account_id }) =>
    account_id ? [{ provider, corp_id: corp, user_id, account_id, created_at: demoEpoch }] : [],
  )
  await database.withoutCompany((tx) =>
    tx
      .insertInto('platform_identity')
      .values(identities)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}
