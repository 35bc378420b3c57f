/** The retention rules of a company, and what was deleted by them. */
import * as contract from '../../contract/retention/retention.ts'
import type { CompanyTx } from '../../database/company-tx.ts'
import { defineHandler, fail, invalidInput } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'

export type RetentionRules = Readonly<Record<contract.RetentionKind, number | null>>

const labels: Readonly<Record<contract.RetentionKind, string>> = {
  audit_log: '操作记录',
  sign_in_log: '登录记录',
  sheet_file: '工资表原文件',
  export_file: '导出的文件',
  payslip: '工资条',
  terminated_member: '离职员工资料',
}

/** Loads the rules; without a row everything is stored for ever. A lock keeps a change waiting until the transaction ends. */
export async function loadRetention({ db, company_id }: CompanyTx, lock: 'share' | 'update' | null = null) {
  const select = db.selectFrom('retention_rule').selectAll().where('company_id', '=', company_id)
  const row = await (lock === 'share' ? select.forShare() : lock === 'update' ? select.forUpdate() : select).executeTakeFirst()
  const rules: RetentionRules = {
    audit_log: row?.audit_log_months ?? null,
    sign_in_log: row?.sign_in_log_months ?? null,
    sheet_file: row?.sheet_file_months ?? null,
    export_file: row?.export_file_months ?? null,
    payslip: row?.payslip_months ?? null,
    terminated_member: row?.terminated_member_months ?? null,
  }
  return {
    rules,
    legal_hold: row?.legal_hold ?? false,
    hold_reason: row?.hold_reason ?? '',
    revision: row?.revision ?? 0,
  }
}

export const getRetention = defineHandler(contract.getRetention, async (ctx) => {
  const rows = await ctx.db
    .selectFrom('retention_run')
    .select(['at', 'kind', 'months', 'before', 'count'])
    .where('company_id', '=', ctx.company_id)
    .orderBy('id', 'desc')
    .limit(50)
    .execute()
  const deletions = rows.map((row) => ({ ...row, at: toIsoTimestamp(row.at), before: toIsoTimestamp(row.before) }))
  return { ...(await loadRetention(ctx)), deletions }
})

export const saveRetention = defineHandler(
  contract.saveRetention,
  async (ctx, { rules, legal_hold, hold_reason, revision: expected }) => {
    const { db, company_id } = ctx
    for (const kind of contract.retentionKinds) assertMonths(kind, rules[kind])
    if (legal_hold && hold_reason === '') throw invalidInput('hold_reason', '请写明为什么暂停删除，例如劳动争议或税务检查')
    await db
      .insertInto('retention_rule')
      .values({ company_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { revision: current } = await loadRetention(ctx, 'update')
    if (current !== expected)
      throw fail('wrong_state', '其他管理员刚刚修改过保存期限，您的修改没有保存；请核对最新内容后重新修改')
    const revision = current + 1
    await db
      .updateTable('retention_rule')
      .set({
        audit_log_months: rules.audit_log,
        sign_in_log_months: rules.sign_in_log,
        sheet_file_months: rules.sheet_file,
        export_file_months: rules.export_file,
        payslip_months: rules.payslip,
        terminated_member_months: rules.terminated_member,
        legal_hold,
        hold_reason: legal_hold ? hold_reason : '',
        revision,
      })
      .where('company_id', '=', company_id)
      .execute()
    ctx.addAuditDetails({ ...rules, legal_hold: legal_hold ? 1 : 0 })
    return { revision }
  },
)

function assertMonths(kind: contract.RetentionKind, months: number | null): void {
  if (months === null) return
  const min = contract.minRetentionMonths[kind]
  if (months < min) throw invalidInput(kind, `${labels[kind]}至少保存 ${min} 个月：这是法律要求的期限`)
  if (months > contract.maxRetentionMonths)
    throw invalidInput(kind, `最多填 ${contract.maxRetentionMonths} 个月；要一直保存，请选「一直保存」`)
}
