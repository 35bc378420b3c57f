/**
 * The first demo company on the simulated Lark: its departments, its employees, and who has signed in through it
 * before.
 */

import type { Secrets } from '../crypto/secrets.ts'
import type { Database, Tx } from '../database/database.ts'
import { insertInBatches } from './builders.ts'
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
  readonly member_id: string
  /** How the last sync matched the user with the member; null: the user has joined the platform since. */
  readonly link: 'same' | 'conflict' | null
}
type DemoDepartment = {
  readonly provider: 'lark'
  readonly corp_id: string
  readonly id: string
  /** '0': the company itself. */
  readonly parent_id: string
  readonly name: string
  readonly order: number
  /** The department of the roster. */
  readonly department_id: string
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
export const demoCorpName = '云杉科技'
/** Indexes of two employees who sign in through the platform for the first time; the others have done so before. */
const newStaffIndexes = [8, 9]
/** The first employees have parts in the demo: administrators, the sign-in that the start prints, and the two above. */
const conflictAfterIndex = 10
const toPlatformDepartmentId = (id: string): string => `od-${id.replaceAll('-', '')}`

/** The name in the platform differs, and the employee number is missing: an administrator has to decide who it is. */
export const createNickname = ({ name }: { readonly name: string }) => ({ name: `小${name.slice(0, 1)}`, employee_no: '' })

export function buildDemoPlatform(company: DemoCompany): DemoPlatform {
  const isAdmin = new Set(company.admins.map(({ staff }) => staff.id))
  const active = company.staff.filter((one) => one.last_month === null && !isAdmin.has(one.id))
  const conflicting = active.find((one) => one.platform_user_id === null && one.index > conflictAfterIndex)
  const toPlatformUser = (one: DemoStaff, about: string, isLinked: boolean): DemoPlatformUser => ({
    provider: 'lark',
    corp_id,
    user_id: one.platform_user_id ?? `ou_${one.id.replaceAll('-', '')}`,
    ...(one === conflicting ? createNickname(one) : { name: one.name, employee_no: one.employee_no }),
    mobile: one.mobile,
    description: `${about} · ${isLinked ? '已关联手机号' : '第一次从飞书登录，会请您验证手机号'}`,
    department_ids: [toPlatformDepartmentId(one.department.id)],
    job_title: one.position,
    account_id: isLinked ? one.account_id : null,
    member_id: one.id,
    link: one === conflicting ? 'conflict' : one.platform_user_id === null ? null : 'same',
  })
  const admins = company.admins.map(({ staff: one }, at) => toPlatformUser(one, company.plan.admins[at]?.who ?? '', true))
  const staff = active
    .map((one) => toPlatformUser(one, `员工 ${one.mobile}`, one !== conflicting && !newStaffIndexes.includes(one.index)))
    .toSorted((a, b) => Number(b.account_id !== null) - Number(a.account_id !== null))
  const departments = company.departments.map(({ id, parent_id, name, position }) => ({
    provider: 'lark' as const,
    corp_id,
    id: toPlatformDepartmentId(id),
    parent_id: parent_id === company.root_id ? '0' : toPlatformDepartmentId(parent_id),
    name,
    order: position,
    department_id: id,
  }))
  return {
    app: {
      id: createSeededRandom(97).id(demoEpoch),
      provider: 'lark',
      corp_id,
      app_id: 'cli_demo0000000001',
      agent_id: '',
      // The value is no secret: it only opens the demo's own simulated platform.
      secret: 'demo-keeps-no-secrets',
    },
    departments,
    people: [...admins, ...staff],
  }
}

export async function seedPlatform(
  database: Database,
  secrets: Secrets,
  company_id: string,
  { app, departments, people }: DemoPlatform,
): Promise<void> {
  const { id, provider, corp_id: corp, secret } = app
  await database.inCompany(company_id, async (tx) => {
    const vault = await secrets.vault(tx, company_id)
    const sealed = vault.seal({ table: 'platform_app', row: id, column: 'secret' }, secret)
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('binding')
      .values({
        company_id,
        id,
        provider,
        corp_id: corp,
        corp_name: demoCorpName,
        mode: 'self_built',
        app_id: id,
        status: 10,
        visible: JSON.stringify({ isFull: true, department_ids: [], user_ids: [] }),
        checked_at: demoEpoch,
        bound_at: demoEpoch,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    // A binding that a visitor has ended stays ended. The simulated platform accepts the present secret only.
    if (!numInsertedOrUpdatedRows) {
      const replaced = tx.updateTable('platform_app').set({ secret: sealed })
      await replaced.where('company_id', '=', company_id).where('id', '=', id).execute()
      return
    }
    await tx
      .insertInto('platform_app')
      .values({ ...app, company_id, secret: sealed, created_at: demoEpoch, proved_at: demoEpoch })
      .execute()
    await tx
      .insertInto('binding_event')
      .values({ company_id, id, binding_id: id, at: demoEpoch, kind: 'bound', by_name: '沈知遥' })
      .execute()
    await seedDirectory(tx, company_id, { app, departments, people })
  })
  await savePlatformIdentities(database, people, demoEpoch)
}

/** Links platform users to accounts, as their first sign-in through the platform does. */
export async function savePlatformIdentities(
  database: Database,
  users: readonly {
    readonly provider: string
    readonly corp_id: string
    readonly user_id: string
    readonly account_id: string | null
  }[],
  created_at: Date,
): Promise<void> {
  const identities = users.flatMap(({ provider, corp_id: corp, user_id, account_id }) =>
    account_id ? [{ provider, corp_id: corp, user_id, account_id, created_at }] : [],
  )
  await database.withoutCompany((tx) =>
    insertInBatches(identities, (chunk) =>
      tx
        .insertInto('platform_identity')
        .values(chunk)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    ),
  )
}

/** Writes what the last sync has read: users who are linked to members, and one whom an administrator has to match. */
async function seedDirectory(tx: Tx, company_id: string, { app, departments, people }: DemoPlatform): Promise<void> {
  const random = createSeededRandom(101)
  const own = { company_id, provider: app.provider, corp_id: app.corp_id }
  const synced = people.filter(({ link }) => link !== null)
  await tx
    .insertInto('platform_sync')
    .values({
      company_id,
      id: random.id(demoEpoch),
      binding_id: app.id,
      mode: 'full',
      state: 'done',
      cursor: JSON.stringify({ step: 'match' }),
      departments: departments.length,
      people: synced.length,
      counts: JSON.stringify({ created: synced.length, updated: 0, left: 0, back: 0 }),
      by_name: '沈知遥',
      started_at: demoEpoch,
      ended_at: demoEpoch,
    })
    .execute()
  await tx
    .insertInto('platform_department')
    .values(
      departments.map(({ id: key, parent_id: parent_key, name, order, department_id }) => ({
        ...own,
        id: random.id(demoEpoch),
        key,
        parent_key,
        name,
        position: order,
        department_id,
      })),
    )
    .execute()
  await tx
    .insertInto('platform_user')
    .values(
      synced.map(({ user_id, name, mobile, employee_no, job_title, department_ids, member_id, link }) => ({
        ...own,
        id: random.id(demoEpoch),
        user_id,
        name,
        mobile,
        employee_no,
        details: JSON.stringify({
          user_id,
          name,
          mobile,
          employee_no,
          email: '',
          job_title,
          departments: department_ids,
          main_department: department_ids[0] ?? '',
          leads: [],
          sort: {},
          status: 'active',
        }),
        ...(link === 'same'
          ? { member_id, linked_by: 'matched' as const, match_status: 'same' as const }
          : { match_status: 'conflict' as const, match_reason: 'phone' as const, candidates: [member_id] }),
      })),
    )
    .execute()
}
