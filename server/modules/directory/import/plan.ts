/** Plans an import against the company's current members. */
import { setImmediate as rotate } from 'node:timers/promises'
import type { HandlerContext } from '../../../http/handler.ts'
import { normalizeBankCard } from '../../../rules/bank-card.ts'
import { getAncestors, getDescendantIds } from '../../../rules/departments.ts'
import { normalizeIdCard } from '../../../rules/id-card.ts'
import { runCooperatively } from '../../../shared/cooperative.ts'
import type { ReadRosterResult } from '../../../spreadsheets/index.ts'
import { listAdminMemberIds } from '../../access/index.ts'
import { createPathResolver, getDepartmentPaths, type PlacedDepartment } from '../rules/import-departments.ts'
import { type ExistingMember, type ImportRow, planImport } from '../rules/import-plan.ts'
import { toImportRows } from '../rules/import-rows.ts'
import { canManageAllMembers } from '../scope.ts'
import { listOrderedDepartments } from '../tree/read.ts'
import { getImportPosition, sealImportSummary, updateOwnImport } from './import-record.ts'
import { type CompanyMembers, cachePlan } from './plan-cache.ts'
import { type ImportAnswers, type ImportPlan, importAnswersDocument, serializePlan } from './plan-document.ts'
import { type ReadRoster, sealReadRoster } from './read-document.ts'
import { sealImportSheets } from './sheets.ts'

/**
 * Loads the company as an import sees it: all active members, because nobody may be created twice, and terminated
 * members within scope. Plain queries combined here, as in `roster`.
 */
export async function loadCompany(ctx: HandlerContext): Promise<CompanyMembers> {
  const { db, company_id, currentUser } = ctx
  const tree = await listOrderedDepartments({ db, company_id })
  const managedIds = canManageAllMembers(ctx) ? null : getDescendantIds(currentUser.scope.department_ids, tree)
  const paths = getDepartmentPaths(tree)
  const memberships = await db
    .selectFrom('member_department')
    .select(['member_id', 'department_id'])
    .where('company_id', '=', company_id)
    .execute()
  const membershipsByMember = Map.groupBy(
    managedIds ? memberships.filter(({ department_id }) => managedIds.has(department_id)) : memberships,
    ({ member_id }) => member_id,
  )
  const rows = await db
    .selectFrom('member')
    .select([
      'id',
      'name',
      'mobile',
      'employee_no',
      'id_card_index',
      'bank_account_index',
      'email',
      'position',
      'entry_on',
      'status',
    ])
    .where('company_id', '=', company_id)
    .orderBy('left_at')
    .orderBy('id')
    .execute()
  const admins = await listAdminMemberIds(ctx)
  const members = rows.flatMap((row): ExistingMember[] => {
    const in_scope = managedIds === null || membershipsByMember.has(row.id)
    const has_left = row.status === 'left'
    if (has_left && !in_scope) return []
    return [
      {
        id: row.id,
        name: row.name,
        mobile: row.mobile,
        employee_no: row.employee_no,
        id_card: row.id_card_index?.toString('hex') ?? null,
        bank_account: row.bank_account_index?.toString('hex') ?? null,
        email: row.email,
        position: row.position,
        entry_on: row.entry_on,
        departments: (membershipsByMember.get(row.id) ?? []).map(({ department_id }) => paths.get(department_id) ?? []),
        has_left,
        in_scope,
        is_admin: admins.has(row.id),
      },
    ]
  })
  return { members, tree, managedDepartmentIds: managedIds }
}

/** Plans the import against the current roster, and returns the rows as they would be applied. */
export async function buildPlan(
  ctx: HandlerContext,
  read: ReadRoster,
  answered: ImportAnswers,
  { members, tree, managedDepartmentIds: managedIds }: CompanyMembers,
): Promise<{ plan: ImportPlan; rows: ImportRow[] }> {
  await rotate()
  const resolvePath = createPathResolver(
    read.rows.flatMap(({ departments }) => departments),
    tree,
    managedIds,
  )
  const { vault } = ctx
  const rows = await runCooperatively(
    toImportRows(read, resolvePath, {
      id_card: (card) => vault.blindIndex('id_card', normalizeIdCard(card)).toString('hex'),
      bank_account: (card) => vault.blindIndex('bank_account', normalizeBankCard(card)).toString('hex'),
    }),
  )
  await rotate()
  const plannedRows = await runCooperatively(planImport(rows, members, new Map(answered)))
  const appliedRows = rows
    .map((row, at) => ({ row, kind: plannedRows[at]?.decision.kind }))
    .filter(({ kind }) => kind === 'new' || kind === 'back' || kind === 'changed')
  return { plan: { rows: plannedRows, departments: findNewDepartments(appliedRows, tree) }, rows }
}

/** Finds departments named by these rows that do not exist yet, parents first. */
export function findNewDepartments(rows: readonly { readonly row: ImportRow }[], tree: readonly PlacedDepartment[]): string[][] {
  const existing = getDepartmentIdsByPath(tree)
  const created = new Map<string, string[]>()
  const checkedPaths = new Set<readonly string[]>()
  for (const { row } of rows)
    for (const path of row.departments) {
      if (checkedPaths.has(path)) continue
      checkedPaths.add(path)
      for (let to = 1; to <= path.length; to++) {
        const key = path.slice(0, to).join('\n').toLowerCase()
        if (!existing.has(key) && !created.has(key)) created.set(key, path.slice(0, to))
      }
    }
  return [...created.values()].toSorted((a, b) => a.length - b.length)
}

export const hashPlan = ({ vault }: Pick<HandlerContext, 'vault'>, text: string): string =>
  vault.blindIndex('import', text).toString('hex')

/** `file` is given when the file was just read and must be stored as well. */
type PlanInput = { readonly read: ReadRoster; readonly file?: Pick<ReadRosterResult, 'sheets' | 'packed'> }
/** Plans the import again and stores the plan. */
export async function savePlan(
  ctx: HandlerContext,
  id: string,
  { read, file }: PlanInput,
  answered: ImportAnswers,
): Promise<void> {
  const { vault } = ctx
  const company = await loadCompany(ctx)
  const [{ plan, rows }] = await Promise.all([
    buildPlan(ctx, read, answered, company),
    // The database writes the file meanwhile.
    file && saveReadRoster(ctx, id, read, file),
  ])
  const text = serializePlan(plan)
  const info = sealImportSummary(ctx, id, read, plan, answered)
  await updateOwnImport(ctx, id)
    .set({
      stage: 'planned',
      leased_until: null,
      done: 0,
      total: read.rows.length,
      answers: importAnswersDocument.seal(vault, getImportPosition(id, 'answers'), { answers: answered }),
      plan: vault.seal(getImportPosition(id, 'plan'), Buffer.from(text)),
      info,
      summary: hashPlan(ctx, text),
    })
    .execute()
  cachePlan(id, info, { read, answers: answered, plan, rows, company })
}

const saveReadRoster = (
  ctx: HandlerContext,
  id: string,
  read: ReadRoster,
  { sheets, packed }: Pick<ReadRosterResult, 'sheets' | 'packed'>,
) =>
  updateOwnImport(ctx, id)
    .set({
      read: sealReadRoster(ctx.vault, getImportPosition(id, 'read'), read, packed),
      sheets: sealImportSheets(ctx, id, sheets),
    })
    .execute()

/** Maps paths from the top to department ids; the empty path is the root. */
export const getDepartmentIdsByPath = (tree: readonly PlacedDepartment[]): Map<string, string> => {
  const byId = new Map(tree.map((one) => [one.id, one]))
  return new Map(
    tree.map((one) => {
      const path = [one, ...getAncestors(one.id, byId)].toReversed()
      return [
        path
          .slice(1)
          .map(({ name }) => name)
          .join('\n')
          .toLowerCase(),
        one.id,
      ]
    }),
  )
}
