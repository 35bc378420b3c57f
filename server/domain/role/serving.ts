/**
 * Agencies that serve this company, and the seats of their people: rows of administrators that open by a session of the agency only. Writes
 * agency_service, admin and admin_department.
 */
import type { Power } from '../../contract/who.ts'
import { isoOf } from '../../runtime/clock.ts'
import type { Ctx, RightsCtx } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { endSessions } from '../../runtime/request/sessions.ts'
import { departmentTree, type RoleHere, sayScope, writeRights } from './rows.ts'
import type { Scope } from './rules/scopes.ts'

type ServiceStatus = 'waiting' | 'active' | 'refused' | 'ended'
export type AgencyService = {
  readonly id: string
  readonly agency_id: string
  readonly agency_name: string
  readonly status: ServiceStatus
  readonly scope: Scope
  /** Its last day, `2027-11-20`; null as long as it was not approved. */
  readonly until: string | null
  readonly applied_at: Date
  readonly decided_at: Date | null
}
/** What an agency's people may do here: the work of a payroll administrator. */
const seat_power: readonly Power[] = ['2']

const columns = [
  'id',
  'agency_id',
  'agency_name',
  'status',
  'scope_all',
  'department_ids',
  'until',
  'applied_at',
  'decided_at',
] as const
type Row = Omit<AgencyService, 'scope'> & { readonly scope_all: boolean; readonly department_ids: string[] }
const serviceIn = ({ scope_all, department_ids, ...row }: Row): AgencyService => ({
  ...row,
  scope: { all: scope_all, department_ids },
})

/** Held until the transaction ends: whoever takes the seat away waits for what is done from it, or comes first and is seen. */
export async function holdSeat({ db, company_id }: RoleHere, seat: { agency_id: string; account_id: string }): Promise<void> {
  await db
    .selectFrom('admin')
    .select('id')
    .where('company_id', '=', company_id)
    .where('agency_id', '=', seat.agency_id)
    .where('account_id', '=', seat.account_id)
    .forShare()
    .execute()
}

/** What stands between this company and an agency, or null. */
export async function serviceBy({ db, company_id }: RoleHere, agency_id: string): Promise<AgencyService | null> {
  const row = await db
    .selectFrom('agency_service')
    .select(columns)
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .executeTakeFirst()
  return row ? serviceIn(row) : null
}

/** Those that serve this company or did, the newest first, with their scope in words. */
export async function services(
  here: RoleHere,
): Promise<(AgencyService & { readonly scope_words: string; readonly since: string | null })[]> {
  const rows = await here.db
    .selectFrom('agency_service')
    .select(columns)
    .where('company_id', '=', here.company_id)
    .where('status', 'in', ['active', 'ended'])
    .orderBy('applied_at', 'desc')
    .orderBy('id')
    .execute()
  const tree = await departmentTree(here)
  return rows.map((row) => {
    const one = serviceIn(row)
    return { ...one, scope_words: sayScope(one.scope, tree), since: one.decided_at && isoOf(one.decided_at) }
  })
}

/** An agency asks to serve: false where it does already, or its wish waits. */
export async function askToServe(
  { db, company_id, now, makeId = newId }: RoleHere & Pick<Ctx, 'now'> & { readonly makeId?: () => string },
  agency: { readonly agency_id: string; readonly agency_name: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('agency_service')
    .values({ company_id, id: makeId(), ...agency, status: 'waiting', applied_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'agency_id'])
        .doUpdateSet({ status: 'waiting', agency_name: agency.agency_name, applied_at: now, decided_at: null, ended_at: null })
        .where('agency_service.status', 'in', ['refused', 'ended']),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

type Sitter = { readonly agency_id: string; readonly account_id: string }
/** The seat of one person of an agency. */
export async function seatOf(
  { db, company_id }: RoleHere,
  { agency_id, account_id }: Sitter,
): Promise<{ id: string; power: Power[] } | null> {
  const row = await db
    .selectFrom('admin')
    .select(['id', 'power'])
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  return row ? { id: row.id, power: row.power } : null
}

/** A new seat that opens nothing yet: it has no power and no scope. `member_id`: how the roster calls whoever sits on it. */
export async function addSeat(
  { db, company_id, now }: RoleHere & Pick<Ctx, 'now'>,
  { agency_id, account_id, member_id }: Sitter & { readonly member_id: string },
): Promise<string> {
  const id = newId()
  await db.insertInto('admin').values({ company_id, id, member_id, account_id, agency_id, power: [], created_at: now }).execute()
  return id
}

/** The agency whose seat it is. */
export async function agencyOfSeat({ db, company_id }: RoleHere, admin_id: string): Promise<string | null> {
  const row = await db
    .selectFrom('admin')
    .select('agency_id')
    .where('company_id', '=', company_id)
    .where('id', '=', admin_id)
    .executeTakeFirst()
  return row?.agency_id ?? null
}

type Terms = { readonly scope: Scope; readonly until: string }
/** The agency serves, on these terms. */
export async function approveService(
  { db, company_id, now }: RoleHere & Pick<Ctx, 'now'>,
  agency_id: string,
  { scope, until }: Terms,
) {
  await db
    .updateTable('agency_service')
    .set({ status: 'active', scope_all: scope.all, department_ids: [...scope.department_ids], until, decided_at: now })
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .execute()
}

/** What is approved holds for all seats of the agency, also those that were emptied when it served before. */
export async function beginService(ctx: RightsCtx, agency_id: string, terms: Terms): Promise<void> {
  await approveService(ctx, agency_id, terms)
  for (const seat of await seatsOf(ctx, agency_id)) await openSeat(ctx, seat, terms)
}

/** The wish is turned down, or taken back. */
export async function refuseService({ db, company_id, now }: RightsCtx, agency_id: string): Promise<void> {
  await db
    .updateTable('agency_service')
    .set({ status: 'refused', decided_at: now })
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .where('status', '=', 'waiting')
    .execute()
}

/**
 * At once: seats have no power any more, and whoever sits on one is signed out. Waits for the deeds that are under way. Answers how many were
 * at work; null where no such agency serves.
 */
export async function endService(ctx: RightsCtx, service_id: string): Promise<{ agency_name: string; ended: number } | null> {
  const { db, company_id, now } = ctx
  const row = await db
    .updateTable('agency_service')
    .set({ status: 'ended', ended_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', service_id)
    .where('status', '=', 'active')
    .returning(['agency_id', 'agency_name'])
    .executeTakeFirst()
  if (!row) return null
  let ended = 0
  for (const seat of await seatsOf(ctx, row.agency_id)) {
    await writeRights(ctx, seat, seat, { power: [], scope: { all: false, department_ids: [] } })
    ended += await endSessions(db, { account_id: seat.account_id, company_id, agency_id: row.agency_id }, 'served')
  }
  return { agency_name: row.agency_name, ended }
}

const seatsOf = ({ db, company_id }: RoleHere, agency_id: string) =>
  db
    .selectFrom('admin')
    .select(['id', 'member_id', 'account_id'])
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .orderBy('id')
    .execute()

type Seat = { readonly id: string; readonly member_id: string; readonly account_id: string }
/** Departments that are gone meanwhile are not looked for. */
export async function openSeat(ctx: RoleHere & Pick<Ctx, 'now'>, seat: Seat, { scope, until }: Terms): Promise<void> {
  const { db, company_id } = ctx
  const there = new Set((await departmentTree(ctx)).map(({ id }) => id))
  const department_ids = scope.all ? [] : scope.department_ids.filter((id) => there.has(id))
  await writeRights(ctx, seat, seat, { power: seat_power, scope: { all: scope.all, department_ids } })
  await db
    .updateTable('admin')
    .set({ serves_until: until })
    .where('company_id', '=', company_id)
    .where('id', '=', seat.id)
    .execute()
}
