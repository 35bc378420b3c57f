/**
 * What a row says by itself, before it is held beside any other: whom it is for, its amounts, what is wrong with it alone. It follows from the row,
 * the sheet's columns and the roster, so that of a sheet in which one row was mended only that one is read again.
 */
import { type RowCells } from '../../../../rules/amounts.ts'
import { readMobile } from '../../../../rules/phone.ts'
import { tidy } from '../../../../rules/text.ts'
import { holdsIn } from '../holds.ts'
import { sectionsIn } from '../sections.ts'
import { type TaxFigures, taxReader } from '../tax-figures.ts'
import { amountsIn, type Present } from './beside-last.ts'
import { accountsOwned, cardsOwned, type OwnedRow, Owners } from './beside-owned.ts'
import { RosterFacts, type RosterLine } from './beside-roster.ts'
import { fenOf, itemsOf } from './history.ts'
import { type Finding, matchRow, type Person, type Said, sameNumber } from './matching.ts'
import type { Around, CheckRow, CheckSheet } from './problems.ts'
import { type AmountFinding, checkAmounts, type RowFigures, saidOf, termsOf } from './problems-amounts.ts'
import { type NumberColumn, numberColumns, numbersIn } from './problems-sheet.ts'
import { otherNumber, type PersonRow, saysDeduction } from './several-rows.ts'
import { SlipLines, type UnequalLines } from './slip-lines.ts'

export type RowReading = {
  /** What is held beside the last month. */
  readonly present: Present
  readonly accepted: readonly string[]
  readonly department: string
  readonly person: Person | null
  /** Found by the name alone. */
  readonly name_only: boolean
  readonly figures: RowFigures
  readonly findings: readonly Finding[]
  readonly wrong: readonly AmountFinding[]
  /** What columns that are summed say and `now` does not, as `RowReader.summed`. */
  readonly more: readonly number[]
  readonly numbers: PersonRow['numbers']
  readonly bank_account: string
  /** A text of the row says that it is a line of deductions. */
  readonly isDeduction: boolean
  /** The rows of the sheet that this one is made of, where several of one person become one payslip. */
  readonly parts: readonly PartReading[]
  /** The kind of number in which those rows differ. */
  readonly differing: keyof PersonRow['numbers'] | null
  /** Of a row that is left out nothing more is asked. */
  readonly counts: {
    readonly who: string
    readonly numbers: readonly string[]
    /** Whether last month's formula holds; null where that cannot be asked. */
    readonly holds: boolean | null
    readonly facts: RosterLine | null
    /** By kind of number that only one person has. */
    readonly owned: readonly (OwnedRow | null)[]
    readonly tax: TaxFigures | null
    /** How far sums are apart that rounding explains. */
    readonly rounded_fen: number
    readonly lines: UnequalLines | null
  } | null
}

/** A row of the sheet as rows of totals count it. */
export type PartReading = {
  readonly row: number
  readonly department: string
  readonly now: Float64Array
  readonly more: readonly number[]
}

const numbersOf = ({ mobile, id_card, employee_no }: Said): PersonRow['numbers'] => ({
  mobile: readMobile(mobile) ?? sameNumber(mobile),
  id_card: sameNumber(id_card),
  employee_no: sameNumber(employee_no),
})

export class RowReader {
  readonly facts: RosterFacts
  /** Of bank cards and of accounts at the chat platform. */
  readonly owners: readonly Owners[]
  readonly numbers: readonly NumberColumn[]
  readonly #sheet: CheckSheet
  readonly #around: Around
  readonly #items: ReturnType<typeof itemsOf>[number]['column'][]
  readonly #terms: ReadonlySet<string>
  readonly #taxOf: ReturnType<typeof taxReader>
  readonly #lines: SlipLines
  readonly #placeOf: ReadonlyMap<string, number>
  readonly #more: readonly string[]

  constructor(sheet: CheckSheet, around: Around) {
    const { columns } = sheet
    this.#sheet = sheet
    this.#around = around
    this.facts = new RosterFacts(columns, around.roster.people)
    const kinds = [...(around.cardIndex ? [cardsOwned(around.cardIndex)] : []), accountsOwned]
    this.owners = kinds.map((kind) => new Owners(kind, columns, around.roster.people))
    this.numbers = numberColumns(columns)
    this.#items = itemsOf(columns, sheet.renamed).map(({ column }) => column)
    this.#terms = termsOf(sheet.formula, sheet.subtotals)
    this.#taxOf = taxReader(sheet)
    this.#lines = new SlipLines(sheet)
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
    const said = saidOf(cells, columns)
    const { person, findings, by } = matchRow(said, this.#around.roster, chosen, (text) => this.#around.idCardIndex(text))
    const name = said.names[0] ?? (said.nameless ? person?.name : undefined) ?? ''
    const member_id = person?.id ?? null
    const amounts = checkAmounts(cells, { columns, formula, subtotals, terms: this.#terms })
    const sections = sectionsIn(cells)
    const reading = {
      numbers: numbersOf(said),
      bank_account: this.#bank(cells),
      isDeduction: columns.some(({ key, role }) => role === 'info' && saysDeduction(cells[key]?.value ?? '')),
      parts: sections.map((part) => this.#part(part)),
      differing: otherNumber(sections.map((part) => numbersOf(saidOf(part.cells, columns)))),
      present: { row, name, member_id, skipped, ...amountsIn(cells, this.#items) },
      accepted,
      department: said.department,
      person,
      name_only: by === 'name',
      figures: amounts.figures,
      findings,
      wrong: amounts.findings,
      more: this.#more.map((key) => fenOf(cells, key)),
    }
    if (skipped) return { ...reading, counts: null }
    // Whoever chose the person answers for him.
    const found = chosen === null ? person : null
    return {
      ...reading,
      counts: {
        who: member_id ?? tidy(name),
        numbers: numbersIn(cells, this.numbers),
        holds: this.#sheet.expected && holdsIn(cells, this.#sheet.expected),
        facts: found && this.facts.read(row, name, found, cells),
        owned: found ? this.owners.map((owners) => owners.read(row, name, found, cells)) : [],
        tax: person ? (this.#taxOf?.(cells) ?? null) : null,
        rounded_fen: amounts.rounded_fen,
        lines: this.#lines.read(cells),
      },
    }
  }

  #bank(cells: RowCells): string {
    const column = this.#sheet.columns.find(({ role }) => role === 'bank_account')
    return column ? sameNumber(cells[column.key]?.value ?? '').replaceAll('-', '') : ''
  }

  #part({ row, cells }: { readonly row: number; readonly cells: RowCells }): PartReading {
    return {
      row,
      department: saidOf(cells, this.#sheet.columns).department,
      now: amountsIn(cells, this.#items).now,
      more: this.#more.map((key) => fenOf(cells, key)),
    }
  }

  /** An amount of a row, by its column: of items and of what is added up. */
  fenIn({ present: { now }, more }: Pick<RowReading, 'more'> & { readonly present: Pick<Present, 'now'> }, key: string): number {
    const place = this.#placeOf.get(key) ?? -1
    return (place < now.length ? now[place] : more[place - now.length]) ?? 0
  }
}
