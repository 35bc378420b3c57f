/** A member's row in the files of the official withholding client, filled by column name (tax-rules §13). Pure. */
import { getBirthDate, getSex, isLikelyIdCard } from '../../../rules/id-card.ts'
import { detectIdentityDocument, identityDocumentLabels } from '../../../rules/identity-document.ts'
import { LawError } from '../../../rules/law/law-error.ts'
import { StrictFields } from '../../../rules/law/strict-fields.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { MemberTaxResult, TaxYearProfile } from './amounts.ts'
import book from './layouts.json' with { type: 'json' }

/** Text, or fen. */
export type DeclarationCell = string | { readonly fen: number } | null
export type DeclarationMember = {
  /** `2026-11`, the month of payment. */
  readonly month: string
  readonly name: string
  readonly employee_no: string
  readonly mobile: string
  readonly id_card: string | null
  readonly entry_on: string | null
  readonly left_on: string | null
  readonly amounts: TaxAmounts
  readonly result: MemberTaxResult
  readonly profile: TaxYearProfile
}
type DeclarationKind = keyof typeof book
export type DeclarationLayout = { readonly sheet: string; readonly columns: readonly string[] }

/**
 * The layout is parsed once and strictly: an incomplete layout or one with a duplicate column is rejected at server
 * startup.
 */
function parseLayouts(kind: DeclarationKind): { sheet: string; layouts: { name: string; columns: string[] }[] } {
  const fields = new StrictFields(book, 'layouts').nested(kind)
  const parsed = {
    sheet: fields.text('sheet'),
    layouts: fields.list('layouts', (value, path) => {
      const layoutFields = new StrictFields(value, path)
      const layout = { name: layoutFields.text('name'), columns: layoutFields.textList('columns') }
      layoutFields.close()
      if (new Set(layout.columns).size !== layout.columns.length) throw new LawError(path, '有一列写了两次')
      return layout
    }),
  }
  fields.close()
  return parsed
}
const layoutsByKind: Readonly<Record<DeclarationKind, ReturnType<typeof parseLayouts>>> = {
  wages: parseLayouts('wages'),
  bonus: parseLayouts('bonus'),
  people: parseLayouts('people'),
}

/** The newest layout if none is named. */
export function findLayout(kind: DeclarationKind, name?: string): DeclarationLayout {
  const { sheet, layouts: candidates } = layoutsByKind[kind]
  const layout = candidates.find((one) => one.name === name) ?? candidates[0]
  if (!layout) throw new TypeError(`no layout of ${kind}`)
  return { sheet, columns: layout.columns }
}

type CellFormatter = (of: DeclarationMember) => DeclarationCell
const formatMoneyCell =
  (of: (one: DeclarationMember) => number): CellFormatter =>
  (one) => ({ fen: of(one) })
/** The field is left empty when zero, because the client fills in its own value. */
const formatOptionalMoneyCell =
  (of: (one: DeclarationMember) => number): CellFormatter =>
  (one) => {
    const fen = of(one)
    return fen === 0 ? null : { fen }
  }
const formatTextCell =
  (of: (one: DeclarationMember) => string | null): CellFormatter =>
  (one) =>
    of(one)
/** A passport may be Chinese or foreign, which the tax client distinguishes but the number does not: left to the user. */
function getDocumentType(id_card: string | null): string | null {
  const kind = id_card === null ? null : detectIdentityDocument(id_card)
  if (kind === null && id_card !== null && isLikelyIdCard(id_card)) return identityDocumentLabels.id_card
  return kind === null || kind === 'passport' ? null : identityDocumentLabels[kind]
}
/** For a permanent resident the number contains the country only as a code, and a permit does not tell Hong Kong from Macao. */
const nationalityByDocument: Readonly<Record<string, string>> = { [identityDocumentLabels.id_card]: '中国' }
const getLastDayOfMonth = (month: string): number =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()

const commonColumns: Readonly<Record<string, CellFormatter>> = {
  工号: formatTextCell(({ employee_no }) => employee_no),
  姓名: formatTextCell(({ name }) => name),
  证件类型: formatTextCell(({ id_card }) => getDocumentType(id_card)),
  证件号码: formatTextCell(({ id_card }) => id_card),
}
const columnsByKind: Readonly<Record<DeclarationKind, Readonly<Record<string, CellFormatter>>>> = {
  wages: {
    ...commonColumns,
    所得期间起: formatTextCell(({ month }) => `${month}-01`),
    所得期间止: formatTextCell(({ month }) => `${month}-${getLastDayOfMonth(month)}`),
    本期收入: formatMoneyCell(({ result }) => result.used.income),
    本期免税收入: formatOptionalMoneyCell(({ result }) => result.used.exempt),
    // A total without its components is written in the column of the largest one, with a note.
    基本养老保险费: formatMoneyCell(({ result }) => result.special.pension + result.special.social),
    基本医疗保险费: formatMoneyCell(({ result }) => result.special.medical),
    失业保险费: formatMoneyCell(({ result }) => result.special.unemployment),
    住房公积金: formatMoneyCell(({ result }) => result.special.housing_fund),
    累计子女教育: formatOptionalMoneyCell(({ result }) => result.cumulative.child_education),
    累计继续教育: formatOptionalMoneyCell(({ result }) => result.cumulative.continuing_education),
    累计住房贷款利息: formatOptionalMoneyCell(({ result }) => result.cumulative.housing_loan),
    累计住房租金: formatOptionalMoneyCell(({ result }) => result.cumulative.housing_rent),
    累计赡养老人: formatOptionalMoneyCell(({ result }) => result.cumulative.elderly),
    累计3岁以下婴幼儿照护: formatOptionalMoneyCell(({ result }) => result.cumulative.infant_care),
    累计个人养老金: formatOptionalMoneyCell(({ result }) => result.cumulative.personal_pension),
    '企业(职业)年金': formatOptionalMoneyCell(({ result }) => result.other.annuity),
    商业健康保险: formatOptionalMoneyCell(({ result }) => result.other.health),
    其他: formatOptionalMoneyCell(({ result }) => result.other.other),
    准予扣除的捐赠额: formatOptionalMoneyCell(({ result }) => result.used.donation),
    减免税额: formatOptionalMoneyCell(({ result }) => result.used.reduction),
    备注: formatTextCell(({ result }) => (result.special.social ? '社保合计未分项，列在基本养老保险费' : null)),
  },
  bonus: { ...commonColumns, 全年一次性奖金额: formatMoneyCell(({ amounts }) => amounts.bonus_fen) },
  people: {
    ...commonColumns,
    '国籍(地区)': formatTextCell(({ id_card }) => (id_card && nationalityByDocument[getDocumentType(id_card) ?? '']) || null),
    性别: formatTextCell(({ id_card }) => (id_card && isLikelyIdCard(id_card) ? getSex(id_card) : null)),
    出生日期: formatTextCell(({ id_card }) => (id_card && isLikelyIdCard(id_card) ? getBirthDate(id_card) : null)),
    任职受雇从业类型: formatTextCell(() => '雇员'),
    入职年度就业情形: formatTextCell(({ profile }) => (profile.first_income_of_year ? '当年首次入职其他人员' : null)),
    手机号码: formatTextCell(({ mobile }) => mobile),
    任职受雇从业日期: formatTextCell(({ entry_on }) => entry_on),
    离职日期: formatTextCell(({ left_on }) => left_on),
  },
}

export const isIncludedInDeclaration = (kind: DeclarationKind, { amounts }: Pick<DeclarationMember, 'amounts'>): boolean =>
  kind !== 'bonus' || amounts.bonus_fen !== 0

/** Builds a row column by column; unknown values stay empty. */
export const buildDeclarationRow = (
  kind: DeclarationKind,
  { columns }: DeclarationLayout,
  of: DeclarationMember,
): DeclarationCell[] => columns.map((column) => columnsByKind[kind][column.replace(/^\*/, '')]?.(of) ?? null)
