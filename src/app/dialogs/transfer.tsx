import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { applyTransferWageManager, getWageManagerInfo } from '../../../server/contract/approvals/approvals.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import styles from '../../features/auth/account/account.module.css'
import { changeMessages, validateTransfer } from '../../features/auth/account/change-messages.ts'
import { MemberPicker, type SelectedMember } from '../../features/directory/member-picker.tsx'

/**
 * 移交薪酬管理权限: exactly one member takes over, after the system manager has approved. The current administrator is not
 * among the candidates.
 */
export function TransferDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const managerQuery = useQuery({ ...callQuery(getWageManagerInfo, {}), enabled: open, staleTime: 0 })
  const [selected, setSelected] = useState<readonly SelectedMember[]>([])
  const [errorMessage, setErrorMessage] = useState('')
  const [key, setKey] = useState(createIdempotencyKey)
  const close = () => {
    setSelected([])
    setErrorMessage('')
    onClose()
  }
  const apply = useCallMutation(applyTransferWageManager, {
    key,
    onSuccess: ({ message }) => {
      toast.success(message || changeMessages.transfer.done)
      close()
    },
    // Another attempt is a new intent.
    onSettled: () => setKey(createIdempotencyKey()),
  })
  const confirm = () => {
    const [to] = selected
    setErrorMessage(validateTransfer(selected) ?? '')
    if (to && selected.length === 1) apply.mutate({ member_id: to.ID })
  }
  const manager = managerQuery.data
  const pendingTransfer = manager?.pending_approval
  return (
    <Dialog
      open={open}
      title="移交薪酬管理权限"
      onClose={close}
      busy={apply.isPending}
      {...(manager && !pendingTransfer
        ? { action: selected[0] ? `申请移交给 ${selected[0].NAME}` : '申请移交', onConfirm: confirm }
        : {})}
    >
      {!manager ? (
        managerQuery.error ? (
          <ErrorState error={managerQuery.error} retry={() => void managerQuery.refetch()} />
        ) : (
          <Skeleton rows={5} />
        )
      ) : pendingTransfer ? (
        <p role="status">
          您已申请移交给 <strong>{pendingTransfer.to}</strong>，正在等待系统管理员审批。要换人，请先到「待办」里撤回这份申请。
        </p>
      ) : (
        <div className="ui-stack">
          <p className="ui-label">
            薪酬权限、管理范围和名下的工资条记录会在系统管理员同意后一起移交，移交后您需要重新登录。请选择一位接手的人。
          </p>
          <MemberPicker
            label="移交给"
            manager={2}
            value={selected}
            onChange={(people) => {
              setSelected(people)
              setErrorMessage('')
            }}
            getDisabledReason={(person) => (person.USER_ID === manager.user_id ? '现任薪酬管理员' : null)}
          />
          {errorMessage && (
            <p role="alert" className={styles.wrong}>
              {errorMessage}
            </p>
          )}
        </div>
      )}
    </Dialog>
  )
}
