import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { checkWageData } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../../api.ts'
import { filterIssues, type IssueGroup } from './issue-fixes.ts'

/**
 * The issues of a kind. The check result already contains as many as the list shows at first. Only loading more, or
 * searching among very many, sends further requests, because each page is a check of the whole wage sheet.
 */
export function useIssueList(
  batch_id: string,
  checkResult: CallOutput<typeof checkWageData>,
  selected: IssueGroup | undefined,
  searchText: string | undefined,
) {
  const initial = useMemo(
    () => checkResult.problems.filter((issue) => issue.kind === selected?.kind && issue.level === selected.level),
    [checkResult.problems, selected],
  )
  const isComplete = !selected || initial.length === selected.count
  const selectionKey = `${selected?.kind}:${selected?.level}:${searchText ?? ''}`
  const [requested, setRequested] = useState({ about: selectionKey, pages: 0 })
  const minPages = searchText || initial.length === 0 ? 1 : 0
  const pages = Math.max(minPages, requested.about === selectionKey ? requested.pages : 0)
  const pageQueries = useQueries({
    queries:
      selected && !isComplete
        ? Array.from({ length: pages }, (_, at) =>
            callQuery(checkWageData, {
              batch_id,
              kind: selected.kind,
              level: selected.level,
              ...(searchText ? { query: searchText } : {}),
              page: at + 1,
            }),
          )
        : [],
    combine: (answers) => ({
      list: answers.flatMap(({ data }) => data?.problems ?? []),
      total: answers[0]?.data?.problem_count ?? null,
      isPending: answers.some(({ isPending }) => isPending),
    }),
  })
  if (isComplete)
    return {
      listed: initial,
      matches: filterIssues(initial, searchText),
      total: initial.length,
      busy: false,
      more: () => undefined,
    }
  // The issues from the check result, until the first page has loaded.
  const listed = pageQueries.total === null ? initial : pageQueries.list
  return {
    listed,
    // The server has already searched all of them.
    matches: pageQueries.total === null ? filterIssues(initial, searchText) : listed,
    total: pageQueries.total ?? selected.count,
    busy: pageQueries.isPending,
    more: () => setRequested({ about: selectionKey, pages: pages + 1 }),
  }
}
