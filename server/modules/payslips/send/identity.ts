/** The identity of a payslip's recipient: read from the roster, frozen with the plan, compared right before a message is sent. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { blockMessages, type IdentityField, identityLabels } from '../../../contract/shared/schemas.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { accountView } from '../../auth/read-model.ts'
import { loadRoster } from '../../directory/index.ts'
import { type CurrentIdentity, getSendBlock, type IdentityDigests, type SendBlock } from '../rules/identity.ts'

/** A member as the statements below read it. */
export type RecipientRow = {
  readonly name: string
  readonly mobile: string
  readonly email: string
  readonly employee_no: string
  readonly id_card_index: Buffer | null
  /** The former account of a terminated member. */
  readonly account_id: string | null
  readonly platform_user_id: string | null
  readonly unconfirmed_at: Date | null
  /** The phone of the account; null if there is none, or the phone has a new owner. */
  readonly account_mobile: string | null
  readonly status: string
}
/** For the payslip of a terminated member, whether the termination was known when the payslip was planned. */
export const isPlannedForLeaver = (frozen: IdentityDigests | null): boolean => Boolean(frozen?.left)

const account = sql`coalesce(person.account_id, case when person.status = 'left' then person.former_account end)`

/** Join for queries with `person`, a row of `member`: adds the phone of its account as `own`. */
export const joinAccountPhone = sql`left join lateral (select mobile as account_mobile from ${accountView} where id = ${account} limit 1) as own on true`
export const recipientColumns = sql`person.name, person.mobile, person.email, person.employee_no, person.id_card_index, ${account} as account_id, person.platform_user_id,
  person.unconfirmed_at, person.status, own.account_mobile`
/** The columns of `member` needed for this, where it is read by itself. */
export const memberColumns = sql`name, mobile, email, employee_no, id_card_index, account_id, former_account, platform_user_id, unconfirmed_at, status`

/** Salted with the payslip's id: equal values do not look equal, and plain text data of the roster is not duplicated. */
const digestField = (salary_id: string, field: IdentityField, value: string): string =>
  value === '' ? '' : hash('sha256', `${salary_id}|${field}|${value}`).slice(0, 24)

export function computeIdentity(salary_id: string, recipient: RecipientRow): IdentityDigests {
  const digest = (field: IdentityField, value: string | null | undefined) => digestField(salary_id, field, value ?? '')
  return {
    name: digest('name', recipient.name),
    mobile: digest('mobile', recipient.mobile),
    employee_no: digest('employee_no', recipient.employee_no),
    id_card: digest('id_card', recipient.id_card_index?.toString('hex')),
    account: digest('account', recipient.account_id),
    platform: digest('platform', recipient.platform_user_id),
    left: digest('left', recipient.status === 'left' ? 'left' : ''),
  }
}

export const getCurrentIdentity = (salary_id: string, recipient: RecipientRow): CurrentIdentity => ({
  identity: computeIdentity(salary_id, recipient),
  hasProvenPhone: recipient.account_id !== null && recipient.account_mobile === recipient.mobile,
  isPhoneUnconfirmed: recipient.unconfirmed_at !== null,
  hasOtherPhone: recipient.account_id !== null && recipient.account_mobile !== recipient.mobile,
})

export async function loadRecipients({ db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>, ids: readonly string[]) {
  const { rows } = await sql<RecipientRow & { id: string }>`
    select person.id, ${recipientColumns} from member as person ${joinAccountPhone}
    where person.company_id = ${company_id} and person.id = any(${[...new Set(ids)]}::uuid[])`.execute(db)
  return new Map(rows.map((recipient) => [recipient.id, recipient]))
}

/** Formats the reason with a remedy. */
export const formatSendBlock = ({ reason, changedFields }: SendBlock): string =>
  changedFields.length > 0
    ? `${changedFields.map((field) => identityLabels[field]).join('、')}${blockMessages[reason]}`
    : blockMessages[reason]

/**
 * Freezes the member's current identity before a payslip is sent again manually, because an administrator who reviews
 * the member and confirms has answered the question. Throws with a remedy if the name differs or the phone is
 * unconfirmed.
 */
export async function refreshIdentity(ctx: HandlerContext, salary_id: string): Promise<void> {
  const { db, company_id } = ctx
  const { rows } = await sql<RecipientRow & { member_id: string; identity: IdentityDigests | null }>`
    select slip.member_id, slip.identity, ${recipientColumns}
    from payslip as slip
    join member as person on person.company_id = slip.company_id and person.id = slip.member_id
    ${joinAccountPhone}
    where slip.company_id = ${company_id} and slip.id = ${salary_id}`.execute(db)
  const [recipient] = rows
  if (!recipient) return
  if (recipient.status === 'left') await mustStillRead(ctx, recipient)
  const block = getSendBlock(recipient.identity, getCurrentIdentity(salary_id, recipient))
  if (block && block.reason !== 'changed') throw fail('wrong_state', formatSendBlock(block), { status: block.reason })
  const phoneBlock = getSendBlock(null, getCurrentIdentity(salary_id, recipient))
  if (phoneBlock) throw fail('wrong_state', formatSendBlock(phoneBlock), { status: phoneBlock.reason })
  if (block)
    await db
      .updateTable('payslip')
      .set({ identity: JSON.stringify(computeIdentity(salary_id, recipient)) })
      .where('company_id', '=', company_id)
      .where('id', '=', salary_id)
      .execute()
}

/** Throws for a terminated member who could not open what is sent. */
async function mustStillRead(
  ctx: HandlerContext,
  { member_id, name }: { readonly member_id: string; readonly name: string },
): Promise<void> {
  const [person] = await loadRoster(ctx, [member_id])
  if (person?.termination?.access !== 'reads')
    throw fail('wrong_state', `${name}已离职，发了也打不开；请用别的方式给工资条（例如打印）`, { status: 'left' })
}
