/** Solves a linear system of sums to find whose pay follows from them. */

const tiny = 1e-9
function getRank(rows: readonly (readonly number[])[]): number {
  const matrix = rows.map((row) => [...row])
  let rank = 0
  for (let column = 0; column < (matrix[0]?.length ?? 0) && rank < matrix.length; column += 1) {
    const pivot = matrix.findIndex((row, at) => at >= rank && Math.abs(row[column] ?? 0) > tiny)
    if (pivot < 0) continue
    const [upper, lower] = [matrix[rank] ?? [], matrix[pivot] ?? []]
    matrix[rank] = lower
    matrix[pivot] = upper
    for (let at = rank + 1; at < matrix.length; at += 1) {
      const row = matrix[at] ?? []
      const factor = (row[column] ?? 0) / (lower[column] ?? 1)
      if (factor !== 0) lower.forEach((value, position) => (row[position] = (row[position] ?? 0) - factor * value))
    }
    rank += 1
  }
  return rank
}

/**
 * `masks`: sums, each as a bit set of the employees in it (2ⁿ for the nth). Returns each employee and each pair about
 * whom some combination of the sums reveals something.
 */
export function solvable(masks: readonly number[], people: number): number[][] {
  const rows = masks.map((mask) => Array.from({ length: people }, (_, n) => Math.floor(mask / 2 ** n) % 2))
  const rank = getRank(rows)
  const pairs = Array.from({ length: people }, (_, a) =>
    Array.from({ length: people - a }, (_p, b) => [...new Set([a, a + b])]),
  ).flat()
  return pairs.filter((some) => getRank(rows.map((row) => row.filter((_, n) => !some.includes(n)))) < rank)
}
