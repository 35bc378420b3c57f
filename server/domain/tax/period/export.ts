/** A computed month as a file that the official withholding client imports. */
import * as contract from '../../../contract/wage/tax/tax-history.ts'
import { cleanFileName, madeOf, putFile } from '../../../runtime/files/files.ts'
import { openXlsx } from '../../../runtime/files/xlsx.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { makeTicket } from '../../desk/index.ts'
import { cardsOf, employedOf } from '../../member/index.ts'
import { amountsOf, noFacts } from '../rules/amounts.ts'
import {
  type DeclaredCell,
  type DeclaredLayout,
  type DeclaredPerson,
  declaredLine,
  isDeclared,
  layoutFor,
} from '../rules/declaration.ts'
import { bonusStepsOf, stepsOf } from '../rules/person-tax.ts'
import { factsOf } from './compute.ts'
import { openResult } from './documents.ts'
import { type IncomeRow, incomesOf, isWhole, mustBeWhole, periodOf, type TaxHere } from './rows.ts'

const lives_ms = 30 * 60_000
const widthOf = (column: string): number => (column === '计算过程' ? 100 : Math.min(24, Math.max(12, column.length * 2)))

const stepsForm: DeclaredLayout = { sheet: '个税计算过程', columns: ['工号', '姓名', '所得', '计算过程'] }
/** As his page, his slip and the what-if say them. */
const stepLines = ({ employee_no, name, result, month }: DeclaredPerson): DeclaredCell[][] => [
  ...stepsOf(result).map((step) => [employee_no, name, '工资薪金', step]),
  ...bonusStepsOf(result, month).map((step) => [employee_no, name, '全年一次性奖金', step]),
]

export const exportDeclaration = handle(contract.exportDeclaration, async (ctx, { period_id, kind, layout }) => {
  const { status, month } = await periodOf(ctx, period_id)
  if (status !== 'computed' && status !== 'locked')
    throw refuse('wrong_state', '这一期还没有计算完，不能导出；请先计算', { status })
  await mustBeWhole(ctx, period_id)
  const form = kind === 'steps' ? stepsForm : layoutFor(kind, kind === 'wages' ? layout : undefined)
  const sheet = openXlsx({ sheet: form.sheet, widths: form.columns.map(widthOf) })
  await sheet.row(form.columns, 'head')
  let [rows, without_card] = [0, 0]
  for await (const page of incomesOf(ctx, period_id))
    for (const one of await declared(ctx, page, month)) {
      if (kind !== 'steps' && !isDeclared(kind, one)) continue
      rows += 1
      if (kind !== 'steps' && one.id_card === null) without_card += 1
      for (const line of kind === 'steps' ? stepLines(one) : [declaredLine(kind, form, one)]) await sheet.row(line)
    }
  if (rows === 0)
    throw refuse('wrong_state', kind === 'bonus' ? '这一期没有单独计税的全年一次性奖金' : '这一期里还没有人', { status })
  const file_name = cleanFileName(`${form.sheet}-${month}.xlsx`)
  const expires_at = new Date(ctx.now.getTime() + lives_ms)
  const bytes = await sheet.finish()
  const file_id = await putFile(ctx, { kind: 'export', name: file_name, bytes, expires_at, of_id: period_id })
  ctx.about({ rows })
  return { oss_path: await makeTicket(ctx, file_id), file_name, rows, without_card }
})

/** Everybody of a page, with what the roster knows of him. */
async function declared(ctx: Ctx, page: readonly IncomeRow[], month: string): Promise<DeclaredPerson[]> {
  const ids = page.map(({ member_id }) => member_id)
  const employed = await employedOf(ctx, ids)
  const cards = await cardsOf(ctx, ids)
  const facts = await factsOf(ctx, ids, Number(month.slice(0, 4)))
  return page.map((row) => {
    const result = openResult(ctx.vault, row)
    const who = employed.get(row.member_id)
    if (!result || !who) throw refuse('wrong_state', '有人还没有计算结果，请重新计算后再导出')
    return {
      ...who,
      month,
      id_card: cards.get(row.member_id) ?? null,
      amounts: amountsOf(row.kept),
      result,
      facts: facts.get(row.member_id) ?? noFacts,
    }
  })
}

/** Whether I may still see all that is in a file: of a declaration everybody in its month. Any other file is not ours to judge. */
export async function seesDeclaration(ctx: TaxHere, file_id: string): Promise<boolean> {
  const of_id = await madeOf(ctx, file_id)
  const period =
    of_id === null
      ? undefined
      : await ctx.db
          .selectFrom('tax_period')
          .select('id')
          .where('company_id', '=', ctx.company_id)
          .where('id', '=', of_id)
          .executeTakeFirst()
  return !period || (await isWhole(ctx, period.id))
}
