/** In how many rows a formula holds: counted for formulas that people have set, as the recognition counts those it finds. */
import { amountOf, type RowCells } from './amounts.ts'

type Sum = { readonly plus: readonly string[]; readonly minus: readonly string[]; readonly net: string }

/** Null where the row says nothing: no net pay, or a cell that is no amount. */
export function holdsIn(cells: RowCells, { plus, minus, net }: Sum): boolean | null {
  const stated = amountOf(cells[net])
  if (stated.fen === null) return null
  let sum = 0
  for (const [keys, sign] of [
    [plus, 1],
    [minus, -1],
  ] as const)
    for (const key of keys) {
      const { fen, flaw } = amountOf(cells[key])
      if (flaw) return null
      sum += sign * (fen ?? 0)
    }
  return sum === stated.fen
}

export function counting(formula: Sum): { add(cells: RowCells): void; result(): { holds: number; of: number } } {
  let holds = 0
  let of = 0
  return {
    add(cells) {
      const held = holdsIn(cells, formula)
      if (held === null) return
      of += 1
      if (held) holds += 1
    },
    result: () => ({ holds, of }),
  }
}
