/** Orders very long lists of issues for paging: some of every kind first, so that no kind has to wait for another. */
import type { Issue } from '../../../../contract/sheets/sheet.ts'

/** Returns the first issues of each kind and level in sheet order, then the others; a list that fits on one page is unchanged. */
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
