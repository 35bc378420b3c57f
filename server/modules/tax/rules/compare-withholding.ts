/** Compares the results of the official withholding client with our own, amount by amount. Pure. */
import type { WithholdingDifference, withholdingFields } from '../../../contract/tax/comparison.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { WithholdingRow } from '../../../spreadsheets/rules.ts'
import type { MemberTaxResult } from './amounts.ts'

type Row = WithholdingRow
type WithholdingField = (typeof withholdingFields)[number]
const bonusItemPattern = /一次性奖金/
const wageItemPattern = /工资薪金/
/** In a file without 所得项目 all rows are wages. */
export const getIncomeItem = ({ item }: Pick<Row, 'item'>): 'wages' | 'bonus' | 'other' =>
  bonusItemPattern.test(item) ? 'bonus' : item === '' || wageItemPattern.test(item) ? 'wages' : 'other'

export const additionalDeductionCodes = [
  'child_education',
  'continuing_education',
  'housing_loan',
  'housing_rent',
  'elderly',
  'infant_care',
] as const
/** The value is null if the file has none of these columns. */
function sumColumns(fen: Row['fen'], of: readonly (keyof Row['fen'])[]): number | null {
  const values = of.flatMap((one) => fen[one] ?? [])
  return values.length === 0 ? null : values.reduce((a, b) => a + b, 0)
}

/** Returns both sides of each amount; null: not in the file. */
function getComparedValues(
  { used, special, figures, tax_fen, credit_fen }: MemberTaxResult,
  { fen, rate_ppm }: Row,
): [WithholdingField, number, number | null][] {
  if (!figures) return []
  const { sums } = figures
  // An insurance total without its components can be compared only as a whole.
  const isSplit = special.social === 0
  const declaredInsurance = sumColumns(fen, ['pension', 'medical', 'unemployment', 'housing_fund'])
  const insuranceValues: [WithholdingField, number, number | null][] = isSplit
    ? [
        ['pension', special.pension, fen.pension ?? null],
        ['medical', special.medical, fen.medical ?? null],
        ['unemployment', special.unemployment, fen.unemployment ?? null],
        ['housing_fund', special.housing_fund, fen.housing_fund ?? null],
      ]
    : [['special', used.special, declaredInsurance]]
  const taxable = fen.cum_taxable ?? null
  return [
    ['income', used.income, fen.income ?? null],
    ['exempt', used.exempt, fen.exempt ?? null],
    ...insuranceValues,
    ['cum_income', sums.income, fen.cum_income ?? null],
    ['cum_exempt', sums.exempt, fen.cum_exempt ?? null],
    ['cum_basic', figures.cum_basic, fen.cum_basic ?? null],
    ['cum_special', sums.special, fen.cum_special ?? null],
    ['cum_additional', sums.additional, sumColumns(fen, additionalDeductionCodes)],
    ['cum_other', sums.other, sumColumns(fen, ['cum_other', 'personal_pension'])],
    ['cum_donation', sums.donation, fen.cum_donation ?? null],
    ['cum_taxable', figures.cum_taxable, taxable === null ? null : Math.max(0, taxable)],
    ['rate', figures.rate_ppm, rate_ppm],
    ['quick', figures.quick_fen, fen.quick ?? null],
    ['full_tax', figures.full_tax, fen.full_tax ?? null],
    ['cum_reduction', sums.reduction, fen.cum_reduction ?? null],
    ['cum_tax', figures.cum_tax, fen.cum_tax ?? null],
    ['cum_withheld', figures.cum_withheld, fen.cum_withheld ?? null],
    // A negative amount in the client is the credit carried forward here.
    ['due', tax_fen - credit_fen, fen.due ?? null],
  ]
}

export function compareWages(result: MemberTaxResult, row: Row): WithholdingDifference[] {
  return getComparedValues(result, row).flatMap(([field, computed, declared]) =>
    declared === null || declared === computed ? [] : [{ field, computed, declared }],
  )
}

/** The separately taxed bonus has a separate file, or separate rows. */
export function compareBonus(
  { bonus_fen }: TaxAmounts,
  { bonus }: MemberTaxResult,
  { fen, rate_ppm }: Row,
): WithholdingDifference[] {
  const all: [WithholdingField, number, number | null][] = [
    ['bonus', bonus_fen, fen.income ?? null],
    ['rate', bonus?.rate_ppm ?? 0, rate_ppm],
    ['quick', bonus?.quick_fen ?? 0, fen.quick ?? null],
    ['bonus_tax', bonus?.tax_fen ?? 0, fen.due ?? fen.full_tax ?? null],
  ]
  return all.flatMap(([field, computed, declared]) =>
    declared === null || declared === computed ? [] : [{ field, computed, declared }],
  )
}

const differenceCauses: readonly (readonly [readonly WithholdingField[], string])[] = [
  [['income', 'exempt', 'bonus'], '本期收入不同：请核对引入的工资条和扣缴端填报的收入'],
  [['pension', 'medical', 'unemployment', 'housing_fund', 'special'], '本期社保公积金不同：请核对工资表的个人缴纳部分'],
  [['cum_additional'], '累计专项附加扣除不同：请在扣缴端下载更新后核对，或在「修改收入」里填写扣缴端的累计数'],
  [['cum_basic'], '累计减除费用不同：请核对入职月份、首次取得工资和 6 万元的选择'],
  [
    ['cum_income', 'cum_exempt', 'cum_special', 'cum_other', 'cum_donation'],
    '以前月份的累计数不同：请核对期初累计和以前月份的申报',
  ],
  [['cum_withheld'], '累计已缴税额不同：请核对以前月份实际扣缴的税额'],
  [['cum_reduction'], '累计减免税额不同：请核对减免事项'],
]
/** Returns the first cause that explains the other differences, in the order in which amounts depend on each other. */
export const explainDifference = (fields: readonly WithholdingDifference[]): string =>
  differenceCauses.find(([fieldGroup]) => fields.some(({ field }) => fieldGroup.includes(field)))?.[1] ??
  '计算结果不同：请逐项核对'
