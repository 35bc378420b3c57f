import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { applyTransferWageManager, getWageManagerInfo } from '../../../server/contract/corp/approval.ts'
import { intent, query, useCall } from '../../api.ts'
import styles from '../../parts/account/account.module.css'
import { messages, transferProblem } from '../../parts/account/messages.ts'
import { MemberPicker, type PickedPerson } from '../../parts/member/member-picker.tsx'
import { Dialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'

/** 移交薪酬管理权限: exactly one person takes over, once the system manager has agreed. The present holder is not among the candidates. */
export function TransferDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const asked = useQuery({ ...query(getWageManagerInfo, {}), enabled: open, staleTime: 0 })
  const [chosen, setChosen] = useState<readonly PickedPerson[]>([])
  const [said, setSaid] = useState('')
  const [key, setKey] = useState(intent)
  const close = () => {
    setChosen([])
    setSaid('')
    onClose()
  }
  const apply = useCall(applyTransferWageManager, {
    key,
    onSuccess: ({ message }) => {
      toast.done(message || messages.transfer.done)
      close()
    },
    // Another try is another wish.
    onSettled: () => setKey(intent()),
  })
  const confirm = () => {
    const [to] = chosen
    setSaid(transferProblem(chosen) ?? '')
    if (to && chosen.length === 1) apply.mutate({ member_id: to.ID })
  }
  const manager = asked.data
  const waiting = manager?.waiting
  return (
    <Dialog
      open={open}
      title="移交薪酬管理权限"
      onClose={close}
      busy={apply.isPending}
      {...(manager && !waiting ? { action: chosen[0] ? `申请移交给 ${chosen[0].NAME}` : '申请移交', onConfirm: confirm } : {})}
    >
      {!manager ? (
        asked.error ? (
          <ErrorState error={asked.error} retry={() => void asked.refetch()} />
        ) : (
          <Skeleton rows={5} />
        )
      ) : waiting ? (
        <p role="status">
          您已申请移交给 <strong>{waiting.to}</strong>，正在等待系统管理员审批。要换人，请先到「待办」里撤回这份申请。
        </p>
      ) : (
        <div className="ui-stack">
          <p className="ui-label">
            薪酬权限、管理范围和名下的工资条记录会在系统管理员同意后一起移交，移交后您需要重新登录。请选择一位接手的人。
          </p>
          <MemberPicker
            label="移交给"
            manager={2}
            value={chosen}
            onChange={(people) => {
              setChosen(people)
              setSaid('')
            }}
            cannot={(person) => (person.USER_ID === manager.user_id ? '现任薪酬管理员' : null)}
          />
          {said && (
            <p role="alert" className={styles.wrong}>
              {said}
            </p>
          )}
        </div>
      )}
    </Dialog>
  )
}
