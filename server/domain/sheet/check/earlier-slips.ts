/** A slip of an earlier run as figures: read by the columns of its own batch. */

import type { TitleKind } from '../../../contract/words/words.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import type { PaidSlip } from '../../pay/index.ts'
import { Figures, fenOf, itemsOf, whole } from '../rules/check/history.ts'
import type { EarlierMonth } from '../rules/months/tax.ts'
import { taxReader } from '../rules/tax-figures.ts'
import { understoodOf } from '../understood.ts'

/** Months before this one that are asked about a person: half a year, and his tax year from the December before it. */
export const usual_months = 6
export const decemberBefore = (month: string): string => `${Number(month.slice(0, 4)) - 1}-12`
/** `2026-03` less six → `2025-09`. */
export function monthBack(month: string, count: number): string {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 - count
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`
}

/** Takes slips into figures. What the columns of a slip mean is kept with its batch, and read once a batch. */
export function takerOf({
  db,
  company_id,
  vault,
}: Pick<Ctx, 'db' | 'company_id' | 'vault'>): (figures: Figures, slip: PaidSlip) => Promise<void> {
  type Columns = { items: ReturnType<typeof itemsOf>; tax: ReturnType<typeof taxReader> }
  const known = new Map<string, Columns>()
  const columnsOf = async (batch_id: string): Promise<Columns> => {
    const batch = await db
      .selectFrom('batch')
      .select(['id', 'understood'])
      .where('company_id', '=', company_id)
      .where('id', '=', batch_id)
      .executeTakeFirstOrThrow()
    const understood = understoodOf({ vault }, batch)
    return { items: itemsOf(understood.columns), tax: taxReader(understood) }
  }
  return async (figures, { batch_id, member_id, content: { cells, gross_fen, tax_fen } }) => {
    const columns = known.get(batch_id) ?? (await columnsOf(batch_id))
    known.set(batch_id, columns)
    const { items, tax } = columns
    const hasGross = items.some(({ item }) => item === whole.gross)
    const places = figures.open([...items.map(({ item }) => item), whole.tax, whole.special, ...(hasGross ? [] : [whole.gross])])
    const amounts = items.map(({ column }) => fenOf(cells, column.key))
    figures.add(member_id, places, [...amounts, tax_fen ?? 0, tax?.(cells).special ?? 0, ...(hasGross ? [] : [gross_fen ?? 0])])
  }
}

/** Earlier months of the people who were asked about. */
export class EarlierKnown {
  readonly #asked = new Set<string>()
  readonly #months = new Map<string, EarlierMonth>()
  /** People who have slips in these months that I may not see: what I see is not all they got. */
  readonly partly = new Set<string>()
  /** When they came, where the roster says. */
  readonly entered = new Map<string, string | null>()

  /** Those of them who were not asked about yet; they are now. */
  fresh(people: readonly string[]): string[] {
    const fresh = people.filter((one) => !this.#asked.has(one))
    for (const one of fresh) this.#asked.add(one)
    return fresh
  }
  at(month: string, kind: TitleKind): Figures {
    const key = `${month} ${kind}`
    const known = this.#months.get(key) ?? { month, kind, figures: new Figures() }
    this.#months.set(key, known)
    return known.figures
  }
  figures = (): readonly Figures[] => [...this.#months.values()].map((one) => one.figures)
  /** The newest first. */
  months = (): readonly EarlierMonth[] => [...this.#months.values()].toSorted((a, b) => (a.month < b.month ? 1 : -1))
}
