import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { CallOutput, CallRequest } from '../../../../server/contract/call.ts'
import { getSendPlan, type SendOptions } from '../../../../server/contract/payslips/send.ts'
import { callQuery } from '../../../api.ts'
import { isPast } from './send-time.tsx'

export const toSendPlanRequest = (batch_id: string, { rows, channels, when }: SendOptions): CallRequest<typeof getSendPlan> => ({
  batch_id,
  channels,
  ...(rows ? { rows } : {}),
  ...(when ? { when } : {}),
})

/** Recalculates the plan when input pauses: selecting ten employees sends one request. `null` sends none. */
export function useSendPlan(request: CallRequest<typeof getSendPlan> | null) {
  const requestKey = JSON.stringify(request)
  const [settledKey, setSettledKey] = useState(requestKey)
  // A timer is a side effect outside React.
  useEffect(() => {
    const timer = setTimeout(() => setSettledKey(requestKey), 300)
    return () => clearTimeout(timer)
  }, [requestKey])
  const settledRequest: CallRequest<typeof getSendPlan> | null = JSON.parse(settledKey)
  const planResult = useQuery({
    ...callQuery(getSendPlan, settledRequest ?? { batch_id: '' }),
    enabled: settledRequest !== null,
    placeholderData: (before) => before,
    retry: false,
  })
  const isStale = settledKey !== requestKey || planResult.isPlaceholderData || (planResult.isFetching && !planResult.data)
  return {
    plan: request && planResult.data ? planResult.data : null,
    error: request ? planResult.error : null,
    isBehind: isStale,
    again: () => void planResult.refetch(),
  }
}

export type PlanStatus = Pick<CallOutput<typeof getSendPlan>, 'count' | 'needs_approval'> | null

/** Returns why no plan can be calculated from the options. */
export const getNoPlanReason = ({ rows, channels, when }: SendOptions, totalCount: number): string | null =>
  (rows?.length ?? totalCount) === 0
    ? '请至少选择一个人'
    : channels.length === 0
      ? '请至少选择一种发送方式'
      : when && isPast(when)
        ? '定时的时间已经过了，请改一个以后的时间'
        : null

type ApprovalStatus = { readonly status: string } | null

/** A pending or granted approval has its own button, and becomes void when a new one is requested. */
export const hasOpenApproval = (plan: PlanStatus, approval: ApprovalStatus): boolean =>
  plan?.needs_approval === true && (approval?.status === 'waiting' || approval?.status === 'approved')

export function getSendLabel(plan: PlanStatus, { when }: SendOptions, approval: ApprovalStatus): string {
  if (plan?.needs_approval) return hasOpenApproval(plan, approval) ? '重新提交审批' : '提交审批'
  return when ? '定时发送' : '发送'
}

/** Returns true, or why nothing can be sent now. */
export function checkCanSend(state: {
  reason: string | null
  overtaken: unknown
  error: Error | null
  plan: PlanStatus
  isBehind: boolean
}): true | string {
  if (state.reason) return state.reason
  if (state.overtaken) return '先看一下别人改的选项'
  if (state.error) return state.error.message
  if (state.plan?.count === 0) return '没有人能收到，请换一种发送方式'
  return !state.plan || state.isBehind ? '正在算发送计划' : true
}
