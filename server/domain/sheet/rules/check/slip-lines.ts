/**
 * Whether the lines of a payslip add up to its own net pay, asked once more before anything is sent. It is known only where the relation of the sheet
 * was found: whatever is earned or taken off there must stand in it, and whatever stands in it must be earned or taken off.
 */
import { formatFen, signed } from '../../../../contract/words/money.ts'
import { amountOf, type RowCells } from '../../../../rules/amounts.ts'
import { roundingAllowance } from '../../../../rules/rounding.ts'
import { signsOf } from '../render.ts'
import { type Found, rowText } from './beside-last.ts'
import { type CheckColumn, type Formula, isTrusted, type SubtotalColumn } from './problems-amounts.ts'

type Sums = {
  readonly columns: readonly CheckColumn[]
  readonly formula: Formula | null
  readonly subtotals: readonly SubtotalColumn[]
}
/** Of a row: what its lines add up to, and what the relation does. */
export type UnequalLines = { readonly lines_fen: number; readonly sum_fen: number }

const isItem = ({ role }: CheckColumn): boolean => role === 'earning' || role === 'deduction' || role === 'tax'
const totalLabel = /合计|小计|总|共计|[应实][发付得领]|到手|打款|到[账帐]|税[前后]|合計|小計|net|gross|total|計$/i
/** A sum that is not known to be made of its items: its lines cannot be asked. */
const isWhole = ({ role, label }: CheckColumn): boolean =>
  role === 'gross' || role === 'subtotal' || role === 'net' || (role === 'info' && totalLabel.test(label))

/** The columns that the net pay is made of, each with its sign in it; sums inside it are taken apart. */
function termsInside({ formula, subtotals }: Sums): Map<string, 1 | -1> {
  const parts = new Map(subtotals.filter(isTrusted).map((one) => [one.key, one]))
  const terms = new Map<string, 1 | -1>()
  const take = (
    { plus, minus }: { readonly plus: readonly string[]; readonly minus: readonly string[] },
    sign: 1 | -1,
    above: readonly string[],
  ): void => {
    for (const [keys, own] of [
      [plus, sign],
      [minus, sign === 1 ? -1 : 1],
    ] as const)
      for (const key of keys) {
        const under = above.includes(key) ? undefined : parts.get(key)
        if (under) take(under, own, [...above, key])
        else terms.set(key, own)
      }
  }
  if (formula) take(formula, 1, [])
  return terms
}

export class SlipLines {
  readonly #sheet: Sums
  readonly #terms: ReadonlyMap<string, 1 | -1>
  readonly #lines: readonly CheckColumn[]
  readonly #signs: ReturnType<typeof signsOf>
  readonly #isKnown: boolean
  readonly #unequal: { readonly row: number; readonly found: UnequalLines }[] = []

  constructor(sheet: Sums) {
    const { columns, formula } = sheet
    const net = columns.find(({ role }) => role === 'net')
    this.#sheet = sheet
    this.#terms = termsInside(sheet)
    this.#lines = columns.filter(isItem)
    this.#signs = signsOf({ layout: { sort_list: [] }, columns, formula })
    this.#isKnown =
      formula !== null &&
      formula.net === net?.key &&
      isTrusted(formula) &&
      !columns.some((one) => this.#terms.has(one.key) && isWhole(one))
  }

  /** Null where they agree, or where it cannot be told. */
  read(cells: RowCells): UnequalLines | null {
    const { formula } = this.#sheet
    if (!this.#isKnown || !formula || amountOf(cells[formula.net]).fen === null) return null
    let sum_fen = 0
    for (const [key, sign] of this.#terms) {
      const { fen, flaw } = amountOf(cells[key])
      if (flaw) return null
      sum_fen += sign * (fen ?? 0)
    }
    let lines_fen = 0
    for (const { key } of this.#lines) {
      const { fen, flaw } = amountOf(cells[key])
      // A cell that is no amount is an issue of its own; until it is corrected nothing can be said about the sum.
      if (flaw) return null
      lines_fen += signed(fen ?? 0, this.#signs.get(key) ?? 'own')
    }
    return Math.abs(lines_fen - sum_fen) <= roundingAllowance(this.#lines.length) ? null : { lines_fen, sum_fen }
  }

  add(row: number, found: UnequalLines | null): void {
    if (found) this.#unequal.push({ row, found })
  }

  /** One for the whole sheet: what is wrong is what a column is for. */
  problems(): Found[] {
    const [first] = this.#unequal
    if (!first) return []
    const outside = this.#lines.filter(({ key }) => !this.#terms.has(key)).map(({ label }) => `「${label}」`)
    const inside = this.#sheet.columns
      .filter((one) => this.#terms.has(one.key) && !isItem(one))
      .map(({ label }) => `「${label}」`)
    const todo = [
      ...(outside.length > 0 ? [`${outside.slice(0, 3).join('')}没有算进实发，请把用途改为「说明」`] : []),
      ...(inside.length > 0 ? [`${inside.slice(0, 3).join('')}算进了实发，请把用途改为「应发项」或「扣款项」`] : []),
    ]
    const where = `第 ${rowText(first.row)} 行${this.#unequal.length > 1 ? `等 ${this.#unequal.length} 行` : ''}`
    const { lines_fen, sum_fen } = first.found
    const message = `${where}工资条上各项相加得 ${formatFen(lines_fen)}，实发的算式得 ${formatFen(sum_fen)}；${todo.join('；') || '请核对各列的用途'}`
    return [{ row: 0, name: '', column: null, level: 'error', kind: 'slip_mismatch', message, fix: [] }]
  }
}
