/** New people: by hand, or out of a sheet that names somebody the roster does not know. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { normalBankCard } from '../../rules/bank-card.ts'
import { normalIdCard } from '../../rules/id-card.ts'
import { identityDocumentKind } from '../../rules/identity-document.ts'
import { arrayText } from '../../runtime/data/array-text.ts'
import { documentKind } from '../../runtime/data/document.ts'
import { planAnew } from '../../runtime/data/plans.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { invalid, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { columnsOf, insertMembers, insertPlaces, type MemberColumns, type MemberRow } from './file/inserted.ts'
import { spelledOf } from './file/spelled.ts'
import { keepable, keepableDepartment, keepsAll } from './scope.ts'

type Here = Pick<Ctx, 'db' | 'me' | 'company_id' | 'vault' | 'now'>

export type NewMember = {
  readonly name: string
  readonly mobile: string
  readonly employee_no?: string
  readonly position?: string
  readonly entry_on?: string | null
  /** By name: one within scope that is called so, else a new one. Ignored when `department_ids` are given. */
  readonly department?: string
  readonly department_ids?: readonly string[]
  readonly id_card?: string | null
  readonly bank_account?: string | null
  readonly email?: string | undefined
}

const privateFields = z.object({ id_card: z.optional(z.string()), bank_account: z.optional(z.string()) })
export type Private = Readonly<z.infer<typeof privateFields>>
const memberPrivate = documentKind<Private>({ kind: 'private fields of a member', version: 1, schema: privateFields })
const privatePlace = (member_id: string) => ({ table: 'member', row: member_id, column: 'private' })
/** What is kept of somebody that the roster does not show. */
export const privateOf = ({ vault }: Pick<Ctx, 'vault'>, id: string, sealed: Buffer | null): Private =>
  sealed ? memberPrivate.open(vault, privatePlace(id), sealed) : {}

/** Adds one person; answers the id. Refusals name the field (`mobile`, `id_card`, `department_ids`). */
export async function addMember(ctx: Here, person: NewMember): Promise<string> {
  const [id] = await addMembers(ctx, [person])
  return id ?? ''
}

/** So many at once that no statement runs out of its time. */
const a_statement = 2_000

/** Adds people, all or none, in the given order; answers their ids. */
export async function addMembers(ctx: Here, people: readonly NewMember[]): Promise<string[]> {
  const added = await addPlaced(ctx, people)
  return added.map(({ id }) => id)
}

export type AddedMember = { readonly id: string; readonly department_ids: readonly string[] }

/** The same, with their departments. `told`: how many of them stand, after each statement. */
export async function addPlaced(ctx: Here, people: readonly NewMember[], told?: (done: number) => void): Promise<AddedMember[]> {
  const { db } = ctx
  // While the database looks and writes, the next ones are spelled and sealed.
  const [first, { departments, returning, beside }] = await Promise.all([rowsFrom(ctx, people, 0), lookedAt(ctx, people)])
  const columnsAt = (rows: readonly MemberRow[], from: number): MemberColumns => {
    const own = departments.slice(from, from + rows.length)
    return columnsOf(returning ? rows.map((row, at) => ({ ...row, ...returning(people[from + at]) })) : rows, own)
  }
  const added: AddedMember[] = []
  for (let columns = columnsAt(first, 0); columns.ids.length > 0; ) {
    const { ids } = columns
    const from = added.length
    const next = from + ids.length
    const write = async (some: MemberColumns): Promise<void> => {
      await insertMembers(ctx, some, beside)
      // Before the first place: whether its person is there is looked up for each.
      if (from === 0 && people.length > a_statement / 4) await planAnew(db)
      await insertPlaces(ctx, some, beside)
    }
    const [ahead] = await Promise.all([rowsFrom(ctx, people, next).then((rows) => columnsAt(rows, next)), write(columns)])
    for (const [at, id] of ids.entries()) added.push({ id, department_ids: departments[from + at] ?? [] })
    columns = ahead
    told?.(added.length)
  }
  return added
}

/** Where each of them belongs, and that nobody has their phones and cards. */
async function lookedAt(ctx: Here, people: readonly NewMember[]) {
  const departments = await departmentsFor(ctx, people)
  const [beside = ''] = departments.flat()
  if (people.length > 0 && !beside) throw refuse('not_found', '公司还没有部门，请先新建部门')
  const returning = await thoseReturning(ctx, people)
  await mustBeFree(ctx, people)
  return { departments, returning, beside }
}

/** So many rows between two turns: what the database answers is heard at once. */
const a_turn = 250
async function rowsFrom(ctx: Here, people: readonly NewMember[], from: number): Promise<MemberRow[]> {
  const rows: MemberRow[] = []
  for (const person of people.slice(from, from + a_statement)) {
    if (rows.length % a_turn === 0) await nextTurn()
    rows.push(rowOf(ctx, newId(), person))
  }
  return rows
}

type Returning = Partial<Pick<MemberRow, 'unconfirmed_at' | 'unconfirmed_by' | 'former_mobile' | 'former_account'>>
const rowOf = ({ vault }: Here, id: string, person: NewMember): MemberRow => ({
  id,
  name: person.name,
  spelled: spelledOf(person.name),
  mobile: person.mobile,
  employee_no: person.employee_no ?? '',
  position: person.position ?? '',
  entry_on: person.entry_on ?? null,
  email: person.email ?? '',
  ...sealPrivate(vault, id, {}, person),
  unconfirmed_at: null,
  unconfirmed_by: null,
  former_mobile: null,
  former_account: null,
})

const returns_within_ms = 100 * 86_400_000

/**
 * Whoever is added a short while after somebody of his name, number or identity card has left, with another phone, may be the same person
 * under a phone that only the keeper of the roster knows: what is paid to him waits, as after any change of a phone. With the phone of
 * before he just comes back. Null where nobody has left lately.
 */
async function thoseReturning(
  ctx: Here,
  people: readonly NewMember[],
): Promise<((person: NewMember | undefined) => Returning) | null> {
  const { db, company_id, vault, now, me } = ctx
  const lately = new Date(now.getTime() - returns_within_ms)
  const somebody = await db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', company_id)
    .where('status', '=', 'left')
    .where('left_at', '>', lately)
    .limit(1)
    .executeTakeFirst()
  if (!somebody) return null
  const cardOf = ({ id_card }: NewMember) => (id_card ? vault.index('id_card', normalIdCard(id_card)) : null)
  const names = arrayText(people.map((person) => person.name))
  const numbers = arrayText(people.flatMap((person) => (person.employee_no ? [person.employee_no] : [])))
  const cards = arrayText(people.flatMap((person) => cardOf(person) ?? []))
  const gone = await db
    .selectFrom('member')
    .select(['name', 'mobile', 'employee_no', 'id_card_index', 'former_account'])
    .where('company_id', '=', company_id)
    .where('status', '=', 'left')
    .where('left_at', '>', lately)
    .where(
      sql<boolean>`(name = any(${names}::text[]) or employee_no = any(${numbers}::text[]) or id_card_index = any(${cards}::bytea[]))`,
    )
    .orderBy('left_at', 'desc')
    .execute()
  const by = {
    name: Map.groupBy(gone, ({ name }) => name),
    employee_no: Map.groupBy(gone, ({ employee_no }) => employee_no),
    card: Map.groupBy(gone, ({ id_card_index }) => id_card_index?.toString('hex') ?? ''),
  }
  return (person) => {
    if (!person) return {}
    const card = gone.length > 0 ? cardOf(person)?.toString('hex') : null
    const before = new Set([
      ...(by.name.get(person.name) ?? []),
      ...((person.employee_no && by.employee_no.get(person.employee_no)) || []),
      ...((card && by.card.get(card)) || []),
    ])
    const [last] = gone.length > 0 ? [...before].toSorted((a, b) => gone.indexOf(a) - gone.indexOf(b)) : []
    if (!last || [...before].some((row) => row.mobile === person.mobile)) return {}
    const { mobile: former_mobile, former_account } = last
    return { unconfirmed_at: now, unconfirmed_by: me.admin_id, former_mobile, former_account }
  }
}

/** The columns of what is sealed, and keyed hashes to find and compare it by. Null takes a number away; what is not given stays. */
export function sealPrivate(
  vault: Ctx['vault'],
  member_id: string,
  kept: Private,
  given: Partial<Record<keyof Private, string | null | undefined>>,
) {
  const { id_card = kept.id_card, bank_account = kept.bank_account } = given
  const card = id_card ? normalIdCard(id_card) : null
  const account = bank_account ? normalBankCard(bank_account) : null
  const next: Private = { ...(card && { id_card: card }), ...(account && { bank_account: account }) }
  return {
    private: card || account ? memberPrivate.seal(vault, privatePlace(member_id), next) : null,
    id_card_index: card ? vault.index('id_card', card) : null,
    bank_account_index: account ? vault.index('bank_account', account) : null,
  }
}

/**
 * One phone and one identity card belong to one person who has not left. Says whose it is only where that person is within scope.
 * `except` is the person who is being changed.
 */
export async function mustBeFree(
  ctx: Pick<Here, 'db' | 'me' | 'company_id' | 'vault'>,
  people: readonly Pick<NewMember, 'name' | 'mobile' | 'id_card'>[],
  except?: string,
): Promise<void> {
  const { db, company_id, vault } = ctx
  const mobiles = people.map((person) => person.mobile).filter((mobile) => mobile !== '')
  const cards = people.flatMap((person) => (person.id_card ? [normalIdCard(person.id_card)] : []))
  if (cards.some((card) => identityDocumentKind(card) === null)) throw invalid('id_card', '证件号码不正确，请核对后重新填写')
  if (new Set(mobiles).size !== mobiles.length) throw invalid('mobile', '同一个手机号填给了多个人，请核对')
  if (new Set(cards).size !== cards.length) throw invalid('id_card', '同一个身份证号填给了多个人，请核对')
  const indexes = cards.map((card) => vault.index('id_card', card))
  const taken = await db
    .selectFrom('member')
    .select(['name', 'mobile', keepable(ctx).as('in_scope')])
    .where('company_id', '=', company_id)
    .where('status', '<>', 'left')
    .where(sql<boolean>`(mobile = any(${arrayText(mobiles)}::text[]) or id_card_index = any(${arrayText(indexes)}::bytea[]))`)
    .$if(except !== undefined, (query) => query.where('id', '<>', except ?? ''))
    .executeTakeFirst()
  if (!taken) return
  const [field, what] = mobiles.includes(taken.mobile) ? ['mobile', '手机号'] : ['id_card', '身份证号']
  const whose = taken.in_scope ? `已属于${taken.name}` : '已被本公司其他员工使用'
  throw invalid(field ?? '', `这个${what}${whose}，请核对`)
}

/** The departments of each person: as given, by name, or where people without one belong. */
async function departmentsFor(ctx: Here, people: readonly NewMember[]): Promise<string[][]> {
  const { db, company_id } = ctx
  const mine = await db
    .selectFrom('department')
    .select(['id', 'parent_id', 'name'])
    .where('company_id', '=', company_id)
    .where(keepableDepartment(ctx))
    .orderBy('place')
    .orderBy('id')
    .execute()
  const known = new Set(mine.map(({ id }) => id))
  const byName = new Map(mine.toReversed().map(({ id, name }) => [name, id]))
  // The root, or the highest department of a limited scope: a new person must not fall out of the scope of who adds him.
  const top = mine.find(({ parent_id }) => parent_id === null || !known.has(parent_id))?.id
  if (!top && !keepsAll(ctx)) throw refuse('not_permitted', '您还没有管理任何部门，请联系企业管理员')
  const answer: string[][] = []
  for (const person of people) {
    if (person.department_ids && person.department_ids.length > 0) {
      if (person.department_ids.some((id) => !known.has(id))) throw refuse('not_found', '没有找到所选的部门，请刷新后重选')
      answer.push(person.department_ids.length === 1 ? [...person.department_ids] : [...new Set(person.department_ids)])
      continue
    }
    const name = person.department?.trim()
    let id = name ? byName.get(name) : top
    if (name && !id) {
      id = newId()
      await db
        .insertInto('department')
        .values({ company_id, id, parent_id: top ?? null, name, place: mine.length })
        .execute()
      byName.set(name, id)
    }
    answer.push(id ? [id] : [])
  }
  return answer
}
