/**
 * Three demo companies with six months of pay, the same every time for one `now`. Nothing of it is ever sent: the ledger says what
 * would have been. Writes straight into the tables of all domains (see blocks.ts).
 */
import { hashPassword } from '../domain/account/index.ts'
import { movePool } from '../domain/company/index.ts'
import { approveService, askToServe } from '../domain/role/index.ts'
import { dayOf } from '../runtime/clock.ts'
import { constraintOf } from '../runtime/data/failure.ts'
import type { Database } from '../runtime/db.ts'
import type { Secrets } from '../runtime/secrets.ts'
import { addAdmin, foundCompany, insertAll } from './blocks.ts'
import { chanceOf } from './chance.ts'
import { writeDesk } from './desk.ts'
import { bookkeeper_at, plans } from './people.ts'
import { type DemoPlatform, platformOf, writePlatform } from './platform.ts'
import { paidMonths, runsOf } from './runs.ts'
import { type Company, companyOf, epoch, type Staff } from './staff.ts'
import { writeRuns } from './write-runs.ts'

export type SeedParts = { readonly database: Database; readonly secrets: Secrets; readonly now: Date }
export type DemoSignIn = { readonly who: string; readonly phone: string; readonly password: string; readonly company: string }

export const demo_password = 'xinhan2026'
const day_ms = 86_400_000

/**
 * Makes the demo's companies; one that is there already stays as it is. Answers who may sign in. Another `set` (1 to 99) is the same
 * companies and people once more, with ids and phones of their own, but for the chat platform, which only the first one has.
 */
export async function seed({ database, secrets, now }: SeedParts, set = 0): Promise<DemoSignIn[]> {
  const months = paidMonths(now)
  const companies = demoCompanies(months, set)
  await writeAccounts(database, companies)
  for (const company of companies) await writeCompany({ database, secrets, now }, company, months).catch(madeMeanwhile)
  const [first, ...others] = companies
  if (first && set === 0) await writePlatform(database, secrets, first.id, platformOf(first))
  for (const company of companies.filter((one) => one.corp_role === 20)) {
    const served = others.find((one) => one.corp_role === 10) ?? first
    if (served) await serve(database, company, served, now)
  }
  return signInsOf(companies)
}

/** The first company's application on the simulated Lark, and who of its people is there. */
export function demoPlatform(): DemoPlatform {
  const [first] = demoCompanies(paidMonths(new Date()))
  if (!first) throw new Error('a demo without companies')
  return platformOf(first)
}

function demoCompanies(months: readonly string[], set = 0): Company[] {
  const companies: Company[] = []
  for (const plan of plans) {
    const shared = plan.number === 2 ? companies[0]?.staff[bookkeeper_at] : undefined
    companies.push(companyOf({ ...plan, set }, months, shared))
  }
  return companies
}

async function writeAccounts(database: Database, companies: readonly Company[]): Promise<void> {
  const people = new Map(companies.flatMap((company) => company.staff.map((one): [string, Staff] => [one.account_id, one])))
  const known = await database.outside((tx) =>
    tx
      .selectFrom('account')
      .select('id')
      .where('id', 'in', [...people.keys()])
      .execute(),
  )
  if (known.length === people.size) return
  // One hash for all: the demo's password is no secret, and 160 hashes would take two seconds.
  const password_hash = await hashPassword(demo_password)
  const accounts = [...people.values()].map(({ account_id, mobile }) => ({
    id: account_id,
    mobile,
    password_hash,
    created_at: epoch,
  }))
  await database.outside((tx) =>
    insertAll(accounts, (some) =>
      tx
        .insertInto('account')
        .values(some)
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    ),
  )
}

/** A second node that starts at the same moment waits for the first one's row, then finds the company made. */
function madeMeanwhile(error: unknown): void {
  if (constraintOf(error) !== 'company_pkey') throw error
}

/** All of one company in one transaction: a start that is cut off leaves it whole or not at all. */
async function writeCompany({ database, secrets, now }: SeedParts, company: Company, months: readonly string[]): Promise<void> {
  const { plan, id: company_id, root_id, departments, staff } = company
  await database.inCompany(
    company_id,
    async (tx) => {
      const there = await tx.selectFrom('company').select('id').where('id', '=', company_id).executeTakeFirst()
      if (there) return
      const runs = runsOf(company, months, now, chanceOf(plan.number * 104_729, plan.set))
      const until = plan.days_left === null ? null : new Date(now.getTime() + plan.days_left * day_ms)
      const { vault } = await foundCompany(tx, secrets, {
        id: company_id,
        name: plan.name,
        corp_role: plan.corp_role,
        edition: plan.edition,
        ...(until ? { edition_until: until } : {}),
        ...(until && plan.on_trial ? { trial_until: until } : {}),
        ...(plan.provider ? { provider: plan.provider } : {}),
        root_id,
        created_at: epoch,
      })
      await tx
        .insertInto('department')
        .values(departments.map((one) => ({ company_id, ...one, source: plan.provider ?? 'manual' })))
        .execute()
      await insertAll(
        staff.map((one) => memberRow(company, one)),
        (some) => tx.insertInto('member').values(some).execute(),
      )
      const chance = chanceOf(plan.number * 15_485_863, plan.set)
      const places = staff.map((one) => ({ company_id, member_id: one.id, department_id: one.department.id }))
      await insertAll(places, (some) => tx.insertInto('member_department').values(some).execute())
      for (const [at, { id, staff: one }] of company.admins.entries()) {
        const wish = plan.admins[at]
        const named = (name: string) =>
          departments.filter((department) => department.name === name).map((department) => department.id)
        if (!wish) continue
        const scope = wish.scope === 'all' ? wish.scope : wish.scope.flatMap(named)
        await addAdmin(tx, {
          company_id,
          id,
          member_id: one.id,
          account_id: one.account_id,
          power: wish.power,
          scope,
          makeId: () => chance.id(epoch),
          created_at: epoch,
        })
      }
      const used = runs.flatMap((run) => run.slips).filter((slip) => slip.channel === 'sms').length
      const bought = { kind: 'bought', count: plan.sms_left + used, why: 'bought', ref: company_id } as const
      if (plan.sms_left > 0) await movePool({ db: tx, company_id, now: epoch, makeId: () => chance.id(epoch) }, bought)
      await writeRuns({ tx, vault, company, now, chance }, runs)
      await writeDesk(tx, { vault, company, now, chance })
    },
    { timeout_ms: 30_000 },
  )
}

function memberRow({ id: company_id, plan }: Company, one: Staff) {
  const left = one.last_month !== null
  return {
    company_id,
    id: one.id,
    account_id: left ? null : one.account_id,
    name: one.name,
    mobile: one.mobile,
    employee_no: one.employee_no,
    position: one.position,
    entry_on: one.entry_on,
    status: left ? ('left' as const) : ('active' as const),
    source: plan.provider ?? 'manual',
    platform_user_id: one.platform_user_id,
    created_at: epoch,
    left_at: left ? new Date(`${one.last_month}-28T18:00:00+08:00`) : null,
  }
}

async function serve(database: Database, agency: Company, served: Company, now: Date): Promise<void> {
  await database.inCompany(agency.id, (tx) =>
    tx
      .insertInto('agency_link')
      .values({
        company_id: agency.id,
        id: chanceOf(31).id(epoch),
        served_company_id: served.id,
        served_name: served.plan.name,
        created_at: epoch,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  await database.inCompany(served.id, async (db) => {
    // Ids of the demo are the same on each node: whoever came second would collide with them, were he not to wait here and find the row.
    await db.selectFrom('company').select('id').where('id', '=', served.id).forUpdate().execute()
    const here = { db, company_id: served.id, now: epoch, makeId: () => chanceOf(37).id(epoch) }
    const asked = await askToServe(here, { agency_id: agency.id, agency_name: agency.plan.name })
    const until = dayOf(new Date(now.getTime() + 300 * day_ms))
    if (asked) await approveService(here, agency.id, { scope: { all: true, department_ids: [] }, until })
  })
}

function signInsOf(companies: readonly Company[]): DemoSignIn[] {
  const line = (company: Company, one: Staff, who: string): DemoSignIn => ({
    who: `${one.name}，${who}`,
    phone: one.mobile,
    password: demo_password,
    company: company.plan.name,
  })
  return companies.flatMap((company) => {
    const { plan, admins, staff } = company
    const employee = staff.find((one) => one.at > 5 && !one.last_month)
    return [
      ...admins.flatMap(({ staff: one }, at) => {
        const wish = plan.admins[at]
        return wish ? [line(company, one, wish.who)] : []
      }),
      ...(employee && plan.pay !== 'none' ? [line(company, employee, '员工')] : []),
    ]
  })
}
