/** People changed many at once, with what stood there before. Writes member, member_department and department. */
import { type RawBuilder, sql } from 'kysely'
import { type Ctx, refuse } from '../../../runtime/handle.ts'
import { endSessions } from '../../../runtime/request/sessions.ts'
import { notify } from '../../desk/index.ts'
import { adminMembers, headsOf } from '../../role/index.ts'
import { privateOf, sealPrivate } from '../add.ts'
import { anotherPhone, tellOldPhone } from '../change.ts'
import { differences, placeNames, record } from '../file/events.ts'
import { alreadyThere } from '../file/inserted.ts'
import { spelledOf } from '../file/spelled.ts'
import { type Leader, leadNothing, markLeft } from '../leave.ts'
import { departmentGone } from '../move.ts'
import type { ImportField } from '../rules/import-changes.ts'
import type { RosterPerson } from '../rules/import-plan.ts'
import { keepable, keepableDepartment, keepsAll } from '../scope.ts'
import { pieces, type Snapshot } from './snapshots.ts'

const written = [
  'name',
  'spelled',
  'mobile',
  'employee_no',
  'email',
  'position',
  'entry_on',
  'status',
  'account_id',
  'private',
  'id_card_index',
  'bank_account_index',
  'unconfirmed_at',
  'unconfirmed_by',
  'former_mobile',
  'former_account',
  'left_at',
  'left_on',
] as const
const assigned: RawBuilder<unknown> = sql.join(written.map((column) => sql`${sql.ref(column)} = ${sql.ref(`wanted.${column}`)}`))

/** Puts people back as they stood. */
export async function restore({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, people: readonly Snapshot[]): Promise<void> {
  for (const some of pieces(people))
    await sql`
      update member set ${assigned} from jsonb_populate_recordset(null::member, ${JSON.stringify(some)}::jsonb) as wanted
      where member.company_id = ${company_id} and member.id = wanted.id`
      .execute(db)
      .catch(alreadyThere)
  await placed(
    { db, company_id },
    people.map(({ id }) => id),
    people.flatMap(({ id, departments }) => departments.map((department_id) => ({ member_id: id, department_id }))),
    sql`true`,
  )
}

type Place = { readonly member_id: string; readonly department_id: string }
/** Exactly these departments, of those that `which` (a condition on `department`) lets be touched. */
async function placed(
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  ids: readonly string[],
  places: readonly Place[],
  which: RawBuilder<unknown>,
): Promise<void> {
  for (const some of pieces(ids))
    await sql`
      delete from member_department using department
      where member_department.company_id = ${company_id} and member_department.member_id = any(${some}::uuid[])
        and department.company_id = ${company_id} and department.id = member_department.department_id and ${which}`.execute(db)
  for (const some of pieces(places)) {
    const values = some.map((place) => ({ company_id, ...place }))
    await db
      .insertInto('member_department')
      .values(values)
      .onConflict((conflict) => conflict.columns(['company_id', 'member_id', 'department_id']).doNothing())
      .execute()
      .catch(departmentGone)
  }
}

/** What is to become of somebody. */
export type PersonChange = RosterPerson & {
  readonly person_id: string
  readonly fields: readonly ImportField[]
  readonly department_ids: readonly string[]
}

/** The people, held in the order of their ids. */
async function heldPeople(ctx: Ctx, ids: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('member')
    .selectAll()
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('status', '<>', 'left')
    .where(keepable(ctx))
    .orderBy('id')
    .forUpdate()
    .execute()
  if (rows.length < ids.length) throw changed()
  return rows
}

const changed = () => refuse('wrong_state', '花名册刚刚有变化，请重试')
/** Asked when they are held: powers are given to people who are held as well, so nobody is an administrator since the plan was made. */
async function mustBeNoAdmins(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const admins = await adminMembers(ctx)
  if (ids.some((id) => admins.has(id))) throw changed()
}

export async function changePeople(ctx: Ctx, wanted: readonly PersonChange[]): Promise<void> {
  if (wanted.length === 0) return
  const { company_id, db } = ctx
  const byId = new Map(wanted.map((one) => [one.person_id, one]))
  const rows = await heldPeople(ctx, [...byId.keys()])
  await mustBeNoAdmins(
    ctx,
    rows.flatMap(({ id }) => (byId.get(id)?.fields.includes('mobile') ? [id] : [])),
  )
  const parted: { account_id: string; old: string; mobile: string }[] = []
  const next: unknown[] = []
  const before = await placeNames(ctx, [...byId.keys()])
  for (const row of rows) {
    const one = byId.get(row.id)
    if (!one) continue
    const mobile = one.fields.includes('mobile') ? one.mobile : null
    if (mobile && row.account_id) parted.push({ account_id: row.account_id, old: row.mobile, mobile })
    next.push(await nextRow(ctx, row, one))
  }
  await sql`
    update member set ${assigned} from jsonb_populate_recordset(null::member, ${JSON.stringify(next)}::jsonb) as wanted
    where member.company_id = ${company_id} and member.id = wanted.id`
    .execute(db)
    .catch(alreadyThere)
  await move(
    ctx,
    wanted.filter(({ fields }) => fields.includes('departments')),
  )
  const after = await placeNames(ctx, [...byId.keys()])
  await record(
    ctx,
    rows.map((row) => ({
      member_id: row.id,
      kind: 'changed',
      changes: changesOf(row, byId.get(row.id), [before.get(row.id), after.get(row.id)]),
    })),
  )
  await tellOfPhones(ctx, parted)
}

type Row = Awaited<ReturnType<typeof heldPeople>>[number]
/** The row of a person as it will be written. */
async function nextRow(ctx: Ctx, row: Row, one: PersonChange) {
  const has = (field: ImportField) => one.fields.includes(field)
  const mobile = has('mobile') ? one.mobile : null
  const {
    private: kept,
    id_card_index,
    bank_account_index,
    ...plain
  } = {
    ...row,
    ...(has('name') ? { name: one.name, spelled: spelledOf(one.name) } : {}),
    ...(has('employee_no') ? { employee_no: one.employee_no ?? '' } : {}),
    ...(has('email') ? { email: one.email ?? '' } : {}),
    ...(has('position') ? { position: one.position ?? '' } : {}),
    ...(has('entry_on') ? { entry_on: one.entry_on } : {}),
    ...(has('id_card') || has('bank_account')
      ? sealPrivate(ctx.vault, row.id, privateOf(ctx, row.id, row.private), {
          id_card: has('id_card') ? one.id_card : undefined,
          bank_account: has('bank_account') ? one.bank_account : undefined,
        })
      : {}),
    ...(mobile ? { mobile, ...(await anotherPhone(ctx, row.id, row, mobile)) } : {}),
  }
  return {
    ...plain,
    private: hexOf(kept),
    id_card_index: hexOf(id_card_index),
    bank_account_index: hexOf(bank_account_index),
  }
}

/** To departments that he may place people in. */
async function move(ctx: Ctx, moving: readonly PersonChange[]): Promise<void> {
  const ids = moving.flatMap(({ department_ids }) => department_ids)
  if (!keepsAll(ctx) && ids.some((id) => !ctx.me.scope.department_ids.includes(id)))
    throw refuse('not_found', '没有找到所选的部门，请刷新后重选')
  await placed(
    ctx,
    moving.map(({ person_id }) => person_id),
    moving.flatMap(({ person_id, department_ids }) =>
      department_ids.map((department_id) => ({ member_id: person_id, department_id })),
    ),
    keepableDepartment(ctx),
  )
}

const changesOf = (row: Row, one: PersonChange | undefined, [before, after]: readonly [string | undefined, string | undefined]) =>
  differences([
    ...(['name', 'mobile', 'email', 'employee_no', 'position'] as const).map(
      (field) => [field, row[field], one?.fields.includes(field) ? one[field] : row[field]] as const,
    ),
    ['entry_date', row.entry_on, one?.fields.includes('entry_on') ? one.entry_on : row.entry_on],
    // The plan has found that they are others.
    ['id_card', 'before', one?.fields.includes('id_card') ? 'after' : 'before'],
    ['bank_account', 'before', one?.fields.includes('bank_account') ? 'after' : 'before'],
    ['departments', before, after],
  ])

const hexOf = (bytes: Buffer | null | undefined): string | null => (bytes ? `\\x${bytes.toString('hex')}` : null)

/** As when one is changed by hand: the old phone hears of it, and those who may do everything. */
async function tellOfPhones(ctx: Ctx, parted: readonly { account_id: string; old: string; mobile: string }[]): Promise<void> {
  if (parted.length === 0) return
  for (const { account_id, old, mobile } of parted) {
    await endSessions(ctx.db, { account_id, company_id: ctx.company_id }, 'left')
    await tellOldPhone(ctx, old, mobile)
  }
  const text = `${ctx.me.name} 导入花名册时更换了 ${parted.length} 位员工的手机号；确认是本人之前，新手机号看不到也收不到工资条。如非本人要求，请尽快核实`
  for (const admin_id of await headsOf(ctx)) await notify(ctx, admin_id, { kind: 'phone', text, batch_id: null })
  ctx.about({ phone_changed: parted.length })
}

/** As `clearMember`, of people who are no administrators. Answers over which departments they were set. */
export async function partPeople(ctx: Ctx, ids: readonly string[]): Promise<Leader[]> {
  if (ids.length === 0) return []
  const { db, company_id } = ctx
  const rows = await heldPeople(ctx, ids)
  await mustBeNoAdmins(ctx, ids)
  await markLeft(ctx, ids)
  const led = await leadNothing(ctx, ids)
  for (const { account_id } of rows) if (account_id) await endSessions(db, { account_id, company_id }, 'left')
  return led
}

export type TakenCard = { readonly member_id: string; readonly bank_account: string }

/** Bank cards that a wage sheet says, taken for people within my scope who are here; answers how many. Of one who is named twice the last card stays. */
export async function takeBankCards(ctx: Ctx, taken: readonly TakenCard[]): Promise<number> {
  const { db, company_id, vault } = ctx
  const cardOf = new Map(taken.map(({ member_id, bank_account }) => [member_id, bank_account]))
  let done = 0
  for (const some of pieces([...cardOf.keys()])) {
    const people = await db
      .selectFrom('member')
      .select(['id', 'private'])
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${some}::uuid[])`)
      .where('status', '<>', 'left')
      .where(keepable(ctx))
      .orderBy('id')
      .forUpdate()
      .execute()
    const next = people.map(({ id, private: kept }) => {
      const sealed = sealPrivate(vault, id, privateOf(ctx, id, kept), { bank_account: cardOf.get(id) })
      return { id, private: hexOf(sealed.private), bank_account_index: hexOf(sealed.bank_account_index) }
    })
    await sql`
      update member set private = wanted.private, bank_account_index = wanted.bank_account_index
      from jsonb_populate_recordset(null::member, ${JSON.stringify(next)}::jsonb) as wanted
      where member.company_id = ${company_id} and member.id = wanted.id`.execute(db)
    await record(
      ctx,
      people.map(({ id }) => ({ member_id: id, kind: 'changed', changes: [{ field: 'bank_account', from: null, to: null }] })),
    )
    done += people.length
  }
  return done
}
