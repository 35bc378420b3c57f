/** Parses a row of a 专项附加扣除 list. */

import type { DeductionItem } from '../../../contract/tax/deductions.ts'
import { emptyDeduction } from '../../../contract/tax/kinds.ts'
import { decimalToFen, parseDecimal } from '../../../rules/decimal.ts'
import { normalizeText } from '../../../rules/text.ts'
import { parseDate } from '../roster/cells.ts'

import { type DeductionLabel, type DeductionList, isFirstTier } from './labels.ts'

type GetText = (label: DeductionLabel) => string
type GetColumnLetter = (label: DeductionLabel) => string

/** Reads the cells of a row one by one and collects their errors. */
class DeductionCells {
  readonly errors: DeductionCellError[] = []
  readonly text: GetText
  readonly #letter: GetColumnLetter
  constructor(text: GetText, letter: GetColumnLetter) {
    this.text = (label) => normalizeText(text(label))
    this.#letter = letter
  }

  addError(label: DeductionLabel, why: string): null {
    this.errors.push({ column: this.#letter(label), reason: why })
    return null
  }
  readDate(label: DeductionLabel): string | null {
    const text = this.text(label)
    if (text === '') return null
    const { value, error } = parseDate(text, 'unknown')
    return error === undefined ? value : this.addError(label, error)
  }
  /** Reads a month, also from a full date. */
  readMonth(label: DeductionLabel): string | null {
    const plain = /^((?:19|20)\d\d)\s?[-/.年]?\s?(0?[1-9]|1[0-2])\s?月?$/.exec(this.text(label))
    if (plain) return `${plain[1]}-${(plain[2] ?? '').padStart(2, '0')}`
    return this.readDate(label)?.slice(0, 7) ?? null
  }
  readFen(label: DeductionLabel): number | null {
    const text = this.text(label)
    if (text === '') return null
    const decimal = parseDecimal(text)
    const amount = decimalToFen(decimal)
    return amount === null || amount < 0 ? this.addError(label, '不是金额，请写成数字') : amount
  }
  readFlag(label: DeductionLabel): boolean | null {
    const text = this.text(label)
    if (text === '') return null
    if (/^(?:是|Y|yes|true|1)$/i.test(text)) return true
    return /^(?:否|N|no|false|0)$/i.test(text) ? false : this.addError(label, '请填写「是」或「否」')
  }
  readShare(label: DeductionLabel): 'whole' | 'half' {
    const text = this.text(label).replace(/\s|%/g, '')
    if (text === '' || /^(?:100|1|全额|全部)$/.test(text)) return 'whole'
    if (/^(?:50|0\.5|平均|一半)$/.test(text)) return 'half'
    this.addError(label, '扣除比例只能是 100% 或 50%')
    return 'whole'
  }
}

const readChild = (cells: DeductionCells): Omit<DeductionItem, 'kind'> => ({
  ...emptyDeduction,
  whose: cells.text('child'),
  born: cells.readDate('born'),
  share: cells.readShare('share'),
})

function readLoan(cells: DeductionCells): DeductionItem {
  const from = cells.readMonth('first_repay')
  const text = cells.text('loan_months')
  const months = /^\d{1,3}$/.test(text) ? Number(text) : null
  if (text !== '' && !months) cells.addError('loan_months', '贷款期限应是月数，如 240')
  const last = from !== null && months ? Number(from.slice(0, 4)) * 12 + Number(from.slice(5, 7)) + months - 2 : null
  const to = last === null ? null : `${Math.floor(last / 12)}-${String((last % 12) + 1).padStart(2, '0')}`
  return { ...emptyDeduction, kind: 'housing_loan', from, to, share: cells.readFlag('loan_half') === true ? 'half' : 'whole' }
}

function readRent(cells: DeductionCells): DeductionItem {
  const city = cells.text('city')
  const tier = { '1500': 1, '1100': 2, '800': 3 }[cells.text('share_amount').replace(/\.0+$|,/g, '')]
  const city_tier = tier ?? (isFirstTier(city) ? 1 : null)
  if (city_tier === null)
    cells.addError('city', city === '' ? '没有填写主要工作城市' : '从城市看不出扣除标准；请在「月扣除金额」一列写上每月的标准')
  const [from, to] = [cells.readMonth('rent_from'), cells.readMonth('rent_to')]
  return { ...emptyDeduction, kind: 'housing_rent', whose: cells.text('landlord'), from, to, city_tier }
}

function readContinuingEducation(cells: DeductionCells): DeductionItem {
  const certified = cells.readMonth('certified')
  if (certified !== null)
    return { ...emptyDeduction, kind: 'continuing_certificate', whose: cells.text('certificate'), from: certified }
  return { ...emptyDeduction, kind: 'continuing_degree', from: cells.readMonth('degree_from'), to: cells.readMonth('degree_to') }
}

function readElderCare(cells: DeductionCells): DeductionItem {
  const only_child = cells.readFlag('only_child') ?? false
  const amount_fen = only_child ? null : cells.readFen('share_amount')
  return { ...emptyDeduction, kind: 'elderly', whose: cells.text('elder'), born: cells.readDate('born'), only_child, amount_fen }
}

function readIllness(cells: DeductionCells): DeductionItem {
  const year = /^(20\d\d)年?$/.exec(cells.text('year'))?.[1]
  if (!year) cells.addError('year', '请填写扣除年度，四位数字')
  const from = year ? `${year}-01` : null
  return {
    ...emptyDeduction,
    kind: 'serious_illness',
    whose: cells.text('patient'),
    from,
    amount_fen: cells.readFen('self_paid'),
  }
}

export function readDeductionRow(
  list: DeductionList,
  text: GetText,
  letter: GetColumnLetter,
): { readonly item: DeductionItem; readonly errors: DeductionCellError[] } {
  const cells = new DeductionCells(text, letter)
  const item = ((): DeductionItem => {
    switch (list) {
      case 'infant_care':
        return { ...readChild(cells), kind: list }
      case 'child_education':
        return { ...readChild(cells), kind: list, to: cells.readMonth('schooling_to') }
      case 'housing_loan':
        return readLoan(cells)
      case 'housing_rent':
        return readRent(cells)
      case 'continuing':
        return readContinuingEducation(cells)
      case 'elderly':
        return readElderCare(cells)
      case 'serious_illness':
        return readIllness(cells)
    }
  })()
  return { item, errors: cells.errors }
}

/** A cell with an invalid value. */
export interface DeductionCellError {
  /** The letter of the column. */
  column: string
  /** In Chinese: the reason. */
  reason: string
}
