import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getSystemManagerTransferInfo, transferManagerBySystemManager } from '../../../server/contract/corp/approval.ts'
import { intent, query, useCall } from '../../api.ts'
import { Dialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { messages } from '../account/messages.ts'
import { MemberPicker, type PickedPerson } from '../member/member-picker.tsx'
import styles from './role.module.css'
import { ScopeTags } from './scope.tsx'

/** Spec §2, dialog 6: the administrator, his scope, to whom; his wage records move too. */
export function TransferDialog(props: { user_id: string; member_id: string; onClose: () => void }) {
  const { user_id, member_id, onClose } = props
  const [key] = useState(intent)
  const [chosen, setChosen] = useState<Pick<PickedPerson, 'ID' | 'NAME'> | null>(null)
  const [missing, setMissing] = useState(false)
  const info = useQuery(query(getSystemManagerTransferInfo, { id: user_id }))
  const move = useCall(transferManagerBySystemManager, {
    key,
    onSuccess: ({ batches }) => {
      toast.done(`移交成功，${batches} 个工资批次已归 ${chosen?.NAME}`)
      onClose()
    },
  })
  const confirm = () => {
    setMissing(chosen === null)
    if (chosen) move.mutate({ id: user_id, member_id: chosen.ID })
  }
  const choose = (person: Pick<PickedPerson, 'ID' | 'NAME'> | undefined) => {
    setChosen(person ?? null)
    setMissing(false)
  }
  return (
    <Dialog
      open
      danger
      title="移交薪酬管理权限"
      action={chosen ? `移交给 ${chosen.NAME}` : '移交'}
      verdict={info.data ? true : '正在读取移交内容'}
      busy={move.isPending}
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
        <What info={info.data} chosen={chosen} onChoose={choose} without={member_id} missing={missing} />
      )}
    </Dialog>
  )
}

type Chosen = Pick<PickedPerson, 'ID' | 'NAME'>
type WhatProps = {
  info: OutputOf<typeof getSystemManagerTransferInfo>
  chosen: Chosen | null
  onChoose: (person: Chosen | undefined) => void
  /** Who cannot be chosen: himself. */
  without: string
  missing: boolean
}

/** What goes to whom. */
function What({ info, chosen, onChoose, without, missing }: WhatProps) {
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
          {chosen?.ID !== to.member_id && (
            <button type="button" className={styles.link} onClick={() => onChoose({ ID: to.member_id, NAME: to.name })}>
              就移交给 {to.name}
            </button>
          )}
        </p>
      )}
      <section className={styles.to} aria-label="移交给">
        <h3 className="ui-label">移交给{chosen && <strong>：{chosen.NAME}</strong>}</h3>
        <MemberPicker
          label="移交给"
          manager={2}
          value={chosen ? [chosen as PickedPerson] : []}
          onChange={([person]) => onChoose(person)}
          without={[without]}
        />
        <p className="ui-error" role="alert">
          {missing && messages.transfer.nobody}
        </p>
      </section>
      <p className="ui-hint">
        移交后，该管理员名下的工资记录也会一并移交；{name} 将立即退出登录，不再是薪酬管理员。移交不能撤销，只能由对方再移交回来。
      </p>
    </div>
  )
}
