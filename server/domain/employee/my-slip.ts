/** A slip of mine: the one way for an employee to a salary. Withdrawn, not yet sent, somebody else's and never made are one answer. */
import { can, readable } from '../../contract/words/states.ts'
import type { SalaryStatus } from '../../contract/words/words.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, type Refusal, refuse } from '../../runtime/handle.ts'
import { asOwner } from '../member/index.ts'
import { formOf, hashOfForm, openContent, slipsOf } from '../pay/index.ts'
import { openTitle } from '../sheet/index.ts'
import { burnsAt, rulesOf, type SlipRules, slipOf, threadOf } from '../slip/index.ts'

/** Nothing of pay is shown to whoever has left but for ten minutes after he has proven who he is. */
export const isLeft = ({ me, now }: Ctx): boolean => me.left !== null && !(me.view_until && me.view_until > now)

/** Slips of this batch, and all of whoever has left, are shown only for ten minutes after somebody has proven who he is. */
export const isLocked = (ctx: Ctx, rules: SlipRules): boolean =>
  isLeft(ctx) || (rules.view_password && !(ctx.me.view_until && ctx.me.view_until > ctx.now))

/** The rows whose slips are mine, those of before among them; none where it is not clear that I am their person. */
export const ownRows = ({ unconfirmed, own_ids }: Pick<Ctx['me'], 'own_ids' | 'unconfirmed'>): readonly string[] =>
  unconfirmed ? [] : own_ids

/** Before anything of a slip is told: whoever has not been confirmed as the person of this row sees none. */
export function mustBeConfirmed({ me }: Pick<Ctx, 'me'>): void {
  if (me.unconfirmed) throw refuse('unconfirmed_holder')
}

/** Whether it will close after a first look that has not been: until then nothing of it is told anywhere, for no look at it would count. */
export const isUnopened = (rules: SlipRules, viewed_at: Date | null): boolean =>
  rules.burn_after_minutes > 0 && viewed_at === null

/** Refuses `closes_after_look`. */
export function mustBeOpened(rules: SlipRules, viewed_at: Date | null): void {
  if (isUnopened(rules, viewed_at)) throw refuse('closes_after_look', undefined, { minutes: rules.burn_after_minutes })
}

/** Whether it has closed after its first look. */
export const isClosed = (now: Date, rules: SlipRules, viewed_at: Date | null): boolean => {
  const closes_at = burnsAt(rules, viewed_at)
  return closes_at !== null && closes_at <= now
}

/**
 * My slip with its batch, locked until this transaction ends: a withdrawal comes either before, and then there is none, or waits. Refuses
 * `view_locked` where the company wants a second proof. One that has closed, or closes after a look that has not been, can be answered, not read:
 * `closed` says which is asked; `opens`: this is that look.
 */
export async function mySlip(
  ctx: Ctx,
  slip_id: string,
  { closed, opens = false }: { readonly closed: 'refused' | 'allowed'; readonly opens?: boolean },
) {
  const { db, company_id, me, vault } = ctx
  if (!me.member_id) throw refuse('not_found')
  mustBeConfirmed(ctx)
  const salary = await slipsOf(ctx, ownRows(me))
    .selectAll('salary')
    .where('salary.id', '=', slip_id)
    .where('salary.status', 'in', readable)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!salary) throw refuse('not_found', '没有找到这张工资条，可能已被撤回')
  const batch = await db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['batch.id', 'batch.owner_id', 'batch.understood', 'batch.layout', 'batch.rules', 'batch.title_id'])
    .select(['title.name as title_name', 'title.month as title_month', 'title.kind as title_kind'])
    .where('batch.company_id', '=', company_id)
    .where('batch.id', '=', salary.batch_id)
    .executeTakeFirstOrThrow()
  const rules = rulesOf(batch.rules)
  if (isLocked(ctx, rules)) throw refuse('view_locked')
  const mine = { ...salary, status: salary.status }
  if (closed === 'refused') {
    if (isClosed(ctx.now, rules, salary.viewed_at)) throw await closedNow(ctx, mine, rules)
    if (!opens) mustBeOpened(rules, salary.viewed_at)
  }
  return {
    salary: mine,
    batch: {
      ...batch,
      title_name: openTitle(vault, batch.title_id, batch.title_name),
      title_kind: batch.title_kind ?? 'monthly',
    },
    rules,
    content: openContent(vault, salary),
  }
}

/** As it is shown to me, its canonical form and the hash of exactly that. */
export async function shownTo(ctx: Ctx, { salary, batch, content }: Awaited<ReturnType<typeof mySlip>>) {
  const member = await asOwner(ctx, salary.member_id)
  const slip = slipOf(ctx, batch, content, { name: member.name, corp_name: ctx.me.company_name })
  const form = formOf({ slip_id: salary.id, version: salary.version, slip })
  return { member, slip, form, hash: hashOfForm(form) }
}

type Closed = {
  readonly id: string
  readonly status: SalaryStatus
  readonly version: number
  readonly viewed_at: Date | null
  readonly confirmed_at: Date | null
  readonly confirmed_auto: boolean
}
/** Says when it closed, and what the person may still do. */
async function closedNow(ctx: Ctx, salary: Closed, rules: SlipRules): Promise<Refusal> {
  const thread = await threadOf(ctx, salary.id)
  const closed_at = burnsAt(rules, salary.viewed_at)
  return refuse('slip_closed', undefined, {
    closed_at: closed_at && isoOf(closed_at),
    version: salary.version,
    confirm: rules.confirm && can.confirm(salary.status) === true,
    feedback: rules.feedback || thread !== undefined,
    confirmed_at: salary.confirmed_at && isoOf(salary.confirmed_at),
    confirmed_auto: salary.confirmed_auto,
  })
}

/** How my slip stands: light, it opens nothing and locks nothing. */
export async function standingOf(ctx: Ctx, slip_id: string) {
  const row = await slipsOf(ctx, ownRows(ctx.me))
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'salary.company_id').onRef('batch.id', '=', 'salary.batch_id'),
    )
    .select(['salary.version', 'salary.status', 'salary.viewed_at', 'batch.rules'])
    .where('salary.id', '=', slip_id)
    .where('salary.status', 'in', readable)
    .executeTakeFirst()
  const status = readable.find((one) => one === row?.status)
  if (!row || !status) throw refuse('not_found', '没有找到这张工资条，可能已被撤回')
  const closed = isClosed(ctx.now, rulesOf(row.rules), row.viewed_at)
  return { version: row.version, status, closed }
}
