/**
 * Reads a single row before it is compared with others: its member, its amounts and its own issues. The result depends
 * only on the row, the columns of the wage sheet and the roster, so after a correction only the changed row is read
 * again.
 */
import { isBankAccount, isInfo } from '../../../../contract/sheets/column-roles.ts'
import { type RowCells } from '../../../../rules/amounts.ts'
import { parseMobile } from '../../../../rules/phone.ts'
import { normalizeText } from '../../../../rules/text.ts'
import { checkFormula } from '../formula-fit.ts'
import { getSections } from '../sections.ts'
import { createTaxReader, type RowTaxAmounts } from '../tax-columns.ts'
import { type AmountIssue, checkAmounts, getFormulaTerms, type RowAmounts, readIdentity } from './amount-issues.ts'
import type { CheckRow, CheckSheet, SheetCheckContext } from './check-input.ts'
import { findConflictingNumber, isDeductionText, type MemberRow } from './duplicate-members.ts'
import { getFen, toPayItems } from './member-amounts.ts'
import { type IdentityIssue, matchMember, normalizeNumber, type PayrollMember, type RowIdentity } from './member-match.ts'
import { type ComparedRow, readItemAmounts } from './month-comparison.ts'
import { createBankCardKind, NumberOwners, type OwnedNumberRow, platformAccountKind } from './owner-comparison.ts'
import { PayslipSumCheck, type PayslipSumDifference } from './payslip-sum-check.ts'
import { type RosterComparisonRow, RosterFields } from './roster-comparison.ts'
import { type NumberColumn, readNumbers, selectNumberColumns } from './sheet-issues.ts'

export type RowReading = {
  /** The data to be compared with last month. */
  readonly compared: ComparedRow
  readonly accepted: readonly string[]
  readonly department: string
  readonly member: PayrollMember | null
  /** Matched by name only. */
  readonly name_only: boolean
  readonly amounts: RowAmounts
  readonly identityIssues: readonly IdentityIssue[]
  readonly amountIssues: readonly AmountIssue[]
  /** Amounts of summed columns that are not in `compared`, in the order of `RowReader.#extraColumns`. */
  readonly extraAmounts: readonly number[]
  readonly numbers: MemberRow['numbers']
  readonly bank_account: string
  /** A text in the row marks it as a row of deductions. */
  readonly isDeduction: boolean
  /** The rows of the wage sheet that this one consists of, where several rows of a member are combined. */
  readonly sections: readonly SectionReading[]
  /** The kind of identifier that differs between those rows. */
  readonly conflictingNumber: keyof MemberRow['numbers'] | null
  /** The value is null for a skipped row, which is not checked further. */
  readonly counts: {
    readonly memberKey: string
    readonly numbers: readonly string[]
    /** Whether last month's formula holds; null where it cannot be checked. */
    readonly formulaHolds: boolean | null
    readonly rosterRow: RosterComparisonRow | null
    /** By kind of unique number. */
    readonly ownedNumbers: readonly (OwnedNumberRow | null)[]
    readonly tax: RowTaxAmounts | null
    /** The largest difference of sums that rounding explains. */
    readonly rounded_fen: number
    readonly lines: PayslipSumDifference | null
    /** For a wage sheet without a formula, whether the items add up to net pay. */
    readonly isSumEqual: boolean | null
  } | null
}

/** A row of the wage sheet as counted for totals. */
export type SectionReading = {
  readonly row: number
  readonly department: string
  readonly amounts: Float64Array
  readonly extraAmounts: readonly number[]
}

const getNumbers = ({ mobile, id_card, employee_no }: RowIdentity): MemberRow['numbers'] => ({
  mobile: parseMobile(mobile) ?? normalizeNumber(mobile),
  id_card: normalizeNumber(id_card),
  employee_no: normalizeNumber(employee_no),
})

export class RowReader {
  readonly rosterFields: RosterFields
  /** Owners of bank cards and chat platform accounts. */
  readonly owners: readonly NumberOwners[]
  readonly numbers: readonly NumberColumn[]
  readonly #sheet: CheckSheet
  readonly #context: SheetCheckContext
  readonly #items: ReturnType<typeof toPayItems>[number]['column'][]
  readonly #terms: ReadonlySet<string>
  readonly #readTax: ReturnType<typeof createTaxReader>
  readonly #payslipSums: PayslipSumCheck
  readonly #indexByKey: ReadonlyMap<string, number>
  readonly #extraColumns: readonly string[]

  constructor(sheet: CheckSheet, around: SheetCheckContext) {
    const { columns } = sheet
    this.#sheet = sheet
    this.#context = around
    this.rosterFields = new RosterFields(columns, around.roster.members)
    const kinds = [...(around.getBankCardIndex ? [createBankCardKind(around.getBankCardIndex)] : []), platformAccountKind]
    this.owners = kinds.map((kind) => new NumberOwners(kind, columns, around.roster.members))
    this.numbers = selectNumberColumns(columns)
    this.#items = toPayItems(columns, sheet.renamed).map(({ column }) => column)
    this.#terms = getFormulaTerms(sheet.formula, sheet.subtotals)
    this.#readTax = createTaxReader(sheet)
    this.#payslipSums = new PayslipSumCheck(sheet)
    const items = new Set(this.#items.map(({ key }) => key))
    const stated = [...(sheet.declared ? [sheet.declared] : []), ...sheet.totals]
    const { formula } = sheet
    const terms = formula ? [...formula.plus, ...formula.minus] : []
    this.#extraColumns = [...new Set([...stated.flatMap(({ amounts }) => amounts.map(({ key }) => key)), ...terms])].filter(
      (key) => !items.has(key),
    )
    this.#indexByKey = new Map([...items, ...this.#extraColumns].map((key, position) => [key, position]))
  }

  read({ row, cells, member_id: selected, skipped, accepted }: CheckRow): RowReading {
    const { columns, formula, subtotals } = this.#sheet
    const message = readIdentity(cells, columns)
    const { member, issues, matchedBy } = matchMember(message, this.#context.roster, selected, (text) =>
      this.#context.getIdCardIndex(text),
    )
    const name = message.names[0] ?? (message.hasNoNameColumn ? member?.name : undefined) ?? ''
    const member_id = member?.id ?? null
    const amounts = checkAmounts(cells, { columns, formula, subtotals, terms: this.#terms })
    const sections = getSections(cells)
    const reading = {
      numbers: getNumbers(message),
      bank_account: this.#readBankAccount(cells),
      isDeduction: columns.some(({ key, role }) => isInfo(role) && isDeductionText(cells[key]?.value ?? '')),
      sections: sections.map((part) => this.#readSection(part)),
      conflictingNumber: findConflictingNumber(sections.map((part) => getNumbers(readIdentity(part.cells, columns)))),
      compared: { row, name, member_id, skipped, ...readItemAmounts(cells, this.#items) },
      accepted,
      department: message.department,
      member,
      name_only: matchedBy === 'name',
      amounts: amounts.amounts,
      identityIssues: issues,
      amountIssues: amounts.issues,
      extraAmounts: this.#extraColumns.map((key) => getFen(cells, key)),
    }
    if (skipped) return { ...reading, counts: null }
    // A manually selected member takes precedence.
    const match = selected === null ? member : null
    return {
      ...reading,
      counts: {
        memberKey: member_id ?? normalizeText(name),
        numbers: readNumbers(cells, this.numbers),
        formulaHolds: this.#sheet.expected && checkFormula(cells, this.#sheet.expected),
        rosterRow: match && this.rosterFields.read(row, name, match, cells),
        ownedNumbers: match ? this.owners.map((owners) => owners.read(row, name, match, cells)) : [],
        tax: member ? (this.#readTax?.(cells) ?? null) : null,
        rounded_fen: amounts.rounded_fen,
        lines: this.#payslipSums.read(cells),
        isSumEqual: this.#payslipSums.isSumEqual(cells),
      },
    }
  }

  #readBankAccount(cells: RowCells): string {
    const column = this.#sheet.columns.find(({ role }) => isBankAccount(role))
    return column ? normalizeNumber(cells[column.key]?.value ?? '').replaceAll('-', '') : ''
  }

  #readSection({ row, cells }: { readonly row: number; readonly cells: RowCells }): SectionReading {
    return {
      row,
      department: readIdentity(cells, this.#sheet.columns).department,
      amounts: readItemAmounts(cells, this.#items).amounts,
      extraAmounts: this.#extraColumns.map((key) => getFen(cells, key)),
    }
  }

  /** Returns an amount of a row by column key: of items and of summed columns. */
  getFen(
    {
      compared: { amounts },
      extraAmounts,
    }: Pick<RowReading, 'extraAmounts'> & { readonly compared: Pick<ComparedRow, 'amounts'> },
    key: string,
  ): number {
    const position = this.#indexByKey.get(key) ?? -1
    return (position < amounts.length ? amounts[position] : extraAmounts[position - amounts.length]) ?? 0
  }
}
