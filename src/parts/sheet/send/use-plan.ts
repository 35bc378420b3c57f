import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AskOf, OutputOf } from '../../../../server/contract/call.ts'
import { getSendPlan, type SendOptions } from '../../../../server/contract/slip/slip.ts'
import { query } from '../../../api.ts'
import { isPast } from './send-when.tsx'

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

type Planned = Pick<OutputOf<typeof getSendPlan>, 'count' | 'needs_approval'> | null

/** Why no plan can be made of what is chosen. */
export const reasonOf = ({ rows, channels, when }: SendOptions, people: number): string | null =>
  (rows?.length ?? people) === 0
    ? '请至少选择一个人'
    : channels.length === 0
      ? '请至少选择一种发送方式'
      : when && isPast(when)
        ? '定时的时间已经过了，请改一个以后的时间'
        : null

export function verbOf(plan: Planned, { when }: SendOptions, asked: { readonly state: string } | null): string {
  // What was asked for, or approved, is void once it is asked for anew.
  if (plan?.needs_approval) return asked?.state === 'waiting' || asked?.state === 'approved' ? '重新提交审批' : '提交审批'
  return when ? '定时发送' : '发送'
}

/** True, or why nothing can be sent now. */
export function whyNot(now: {
  reason: string | null
  overtaken: unknown
  error: Error | null
  plan: Planned
  isBehind: boolean
}): true | string {
  if (now.reason) return now.reason
  if (now.overtaken) return '先看一下别人改的选项'
  if (now.error) return now.error.message
  if (now.plan?.count === 0) return '没有人能收到，请换一种发送方式'
  return !now.plan || now.isBehind ? '正在算发送计划' : true
}
