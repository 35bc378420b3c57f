import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getResendCost, sendBatch } from '../../../../server/contract/payslips/send.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatCount } from '../../../components/value/counts.ts'

/** `name`: only this one employee. */
export type ResendRequest = {
  only: 'failed' | 'unviewed' | 'withdrawn'
  batch_id: string
  count: number
  payslip?: { salary_id: string; name: string }
}

const resendLabels: Record<
  ResendRequest['only'],
  { verb: string; title: (who: string) => string; skipped: string; description: string }
> = {
  failed: {
    verb: '重发',
    title: (who) => `重新发送给 ${who}？`,
    skipped: '没有失败记录',
    description: '通过原来的渠道再发一次。发送失败的短信没有扣费。',
  },
  unviewed: {
    verb: '提醒',
    title: (who) => `提醒 ${who}？`,
    skipped: '今天已提醒 3 次，或没有消息渠道',
    description: '通过各人原来的渠道再通知一次。每人每天最多提醒 3 次，超过的会跳过。',
  },
  withdrawn: {
    verb: '重新发送',
    title: (who) => `把撤回的工资条重新发送给 ${who}？`,
    skipped: '没有撤回的工资条',
    description: '按现在的内容发出，员工会收到新的通知，需要重新查看和确认。要改金额的，请先在各人的菜单里点「更正」。',
  },
}

/** Reminds employees who have not viewed their payslip, or resends failed and withdrawn payslips. Mounted only while open. */
export function ResendDialog({ what: request, onClose }: { what: ResendRequest; onClose: () => void }) {
  const { only, batch_id, count, payslip } = request
  const [key] = useState(createIdempotencyKey)
  const { verb, title, skipped: skippedReason, description } = resendLabels[only]
  const resend = useCallMutation(sendBatch, {
    key,
    onSuccess: ({ queued, skipped }) => {
      if (queued === 0) toast.info(`没有人被${verb}：${skippedReason}`)
      else
        toast.success(
          `已安排${verb} ${formatCount(queued)} 人${skipped ? `，跳过 ${formatCount(skipped)} 人（${skippedReason}）` : ''}`,
        )
      onClose()
    },
  })
  const input = { batch_id, only, ...(payslip ? { salary_ids: [payslip.salary_id] } : {}) }
  const cost = useQuery({ ...callQuery(getResendCost, input), gcTime: 0, staleTime: 0, meta: { quiet: true } })
  const { sms_needed = 0, sms_left = null } = cost.data ?? {}
  const target = payslip?.name ?? (only === 'unviewed' ? `${formatCount(count)} 位未查看的人` : `${formatCount(count)} 人`)
  return (
    <ConfirmDialog
      open
      title={title(target)}
      action={`${verb} ${formatCount(count)} 人`}
      busy={resend.isPending}
      allowed={
        sms_left !== null && sms_needed > sms_left
          ? `需要 ${formatCount(sms_needed)} 条短信，余量只有 ${formatCount(sms_left)} 条`
          : true
      }
      onConfirm={() => resend.mutate(input)}
      onClose={onClose}
    >
      <p>{description}</p>
      {cost.data && <ResendCost cost={cost.data} />}
    </ConfirmDialog>
  )
}

/** What the messages use of the balance; nothing where nobody is reached by SMS. */
const ResendCost = ({ cost }: { cost: CallOutput<typeof getResendCost> }) => {
  const { people, sms_people, sms_per_recipient, sms_needed, sms_left } = cost
  return (
    <p className={sms_left !== null && sms_needed > sms_left ? 'ui-danger' : 'ui-hint'} role="status">
      {people === 0
        ? '现在没有可以通知的人。'
        : sms_people === 0
          ? `共 ${formatCount(people)} 人，都不用短信。`
          : `共 ${formatCount(people)} 人，其中 ${formatCount(sms_people)} 人用短信${sms_per_recipient > 1 ? `，每人 ${sms_per_recipient} 条` : ''}，共 ${formatCount(sms_needed)} 条${sms_left === null ? '' : `，余量 ${formatCount(sms_left)} 条`}。`}
    </p>
  )
}
