/**
 * What a row says by itself, before it is held beside any other: whom it is for, its amounts, what is wrong with it alone. It follows from the row,
 * the sheet's columns and the roster, so that of a sheet in which one row was mended only that one is read again.
 */
import { type RowCells } from '../../../../rules/amounts.ts'
import { parseMobile } from '../../../../rules/phone.ts'
import { normalizeText } from '../../../../rules/text.ts'
import { checkFormula } from '../formula-fit.ts'
import { getSections } from '../sections.ts'
import { createTaxReader, type RowTaxAmounts } from '../tax-columns.ts'
import { type AmountIssue, checkAmounts, getFormulaTerms, type RowAmounts, readIdentity } from './amount-issues.ts'
import { findConflictingNumber, isDeductionText, type MemberRow } from './duplicate-members.ts'
import { getFen, toPayItems } from './member-amounts.ts'
import { type IdentityIssue, matchMember, normalizeNumber, type PayrollMember, type RowIdentity } from './member-match.ts'
import { type ComparedRow, readItemAmounts } from './month-comparison.ts'
import { createBankCardKind, NumberOwners, type OwnedNumberRow, platformAccountKind } from './owner-comparison.ts'
import { PayslipSumCheck, type PayslipSumDifference } from './payslip-sum-check.ts'
import { type RosterComparisonRow, RosterFields } from './roster-comparison.ts'
import type { CheckRow, CheckSheet, SheetCheckContext } from './sheet-check.ts'
import { type NumberColumn, readNumbers, selectNumberColumns } from './sheet-issues.ts'

export type RowReading = {
  /** What is held beside the last month. */
  readonly present: ComparedRow
  readonly accepted: readonly string[]
  readonly department: string
  readonly person: PayrollMember | null
  /** Found by the name alone. */
  readonly name_only: boolean
  readonly figures: RowAmounts
  readonly findings: readonly IdentityIssue[]
  readonly wrong: readonly AmountIssue[]
  /** What columns that are summed say and `now` does not, as `RowReader.summed`. */
  readonly more: readonly number[]
  readonly numbers: MemberRow['numbers']
  readonly bank_account: string
  /** A text of the row says that it is a line of deductions. */
  readonly isDeduction: boolean
  /** The rows of the sheet that this one is made of, where several of one person become one payslip. */
  readonly parts: readonly SectionReading[]
  /** The kind of number in which those rows differ. */
  readonly differing: keyof MemberRow['numbers'] | null
  /** Of a row that is left out nothing more is asked. */
  readonly counts: {
    readonly who: string
    readonly numbers: readonly string[]
    /** Whether last month's formula holds; null where that cannot be asked. */
    readonly holds: boolean | null
    readonly facts: RosterComparisonRow | null
    /** By kind of number that only one person has. */
    readonly owned: readonly (OwnedNumberRow | null)[]
    readonly tax: RowTaxAmounts | null
    /** How far sums are apart that rounding explains. */
    readonly rounded_fen: number
    readonly lines: PayslipSumDifference | null
    /** Of a sheet without a relation: whether the lines make the net pay. */
    readonly isSumEqual: boolean | null
  } | null
}

/** A row of the sheet as rows of totals count it. */
export type SectionReading = {
  readonly row: number
  readonly department: string
  readonly now: Float64Array
  readonly more: readonly number[]
}

const getNumbers = ({ mobile, id_card, employee_no }: RowIdentity): MemberRow['numbers'] => ({
  mobile: parseMobile(mobile) ?? normalizeNumber(mobile),
  id_card: normalizeNumber(id_card),
  employee_no: normalizeNumber(employee_no),
})

export class RowReader {
  readonly facts: RosterFields
  /** Of bank cards and of accounts at the chat platform. */
  readonly owners: readonly NumberOwners[]
  readonly numbers: readonly NumberColumn[]
  readonly #sheet: CheckSheet
  readonly #around: SheetCheckContext
  readonly #items: ReturnType<typeof toPayItems>[number]['column'][]
  readonly #terms: ReadonlySet<string>
  readonly #taxOf: ReturnType<typeof createTaxReader>
  readonly #lines: PayslipSumCheck
  readonly #placeOf: ReadonlyMap<string, number>
  readonly #more: readonly string[]

  constructor(sheet: CheckSheet, around: SheetCheckContext) {
    const { columns } = sheet
    this.#sheet = sheet
    this.#around = around
    this.facts = new RosterFields(columns, around.roster.people)
    const kinds = [...(around.cardIndex ? [createBankCardKind(around.cardIndex)] : []), platformAccountKind]
    this.owners = kinds.map((kind) => new NumberOwners(kind, columns, around.roster.people))
    this.numbers = selectNumberColumns(columns)
    this.#items = toPayItems(columns, sheet.renamed).map(({ column }) => column)
    this.#terms = getFormulaTerms(sheet.formula, sheet.subtotals)
    this.#taxOf = createTaxReader(sheet)
    this.#lines = new PayslipSumCheck(sheet)
    const items = new Set(this.#items.map(({ key }) => key))
    const stated = [...(sheet.stated ? [sheet.stated] : []), ...sheet.totals]
    const { formula } = sheet
    const terms = formula ? [...formula.plus, ...formula.minus] : []
    this.#more = [...new Set([...stated.flatMap(({ amounts }) => amounts.map(({ key }) => key)), ...terms])].filter(
      (key) => !items.has(key),
    )
    this.#placeOf = new Map([...items, ...this.#more].map((key, place) => [key, place]))
  }

  read({ row, cells, member_id: chosen, skipped, accepted }: CheckRow): RowReading {
    const { columns, formula, subtotals } = this.#sheet
    const said = readIdentity(cells, columns)
    const { person, findings, by } = matchMember(said, this.#around.roster, chosen, (text) => this.#around.idCardIndex(text))
    const name = said.names[0] ?? (said.nameless ? person?.name : undefined) ?? ''
    const member_id = person?.id ?? null
    const amounts = checkAmounts(cells, { columns, formula, subtotals, terms: this.#terms })
    const sections = getSections(cells)
    const reading = {
      numbers: getNumbers(said),
      bank_account: this.#bank(cells),
      isDeduction: columns.some(({ key, role }) => role === 'info' && isDeductionText(cells[key]?.value ?? '')),
      parts: sections.map((part) => this.#part(part)),
      differing: findConflictingNumber(sections.map((part) => getNumbers(readIdentity(part.cells, columns)))),
      present: { row, name, member_id, skipped, ...readItemAmounts(cells, this.#items) },
      accepted,
      department: said.department,
      person,
      name_only: by === 'name',
      figures: amounts.figures,
      findings,
      wrong: amounts.findings,
      more: this.#more.map((key) => getFen(cells, key)),
    }
    if (skipped) return { ...reading, counts: null }
    // Whoever chose the person answers for him.
    const found = chosen === null ? person : null
    return {
      ...reading,
      counts: {
        who: member_id ?? normalizeText(name),
        numbers: readNumbers(cells, this.numbers),
        holds: this.#sheet.expected && checkFormula(cells, this.#sheet.expected),
        facts: found && this.facts.read(row, name, found, cells),
        owned: found ? this.owners.map((owners) => owners.read(row, name, found, cells)) : [],
        tax: person ? (this.#taxOf?.(cells) ?? null) : null,
        rounded_fen: amounts.rounded_fen,
        lines: this.#lines.read(cells),
        isSumEqual: this.#lines.isSumEqual(cells),
      },
    }
  }

  #bank(cells: RowCells): string {
    const column = this.#sheet.columns.find(({ role }) => role === 'bank_account')
    return column ? normalizeNumber(cells[column.key]?.value ?? '').replaceAll('-', '') : ''
  }

  #part({ row, cells }: { readonly row: number; readonly cells: RowCells }): SectionReading {
    return {
      row,
      department: readIdentity(cells, this.#sheet.columns).department,
      now: readItemAmounts(cells, this.#items).now,
      more: this.#more.map((key) => getFen(cells, key)),
    }
  }

  /** An amount of a row, by its column: of items and of what is added up. */
  fenIn(
    { present: { now }, more }: Pick<RowReading, 'more'> & { readonly present: Pick<ComparedRow, 'now'> },
    key: string,
  ): number {
    const place = this.#placeOf.get(key) ?? -1
    return (place < now.length ? now[place] : more[place - now.length]) ?? 0
  }
}
