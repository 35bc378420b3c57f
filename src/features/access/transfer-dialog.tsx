import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getSystemManagerTransferInfo, transferManagerBySystemManager } from '../../../server/contract/approvals/approvals.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { changeMessages } from '../auth/account/change-messages.ts'
import { MemberPicker, type SelectedMember } from '../directory/member-picker.tsx'
import styles from './role.module.css'
import { ScopeTags } from './scope.tsx'

/** Transfers payroll administration (spec §2, dialog 6): administrator, scope, successor; the wage records move too. */
export function TransferPayrollDialog(props: { user_id: string; member_id: string; onClose: () => void }) {
  const { user_id, member_id, onClose } = props
  const [key] = useState(createIdempotencyKey)
  const [selected, setSelected] = useState<Pick<SelectedMember, 'ID' | 'NAME'> | null>(null)
  const [isMissing, setIsMissing] = useState(false)
  const info = useQuery(callQuery(getSystemManagerTransferInfo, { id: user_id }))
  const transfer = useCallMutation(transferManagerBySystemManager, {
    key,
    onSuccess: ({ batches }) => {
      toast.success(`移交成功，${batches} 个工资批次已归 ${selected?.NAME}`)
      onClose()
    },
  })
  const confirm = () => {
    setIsMissing(selected === null)
    if (selected) transfer.mutate({ id: user_id, member_id: selected.ID })
  }
  const selectMember = (member: Pick<SelectedMember, 'ID' | 'NAME'> | undefined) => {
    setSelected(member ?? null)
    setIsMissing(false)
  }
  return (
    <Dialog
      open
      danger
      title="移交薪酬管理权限"
      action={selected ? `移交给 ${selected.NAME}` : '移交'}
      allowed={info.data ? true : '正在读取移交内容'}
      busy={transfer.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {!info.data ? (
        info.error ? (
          <ErrorState error={info.error} retry={() => void info.refetch()} />
        ) : (
          <Skeleton rows={5} />
        )
      ) : (
        <TransferDetails
          info={info.data}
          selected={selected}
          onSelect={selectMember}
          excludedId={member_id}
          isMissing={isMissing}
        />
      )}
    </Dialog>
  )
}

type MemberChoice = Pick<SelectedMember, 'ID' | 'NAME'>
type TransferDetailsProps = {
  info: CallOutput<typeof getSystemManagerTransferInfo>
  selected: MemberChoice | null
  onSelect: (person: MemberChoice | undefined) => void
  /** Excludes the administrator who transfers. */
  excludedId: string
  isMissing: boolean
}

/** What is transferred, and who receives it. */
function TransferDetails({ info, selected, onSelect, excludedId, isMissing }: TransferDetailsProps) {
  const { name, scope, batches, shares, to } = info
  return (
    <div className="ui-stack">
      <dl className={styles.facts}>
        <dt>管理员</dt>
        <dd>{name}</dd>
        <dt>管理范围</dt>
        <dd>
          <ScopeTags {...scope} />
        </dd>
        <dt>一并移交</dt>
        <dd>
          {batches} 个工资批次{shares > 0 && `、${shares} 个共享给他的标题`}
        </dd>
      </dl>
      {to && (
        <p className={styles.note}>
          {name} 已申请移交给 <strong>{to.name}</strong>，正等待审批。
          {selected?.ID !== to.member_id && (
            <button type="button" className={styles.link} onClick={() => onSelect({ ID: to.member_id, NAME: to.name })}>
              就移交给 {to.name}
            </button>
          )}
        </p>
      )}
      <section className={styles.to} aria-label="移交给">
        <h3 className="ui-label">移交给{selected && <strong>：{selected.NAME}</strong>}</h3>
        <MemberPicker
          label="移交给"
          manager={2}
          value={selected ? [selected as SelectedMember] : []}
          onChange={([member]) => onSelect(member)}
          excludedIds={[excludedId]}
        />
        <p className="ui-error" role="alert">
          {isMissing && changeMessages.transfer.noneSelected}
        </p>
      </section>
      <p className="ui-hint">
        移交后，该管理员名下的工资记录也会一并移交；{name} 将立即退出登录，不再是薪酬管理员。移交不能撤销，只能由对方再移交回来。
      </p>
    </div>
  )
}
