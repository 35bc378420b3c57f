/**
 * Three demo companies with six months of pay, the same every time for one `now`. Nothing is ever sent: the delivery
 * ledger shows what would have been. Writes straight into the tables of all domains (see builders.ts).
 */

import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import { approveAgencyService, requestAgencyService } from '../modules/access/index.ts'
import { hashPassword } from '../modules/auth/index.ts'
import { recordPrepaidTransaction } from '../modules/billing/index.ts'
import { toShanghaiDate } from '../shared/clock.ts'
import { getConstraintName } from '../shared/error-code.ts'
import { addAdmin, insertCompany, insertInBatches } from './builders.ts'
import { companyPlans, sharedStaffIndex } from './company-plans.ts'
import { seedNotifications } from './notifications.ts'
import { buildDemoPlatform, type DemoPlatform, seedPlatform } from './platform.ts'
import { createSeededRandom } from './random.ts'
import { buildPayRuns, listPaidMonths } from './runs.ts'
import { buildCompany, type DemoCompany, type DemoStaff, demoEpoch } from './staff.ts'
import { seedTax } from './tax.ts'
import { seedPayRuns } from './write-runs.ts'

export type SeedDeps = {
  readonly database: Database
  readonly secrets: Secrets
  readonly now: Date
  /** False: without tax months, whose year would be compared with every wage sheet that is uploaded. */
  readonly withTax?: boolean
}
export type DemoSignIn = { readonly who: string; readonly phone: string; readonly password: string; readonly company: string }

export const demoPassword = 'xinhan2026'
const dayMs = 86_400_000

/**
 * Creates the demo companies; an existing one stays unchanged. Returns the sign-ins. Another `set` (1 to 99) contains
 * the same companies and employees again with their own ids and phones, except for the chat platform, which only the
 * first set has.
 */
export async function seed({ database, secrets, now, withTax = true }: SeedDeps, set = 0): Promise<DemoSignIn[]> {
  const months = listPaidMonths(now)
  const companies = buildDemoCompanies(months, set)
  await seedAccounts(database, companies)
  for (const company of companies)
    await seedCompany({ database, secrets, now, withTax }, company, months).catch(ignoreExistingCompany)
  const [first, ...others] = companies
  if (first && set === 0) await seedPlatform(database, secrets, first.id, buildDemoPlatform(first))
  for (const company of companies.filter((one) => one.corp_role === 20)) {
    const served = others.find((one) => one.corp_role === 10) ?? first
    if (served) await seedAgencyService(database, company, served, now)
  }
  return listDemoSignIns(companies)
}

/** Returns the first company's application on the simulated Lark and the members who are on it. */
export function getDemoPlatform(): DemoPlatform {
  const [first] = buildDemoCompanies(listPaidMonths(new Date()))
  if (!first) throw new Error('a demo without companies')
  return buildDemoPlatform(first)
}

function buildDemoCompanies(months: readonly string[], set = 0): DemoCompany[] {
  const companies: DemoCompany[] = []
  for (const plan of companyPlans) {
    const shared = plan.number === 2 ? companies[0]?.staff[sharedStaffIndex] : undefined
    companies.push(buildCompany({ ...plan, set }, months, shared))
  }
  return companies
}

async function seedAccounts(database: Database, companies: readonly DemoCompany[]): Promise<void> {
  const people = new Map(companies.flatMap((company) => company.staff.map((one): [string, DemoStaff] => [one.account_id, one])))
  const existing = await database.withoutCompany((tx) =>
    tx
      .selectFrom('account')
      .select('id')
      .where('id', 'in', [...people.keys()])
      .execute(),
  )
  if (existing.length === people.size) return
  // One hash is used for all accounts: the demo's password is no secret, and 160 hashes would take two seconds.
  const password_hash = await hashPassword(demoPassword)
  const accounts = [...people.values()].map(({ account_id, mobile }) => ({
    id: account_id,
    mobile,
    password_hash,
    created_at: demoEpoch,
  }))
  await database.withoutCompany((tx) =>
    insertInBatches(accounts, (chunk) =>
      tx
        .insertInto('account')
        .values(chunk)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    ),
  )
}

/** A second node that starts at the same time waits for the first one's row, and then finds that the company exists. */
function ignoreExistingCompany(error: unknown): void {
  if (getConstraintName(error) !== 'company_pkey') throw error
}

/** Creates one company in one transaction: an interrupted start leaves it complete or absent. */
async function seedCompany(
  { database, secrets, now, withTax }: SeedDeps,
  company: DemoCompany,
  months: readonly string[],
): Promise<void> {
  const { plan, id: company_id, root_id, departments, staff } = company
  await database.inCompany(
    company_id,
    async (tx) => {
      const existing = await tx.selectFrom('company').select('id').where('id', '=', company_id).executeTakeFirst()
      if (existing) return
      const pay = buildPayRuns(company, months, now, createSeededRandom(plan.number * 104_729, plan.set))
      const payRuns = pay.runs
      const until = plan.days_left === null ? null : new Date(now.getTime() + plan.days_left * dayMs)
      const { vault } = await insertCompany(tx, secrets, {
        id: company_id,
        name: plan.name,
        corp_role: plan.corp_role,
        edition: plan.edition,
        ...(until ? { edition_until: until } : {}),
        ...(until && plan.on_trial ? { trial_until: until } : {}),
        ...(plan.provider ? { provider: plan.provider } : {}),
        root_id,
        created_at: demoEpoch,
      })
      await tx
        .insertInto('department')
        .values(departments.map((one) => ({ company_id, ...one, source: plan.provider ?? 'manual' })))
        .execute()
      await insertInBatches(
        staff.map((one) => toMemberRow(company, one)),
        (chunk) => tx.insertInto('member').values(chunk).execute(),
      )
      const random = createSeededRandom(plan.number * 15_485_863, plan.set)
      const departmentRows = staff.map((one) => ({ company_id, member_id: one.id, department_id: one.department.id }))
      await insertInBatches(departmentRows, (chunk) => tx.insertInto('member_department').values(chunk).execute())
      for (const [at, { id, staff: one }] of company.admins.entries()) {
        const adminPlan = plan.admins[at]
        const findDepartmentIds = (name: string) =>
          departments.filter((department) => department.name === name).map((department) => department.id)
        if (!adminPlan) continue
        const scope = adminPlan.scope === 'all' ? adminPlan.scope : adminPlan.scope.flatMap(findDepartmentIds)
        await addAdmin(tx, {
          company_id,
          id,
          member_id: one.id,
          account_id: one.account_id,
          power: adminPlan.power,
          scope,
          makeId: () => random.id(demoEpoch),
          created_at: demoEpoch,
        })
      }
      const smsUsed = payRuns.flatMap((run) => run.payslips).filter((slip) => slip.channel === 'sms').length
      const purchase = { kind: 'bought', count: plan.sms_left + smsUsed, reason: 'bought', ref: company_id } as const
      if (plan.sms_left > 0)
        await recordPrepaidTransaction({ db: tx, company_id, now: demoEpoch, makeId: () => random.id(demoEpoch) }, purchase)
      await seedPayRuns({ tx, vault, company, now, random }, payRuns)
      if (withTax && plan.pay === 'office') await seedTax({ tx, vault, company, now }, pay)
      await seedNotifications(tx, { vault, company, now, chance: random })
    },
    { timeout_ms: 30_000 },
  )
}

function toMemberRow({ id: company_id, plan }: DemoCompany, staff: DemoStaff) {
  const terminated = staff.last_month !== null
  return {
    company_id,
    id: staff.id,
    account_id: terminated ? null : staff.account_id,
    name: staff.name,
    mobile: staff.mobile,
    employee_no: staff.employee_no,
    position: staff.position,
    entry_on: staff.entry_on,
    status: terminated ? ('left' as const) : ('active' as const),
    source: plan.provider ?? 'manual',
    platform_user_id: staff.platform_user_id,
    created_at: demoEpoch,
    left_at: terminated ? new Date(`${staff.last_month}-28T18:00:00+08:00`) : null,
  }
}

async function seedAgencyService(database: Database, agency: DemoCompany, served: DemoCompany, now: Date): Promise<void> {
  await database.inCompany(agency.id, (tx) =>
    tx
      .insertInto('agency_link')
      .values({
        company_id: agency.id,
        id: createSeededRandom(31).id(demoEpoch),
        served_company_id: served.id,
        served_name: served.plan.name,
        created_at: demoEpoch,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  await database.inCompany(served.id, async (db) => {
    // Demo ids are the same on each node: the second node would collide with them if it did not wait here and find the
    // row.
    await db.selectFrom('company').select('id').where('id', '=', served.id).forUpdate().execute()
    const companyTx = { db, company_id: served.id, now: demoEpoch, makeId: () => createSeededRandom(37).id(demoEpoch) }
    const isRequested = await requestAgencyService(companyTx, { agency_id: agency.id, agency_name: agency.plan.name })
    const until = toShanghaiDate(new Date(now.getTime() + 300 * dayMs))
    if (isRequested) await approveAgencyService(companyTx, agency.id, { scope: { all: true, department_ids: [] }, until })
  })
}

function listDemoSignIns(companies: readonly DemoCompany[]): DemoSignIn[] {
  const toSignIn = (company: DemoCompany, one: DemoStaff, who: string): DemoSignIn => ({
    who: `${one.name}，${who}`,
    phone: one.mobile,
    password: demoPassword,
    company: company.plan.name,
  })
  return companies.flatMap((company) => {
    const { plan, admins, staff } = company
    const employee = staff.find((one) => one.index > 5 && !one.last_month)
    return [
      ...admins.flatMap(({ staff: one }, at) => {
        const adminPlan = plan.admins[at]
        return adminPlan ? [toSignIn(company, one, adminPlan.who)] : []
      }),
      ...(employee && plan.pay !== 'none' ? [toSignIn(company, employee, '员工')] : []),
    ]
  })
}
