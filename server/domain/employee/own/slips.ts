/** My slips with everything that is told of each, page by page: as many queries a page, however many slips are in it. */
import { readable } from '../../../contract/words/states.ts'
import { isoOf } from '../../../runtime/clock.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { asOwner } from '../../member/index.ts'
import { formOf, hashOfForm, openContent, receiptsOf } from '../../pay/index.ts'
import { openTitle } from '../../sheet/index.ts'
import { latestCorrections, rulesOf, signatureOf, slipOf, threadsOf } from '../../slip/index.ts'
import { isClosed, isLocked, isUnopened, ownRows } from '../my-slip.ts'
import { firstReceipt } from '../receipts.ts'
import type { OwnSlip } from '../rules/own-rows.ts'
import { slipsOfMine } from '../slips.ts'

const a_page = 50

const pageAfter = (ctx: Ctx, last: string) =>
  slipsOfMine(ctx)
    .where('salary.status', 'in', readable)
    .$if(last !== '', (query) => query.where('salary.id', '>', last))
    .selectAll('salary')
    .select(['batch.understood', 'batch.layout', 'batch.rules', 'title.id as title_id', 'title.name as title', 'title.month'])
    .orderBy('salary.id')
    .limit(a_page)
    .execute()
type Row = Awaited<ReturnType<typeof pageAfter>>[number]

/** Why a slip of mine is not in the copy: what I cannot read now is not in it either, and taking a copy is no first look. */
function keptBack(ctx: Ctx, row: Row): string | null {
  const rules = rulesOf(row.rules)
  if (isLocked(ctx, rules)) return '需要先验证身份'
  if (isClosed(ctx.now, rules, row.viewed_at)) return '已按公司设置在查看后关闭'
  if (isUnopened(rules, row.viewed_at)) return '这张工资条打开后会自动关闭，请在薪函里打开查看'
  return null
}

export type HeldSlip = OwnSlip & {
  readonly slip_id: string
  readonly version: number
  readonly hash: string | null
  readonly signature: string | null
}

export async function* slipsHeld(ctx: Ctx): AsyncGenerator<HeldSlip[]> {
  const names = new Map<string, string>()
  for (const id of ownRows(ctx.me)) names.set(id, (await asOwner(ctx, id)).name)
  for (let last = ''; ; ) {
    const rows = await pageAfter(ctx, last)
    yield await held(ctx, rows, names)
    last = rows.at(-1)?.id ?? ''
    if (rows.length < a_page) return
  }
}

async function held(ctx: Ctx, rows: readonly Row[], names: ReadonlyMap<string, string>): Promise<HeldSlip[]> {
  const all = rows.map((row) => {
    const title_name = openTitle(ctx.vault, row.title_id, row.title) ?? ''
    const { understood, layout, month: title_month } = row
    return {
      salary: row,
      batch: { id: row.batch_id, understood, layout, title_name, title_month },
      kept_back: keptBack(ctx, row),
    }
  })
  const open = all.filter(({ kept_back }) => kept_back === null)
  const corrections = await latestCorrections(
    ctx,
    open.filter(({ salary }) => salary.corrected_at !== null),
  )
  const threads = await threadsOf(
    ctx,
    rows.map(({ id }) => id),
  )
  const receipts = await receiptsOf(
    ctx,
    open.map(({ salary }) => salary.id),
  )
  const made: HeldSlip[] = []
  for (const { salary, batch, kept_back } of all) {
    const who = { name: names.get(salary.member_id) ?? ctx.me.name, corp_name: ctx.me.company_name }
    const slip = kept_back === null ? slipOf(ctx, batch, openContent(ctx.vault, salary), who) : null
    const form = slip && formOf({ slip_id: salary.id, version: salary.version, slip })
    const hash = form && hashOfForm(form)
    const kept = receipts.find((one) => one.salary_id === salary.id && one.version === salary.version)
    made.push({
      slip_id: salary.id,
      title: batch.title_name,
      month: salary.month,
      status: salary.status,
      version: salary.version,
      sent_at: isoOrNull(salary.sent_at),
      viewed_at: isoOrNull(salary.viewed_at),
      confirmed_at: isoOrNull(salary.confirmed_at),
      confirmed_auto: salary.confirmed_auto,
      receipt: slip && form && hash ? (kept?.receipt ?? (await firstReceipt(ctx, salary, { slip, form, hash }))) : null,
      hash,
      signature: signatureOf(ctx.vault, salary),
      kept_back,
      slip,
      corrected: corrections.get(salary.id) ?? null,
      questions: threads.get(salary.id) ?? [],
    })
  }
  return made
}

const isoOrNull = (at: Date | null): string | null => at && isoOf(at)
