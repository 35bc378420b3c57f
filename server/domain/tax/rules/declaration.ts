/** A person's line in the files of the official withholding client, filled by the names of the columns (tax-rules §13). Pure. */
import { birthOf, looksLikeIdCard, sexOf } from '../../../rules/id-card.ts'
import { identityDocumentKind, identityDocumentWords } from '../../../rules/identity-document.ts'
import { StrictFields } from '../../../rules/law/read.ts'
import { LawRefusal } from '../../../rules/law/refused.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { PersonResult, YearFacts } from './amounts.ts'
import book from './layouts.json' with { type: 'json' }

/** Text, or fen. */
export type DeclaredCell = string | { readonly fen: number } | null
export type DeclaredPerson = {
  /** `2026-11`, the month of payment. */
  readonly month: string
  readonly name: string
  readonly employee_no: string
  readonly mobile: string
  readonly id_card: string | null
  readonly entry_on: string | null
  readonly left_on: string | null
  readonly amounts: TaxAmounts
  readonly result: PersonResult
  readonly facts: YearFacts
}
type Kind = keyof typeof book
export type DeclaredLayout = { readonly sheet: string; readonly columns: readonly string[] }

/** Read once, strictly: a layout that is not whole, or has a column twice, is refused when the server starts. */
function layoutsOf(kind: Kind): { sheet: string; layouts: { name: string; columns: string[] }[] } {
  const of = new StrictFields(book, 'layouts').inside(kind)
  const found = {
    sheet: of.text('sheet'),
    layouts: of.list('layouts', (value, place) => {
      const one = new StrictFields(value, place)
      const layout = { name: one.text('name'), columns: one.texts('columns') }
      one.close()
      if (new Set(layout.columns).size !== layout.columns.length) throw new LawRefusal(place, '有一列写了两次')
      return layout
    }),
  }
  of.close()
  return found
}
const layouts: Readonly<Record<Kind, ReturnType<typeof layoutsOf>>> = {
  wages: layoutsOf('wages'),
  bonus: layoutsOf('bonus'),
  people: layoutsOf('people'),
}

/** The newest where none is named. */
export function layoutFor(kind: Kind, name?: string): DeclaredLayout {
  const { sheet, layouts: known } = layouts[kind]
  const found = known.find((one) => one.name === name) ?? known[0]
  if (!found) throw new TypeError(`no layout of ${kind}`)
  return { sheet, columns: found.columns }
}

type Fill = (of: DeclaredPerson) => DeclaredCell
const money =
  (of: (one: DeclaredPerson) => number): Fill =>
  (one) => ({ fen: of(one) })
/** Left empty where there is nothing: the client fills in what it has itself. */
const some =
  (of: (one: DeclaredPerson) => number): Fill =>
  (one) => {
    const fen = of(one)
    return fen === 0 ? null : { fen }
  }
const text =
  (of: (one: DeclaredPerson) => string | null): Fill =>
  (one) =>
    of(one)
/** A passport may be of China or of another country, which the tax client tells apart and its number does not: left to whoever declares. */
function documentType(id_card: string | null): string | null {
  const kind = id_card === null ? null : identityDocumentKind(id_card)
  if (kind === null && id_card !== null && looksLikeIdCard(id_card)) return identityDocumentWords.id_card
  return kind === null || kind === 'passport' ? null : identityDocumentWords[kind]
}
/** Of a permanent resident the number names a country only by a code, and a permit of Hong Kong and Macao not which of the two. */
const nationality: Readonly<Record<string, string>> = { [identityDocumentWords.id_card]: '中国' }
const lastDay = (month: string): number => new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()

const anybody: Readonly<Record<string, Fill>> = {
  工号: text(({ employee_no }) => employee_no),
  姓名: text(({ name }) => name),
  证件类型: text(({ id_card }) => documentType(id_card)),
  证件号码: text(({ id_card }) => id_card),
}
const fills: Readonly<Record<Kind, Readonly<Record<string, Fill>>>> = {
  wages: {
    ...anybody,
    所得期间起: text(({ month }) => `${month}-01`),
    所得期间止: text(({ month }) => `${month}-${lastDay(month)}`),
    本期收入: money(({ result }) => result.used.income),
    本期免税收入: some(({ result }) => result.used.exempt),
    // A sum that is not in its parts stands where the largest of them would, and is said so.
    基本养老保险费: money(({ result }) => result.special.pension + result.special.social),
    基本医疗保险费: money(({ result }) => result.special.medical),
    失业保险费: money(({ result }) => result.special.unemployment),
    住房公积金: money(({ result }) => result.special.housing_fund),
    累计子女教育: some(({ result }) => result.cumulative.child_education),
    累计继续教育: some(({ result }) => result.cumulative.continuing_education),
    累计住房贷款利息: some(({ result }) => result.cumulative.housing_loan),
    累计住房租金: some(({ result }) => result.cumulative.housing_rent),
    累计赡养老人: some(({ result }) => result.cumulative.elderly),
    累计3岁以下婴幼儿照护: some(({ result }) => result.cumulative.infant_care),
    累计个人养老金: some(({ result }) => result.cumulative.personal_pension),
    '企业(职业)年金': some(({ result }) => result.other.annuity),
    商业健康保险: some(({ result }) => result.other.health),
    其他: some(({ result }) => result.other.other),
    准予扣除的捐赠额: some(({ result }) => result.used.donation),
    减免税额: some(({ result }) => result.used.reduction),
    备注: text(({ result }) => (result.special.social ? '社保合计未分项，列在基本养老保险费' : null)),
  },
  bonus: { ...anybody, 全年一次性奖金额: money(({ amounts }) => amounts.bonus_fen) },
  people: {
    ...anybody,
    '国籍(地区)': text(({ id_card }) => (id_card && nationality[documentType(id_card) ?? '']) || null),
    性别: text(({ id_card }) => (id_card && looksLikeIdCard(id_card) ? sexOf(id_card) : null)),
    出生日期: text(({ id_card }) => (id_card && looksLikeIdCard(id_card) ? birthOf(id_card) : null)),
    任职受雇从业类型: text(() => '雇员'),
    入职年度就业情形: text(({ facts }) => (facts.first_income_of_year ? '当年首次入职其他人员' : null)),
    手机号码: text(({ mobile }) => mobile),
    任职受雇从业日期: text(({ entry_on }) => entry_on),
    离职日期: text(({ left_on }) => left_on),
  },
}

/** Who stands in such a file. */
export const isDeclared = (kind: Kind, { amounts }: Pick<DeclaredPerson, 'amounts'>): boolean =>
  kind !== 'bonus' || amounts.bonus_fen !== 0

/** A line, column by column; what is not known stays empty. */
export const declaredLine = (kind: Kind, { columns }: DeclaredLayout, of: DeclaredPerson): DeclaredCell[] =>
  columns.map((column) => fills[kind][column.replace(/^\*/, '')]?.(of) ?? null)
