/** Statistics about the values of a column, over the member rows. */

import { isBankCard, isLikelyBankCard } from '../../rules/bank-card.ts'
import { isEmptyMark } from '../../rules/decimal.ts'
import { isLikelyIdCard } from '../../rules/id-card.ts'
import { parseMobile } from '../../rules/phone.ts'
import { isLikelyDate, isLikelyEmail, isPercent } from '../cells.ts'
import { type Grid, getCell, getCellId } from '../grid.ts'

export interface ColumnProfile {
  rows: number
  filled: number
  /** Stored numbers and numeric texts. */
  amounts: number
  /** Stored numbers only. */
  numbers: number
  texts: number
  dates: number
  percents: number
  errors: number
  /** Cells with a picture, which do not count as filled. */
  pictures: number
  damaged: number
  negatives: number
  fractions: number
  mobiles: number
  id_cards: number
  emails: number
  /** 12 to 19 digits. */
  bank_cards: number
  /** Numbers with a correct check digit. */
  cards: number
  /** Zero-padded numbers: 001. */
  padded: number
  distinct: number
  /** Whether the values run 1, 2, 3 … from the top. */
  counting: boolean
  smallest: number
  largest: number
  /** Up to three different texts. */
  samples: string[]
}

/** Enough rows to characterize a column, so that a sheet of ten thousand rows is not read twice. */
const maxSampledRows = 300

/** Counts values that may identify a person. */
function countIdentity(p: ColumnProfile, text: string): void {
  if (parseMobile(text) !== null) p.mobiles++
  if (isLikelyIdCard(text)) p.id_cards++
  else if (isLikelyBankCard(text)) {
    p.bank_cards++
    if (isBankCard(text)) p.cards++
  }
  if (text.includes('@') && isLikelyEmail(text)) p.emails++
}

const createEmptyProfile = (rows: number): ColumnProfile => ({
  rows,
  filled: 0,
  amounts: 0,
  numbers: 0,
  texts: 0,
  dates: 0,
  percents: 0,
  errors: 0,
  pictures: 0,
  damaged: 0,
  negatives: 0,
  fractions: 0,
  mobiles: 0,
  id_cards: 0,
  emails: 0,
  bank_cards: 0,
  cards: 0,
  padded: 0,
  distinct: 0,
  counting: true,
  smallest: Number.POSITIVE_INFINITY,
  largest: 0,
  samples: [],
})

export function profileColumn(grid: Grid, rows: readonly number[], column: number): ColumnProfile {
  const p = createEmptyProfile(Math.min(rows.length, maxSampledRows))
  const distinctTexts = new Set<string>()
  let next: number | null = null
  for (const row of rows.slice(0, maxSampledRows)) {
    const { text, kind, decimal, damaged } = getCell(grid, row, column)
    if (kind === 'empty' && grid.marks.get(getCellId(row, column))?.picture) p.pictures++
    if (kind === 'empty' || isEmptyMark(text)) continue
    p.filled++
    if (kind === 'error') {
      p.errors++
      continue
    }
    if (!distinctTexts.has(text)) {
      distinctTexts.add(text)
      if (p.samples.length < 3) p.samples.push(text.length > 60 ? `${text.slice(0, 59)}…` : text)
    }
    if (damaged) p.damaged++
    if (kind === 'date' || (kind === 'text' && decimal === null && isLikelyDate(text))) p.dates++
    if (isPercent(text)) p.percents++
    else if (decimal !== null) {
      p.amounts++
      if (kind === 'number') p.numbers++
      else if (/^0\d/.test(text)) p.padded++
      const value = Number(decimal)
      if (value < 0) p.negatives++
      if (decimal.includes('.')) p.fractions++
      p.smallest = Math.min(p.smallest, value)
      p.largest = Math.max(p.largest, Math.abs(value))
      if (next !== null && value !== next) p.counting = false
      next = value + 1
    } else if (kind === 'text') p.texts++
    if (text.length >= 6) countIdentity(p, text)
  }
  p.distinct = distinctTexts.size
  p.counting &&= p.amounts > 0 && p.amounts === p.filled
  return p
}
