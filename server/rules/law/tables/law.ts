/** The law as data: every figure from `figures.json`, read strictly. A new year is a new row there, and no branch here. */
import { StrictFields } from '../read.ts'
import { LawRefusal } from '../refused.ts'
import { type Dated, type DatedRows, rowFor, type When } from './dated.ts'
import documents from './documents.json' with { type: 'json' }
import figures from './figures.json' with { type: 'json' }
import {
  additional,
  basic,
  bonus,
  caps,
  flatRate,
  holds,
  type Levels,
  laborCumulative,
  laborExpense,
  laborPlatform,
  levels,
  nonresident,
  pension,
  settlement,
  severance,
} from './shapes.ts'

const known = new Map<string, string>(Object.entries(documents))
/** A document by its key, as people cite it. */
export function documentName(key: string, place = '出处'): string {
  const name = known.get(key)
  if (name === undefined) throw new LawRefusal(place, `没有登记的文件「${key}」；请先在文件目录登记`)
  return name
}

/** Documents with the article of each, as people cite them. */
export function cited(documents: readonly string[], articles: string, place: string): string {
  const each = articles.split('；')
  if (documents.length === 0) throw new LawRefusal(`${place}.documents`, '没有写；每一行都要有出处')
  if (each.length !== documents.length)
    throw new LawRefusal(
      `${place}.article`,
      `有 ${documents.length} 个文件，写了 ${each.length} 处条款；请用「；」分开，一个文件一处`,
    )
  return documents.map((key, at) => `${documentName(key, `${place}.documents`)}${each[at] ?? ''}`).join('、')
}

/** Rows in order and apart; each with its documents. */
export function rowsOf<T>(name: string, value: readonly unknown[], read: (value: unknown, place: string) => T): DatedRows<T> {
  const rows = value.map((one, at): Dated<T> => {
    const place = `${name}[${at}]`
    const of = new StrictFields(one, place)
    const valid_from = of.month('valid_from')
    const valid_to = of.has('valid_to') ? of.month('valid_to') : null
    const document = cited(of.texts('documents'), of.text('article'), place)
    const found = {
      valid_from,
      valid_to,
      document,
      value: read(of.raw('value'), of.at('value')),
    }
    of.close()
    if (valid_to !== null && valid_to < valid_from) throw new LawRefusal(of.at('valid_to'), '早于 valid_from')
    return found
  })
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1]
    if (before && (before.valid_to === null || before.valid_to >= row.valid_from))
      throw new LawRefusal(`${name}[${at}].valid_from`, '与上一行的月份重叠，或上一行没有结束；同一月份只能有一个数')
  }
  return { name, rows }
}

/** Reads a whole book of law; what is missing or not known is refused by name. */
export function lawOf(book: unknown) {
  const of = new StrictFields(book, '')
  const table = <T>(name: string, read: (value: unknown, place: string) => T): DatedRows<T> =>
    rowsOf(
      name,
      of.list(name, (one) => one),
      read,
    )
  const law = {
    annual_rates: table('annual_rates', levels),
    monthly_rates: table('monthly_rates', levels),
    labor_rates: table('labor_rates', levels),
    basic_deduction: table('basic_deduction', basic),
    under_60000: table('under_60000', holds),
    first_income: table('first_income', holds),
    separate_bonus: table('separate_bonus', bonus),
    equity_apart: table('equity_apart', holds),
    expat_allowances: table('expat_allowances', holds),
    labor_expense: table('labor_expense', laborExpense),
    labor_cumulative: table('labor_cumulative', laborCumulative),
    labor_platform: table('labor_platform', laborPlatform),
    severance: table('severance', severance),
    nonresident: table('nonresident', nonresident),
    personal_pension: table('personal_pension', pension),
    transfer: table('transfer', flatRate),
    caps: table('caps', caps),
    settlement: table('settlement', settlement),
    additional: table('additional', additional),
  }
  of.close()
  return law
}
export type Law = ReturnType<typeof lawOf>
export type TableName = keyof Law

/** The book that is in force. */
export const statutes: Law = lawOf(figures)

export const annualLevels = (law: Law, when: When): Levels => rowFor(law.annual_rates, when).value
export const monthlyLevels = (law: Law, when: When): Levels => rowFor(law.monthly_rates, when).value
