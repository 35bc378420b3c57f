/** Adds members, manually or from a sheet that names members missing in the roster. */
import { setImmediate as nextSlot } from 'node:timers/promises'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { defineDocument } from '../../crypto/sealed-document.ts'
import { formatPostgresArray } from '../../database/postgres-array.ts'
import { discardQueryPlans } from '../../database/query-plans.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { fail, invalidInput } from '../../http/handler.ts'
import { normalizeBankCard } from '../../rules/bank-card.ts'
import { normalizeIdCard } from '../../rules/id-card.ts'
import { detectIdentityDocument } from '../../rules/identity-document.ts'
import { newId } from '../../shared/ids.ts'
import { insertMembers, insertMemberships, type MemberColumns, type MemberRow, toMemberColumns } from './file/insert-members.ts'
import { getNameSpellings } from './file/name-spelling.ts'
import { canManageAllMembers, isManageableDepartment, isManageableMember } from './scope.ts'

type MemberWriteContext = Pick<HandlerContext, 'db' | 'currentUser' | 'company_id' | 'vault' | 'now'>

export type NewMember = {
  readonly name: string
  readonly mobile: string
  readonly employee_no?: string
  readonly position?: string
  readonly entry_on?: string | null
  /** The name of an existing department within scope, or of a new one. Ignored when `department_ids` are given. */
  readonly department?: string
  readonly department_ids?: readonly string[]
  readonly id_card?: string | null
  readonly bank_account?: string | null
  readonly email?: string | undefined
}

const privateFieldsSchema = z.object({ id_card: z.optional(z.string()), bank_account: z.optional(z.string()) })
export type PrivateFields = Readonly<z.infer<typeof privateFieldsSchema>>
const privateFieldsDocument = defineDocument<PrivateFields>({
  kind: 'private fields of a member',
  version: 1,
  schema: privateFieldsSchema,
})
const getPrivatePosition = (member_id: string) => ({ table: 'member', row: member_id, column: 'private' })
/** Decrypts the fields that the roster does not show. */
export const openPrivateFields = ({ vault }: Pick<HandlerContext, 'vault'>, id: string, sealed: Buffer | null): PrivateFields =>
  sealed ? privateFieldsDocument.open(vault, getPrivatePosition(id), sealed) : {}

/** Adds one member and returns the id. Errors name the field (`mobile`, `id_card`, `department_ids`). */
export async function addMember(ctx: MemberWriteContext, member: NewMember): Promise<string> {
  const [id] = await addMembers(ctx, [member])
  return id ?? ''
}

/** Limits the rows per statement so that none exceeds its timeout. */
const rowsPerStatement = 2_000

/** Adds all members or none, in the given order, and returns their ids. */
export async function addMembers(ctx: MemberWriteContext, members: readonly NewMember[]): Promise<string[]> {
  const added = await addMembersWithDepartments(ctx, members)
  return added.map(({ id }) => id)
}

export type AddedMember = { readonly id: string; readonly department_ids: readonly string[] }

/**
 * Like `addMembers`, but also returns their departments. `onProgress` receives the number of rows written after each
 * statement.
 */
export async function addMembersWithDepartments(
  ctx: MemberWriteContext,
  members: readonly NewMember[],
  onProgress?: (done: number) => void,
): Promise<AddedMember[]> {
  const { db } = ctx
  // While the database works, the pinyin of the next rows is computed and their fields are encrypted.
  const [first, { departments, returning, comparison: anchorDepartment }] = await Promise.all([
    buildRows(ctx, members, 0),
    checkNewMembers(ctx, members),
  ])
  const getColumns = (rows: readonly MemberRow[], from: number): MemberColumns => {
    const departmentIds = departments.slice(from, from + rows.length)
    return toMemberColumns(
      returning ? rows.map((row, at) => ({ ...row, ...returning(members[from + at]) })) : rows,
      departmentIds,
    )
  }
  const added: AddedMember[] = []
  for (let columns = getColumns(first, 0); columns.ids.length > 0; ) {
    const { ids } = columns
    const from = added.length
    const next = from + ids.length
    const write = async (chunk: MemberColumns): Promise<void> => {
      await insertMembers(ctx, chunk, anchorDepartment)
      // This runs before the first memberships are inserted, because each of them looks up its member.
      if (from === 0 && members.length > rowsPerStatement / 4) await discardQueryPlans(db)
      await insertMemberships(ctx, chunk, anchorDepartment)
    }
    const [nextColumns] = await Promise.all([
      buildRows(ctx, members, next).then((rows) => getColumns(rows, next)),
      write(columns),
    ])
    for (const [at, id] of ids.entries()) added.push({ id, department_ids: departments[from + at] ?? [] })
    columns = nextColumns
    onProgress?.(added.length)
  }
  return added
}

/** Resolves the departments, and checks that no other member has the phones and identity cards. */
async function checkNewMembers(ctx: MemberWriteContext, members: readonly NewMember[]) {
  const departments = await resolveDepartments(ctx, members)
  const [anchorDepartment = ''] = departments.flat()
  if (members.length > 0 && !anchorDepartment) throw fail('not_found', '公司还没有部门，请先新建部门')
  const returning = await createReturnLookup(ctx, members)
  await assertUniqueMembers(ctx, members)
  return { departments, returning, comparison: anchorDepartment }
}

/** Rows between two yields to the event loop, so that database responses are handled promptly. */
const rowsPerYield = 250
async function buildRows(ctx: MemberWriteContext, members: readonly NewMember[], from: number): Promise<MemberRow[]> {
  const rows: MemberRow[] = []
  for (const member of members.slice(from, from + rowsPerStatement)) {
    if (rows.length % rowsPerYield === 0) await nextSlot()
    rows.push(toMemberRow(ctx, newId(), member))
  }
  return rows
}

type ReturningFields = Partial<Pick<MemberRow, 'unconfirmed_at' | 'unconfirmed_by' | 'former_mobile' | 'former_account'>>
const toMemberRow = ({ vault }: MemberWriteContext, id: string, member: NewMember): MemberRow => ({
  id,
  name: member.name,
  name_pinyin: getNameSpellings(member.name),
  mobile: member.mobile,
  employee_no: member.employee_no ?? '',
  position: member.position ?? '',
  entry_on: member.entry_on ?? null,
  email: member.email ?? '',
  ...sealPrivateFields(vault, id, {}, member),
  unconfirmed_at: null,
  unconfirmed_by: null,
  former_mobile: null,
  former_account: null,
})

const returnWindowMs = 100 * 86_400_000

/**
 * A member added shortly after a member with the same name, number or ID card was terminated, but with another phone,
 * may be the same person under a phone that only the roster's administrator knows: their payslips wait, as after any
 * change of phone. With the previous phone the member is simply restored. Returns null if nobody was terminated
 * recently.
 */
async function createReturnLookup(
  ctx: MemberWriteContext,
  members: readonly NewMember[],
): Promise<((person: NewMember | undefined) => ReturningFields) | null> {
  const { db, company_id, vault, now, currentUser } = ctx
  const since = new Date(now.getTime() - returnWindowMs)
  const anyTerminated = await db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', company_id)
    .where('status', '=', 'left')
    .where('left_at', '>', since)
    .limit(1)
    .executeTakeFirst()
  if (!anyTerminated) return null
  const getCardIndex = ({ id_card }: NewMember) => (id_card ? vault.blindIndex('id_card', normalizeIdCard(id_card)) : null)
  const names = formatPostgresArray(members.map((member) => member.name))
  const numbers = formatPostgresArray(members.flatMap((member) => (member.employee_no ? [member.employee_no] : [])))
  const cards = formatPostgresArray(members.flatMap((member) => getCardIndex(member) ?? []))
  const terminated = await db
    .selectFrom('member')
    .select(['name', 'mobile', 'employee_no', 'id_card_index', 'former_account'])
    .where('company_id', '=', company_id)
    .where('status', '=', 'left')
    .where('left_at', '>', since)
    .where(
      sql<boolean>`(name = any(${names}::text[]) or employee_no = any(${numbers}::text[]) or id_card_index = any(${cards}::bytea[]))`,
    )
    .orderBy('left_at', 'desc')
    .execute()
  const by = {
    name: Map.groupBy(terminated, ({ name }) => name),
    employee_no: Map.groupBy(terminated, ({ employee_no }) => employee_no),
    card: Map.groupBy(terminated, ({ id_card_index }) => id_card_index?.toString('hex') ?? ''),
  }
  return (member) => {
    if (!member) return {}
    const card = terminated.length > 0 ? getCardIndex(member)?.toString('hex') : null
    const before = new Set([
      ...(by.name.get(member.name) ?? []),
      ...((member.employee_no && by.employee_no.get(member.employee_no)) || []),
      ...((card && by.card.get(card)) || []),
    ])
    const [last] = terminated.length > 0 ? [...before].toSorted((a, b) => terminated.indexOf(a) - terminated.indexOf(b)) : []
    if (!last || [...before].some((row) => row.mobile === member.mobile)) return {}
    const { mobile: former_mobile, former_account } = last
    return { unconfirmed_at: now, unconfirmed_by: currentUser.admin_id, former_mobile, former_account }
  }
}

/** Returns the encrypted columns, and keyed hashes to find and compare them by. Null deletes a number; undefined leaves it. */
export function sealPrivateFields(
  vault: HandlerContext['vault'],
  member_id: string,
  stored: PrivateFields,
  changes: Partial<Record<keyof PrivateFields, string | null | undefined>>,
) {
  const { id_card = stored.id_card, bank_account = stored.bank_account } = changes
  const card = id_card ? normalizeIdCard(id_card) : null
  const account = bank_account ? normalizeBankCard(bank_account) : null
  const next: PrivateFields = { ...(card && { id_card: card }), ...(account && { bank_account: account }) }
  return {
    private: card || account ? privateFieldsDocument.seal(vault, getPrivatePosition(member_id), next) : null,
    id_card_index: card ? vault.blindIndex('id_card', card) : null,
    bank_account_index: account ? vault.blindIndex('bank_account', account) : null,
  }
}

/**
 * Checks that a phone and an identity card belong to one active member. The error names the other member only within
 * scope. `exceptId` is the member being changed.
 */
export async function assertUniqueMembers(
  ctx: Pick<MemberWriteContext, 'db' | 'currentUser' | 'company_id' | 'vault'>,
  members: readonly Pick<NewMember, 'name' | 'mobile' | 'id_card'>[],
  exceptId?: string,
): Promise<void> {
  const { db, company_id, vault } = ctx
  const mobiles = members.map((member) => member.mobile).filter((mobile) => mobile !== '')
  const cards = members.flatMap((member) => (member.id_card ? [normalizeIdCard(member.id_card)] : []))
  if (cards.some((card) => detectIdentityDocument(card) === null))
    throw invalidInput('id_card', '证件号码不正确，请核对后重新填写')
  if (new Set(mobiles).size !== mobiles.length) throw invalidInput('mobile', '同一个手机号填给了多个人，请核对')
  if (new Set(cards).size !== cards.length) throw invalidInput('id_card', '同一个身份证号填给了多个人，请核对')
  const indexes = cards.map((card) => vault.blindIndex('id_card', card))
  const conflict = await db
    .selectFrom('member')
    .select(['name', 'mobile', isManageableMember(ctx).as('in_scope')])
    .where('company_id', '=', company_id)
    .where('status', '<>', 'left')
    .where(
      sql<boolean>`(mobile = any(${formatPostgresArray(mobiles)}::text[]) or id_card_index = any(${formatPostgresArray(indexes)}::bytea[]))`,
    )
    .$if(exceptId !== undefined, (query) => query.where('id', '<>', exceptId ?? ''))
    .executeTakeFirst()
  if (!conflict) return
  const [field, fieldLabel] = mobiles.includes(conflict.mobile) ? ['mobile', '手机号'] : ['id_card', '身份证号']
  const ownerText = conflict.in_scope ? `已属于${conflict.name}` : '已被本公司其他员工使用'
  throw invalidInput(field ?? '', `这个${fieldLabel}${ownerText}，请核对`)
}

/** Resolves each member's departments: as given, by name, or the default for members without one. */
async function resolveDepartments(ctx: MemberWriteContext, members: readonly NewMember[]): Promise<string[][]> {
  const { db, company_id } = ctx
  const manageable = await db
    .selectFrom('department')
    .select(['id', 'parent_id', 'name'])
    .where('company_id', '=', company_id)
    .where(isManageableDepartment(ctx))
    .orderBy('position')
    .orderBy('id')
    .execute()
  const manageableIds = new Set(manageable.map(({ id }) => id))
  const byName = new Map(manageable.toReversed().map(({ id, name }) => [name, id]))
  // Uses the root, or the highest department of a limited scope, because a new member must not fall outside the scope
  // of the administrator who adds them.
  const top = manageable.find(({ parent_id }) => parent_id === null || !manageableIds.has(parent_id))?.id
  if (!top && !canManageAllMembers(ctx)) throw fail('not_permitted', '您还没有管理任何部门，请联系企业管理员')
  const resolved: string[][] = []
  for (const member of members) {
    if (member.department_ids && member.department_ids.length > 0) {
      if (member.department_ids.some((id) => !manageableIds.has(id))) throw fail('not_found', '没有找到所选的部门，请刷新后重选')
      resolved.push(member.department_ids.length === 1 ? [...member.department_ids] : [...new Set(member.department_ids)])
      continue
    }
    const name = member.department?.trim()
    let id = name ? byName.get(name) : top
    if (name && !id) {
      id = newId()
      await db
        .insertInto('department')
        .values({ company_id, id, parent_id: top ?? null, name, position: manageable.length })
        .execute()
      byName.set(name, id)
    }
    resolved.push(id ? [id] : [])
  }
  return resolved
}
