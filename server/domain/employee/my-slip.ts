/** A slip of mine: the one way for an employee to a salary. Withdrawn, not yet sent, somebody else's and never made are one answer. */
import { readable } from '../../contract/states.ts'
import type { SalaryStatus, TitleKind } from '../../contract/words.ts'
import { type Ctx, refuse } from '../../runtime/handle.ts'
import { openTitle } from '../sheet/index.ts'
import { burnsAt, contentPlace, type Rules, rulesOf, type SlipContent } from '../slip/index.ts'

/** Slips of this batch are shown only for ten minutes after somebody has proven who he is. */
export const isLocked = ({ me, now }: Ctx, rules: Rules): boolean =>
  rules.view_password && !(me.view_until && me.view_until > now)

/** Before anything of a slip is told: whoever has not been confirmed as the person of this row sees none. */
export function mustBeConfirmed({ me }: Pick<Ctx, 'me'>): void {
  if (me.unconfirmed) throw refuse('unconfirmed_holder')
}

/**
 * My slip with its batch, locked until this transaction ends: a withdrawal comes either before, and then there is none, or waits. Refuses
 * `view_locked` where the company wants a second proof.
 */
export async function mySlip(ctx: Ctx, slip_id: string) {
  const { db, company_id, me, now, vault } = ctx
  if (!me.member_id) throw refuse('not_found')
  mustBeConfirmed(ctx)
  const salary = await db
    .selectFrom('salary')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('id', '=', slip_id)
    .where('member_id', '=', me.member_id)
    .where('status', 'in', readable)
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
  const burns_at = burnsAt(rules, salary.viewed_at)
  if (burns_at && burns_at <= now) throw refuse('not_found', '这张工资条已按公司设置在查看后关闭，如需再看请联系薪酬管理员')
  if (isLocked(ctx, rules)) throw refuse('view_locked')
  return {
    salary: { ...salary, status: salary.status as SalaryStatus },
    batch: {
      ...batch,
      title_name: openTitle(vault, batch.title_id, batch.title_name),
      title_kind: (batch.title_kind ?? 'monthly') as TitleKind,
    },
    rules,
    content: vault.open<SlipContent>(contentPlace(salary.id, salary.version), salary.cells),
  }
}
