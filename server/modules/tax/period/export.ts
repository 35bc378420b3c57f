/** Exports a computed month as a file for the official withholding client. */
import * as contract from '../../../contract/tax/history.ts'
import { getFileSourceId, sanitizeFileName, saveFile } from '../../../files/stored-files.ts'
import { createXlsxWriter } from '../../../files/xlsx-writer.ts'
import type { CompanyUserTx } from '../../../http/current-user.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { assertRecentIdentityProof } from '../../../http/sessions.ts'
import { getEmployments, getIdCards } from '../../directory/index.ts'
import { createTicketPath } from '../../files/index.ts'
import { defaultTaxYearProfile, getEffectiveAmounts } from '../rules/amounts.ts'
import {
  buildDeclarationRow,
  type DeclarationCell,
  type DeclarationLayout,
  type DeclarationMember,
  findLayout,
  isIncludedInDeclaration,
} from '../rules/declaration.ts'
import { getBonusSteps, getWageSteps } from '../rules/member-tax.ts'
import { loadYearProfiles } from './compute.ts'
import { decryptTaxResult } from './documents.ts'
import { assertCoversEveryone, coversEveryone, type IncomeRow, requirePeriod, streamIncomes } from './period-rows.ts'

const fileLifetimeMs = 30 * 60_000
const getColumnWidth = (column: string): number => (column === '计算过程' ? 100 : Math.min(24, Math.max(12, column.length * 2)))

const stepsLayout: DeclarationLayout = { sheet: '个税计算过程', columns: ['工号', '姓名', '所得', '计算过程'] }
/** The steps are the same as on the member's page, the payslip and the preview. */
const toStepRows = ({ employee_no, name, result, month }: DeclarationMember): DeclarationCell[][] => [
  ...getWageSteps(result).map((step) => [employee_no, name, '工资薪金', step]),
  ...getBonusSteps(result, month).map((step) => [employee_no, name, '全年一次性奖金', step]),
]

export const exportDeclaration = defineHandler(contract.exportDeclaration, async (ctx, { period_id, kind, layout }) => {
  const { status, month } = await requirePeriod(ctx, period_id)
  await assertRecentIdentityProof(ctx.db, ctx.currentUser.session_id, ctx.now)
  if (status !== 'computed' && status !== 'locked')
    throw fail('wrong_state', '这一期还没有计算完，不能导出；请先计算', { status })
  await assertCoversEveryone(ctx, period_id)
  const declarationLayout = kind === 'steps' ? stepsLayout : findLayout(kind, kind === 'wages' ? layout : undefined)
  const sheet = createXlsxWriter({ sheet: declarationLayout.sheet, widths: declarationLayout.columns.map(getColumnWidth) })
  await sheet.row(declarationLayout.columns, 'head')
  let [rows, without_card] = [0, 0]
  for await (const page of streamIncomes(ctx, period_id))
    for (const one of await loadDeclaredMembers(ctx, page, month)) {
      if (kind !== 'steps' && !isIncludedInDeclaration(kind, one)) continue
      rows += 1
      if (kind !== 'steps' && one.id_card === null) without_card += 1
      for (const cells of kind === 'steps' ? toStepRows(one) : [buildDeclarationRow(kind, declarationLayout, one)])
        await sheet.row(cells)
    }
  if (rows === 0)
    throw fail('wrong_state', kind === 'bonus' ? '这一期没有单独计税的全年一次性奖金' : '这一期里还没有人', { status })
  const file_name = sanitizeFileName(`${declarationLayout.sheet}-${month}.xlsx`)
  const expires_at = new Date(ctx.now.getTime() + fileLifetimeMs)
  const bytes = await sheet.finish()
  const file_id = await saveFile(ctx, { kind: 'export', name: file_name, bytes, expires_at, source_id: period_id })
  ctx.addAuditDetails({ rows })
  return { oss_path: await createTicketPath(ctx, file_id), file_name, rows, missing_id_card_count: without_card }
})

/** Loads a page of members with their roster data. */
async function loadDeclaredMembers(ctx: HandlerContext, page: readonly IncomeRow[], month: string): Promise<DeclarationMember[]> {
  const ids = page.map(({ member_id }) => member_id)
  const employed = await getEmployments(ctx, ids)
  const idCards = await getIdCards(ctx, ids)
  const yearProfiles = await loadYearProfiles(ctx, ids, Number(month.slice(0, 4)))
  return page.map((row) => {
    const result = decryptTaxResult(ctx.vault, row)
    const member = employed.get(row.member_id)
    if (!result || !member) throw fail('wrong_state', '有人还没有计算结果，请重新计算后再导出')
    return {
      ...member,
      month,
      id_card: idCards.get(row.member_id) ?? null,
      amounts: getEffectiveAmounts(row.stored),
      result,
      profile: yearProfiles.get(row.member_id) ?? defaultTaxYearProfile,
    }
  })
}

/** Whether the user may still view all of a file: for a declaration all members of its month. Other files: not decided here. */
export async function canSeeDeclaration(ctx: CompanyUserTx, file_id: string): Promise<boolean> {
  const of_id = await getFileSourceId(ctx, file_id)
  const period =
    of_id === null
      ? undefined
      : await ctx.db
          .selectFrom('tax_period')
          .select('id')
          .where('company_id', '=', ctx.company_id)
          .where('id', '=', of_id)
          .executeTakeFirst()
  return !period || (await coversEveryone(ctx, period.id))
}
