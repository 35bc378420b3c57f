import { useState } from 'react'
import { sendBatch } from '../../../../server/contract/payslips/send.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
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
    description: '通过原来的渠道再发一次。发送失败的短信没有扣费，重发按条计费。',
  },
  unviewed: {
    verb: '提醒',
    title: (who) => `提醒 ${who}？`,
    skipped: '今天已提醒 3 次，或没有消息渠道',
    description: '通过各人原来的渠道再通知一次，短信按条计费。每人每天最多提醒 3 次，超过的会跳过。',
  },
  withdrawn: {
    verb: '重新发送',
    title: (who) => `把撤回的工资条重新发送给 ${who}？`,
    skipped: '没有撤回的工资条',
    description:
      '按现在的内容发出，员工会收到新的通知，需要重新查看和确认，短信按条计费。要改金额的，请先在各人的菜单里点「更正」。',
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
  const target = payslip?.name ?? (only === 'unviewed' ? `${formatCount(count)} 位未查看的人` : `${formatCount(count)} 人`)
  return (
    <ConfirmDialog
      open
      title={title(target)}
      action={`${verb} ${formatCount(count)} 人`}
      busy={resend.isPending}
      onConfirm={() => resend.mutate({ batch_id, only, ...(payslip ? { salary_ids: [payslip.salary_id] } : {}) })}
      onClose={onClose}
    >
      {description}
    </ConfirmDialog>
  )
}
