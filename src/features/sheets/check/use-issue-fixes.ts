import { useState } from 'react'
import { dealWithSalaryList, type Issue } from '../../../../server/contract/sheets/sheet.ts'
import { ApiError, useCallMutation } from '../../../api.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { countAffectedPeople, type FixAction, formatFixResult, getUndoActions } from './issue-fixes.ts'

/** Applies fixes, in chunks if there are very many, and stores the result with its undo actions. */
export function useIssueFixes(batch_id: string, onDone: () => void) {
  const [result, setResult] = useState<{ text: string; undo: FixAction[] } | null>(null)
  const applyFixes = useCallMutation(dealWithSalaryList, { onSuccess: onDone, handles: ({ field }) => field === 'value' })
  /** `issues` are the issues to fix; `doneBefore` is the count from previous chunks. */
  const runFixes = (actions: FixAction[], expectedCount: number, issues: readonly Issue[], doneBefore = 0) => {
    if (applyFixes.isPending) return
    applyFixes.mutate(
      { batch_id, actions },
      {
        onSuccess: (chunk) => {
          const count = doneBefore + chunk.done
          const hasMore = chunk.remaining_count > 0 && chunk.done > 0
          const text = hasMore
            ? `已处理 ${formatCount(count)} 条，还有 ${formatCount(chunk.remaining_count)} 条，正在继续…`
            : formatFixResult(actions, count, expectedCount, countAffectedPeople(actions, issues, expectedCount))
          setResult({ text, undo: hasMore ? [] : getUndoActions(actions, issues, count) })
          if (hasMore) runFixes(actions, expectedCount, issues, count)
        },
      },
    )
  }
  /** The error for the typed value, shown at its field. */
  const fieldError = applyFixes.error instanceof ApiError && applyFixes.error.field === 'value' ? applyFixes.error.message : null
  return { run: runFixes, done: result, wrong: fieldError, isPending: applyFixes.isPending }
}
