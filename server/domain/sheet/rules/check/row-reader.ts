/**
 * What a row says by itself, before it is held beside any other: whom it is for, its amounts, what is wrong with it alone. It follows from the row,
 * the sheet's columns and the roster, so that of a sheet in which one row was mended only that one is read again.
 */
import { tidy } from '../../../../rules/text.ts'
import { holdsIn } from '../holds.ts'
import { type TaxFigures, taxReader } from '../tax-figures.ts'
import { amountsIn, type Present } from './beside-last.ts'
import { accountsOwned, cardsOwned, type OwnedRow, Owners } from './beside-owned.ts'
import { RosterFacts, type RosterLine } from './beside-roster.ts'
import { fenOf, itemsOf } from './history.ts'
import { type Finding, matchRow, type Person } from './matching.ts'
import type { Around, CheckRow, CheckSheet } from './problems.ts'
import { type AmountFinding, checkAmounts, type RowFigures, saidOf, termsOf } from './problems-amounts.ts'
import { type NumberColumn, numberColumns, numbersIn } from './problems-sheet.ts'

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
  } | null
}

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
    const items = new Set(this.#items.map(({ key }) => key))
    const stated = [...(sheet.stated ? [sheet.stated] : []), ...sheet.totals]
    this.#more = [...new Set(stated.flatMap(({ amounts }) => amounts.map(({ key }) => key)))].filter((key) => !items.has(key))
    this.#placeOf = new Map([...items, ...this.#more].map((key, place) => [key, place]))
  }

  read({ row, cells, member_id: chosen, skipped, accepted }: CheckRow): RowReading {
    const { columns, formula, subtotals } = this.#sheet
    const said = saidOf(cells, columns)
    const { person, findings, by } = matchRow(said, this.#around.roster, chosen, (text) => this.#around.idCardIndex(text))
    const name = said.names[0] ?? (said.nameless ? person?.name : undefined) ?? ''
    const member_id = person?.id ?? null
    const amounts = checkAmounts(cells, { columns, formula, subtotals, terms: this.#terms })
    const reading = {
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
      },
    }
  }

  /** An amount of a row, by its column: of items and of what is added up. */
  fenIn({ present: { now }, more }: RowReading, key: string): number {
    const place = this.#placeOf.get(key) ?? -1
    return (place < now.length ? now[place] : more[place - now.length]) ?? 0
  }
}
