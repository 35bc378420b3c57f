/** The employee's payslips with all related data, page by page, by a number of queries that does not depend on theirs. */
import { readableStatuses } from '../../../../contract/shared/statuses.ts'
import type { HandlerContext } from '../../../../http/handler.ts'
import { toIsoTimestamp } from '../../../../shared/clock.ts'
import { canonicalizePayslip, hashCanonicalForm, listReceipts, openPayslipContent } from '../../../payslip-records/index.ts'
import { openTitle } from '../../../sheets/display/index.ts'
import { listMessagesByPayslip } from '../../feedback/threads.ts'
import { getLatestCorrections } from '../../payslip/corrections.ts'
import { renderBatchPayslip } from '../../payslip/render.ts'
import { parsePayslipRules } from '../../rules/payslip-rules.ts'
import { openSignature } from '../../view-and-confirm.ts'
import { getOwnMemberIds, getPayslipOwner, isBeforeOnlyView, isClosed, isViewLocked } from '../payslip-access.ts'
import { selectOwnPayslips } from '../payslips.ts'
import { issueMissingReceipt } from '../receipts.ts'
import type { ExportedPayslip } from '../rules/personal-data-rows.ts'

const payslipsPerPage = 50

const selectPageAfter = (ctx: HandlerContext, last: string) =>
  selectOwnPayslips(ctx)
    .where('payslip.status', 'in', readableStatuses)
    .$if(last !== '', (query) => query.where('payslip.id', '>', last))
    .selectAll('payslip')
    .select(['batch.recognition', 'batch.layout', 'batch.rules', 'title.id as title_id', 'title.name as title', 'title.month'])
    .orderBy('payslip.id')
    .limit(payslipsPerPage)
    .execute()
type PayslipRow = Awaited<ReturnType<typeof selectPageAfter>>[number]

/** Returns why a payslip is left out of the export: what cannot be read now; and an export is not the first view. */
function getHiddenReason(ctx: HandlerContext, row: PayslipRow): string | null {
  const rules = parsePayslipRules(row.rules)
  if (isViewLocked(ctx, rules)) return '需要先验证身份'
  if (isClosed(ctx.now, rules, row.viewed_at)) return '已按公司设置阅后即焚'
  if (isBeforeOnlyView(rules, row.viewed_at)) return '这张工资条打开后会自动关闭，请在薪函里打开查看'
  return null
}

export type PersonalPayslip = ExportedPayslip & {
  readonly slip_id: string
  readonly version: number
  readonly hash: string | null
  readonly signature: string | null
}

export async function* streamPersonalPayslips(ctx: HandlerContext): AsyncGenerator<PersonalPayslip[]> {
  const names = new Map<string, string>()
  for (const id of getOwnMemberIds(ctx.currentUser)) names.set(id, (await getPayslipOwner(ctx, id)).name)
  for (let last = ''; ; ) {
    const rows = await selectPageAfter(ctx, last)
    yield await toPersonalPayslips(ctx, rows, names)
    last = rows.at(-1)?.id ?? ''
    if (rows.length < payslipsPerPage) return
  }
}

async function toPersonalPayslips(
  ctx: HandlerContext,
  rows: readonly PayslipRow[],
  names: ReadonlyMap<string, string>,
): Promise<PersonalPayslip[]> {
  const all = rows.map((row) => {
    const title_name = openTitle(ctx.vault, row.title_id, row.title) ?? ''
    const { recognition, layout, month: title_month } = row
    return {
      salary: row,
      batch: { id: row.batch_id, recognition, layout, title_name, title_month },
      kept_back: getHiddenReason(ctx, row),
    }
  })
  const visible = all.filter(({ kept_back }) => kept_back === null)
  const corrections = await getLatestCorrections(
    ctx,
    visible.filter(({ salary }) => salary.corrected_at !== null),
  )
  const threads = await listMessagesByPayslip(
    ctx,
    rows.map(({ id }) => id),
  )
  const receipts = await listReceipts(
    ctx,
    visible.map(({ salary }) => salary.id),
  )
  const personalPayslips: PersonalPayslip[] = []
  for (const { salary, batch, kept_back } of all) {
    const recipient = { name: names.get(salary.member_id) ?? ctx.currentUser.name, corp_name: ctx.currentUser.company_name }
    const slip = kept_back === null ? renderBatchPayslip(ctx, batch, openPayslipContent(ctx.vault, salary), recipient) : null
    const form = slip && canonicalizePayslip({ slip_id: salary.id, version: salary.version, slip })
    const hash = form && hashCanonicalForm(form)
    const storedReceipt = receipts.find((one) => one.salary_id === salary.id && one.version === salary.version)
    personalPayslips.push({
      slip_id: salary.id,
      title: batch.title_name,
      month: salary.month,
      status: salary.status,
      version: salary.version,
      sent_at: toIsoOrNull(salary.sent_at),
      viewed_at: toIsoOrNull(salary.viewed_at),
      confirmed_at: toIsoOrNull(salary.confirmed_at),
      confirmed_auto: salary.confirmed_auto,
      receipt:
        slip && form && hash ? (storedReceipt?.receipt ?? (await issueMissingReceipt(ctx, salary, { slip, form, hash }))) : null,
      hash,
      signature: openSignature(ctx.vault, salary),
      withheld: kept_back,
      slip,
      corrected: corrections.get(salary.id) ?? null,
      questions: threads.get(salary.id) ?? [],
    })
  }
  return personalPayslips
}

const toIsoOrNull = (at: Date | null): string | null => at && toIsoTimestamp(at)
