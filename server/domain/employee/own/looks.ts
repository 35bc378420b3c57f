/** Who looked at what is mine: read from the lines of evidence that every look has left (runtime/request/audit.ts). */
import type { Call } from '../../../contract/call.ts'
import * as contract from '../../../contract/own/own.ts'
import { showIdCard } from '../../../contract/people/file.ts'
import * as feedback from '../../../contract/slip/feedback.ts'
import * as slip from '../../../contract/slip/slip.ts'
import { exportEvidence } from '../../../contract/wage/evidence.ts'
import { showMemberTax } from '../../../contract/wage/tax/tax-history.ts'
import { readable } from '../../../contract/words/states.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { doneWith } from '../../../runtime/request/audit.ts'
import { openTitle } from '../../sheet/index.ts'
import { mustBeConfirmed, ownRows } from '../my-slip.ts'
import { slipsOfMine } from '../slips.ts'

type Ways = readonly (readonly [call: Call, what: contract.LookKind])[]
/** Lines that name one slip, one person, a batch. */
const ofSlip: Ways = [
  [slip.getSalary, 'slip'],
  [slip.editSalaryDetail, 'corrected'],
  [slip.getSalaryModifyLog, 'log'],
  [feedback.getFeedBackDetail, 'question'],
  [feedback.handleFeedback, 'question'],
]
const ofPerson: Ways = [
  [slip.getMemberSlips, 'person'],
  [showIdCard, 'id_card'],
  [showMemberTax, 'tax'],
  [exportEvidence, 'export'],
]
const ofBatch: Ways = [
  [slip.getWageDetail, 'list'],
  [slip.exportWageDetail, 'export'],
  [exportEvidence, 'export'],
]
const kinds = new Map([...ofSlip, ...ofPerson, ...ofBatch].map(([call, what]) => [call.at, what]))
const callsOf = (ways: Ways): Call[] => ways.map(([call]) => call)

/** Of slips that I can read now; of what was withdrawn nothing is told. */
export async function looksAtMine(ctx: Ctx, page: { readonly limit: number; readonly offset: number }) {
  const slips = await slipsOfMine(ctx)
    .where('salary.status', 'in', readable)
    .select(['salary.id', 'salary.batch_id', 'title.id as title_id', 'title.name as title', 'title.month'])
    .execute()
  const runs = new Map(
    slips.flatMap(({ id, batch_id, title_id, title, month }) => {
      const run = { title: openTitle(ctx.vault, title_id, title), month }
      return [[id, run] as const, [batch_id, run] as const]
    }),
  )
  const { lines, total } = await doneWith(
    ctx,
    [
      { calls: callsOf(ofSlip), ids: slips.map(({ id }) => id) },
      { calls: callsOf(ofPerson), ids: ownRows(ctx.me) },
      { calls: callsOf(ofBatch), ids: slips.map(({ batch_id }) => batch_id) },
    ],
    page,
  )
  const list = lines.flatMap(({ call, of_id, name, at, times }) => {
    const what = kinds.get(call)
    const { title = null, month = null } = runs.get(of_id) ?? {}
    return what ? [{ at: isoOf(at), times, by: name, what, title, month }] : []
  })
  return { list, total }
}

export const getLookList = handle(contract.getLookList, async (ctx, { page, pagesize }) => {
  mustBeConfirmed(ctx)
  const { list, total } = await looksAtMine(ctx, { limit: pagesize, offset: (page - 1) * pagesize })
  return { list, page: { page, pagesize, total } }
})
