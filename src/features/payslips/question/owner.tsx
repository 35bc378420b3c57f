import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type getFeedBackDetail, getFeedbackOwners, setFeedbackOwner } from '../../../../server/contract/payslips/feedback.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { Dropdown } from '../../../components/form/select.tsx'
import { toast } from '../../../components/overlay/toast.ts'

type FeedbackDetail = CallOutput<typeof getFeedBackDetail>

export function FeedbackOwner({ thread: { id, owner, can_answer } }: { thread: FeedbackDetail }) {
  const [isRequested, setRequested] = useState(false)
  const { data } = useQuery({ ...callQuery(getFeedbackOwners, { id }), enabled: can_answer && isRequested })
  const assign = useCallMutation(setFeedbackOwner, { onSuccess: () => toast.success('已转交，并通知对方') })
  if (!can_answer) return <span className="ui-label">由 {owner.name} 处理</span>
  const others = (data?.list ?? []).filter(({ user_id }) => user_id !== owner.user_id)
  return (
    <span onPointerEnter={() => setRequested(true)} onFocus={() => setRequested(true)}>
      <Dropdown
        label="处理人"
        width={150}
        value={owner.user_id}
        options={[owner, ...others].map(({ user_id, name }) => ({ value: user_id, label: `由 ${name} 处理` }))}
        onChange={(user_id) => user_id !== owner.user_id && assign.mutate({ ids: [id], user_id: String(user_id) })}
      />
    </span>
  )
}
