/** What an import would do, beside the company as it is now. */
import { setImmediate as turn } from 'node:timers/promises'
import { normalBankCard } from '../../../rules/bank-card.ts'
import { above, below } from '../../../rules/departments.ts'
import { normalIdCard } from '../../../rules/id-card.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { withTurns } from '../../../runtime/load/turns.ts'
import type { RosterFile } from '../../../tables/index.ts'
import { adminMembers } from '../../role/index.ts'
import { type PlacedDepartment, placeDepartments, waysOf } from '../rules/import-departments.ts'
import { type ImportRow, planImport, type StandingPerson } from '../rules/import-plan.ts'
import { importRows } from '../rules/import-rows.ts'
import { keepsAll } from '../scope.ts'
import { departmentsInOrder } from '../tree/read.ts'
import { type CompanyPeople, putAtHand } from './at-hand.ts'
import { importPlace, mine, sealTold } from './kept.ts'
import { type ImportAnswers, type ImportPlan, importAnswers, planText } from './plan-document.ts'
import { type ReadRoster, sealRead } from './read-document.ts'
import { sealSheets } from './sheets.ts'

/**
 * The company as an import sees it: everybody who is here, because nobody may be made twice, and of those who left whom I keep. Plain readings
 * put together here, as in `roster`.
 */
export async function standing(ctx: Ctx): Promise<CompanyPeople> {
  const { db, company_id, me } = ctx
  const tree = await departmentsInOrder({ db, company_id })
  const own = keepsAll(ctx) ? null : below(me.scope.department_ids, tree)
  const ways = waysOf(tree)
  const places = await db
    .selectFrom('member_department')
    .select(['member_id', 'department_id'])
    .where('company_id', '=', company_id)
    .execute()
  const of = Map.groupBy(
    own ? places.filter(({ department_id }) => own.has(department_id)) : places,
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
  const admins = await adminMembers(ctx)
  const people = rows.flatMap((row): StandingPerson[] => {
    const in_scope = own === null || of.has(row.id)
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
        departments: (of.get(row.id) ?? []).map(({ department_id }) => ways.get(department_id) ?? []),
        has_left,
        in_scope,
        is_admin: admins.has(row.id),
      },
    ]
  })
  return { people, tree, own }
}

/** What an import would do now, and the rows as they would be taken. */
export async function planned(
  ctx: Ctx,
  read: ReadRoster,
  answered: ImportAnswers,
  { people, tree, own }: CompanyPeople,
): Promise<{ plan: ImportPlan; rows: ImportRow[] }> {
  await turn()
  const placed = placeDepartments(
    read.rows.flatMap(({ departments }) => departments),
    tree,
    own,
  )
  const { vault } = ctx
  const rows = await withTurns(
    importRows(read, placed, {
      id_card: (card) => vault.index('id_card', normalIdCard(card)).toString('hex'),
      bank_account: (card) => vault.index('bank_account', normalBankCard(card)).toString('hex'),
    }),
  )
  await turn()
  const decided = await withTurns(planImport(rows, people, new Map(answered)))
  const carried = rows
    .map((row, at) => ({ row, kind: decided[at]?.decision.kind }))
    .filter(({ kind }) => kind === 'new' || kind === 'back' || kind === 'changed')
  return { plan: { rows: decided, departments: newDepartments(carried, tree) }, rows }
}

/** Of what these rows name each department that is not there yet, after what it belongs to. */
export function newDepartments(rows: readonly { readonly row: ImportRow }[], tree: readonly PlacedDepartment[]): string[][] {
  const there = departmentIds(tree)
  const made = new Map<string, string[]>()
  const seen = new Set<readonly string[]>()
  for (const { row } of rows)
    for (const way of row.departments) {
      if (seen.has(way)) continue
      seen.add(way)
      for (let to = 1; to <= way.length; to++) {
        const key = way.slice(0, to).join('\n').toLowerCase()
        if (!there.has(key) && !made.has(key)) made.set(key, way.slice(0, to))
      }
    }
  return [...made.values()].toSorted((a, b) => a.length - b.length)
}

/** By which a plan is known again. */
export const shownOf = ({ vault }: Pick<Ctx, 'vault'>, text: string): string => vault.index('import', text).toString('hex')

/** `file`: where it was read just now, and is to be kept as well. */
type ToPlan = { readonly read: ReadRoster; readonly file?: Pick<RosterFile, 'sheets' | 'packed'> }
/** Plans it anew and keeps that. */
export async function keepPlan(ctx: Ctx, id: string, { read, file }: ToPlan, answered: ImportAnswers): Promise<void> {
  const { vault } = ctx
  const company = await standing(ctx)
  const [{ plan, rows }] = await Promise.all([
    planned(ctx, read, answered, company),
    // The database writes it meanwhile.
    file && keepRead(ctx, id, read, file),
  ])
  const text = planText(plan)
  const info = sealTold(ctx, id, read, plan, answered)
  await mine(ctx, id)
    .set({
      stage: 'planned',
      held_until: null,
      done: 0,
      total: read.rows.length,
      answers: importAnswers.seal(vault, importPlace(id, 'answers'), { answers: answered }),
      plan: vault.seal(importPlace(id, 'plan'), Buffer.from(text)),
      info,
      shown: shownOf(ctx, text),
    })
    .execute()
  putAtHand(id, info, { read, answered, plan, rows, company })
}

const keepRead = (ctx: Ctx, id: string, read: ReadRoster, { sheets, packed }: Pick<RosterFile, 'sheets' | 'packed'>) =>
  mine(ctx, id)
    .set({ read: sealRead(ctx.vault, importPlace(id, 'read'), read, packed), sheets: sealSheets(ctx, id, sheets) })
    .execute()

/** Whom a way names, from the top: the company itself where it is empty. */
export const departmentIds = (tree: readonly PlacedDepartment[]): Map<string, string> => {
  const byId = new Map(tree.map((one) => [one.id, one]))
  return new Map(
    tree.map((one) => {
      const line = [one, ...above(one.id, byId)].toReversed()
      return [
        line
          .slice(1)
          .map(({ name }) => name)
          .join('\n')
          .toLowerCase(),
        one.id,
      ]
    }),
  )
}
