import { useState } from 'react'
import { sendBatch } from '../../../server/contract/slip.ts'
import { intent, useCall } from '../../api.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { toast } from '../../ui/toast.ts'

export type Again = { only: 'failed' | 'unviewed'; batch_id: string; count: number }

/** Reminding who has not looked, or sending again what failed. Mounted while it is open. */
export function AgainDialog({ what, onClose }: { what: Again; onClose: () => void }) {
  const { only, batch_id, count } = what
  const [key] = useState(intent)
  const verb = only === 'failed' ? '重发' : '提醒'
  const again = useCall(sendBatch, {
    key,
    onSuccess: ({ queued, skipped }) => {
      const why = only === 'failed' ? '没有失败记录' : '今天已提醒 3 次，或没有消息渠道'
      if (queued === 0) toast.info(`没有人被${verb}：${why}`)
      else toast.done(`已安排${verb} ${queued} 人${skipped ? `，跳过 ${skipped} 人（${why}）` : ''}`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title={only === 'failed' ? `重新发送给 ${count} 人？` : `提醒 ${count} 位未查看的人？`}
      action={`${verb} ${count} 人`}
      busy={again.isPending}
      onConfirm={() => again.mutate({ batch_id, only })}
      onClose={onClose}
    >
      {only === 'failed'
        ? '通过原来的渠道再发一次。发送失败的短信没有扣费，重发按条计费。'
        : '通过各人原来的渠道再通知一次，短信按条计费。每人每天最多提醒 3 次，超过的会跳过。'}
    </ConfirmDialog>
  )
}
