/** Who a slip is for: read from the roster, frozen with the plan, and compared right before anything leaves. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { type IdentityField, identityWords, stopWords } from '../../../contract/words/words.ts'
import { type Ctx, refuse } from '../../../runtime/handle.ts'
import { roster } from '../../member/index.ts'
import { type FrozenPerson, type PersonNow, type Stop, stopOf } from '../rules/identity.ts'

/** As the statements below read a person. */
export type PersonRow = {
  readonly name: string
  readonly mobile: string
  readonly email: string
  readonly employee_no: string
  readonly id_card_index: Buffer | null
  /** Of whoever has left, the one they had. */
  readonly account_id: string | null
  readonly platform_user_id: string | null
  readonly unconfirmed_at: Date | null
  /** Of his account; null where he has none, or its phone went to somebody else. */
  readonly account_mobile: string | null
  readonly status: string
}
/** Of a slip whose person has left: whether that was known when it was planned. */
export const isPlannedForLeaver = (frozen: FrozenPerson | null): boolean => Boolean(frozen?.left)

const account = sql`coalesce(person.account_id, case when person.status = 'left' then person.former_account end)`

/** For queries with `person`, a row of `member`: its account's phone, beside it as `own`. */
export const ownPhone = sql`left join lateral (select mobile as account_mobile from account where id = ${account} limit 1) as own on true`
export const personFields = sql`person.name, person.mobile, person.email, person.employee_no, person.id_card_index, ${account} as account_id, person.platform_user_id,
  person.unconfirmed_at, person.status, own.account_mobile`
/** The fields of `member` that these need, where it is read by itself. */
export const memberFields = sql`name, mobile, email, employee_no, id_card_index, account_id, former_account, platform_user_id, unconfirmed_at, status`

/** Salted with the slip: equal people do not look equal, and what stands in the roster in plain is not told twice. */
const digest = (salary_id: string, field: IdentityField, value: string): string =>
  value === '' ? '' : hash('sha256', `${salary_id}|${field}|${value}`).slice(0, 24)

export function identityOf(salary_id: string, person: PersonRow): FrozenPerson {
  const of = (field: IdentityField, value: string | null | undefined) => digest(salary_id, field, value ?? '')
  return {
    name: of('name', person.name),
    mobile: of('mobile', person.mobile),
    employee_no: of('employee_no', person.employee_no),
    id_card: of('id_card', person.id_card_index?.toString('hex')),
    account: of('account', person.account_id),
    platform: of('platform', person.platform_user_id),
    left: of('left', person.status === 'left' ? 'left' : ''),
  }
}

export const presentOf = (salary_id: string, person: PersonRow): PersonNow => ({
  identity: identityOf(salary_id, person),
  own_phone: person.account_id !== null && person.account_mobile === person.mobile,
  unconfirmed: person.unconfirmed_at !== null,
  other_phone: person.account_id !== null && person.account_mobile !== person.mobile,
})

/** The people of a plan, by their ids. */
export async function peopleOf({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, ids: readonly string[]) {
  const { rows } = await sql<PersonRow & { id: string }>`
    select person.id, ${personFields} from member as person ${ownPhone}
    where person.company_id = ${company_id} and person.id = any(${[...new Set(ids)]}::uuid[])`.execute(db)
  return new Map(rows.map((person) => [person.id, person]))
}

/** In words, with what to do. */
export const sayStop = ({ why, changed }: Stop): string =>
  changed.length > 0 ? `${changed.map((field) => identityWords[field]).join('、')}${stopWords[why]}` : stopWords[why]

/**
 * Before one person is sent something again by hand: whoever looks at him and presses the button has answered what was asked, so he is
 * frozen as he is now. Not where the name is another one, and not while his phone is unconfirmed: that is refused with the remedy.
 */
export async function recognise(ctx: Ctx, salary_id: string): Promise<void> {
  const { db, company_id } = ctx
  const { rows } = await sql<PersonRow & { member_id: string; identity: FrozenPerson | null }>`
    select slip.member_id, slip.identity, ${personFields}
    from salary as slip
    join member as person on person.company_id = slip.company_id and person.id = slip.member_id
    ${ownPhone}
    where slip.company_id = ${company_id} and slip.id = ${salary_id}`.execute(db)
  const [person] = rows
  if (!person) return
  if (person.status === 'left') await mustStillRead(ctx, person)
  const stop = stopOf(person.identity, presentOf(salary_id, person))
  if (stop && stop.why !== 'changed') throw refuse('wrong_state', sayStop(stop), { status: stop.why })
  const other_phone = stopOf(null, presentOf(salary_id, person))
  if (other_phone) throw refuse('wrong_state', sayStop(other_phone), { status: other_phone.why })
  if (stop)
    await db
      .updateTable('salary')
      .set({ identity: JSON.stringify(identityOf(salary_id, person)) })
      .where('company_id', '=', company_id)
      .where('id', '=', salary_id)
      .execute()
}

/** Whoever has left is sent nothing that they could not open. */
async function mustStillRead(
  ctx: Ctx,
  { member_id, name }: { readonly member_id: string; readonly name: string },
): Promise<void> {
  const [person] = await roster(ctx, [member_id])
  if (person?.leaver?.access !== 'reads')
    throw refuse('wrong_state', `${name}已离职，发了也打不开；请用别的方式给工资条（例如打印）`, { status: 'left' })
}
