import { useState } from 'react'
import { dealWithSalaryList, type Problem } from '../../../server/contract/sheet/sheet.ts'
import { ApiError, useCall } from '../../api.ts'
import { type Action, doneWords, peopleMeant, undoOf } from './problem-fixes.ts'

/** Putting problems right: piece after piece where there are very many, with what was done and what takes it back. */
export function useDeal(batch_id: string, onDone: () => void) {
  const [done, setDone] = useState<{ text: string; undo: Action[] } | null>(null)
  const deal = useCall(dealWithSalaryList, { onSuccess: onDone, handles: ({ field }) => field === 'value' })
  /** `of`: the problems that are meant; `before`: what the pieces before this one have done. */
  const run = (actions: Action[], wanted: number, of: readonly Problem[], before = 0) => {
    if (deal.isPending) return
    deal.mutate(
      { batch_id, actions },
      {
        onSuccess: (piece) => {
          const count = before + piece.done
          const goesOn = piece.left > 0 && piece.done > 0
          const text = goesOn
            ? `已处理 ${count} 条，还有 ${piece.left} 条，正在继续…`
            : doneWords(actions, count, wanted, peopleMeant(actions, of, wanted))
          setDone({ text, undo: goesOn ? [] : undoOf(actions, of, count) })
          if (goesOn) run(actions, wanted, of, count)
        },
      },
    )
  }
  /** Why what was typed was refused; said at its field. */
  const wrong = deal.error instanceof ApiError && deal.error.field === 'value' ? deal.error.message : null
  return { run, done, wrong, isPending: deal.isPending }
}
