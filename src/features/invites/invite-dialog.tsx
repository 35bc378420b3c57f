import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { sendInviteCode } from '../../../server/contract/invites/invite.ts'
import { ApiError, callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import styles from '../directory/member.module.css'

/** Invites the selected members, or everyone who has not joined yet. Mounted only while open. */
export function InviteDialog({ member_ids, onClose }: { member_ids: readonly string[]; onClose: (invited: boolean) => void }) {
  const isEveryone = member_ids.length === 0
  const [key] = useState(createIdempotencyKey)
  const [errorText, setErrorText] = useState<string | null>(null)
  const pendingMembers = useQuery({
    ...callQuery(getMemberList, { status: 'invited', page: 1, pagesize: 1 }),
    enabled: isEveryone,
  })
  const count = isEveryone ? pendingMembers.data?.page.total : member_ids.length
  const invite = useCallMutation(sendInviteCode, {
    key,
    handles: (error) => error.is('sms_used_up'),
    onSuccess: ({ queued, skipped }) => {
      const sent = queued.platform + queued.sms
      const why = '已加入，或今天已邀请 3 次'
      if (sent === 0) toast.info(`没有人被邀请：${why}`)
      else
        toast.success(
          `已安排邀请 ${sent} 人${queued.sms ? `（短信 ${queued.sms} 条）` : ''}${skipped ? `，跳过 ${skipped} 人（${why}）` : ''}`,
        )
      onClose(true)
    },
  })
  const send = () => {
    setErrorText(null)
    invite.mutate(isEveryone ? { all: true } : { member_ids: [...member_ids] }, {
      onError: (error) => {
        if (!(error instanceof ApiError) || !error.is('sms_used_up')) return
        setErrorText(
          `短信余量不足：需要 ${Number(error.data.needed)} 条，剩余 ${Number(error.data.left)} 条。一条也没有发出，可先充值、少选几位，或改用二维码。`,
        )
      },
    })
  }
  if (count === 0)
    return (
      <ConfirmDialog
        open
        title="没有需要邀请的员工"
        action="知道了"
        onConfirm={() => onClose(false)}
        onClose={() => onClose(false)}
      >
        花名册中的员工都已经加入。
      </ConfirmDialog>
    )
  return (
    <ConfirmDialog
      open
      title={isEveryone ? `邀请全部 ${count ?? '…'} 位待加入的员工？` : `邀请选中的 ${count} 位员工？`}
      action={`邀请 ${count ?? '…'} 人`}
      busy={invite.isPending || count === undefined}
      onConfirm={send}
      onClose={() => onClose(false)}
    >
      <p>
        {`每人收到一个自己的链接，72 小时内用本人手机号加入，只能用一次；之前发给他的链接同时失效。能用办公平台联系的免费，其余发短信，最多 ${count ?? '…'} 人；内容较长，每人一般按 2 条计费。每人每天最多邀请 3 次，超过的会跳过。`}
      </p>
      {errorText && (
        <p role="alert" className={styles.problem}>
          {errorText}
        </p>
      )}
    </ConfirmDialog>
  )
}
