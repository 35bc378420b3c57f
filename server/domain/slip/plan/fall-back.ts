/** Who was not reached goes on by the next way of the plan, and who is sent again begins with the first: each step is a row of the ledger. */
import { type RawBuilder, sql } from 'kysely'
import { type Channel, channels } from '../../../contract/words/vocabulary.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Marked } from '../../../runtime/post/index.ts'
import { lockedSmsLeft, providerOf, settingOf, takeSms } from '../../company/index.ts'
import { chooseChannel, type Reach } from '../rules/channel.ts'
import { waysOn } from '../rules/fall-back.ts'
import { smsPieces } from '../rules/message.ts'
import { piecesFor } from '../send/claims.ts'
import { peopleOf } from '../send/identity.ts'
import { askFor, type LedgerHere } from '../send/ledger.ts'

type Sending = LedgerHere & Pick<Ctx, 'vault' | 'origin' | 'pieces'> & { readonly batch_id: string }
type Step = { readonly salary_id: string; readonly channel: Channel }

/** The ways of the batch, in their order. */
async function orderOf({ db, company_id, batch_id }: Sending): Promise<readonly Channel[]> {
  const plan = await db
    .selectFrom('plan')
    .select('channels')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'started')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (plan?.channels ?? []).flatMap((word) => channels.find((one) => one === word) ?? [])
}

type Addressee = {
  readonly salary_id: string
  readonly channel: Channel
  readonly used: readonly Channel[]
  readonly person: Reach
}

/** How the people of slips are reached now, and by which ways a message of the present version may have left already. */
async function addressees(where: Sending, which: RawBuilder<boolean>): Promise<Addressee[]> {
  const { db, company_id } = where
  const { rows } = await sql<Omit<Addressee, 'person'> & { member_id: string }>`
    select salary.id as salary_id, salary.channel, salary.member_id,
      array(select delivery.channel from delivery where delivery.company_id = ${company_id} and delivery.salary_id = salary.id
        and delivery.version = salary.version and delivery.purpose = 'slip' and delivery.status in ('accepted', 'unknown', 'leased', 'queued')) as used
    from salary where salary.company_id = ${company_id} and ${which} order by salary.row_no`.execute(db)
  if (rows.length === 0) return []
  const provider = await providerOf(where)
  const people = await peopleOf(
    where,
    rows.map(({ member_id }) => member_id),
  )
  return rows.flatMap(({ member_id, ...row }) => {
    const person = people.get(member_id)
    if (!person) return []
    const { mobile, email, status, platform_user_id } = person
    return [{ ...row, person: { mobile, email, left: status === 'left', platform_user_id: provider ? platform_user_id : null } }]
  })
}

/**
 * Slips whose message failed go on by the next way that reaches their person; those who can stay `queued`. Answers which they are. Called by
 * the transaction that writes the failure, with the batch held: no withdrawal comes in between.
 */
export async function fallBack(where: Sending, failed: readonly Marked[]): Promise<ReadonlySet<string>> {
  if (failed.length === 0) return new Set()
  const { db, company_id, batch_id } = where
  const order = await orderOf(where)
  const ids = failed.map(({ about }) => about)
  if (order.length < 2) return new Set()
  const people = await addressees(where, sql<boolean>`salary.id = any(${ids}::uuid[]) and salary.status = 'queued'`)
  const reasons = new Map(failed.map((one) => [one.about, one]))
  const { send_rule } = await settingOf(where)
  const each = await piecesFor(where, batch_id, 'slip')
  const left = order.includes('sms') ? await lockedSmsLeft({ db, company_id }) : 0
  const asked = people.map(({ channel, ...one }) => ({
    ...one,
    failed: channel,
    code: reasons.get(one.salary_id)?.code ?? null,
  }))
  const ways = waysOn(asked, order, send_rule, { left, each })
  const steps = asked.flatMap(({ salary_id }, at) => {
    const channel = ways[at]
    return channel ? [{ salary_id, channel }] : []
  })
  await take(where, steps, each, 'fall-back')
  return new Set(steps.map(({ salary_id }) => salary_id))
}

/**
 * Failed slips once more, from the first way that reaches their person as he is reached now; where none does, by the one that failed, so that the
 * reason is said anew. Answers how many.
 */
export async function beginAgain(where: Sending, which: RawBuilder<boolean>): Promise<number> {
  const order = await orderOf(where)
  const people = await addressees(where, sql<boolean>`salary.status = 'failed' and ${which}`)
  if (people.length === 0) return 0
  const { send_rule } = await settingOf(where)
  const steps = people.map(({ salary_id, channel, used, person }) => ({
    salary_id,
    channel:
      chooseChannel(
        person,
        order.filter((one) => !used.includes(one)),
        send_rule,
      ) ?? channel,
  }))
  await take(where, steps, await piecesFor(where, where.batch_id, 'slip'), 'retry')
  return steps.length
}

/** Each slip takes its way: a row of the ledger for it, or the one that failed there before, opened once more. */
async function take(where: Sending, steps: readonly Step[], pieces: number, why: string): Promise<void> {
  if (steps.length === 0) return
  const { db, company_id, now, batch_id } = where
  const ids = steps.map(({ salary_id }) => salary_id)
  await sql`
    update salary set status = 'queued', channel = step.channel
    from unnest(${ids}::uuid[], ${steps.map(({ channel }) => channel)}::text[]) as step (id, channel)
    where salary.company_id = ${company_id} and salary.id = step.id and salary.status in ('queued', 'failed')`.execute(db)
  const these = sql<boolean>`salary.id = any(${ids}::uuid[])`
  const { rows } = await sql<{ channel: Channel; pieces: number }>`
    update delivery set status = 'queued', attempts = 0, due_at = ${now}, done_at = null, code = null, message = null, lease_by = null, lease_until = null
    from salary
    where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.purpose = 'slip' and delivery.status = 'failed'
      and salary.company_id = ${company_id} and salary.id = delivery.salary_id and salary.channel = delivery.channel
      and salary.version = delivery.version and ${these}
    returning delivery.channel, delivery.pieces`.execute(db)
  const asked = await askFor(where, batch_id, these, { purpose: sql<string>`'slip'`, pieces })
  await takeSms(where, asked.sms + smsPieces(rows), why, { id: newId(), batch_id })
}
