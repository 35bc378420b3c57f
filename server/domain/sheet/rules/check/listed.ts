/** In which order very many problems are told, a page at a time: some of every kind first, so that no kind waits until another one is done. */
import type { Problem } from '../../../../contract/sheet/sheet.ts'

/** The first of each kind and level, in the order of the sheet, and then the others; one page is as it is. */
export function ofEachFirst(problems: readonly Problem[], a_page: number, of_each: number): readonly Problem[] {
  if (problems.length <= a_page) return problems
  const count = new Map<string, number>()
  const [first, rest]: [Problem[], Problem[]] = [[], []]
  for (const problem of problems) {
    const kind = `${problem.level}:${problem.kind}`
    const seen = count.get(kind) ?? 0
    count.set(kind, seen + 1)
    if (seen < of_each) first.push(problem)
    else rest.push(problem)
  }
  return [...first, ...rest]
}
