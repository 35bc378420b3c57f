/**
 * Agencies that serve this company, and the seats of their users: administrator rows that are accessible only from a
 * session of the agency. Writes agency_service, admin and admin_department.
 */
import type { Power } from '../../contract/access.ts'
import type { AccessContext, HandlerContext } from '../../http/handler.ts'
import { endSessions } from '../../http/sessions.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { type CompanyTx, formatScope, listDepartments, savePowers } from './admin-rows.ts'
import type { Scope } from './rules/scopes.ts'

type ServiceStatus = 'waiting' | 'active' | 'refused' | 'ended'
export type AgencyService = {
  readonly id: string
  readonly agency_id: string
  readonly agency_name: string
  readonly status: ServiceStatus
  readonly scope: Scope
  /** Last day in the form `2027-11-20`; null until the service is approved. */
  readonly until: string | null
  readonly applied_at: Date
  readonly decided_at: Date | null
}
/** The powers of an agency's users: those of a payroll administrator. */
const agencySeatPowers: readonly Power[] = ['2']

const serviceColumns = [
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
type ServiceRow = Omit<AgencyService, 'scope'> & { readonly scope_all: boolean; readonly department_ids: string[] }
const toAgencyService = ({ scope_all, department_ids, ...row }: ServiceRow): AgencyService => ({
  ...row,
  scope: { all: scope_all, department_ids },
})

/**
 * The row stays locked until the transaction ends, so that removing the seat waits for work done from it or is visible
 * to it.
 */
export async function lockSeat({ db, company_id }: CompanyTx, seat: { agency_id: string; account_id: string }): Promise<void> {
  await db
    .selectFrom('admin')
    .select('id')
    .where('company_id', '=', company_id)
    .where('agency_id', '=', seat.agency_id)
    .where('account_id', '=', seat.account_id)
    .forShare()
    .execute()
}

/** Returns the service between this company and an agency, or null. */
export async function findAgencyService({ db, company_id }: CompanyTx, agency_id: string): Promise<AgencyService | null> {
  const row = await db
    .selectFrom('agency_service')
    .select(serviceColumns)
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .executeTakeFirst()
  return row ? toAgencyService(row) : null
}

/** Lists the current and former agencies of this company, newest first, with their scope as text. */
export async function listAgencyServices(
  companyTx: CompanyTx,
): Promise<(AgencyService & { readonly scope_labels: string; readonly since: string | null })[]> {
  const rows = await companyTx.db
    .selectFrom('agency_service')
    .select(serviceColumns)
    .where('company_id', '=', companyTx.company_id)
    .where('status', 'in', ['active', 'ended'])
    .orderBy('applied_at', 'desc')
    .orderBy('id')
    .execute()
  const tree = await listDepartments(companyTx)
  return rows.map((row) => {
    const one = toAgencyService(row)
    return { ...one, scope_labels: formatScope(one.scope, tree), since: one.decided_at && toIsoTimestamp(one.decided_at) }
  })
}

/** Records an agency's request to serve; returns false if it already serves or its request is pending. */
export async function requestAgencyService(
  { db, company_id, now, makeId = newId }: CompanyTx & Pick<HandlerContext, 'now'> & { readonly makeId?: () => string },
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

type SeatOwner = { readonly agency_id: string; readonly account_id: string }
/** Finds the seat of an agency's user. */
export async function findSeat(
  { db, company_id }: CompanyTx,
  { agency_id, account_id }: SeatOwner,
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

/** Creates a seat without access, power or scope. `member_id` is the roster row with the user's name. */
export async function createSeat(
  { db, company_id, now }: CompanyTx & Pick<HandlerContext, 'now'>,
  { agency_id, account_id, member_id }: SeatOwner & { readonly member_id: string },
): Promise<string> {
  const id = newId()
  await db.insertInto('admin').values({ company_id, id, member_id, account_id, agency_id, power: [], created_at: now }).execute()
  return id
}

export async function getSeatAgencyId({ db, company_id }: CompanyTx, admin_id: string): Promise<string | null> {
  const row = await db
    .selectFrom('admin')
    .select('agency_id')
    .where('company_id', '=', company_id)
    .where('id', '=', admin_id)
    .executeTakeFirst()
  return row?.agency_id ?? null
}

type ServiceTerms = { readonly scope: Scope; readonly until: string }
export async function approveAgencyService(
  { db, company_id, now }: CompanyTx & Pick<HandlerContext, 'now'>,
  agency_id: string,
  { scope, until }: ServiceTerms,
) {
  await db
    .updateTable('agency_service')
    .set({ status: 'active', scope_all: scope.all, department_ids: [...scope.department_ids], until, decided_at: now })
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .execute()
}

/** Applies the approved terms to all seats of the agency, including those emptied after an earlier service. */
export async function startAgencyService(ctx: AccessContext, agency_id: string, terms: ServiceTerms): Promise<void> {
  await approveAgencyService(ctx, agency_id, terms)
  for (const seat of await listSlots(ctx, agency_id)) await activateSeat(ctx, seat, terms)
}

/** Rejects or withdraws the request. */
export async function rejectAgencyService({ db, company_id, now }: AccessContext, agency_id: string): Promise<void> {
  await db
    .updateTable('agency_service')
    .set({ status: 'refused', decided_at: now })
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .where('status', '=', 'waiting')
    .execute()
}

/**
 * Ends the service immediately: seats lose their powers, and their users are signed out. Waits for transactions in
 * progress. Returns how many seats were active; null if no such agency serves.
 */
export async function endAgencyService(
  ctx: AccessContext,
  service_id: string,
): Promise<{ agency_name: string; ended: number } | null> {
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
  for (const seat of await listSlots(ctx, row.agency_id)) {
    await savePowers(ctx, seat, seat, { power: [], scope: { all: false, department_ids: [] } })
    ended += await endSessions(db, { account_id: seat.account_id, company_id, agency_id: row.agency_id }, 'served')
  }
  return { agency_name: row.agency_name, ended }
}

const listSlots = ({ db, company_id }: CompanyTx, agency_id: string) =>
  db
    .selectFrom('admin')
    .select(['id', 'member_id', 'account_id'])
    .where('company_id', '=', company_id)
    .where('agency_id', '=', agency_id)
    .orderBy('id')
    .execute()

type AgencySeat = { readonly id: string; readonly member_id: string; readonly account_id: string }
/** Departments deleted meanwhile are ignored. */
export async function activateSeat(
  ctx: CompanyTx & Pick<HandlerContext, 'now'>,
  seat: AgencySeat,
  { scope, until }: ServiceTerms,
): Promise<void> {
  const { db, company_id } = ctx
  const existingIds = new Set((await listDepartments(ctx)).map(({ id }) => id))
  const department_ids = scope.all ? [] : scope.department_ids.filter((id) => existingIds.has(id))
  await savePowers(ctx, seat, seat, { power: agencySeatPowers, scope: { all: scope.all, department_ids } })
  await db
    .updateTable('admin')
    .set({ serves_until: until })
    .where('company_id', '=', company_id)
    .where('id', '=', seat.id)
    .execute()
}
