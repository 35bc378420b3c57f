/**
 * Writes batches: titles, batches, rows, payslips, the delivery ledger, feedback. Encrypted at the same positions as in
 * the product.
 */

import { type Fen, sumFen } from '../contract/shared/money.ts'
import { defaultAnswerDays, readableStatuses } from '../contract/shared/statuses.ts'
import type { Vault } from '../crypto/secrets.ts'
import type { Tx } from '../database/database.ts'
import { recordPrepaidTransaction } from '../modules/billing/index.ts'
import { isWorkday } from '../modules/notifications/index.ts'
import { type PayslipContent, sealPayslipContent } from '../modules/payslip-records/index.ts'
import { getChangePosition, sealCellChange } from '../modules/payslips/payslip/corrections.ts'
import { getDueDate } from '../modules/payslips/rules/feedback.ts'
import { getWithdrawReasonPosition } from '../modules/payslips/send/ledger.ts'
import { sealTotals } from '../modules/sheets/check/same-file.ts'
import { sealFileName, sealTitle } from '../modules/sheets/names/sealed-names.ts'
import { sealPayslipLayout, sealRecognition, sealSheetLayout } from '../modules/sheets/recognition.ts'
import { insertRows } from '../modules/sheets/rows/written-rows.ts'
import { insertInBatches } from './builders.ts'
import { wageLabels } from './pay.ts'
import type { SeededRandom } from './random.ts'
import { applyDemoCorrection, correction, type DemoPayslip, type PayRun } from './runs.ts'
import { formatPlainAmount } from './sheet.ts'
import type { DemoCompany } from './staff.ts'

type SeedContext = {
  readonly tx: Tx
  readonly vault: Vault
  readonly company: DemoCompany
  readonly now: Date
  readonly random: SeededRandom
}

const demoPayslipRules = { confirm: true, feedback: true, view_password: false, burn_after_minutes: 0, watermark: true }

export async function seedPayRuns(context: SeedContext, runs: readonly PayRun[]): Promise<void> {
  for (const run of runs) {
    await seedBatch(context, run)
    await seedPayslips(context, run)
    await seedFeedback(context, run)
    await seedRunNotifications(context, run)
  }
}

async function seedBatch({ tx, vault, company, now, random }: SeedContext, run: PayRun): Promise<void> {
  const { id: company_id } = company
  const { title_id, batch_id, plan_id, sheet, payslips, sent_at, uploaded_at } = run
  const owner = company.admins[run.owner]
  if (!owner) throw new Error('a run without an owner')
  const sumBy = (pick: (slip: DemoPayslip) => Fen) => sumFen(payslips.map(pick))
  const totals = {
    people: payslips.length,
    gross_fen: sumBy((slip) => slip.wage.gross),
    tax_fen: sumBy((slip) => slip.wage.tax),
    net_fen: sumBy((slip) => slip.wage.net),
  }
  await tx
    .insertInto('title')
    .values({
      company_id,
      id: title_id,
      owner_id: owner.id,
      ...sealTitle(vault, { id: title_id, name: run.title, month: run.month }),
      month: run.month,
      kind: run.kind,
      created_at: uploaded_at,
    })
    .execute()
  await tx
    .insertInto('batch')
    .values({
      company_id,
      id: batch_id,
      owner_id: owner.id,
      title_id,
      status: 'sent',
      file_name: sealFileName(vault, batch_id, run.file_name),
      file_hash: vault.blindIndex('demo file', batch_id),
      fingerprint: vault.blindIndex('header', sheet.fingerprint).toString('hex'),
      recognition: sealRecognition(vault, batch_id, sheet.recognition),
      sheet_layout: sealSheetLayout(vault, batch_id, sheet.sheetLayout),
      totals: sealTotals(vault, batch_id, totals),
      layout: sealPayslipLayout(vault, batch_id, sheet.layout),
      rules: JSON.stringify(demoPayslipRules),
      people: payslips.length,
      sent_at,
      created_at: uploaded_at,
      updated_at: new Date(Math.min(sent_at.getTime() + 60_000, now.getTime())),
    })
    .execute()
  await insertRows({ db: tx, company_id, vault }, batch_id, sheet.rows)
  const count = (channel: string) => payslips.filter((slip) => slip.channel === channel).length
  const by_channel = { platform: count('platform'), sms: count('sms'), email: count('email'), link: count('link') }
  await tx
    .insertInto('send_plan')
    .values({
      company_id,
      id: plan_id,
      batch_id,
      status: 'started',
      channels: ['platform', 'sms', 'link'],
      by_channel: JSON.stringify(by_channel),
      sms_needed: by_channel.sms,
      created_by: owner.staff.account_id,
      created_at: new Date(sent_at.getTime() - 60_000),
    })
    .execute()
  if (by_channel.sms > 0)
    await recordPrepaidTransaction(
      { db: tx, company_id, now: sent_at, makeId: () => random.id(sent_at) },
      { kind: 'used', count: by_channel.sms, reason: 'plan', ref: plan_id, batch_id },
    )
}

async function seedPayslips({ tx, vault, company, now, random }: SeedContext, run: PayRun): Promise<void> {
  const { id: company_id } = company
  const { batch_id } = run
  const salaries = run.payslips.map((slip, at) => {
    const version = slip.corrected_at ? 2 : 1
    const wage = slip.corrected_at ? applyDemoCorrection(slip.wage) : slip.wage
    const row = run.sheet.rows[at]
    const cells = { ...row?.cells, ...(slip.corrected_at ? toChangedCells(wage.amounts) : {}) }
    const content: PayslipContent = { cells, net_fen: wage.net, gross_fen: wage.gross, tax_fen: wage.tax }
    return {
      company_id,
      id: slip.id,
      batch_id,
      member_id: slip.staff.id,
      row_no: row?.row ?? 0,
      version,
      status: slip.status,
      has_feedback: getQuestion(slip, now)?.isOpen ?? false,
      answer_due: getAnswerDue(slip, now),
      channel: slip.channel,
      cells: sealPayslipContent(vault, slip.id, version, content),
      sent_at: slip.sent_at,
      viewed_at: slip.viewed_at,
      confirmed_at: slip.confirmed_at,
      confirmed_version: slip.confirmed_at ? version : null,
      corrected_at: slip.corrected_at,
      withdrawn_at: slip.withdrawn_at,
      withdrawn_reason: slip.withdrawn_at ? vault.seal(getWithdrawReasonPosition(batch_id), '绩效核算有误，将重新发放') : null,
    }
  })
  await insertInBatches(salaries, (chunk) => tx.insertInto('payslip').values(chunk).execute())
  const deliveries = run.payslips.flatMap((slip) => {
    const failed = slip.status === 'failed'
    const done_at = slip.sent_at ?? new Date(run.sent_at.getTime() + 5000)
    const one = {
      company_id,
      id: random.id(run.sent_at),
      salary_id: slip.id,
      batch_id,
      version: 1,
      channel: slip.channel,
      purpose: 'slip',
      status: failed ? ('failed' as const) : ('accepted' as const),
      attempts: 1,
      due_at: run.sent_at,
      provider_ref: failed ? null : random.id(run.sent_at),
      code: failed ? 'unreachable' : null,
      message: failed ? '对方号码已停机，请核对手机号后重发' : null,
      created_at: run.sent_at,
      done_at,
      // The time is the one that the gateway reports after the phone has received the message.
      delivered_at: !failed && slip.channel === 'sms' ? new Date(done_at.getTime() + 4000) : null,
    }
    if (!slip.corrected_at) return [one]
    const correctedDelivery = {
      version: 2,
      purpose: 'corrected',
      due_at: slip.corrected_at,
      created_at: slip.corrected_at,
      done_at: slip.corrected_at,
      delivered_at: one.delivered_at && new Date(slip.corrected_at.getTime() + 4000),
    }
    return [one, { ...one, ...correctedDelivery, id: random.id(slip.corrected_at) }]
  })
  await insertInBatches(deliveries, (chunk) => tx.insertInto('delivery').values(chunk).execute())
  await seedCorrections({ tx, vault, company, random }, run)
}

const firstAmountColumn = 4
const toChangedCells = (amounts: readonly Fen[]) =>
  Object.fromEntries(
    amounts.map((amount, at) => [
      `c${firstAmountColumn + at}`,
      { value: formatPlainAmount(amount), kind: 'money' as const, fen: amount },
    ]),
  )

async function seedCorrections({ tx, vault, company, random }: Omit<SeedContext, 'now'>, run: PayRun): Promise<void> {
  const { id: company_id } = company
  const owner = company.admins[run.owner]
  for (const slip of run.payslips) {
    if (!slip.corrected_at) continue
    const after = applyDemoCorrection(slip.wage).amounts
    const changes = slip.wage.amounts.flatMap((from, at) => {
      const to = after[at]
      if (to === undefined || to === from) return []
      const id = random.id(slip.corrected_at ?? run.sent_at)
      const change = sealCellChange(vault, id, { from: formatPlainAmount(from), to: formatPlainAmount(to) })
      return [
        {
          company_id,
          id,
          salary_id: slip.id,
          batch_id: run.batch_id,
          version: 2,
          by_admin: owner?.id ?? null,
          by_name: owner?.staff.name ?? '',
          at: slip.corrected_at ?? run.sent_at,
          column_key: `c${firstAmountColumn + at}`,
          column_label: vault.seal(getChangePosition(id, 'column_label'), wageLabels[at] ?? correction.label),
          change,
          reason: vault.seal(getChangePosition(id, 'reason'), '补录项目奖励绩效'),
        },
      ]
    })
    await tx.insertInto('payslip_change').values(changes).execute()
  }
}

const demoAnswer = '您好，已经核对过考勤和审批记录，金额无误；明细已通过内部邮件发给您，如仍有疑问请随时联系。'

/**
 * Returns when the employee asked about the payslip, or null. Feedback of the last month is open, older feedback is
 * answered.
 */
function getQuestion({ question, viewed_at, status }: DemoPayslip, now: Date): { at: Date; isOpen: boolean } | null {
  if (!question || !viewed_at || !readableStatuses.includes(status)) return null
  const at = new Date(Math.min(viewed_at.getTime() + 600_000, now.getTime()))
  return { at, isOpen: now.getTime() - at.getTime() <= 30 * 86_400_000 }
}

/** Returns the date by which the feedback must be answered. */
function getAnswerDue(slip: DemoPayslip, now: Date): Date | null {
  const question = getQuestion(slip, now)
  return question?.isOpen ? getDueDate(question.at, defaultAnswerDays, isWorkday) : null
}

async function seedFeedback({ tx, vault, company, now, random }: SeedContext, run: PayRun): Promise<void> {
  const { id: company_id } = company
  const owner = company.admins[run.owner]
  for (const slip of run.payslips) {
    const question = getQuestion(slip, now)
    if (!slip.question || !question) continue
    const { at, isOpen } = question
    const old = !isOpen
    const answered = new Date(at.getTime() + 7_200_000)
    const id = random.id(at)
    await tx
      .insertInto('feedback')
      .values({
        company_id,
        id,
        salary_id: slip.id,
        batch_id: run.batch_id,
        member_id: slip.staff.id,
        status: old ? 'resolved' : 'open',
        due_at: getAnswerDue(slip, now),
        updated_at: old ? answered : at,
      })
      .execute()
    const entries = [
      { side: 'employee' as const, name: slip.staff.name, text: slip.question, at },
      ...(old ? [{ side: 'admin' as const, name: owner?.staff.name ?? '', text: demoAnswer, at: answered }] : []),
    ]
    const messages = entries.map((one) => {
      const message_id = random.id(one.at)
      const content = vault.seal({ table: 'feedback_message', row: message_id, column: 'content' }, one.text)
      return { company_id, id: message_id, feedback_id: id, from_side: one.side, name: one.name, content, at: one.at }
    })
    await tx.insertInto('feedback_message').values(messages).execute()
  }
}

async function seedRunNotifications({ tx, vault, company, now, random }: SeedContext, run: PayRun): Promise<void> {
  const { id: company_id } = company
  const admin_id = company.admins[run.owner]?.id
  if (!admin_id) return
  const failed = run.payslips.filter((slip) => slip.status === 'failed').length
  const sent = run.payslips.length - failed
  const withQuestions = run.payslips.filter((slip) => slip.question && slip.viewed_at)
  const at = new Date(run.sent_at.getTime() + 60_000)
  const recent = now.getTime() - at.getTime() < 30 * 86_400_000
  const createNotification = (kind: 'sent' | 'failed' | 'feedback', text: string, when: Date) => {
    const id = random.id(when)
    return {
      company_id,
      id,
      admin_id,
      kind,
      text: vault.seal({ table: 'notification', row: id, column: 'text' }, text),
      batch_id: run.batch_id,
      created_at: when,
      read_at: recent ? null : when,
    }
  }
  const notices = [
    createNotification('sent', `「${run.title}」已发送 ${sent} 人`, at),
    ...(failed > 0 ? [createNotification('failed', `「${run.title}」有 ${failed} 人发送失败，请核对后重发`, at)] : []),
    ...withQuestions.map((slip) =>
      createNotification('feedback', `${slip.staff.name} 对「${run.title}」提出了疑问`, slip.viewed_at ?? at),
    ),
  ]
  await tx.insertInto('notification').values(notices).execute()
}
