import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AskOf } from '../../../../server/contract/call.ts'
import { getSendPlan, type SendOptions } from '../../../../server/contract/slip.ts'
import { query } from '../../../api.ts'

export const askedFor = (batch_id: string, { rows, channels, when }: SendOptions): AskOf<typeof getSendPlan> => ({
  batch_id,
  channels,
  ...(rows ? { rows } : {}),
  ...(when ? { when } : {}),
})

/** Follows what is chosen when the hand rests: whoever ticks ten people asks once. `null` asks nothing. */
export function usePlan(wish: AskOf<typeof getSendPlan> | null) {
  const now = JSON.stringify(wish)
  const [rested, setRested] = useState(now)
  // Waiting is outside.
  useEffect(() => {
    const timer = setTimeout(() => setRested(now), 300)
    return () => clearTimeout(timer)
  }, [now])
  const asked: AskOf<typeof getSendPlan> | null = JSON.parse(rested)
  const made = useQuery({
    ...query(getSendPlan, asked ?? { batch_id: '' }),
    enabled: asked !== null,
    placeholderData: (before) => before,
    retry: false,
  })
  const isBehind = rested !== now || made.isPlaceholderData || (made.isFetching && !made.data)
  return {
    plan: wish && made.data ? made.data : null,
    error: wish ? made.error : null,
    isBehind,
    again: () => void made.refetch(),
  }
}
