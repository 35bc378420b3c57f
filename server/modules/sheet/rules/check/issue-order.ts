/** In which order very many problems are told, a page at a time: some of every kind first, so that no kind waits until another one is done. */
import type { Issue } from '../../../../contract/sheets/sheet.ts'

/** The first of each kind and level, in the order of the sheet, and then the others; one page is as it is. */
export function orderIssuesByKind(issues: readonly Issue[], pageSize: number, countPerKind: number): readonly Issue[] {
  if (issues.length <= pageSize) return issues
  const count = new Map<string, number>()
  const [first, rest]: [Issue[], Issue[]] = [[], []]
  for (const problem of issues) {
    const kind = `${problem.level}:${problem.kind}`
    const listed = count.get(kind) ?? 0
    count.set(kind, listed + 1)
    if (listed < countPerKind) first.push(problem)
    else rest.push(problem)
  }
  return [...first, ...rest]
}
