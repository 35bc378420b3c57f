/** The law as data: every value comes from `figures.json`, read strictly. A new year is a new row there, not a branch. */

import { LawError } from '../law-error.ts'
import { StrictFields } from '../strict-fields.ts'
import { type DatedRow, type EffectiveDatedTable, getDatedRow, type PaymentMonth } from './dated-table.ts'
import documents from './documents.json' with { type: 'json' }
import figures from './figures.json' with { type: 'json' }
import {
  readAdditionalDeduction,
  readBasicDeduction,
  readBonusRule,
  readBrackets,
  readCaps,
  readFlatRate,
  readLaborCumulative,
  readLaborExpense,
  readLaborPlatform,
  readNonresident,
  readPersonalPension,
  readSettlementLimits,
  readSeverance,
  readTrue,
  type TaxBrackets,
} from './readers.ts'

const documentNames = new Map<string, string>(Object.entries(documents))
/** Returns the name of a document by its key, in the usual citation form. */
export function getDocumentName(key: string, path = '出处'): string {
  const name = documentNames.get(key)
  if (name === undefined) throw new LawError(path, `没有登记的文件「${key}」；请先在文件目录登记`)
  return name
}

/** Formats documents with their articles in the usual citation form. */
export function formatCitations(documents: readonly string[], articles: string, path: string): string {
  const articleList = articles.split('；')
  if (documents.length === 0) throw new LawError(`${path}.documents`, '没有写；每一行都要有出处')
  if (articleList.length !== documents.length)
    throw new LawError(
      `${path}.article`,
      `有 ${documents.length} 个文件，写了 ${articleList.length} 处条款；请用「；」分开，一个文件一处`,
    )
  return documents.map((key, at) => `${getDocumentName(key, `${path}.documents`)}${articleList[at] ?? ''}`).join('、')
}

/** Reads rows in chronological order without overlaps, each with its documents. */
export function readDatedTable<T>(
  name: string,
  value: readonly unknown[],
  read: (value: unknown, path: string) => T,
): EffectiveDatedTable<T> {
  const rows = value.map((one, at): DatedRow<T> => {
    const path = `${name}[${at}]`
    const fields = new StrictFields(one, path)
    const valid_from = fields.month('valid_from')
    const valid_to = fields.has('valid_to') ? fields.month('valid_to') : null
    const document = formatCitations(fields.textList('documents'), fields.text('article'), path)
    const datedRow = {
      valid_from,
      valid_to,
      document,
      value: read(fields.raw('value'), fields.getPath('value')),
    }
    fields.close()
    if (valid_to !== null && valid_to < valid_from) throw new LawError(fields.getPath('valid_to'), '早于 valid_from')
    return datedRow
  })
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1]
    if (before && (before.valid_to === null || before.valid_to >= row.valid_from))
      throw new LawError(`${name}[${at}].valid_from`, '与上一行的月份重叠，或上一行没有结束；同一月份只能有一个数')
  }
  return { name, rows }
}

/** Reads a complete law book; missing or unknown fields are rejected by name. */
export function parseTaxTables(book: unknown) {
  const fields = new StrictFields(book, '')
  const table = <T>(name: string, read: (value: unknown, path: string) => T): EffectiveDatedTable<T> =>
    readDatedTable(
      name,
      fields.list(name, (one) => one),
      read,
    )
  const law = {
    annual_rates: table('annual_rates', readBrackets),
    monthly_rates: table('monthly_rates', readBrackets),
    labor_rates: table('labor_rates', readBrackets),
    basic_deduction: table('basic_deduction', readBasicDeduction),
    under_60000: table('under_60000', readTrue),
    first_income: table('first_income', readTrue),
    separate_bonus: table('separate_bonus', readBonusRule),
    equity_separate: table('equity_separate', readTrue),
    expat_allowances: table('expat_allowances', readTrue),
    labor_expense: table('labor_expense', readLaborExpense),
    labor_cumulative: table('labor_cumulative', readLaborCumulative),
    labor_platform: table('labor_platform', readLaborPlatform),
    severance: table('severance', readSeverance),
    nonresident: table('nonresident', readNonresident),
    personal_pension: table('personal_pension', readPersonalPension),
    transfer: table('transfer', readFlatRate),
    caps: table('caps', readCaps),
    settlement: table('settlement', readSettlementLimits),
    additional: table('additional', readAdditionalDeduction),
  }
  fields.close()
  return law
}
export type TaxLaw = ReturnType<typeof parseTaxTables>
export type LawTableName = keyof TaxLaw

/** The law book in force. */
export const currentLaw: TaxLaw = parseTaxTables(figures)

export const getAnnualBrackets = (law: TaxLaw, when: PaymentMonth): TaxBrackets => getDatedRow(law.annual_rates, when).value
export const getMonthlyBrackets = (law: TaxLaw, when: PaymentMonth): TaxBrackets => getDatedRow(law.monthly_rates, when).value
