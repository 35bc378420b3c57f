import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { clearMember, getDepartList, moveMembers } from '../../../server/contract/directory/members.ts'
import { ApiError, callApi, callQuery, createIdempotencyKey, refreshQueries, useCallMutation } from '../../api.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { lazyDialog } from '../../components/lazy.tsx'
import { ConfirmDialog, Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { TreePicker } from '../../components/tree/tree-picker.tsx'
import { getToday, LastDayField } from './file/terminate-dialog.tsx'
import type { Member } from './labels.ts'
import styles from './member.module.css'

const InviteDialog = lazyDialog(async () => (await import('../invites/invite-dialog.tsx')).InviteDialog)

type BulkDialogProps = { members: readonly Member[]; onClose: () => void; onDone: () => void }
const maxMembers = 500

/** The bulk actions for all selected members, with their count. */
export function BulkActionsBar(props: {
  people: readonly Member[]
  /** The selected department: a member who is moved leaves this one and stays in their other departments. */
  context: { ID: string; NAME: string } | undefined
  onClear: () => void
}) {
  const { people: members, context: department, onClear } = props
  const [openDialog, setOpenDialog] = useState<'move' | 'invite' | 'leave' | null>(null)
  const invitable = members.filter(({ STATUS }) => STATUS === 'invited').map(({ ID }) => ID)
  const dialogProps = { members, onClose: () => setOpenDialog(null), onDone: onClear }
  const withinLimit = members.length > maxMembers ? (`一次最多 ${maxMembers} 人` as const) : true
  return (
    <div className={styles.many} role="region" aria-label="已选的员工">
      <strong>已选 {members.length} 人</strong>
      <ActionButton allowed={withinLimit} onClick={() => setOpenDialog('move')}>
        移动到部门
      </ActionButton>
      <ActionButton
        allowed={invitable.length > maxMembers ? withinLimit : invitable.length > 0 || '选中的人都已经加入'}
        onClick={() => setOpenDialog('invite')}
      >
        {invitable.length > 0 ? `邀请 ${invitable.length} 人` : '邀请加入'}
      </ActionButton>
      <ActionButton allowed={withinLimit} onClick={() => setOpenDialog('leave')}>
        标记离职
      </ActionButton>
      <Button type="link" onClick={onClear}>
        取消选择
      </Button>
      {openDialog === 'move' && <MoveMembersDialog {...dialogProps} context={department} />}
      {openDialog === 'leave' && <TerminateMembersDialog {...dialogProps} />}
      {openDialog === 'invite' && (
        <>
          <InviteDialog
            member_ids={invitable}
            onClose={(invited) => {
              setOpenDialog(null)
              if (invited) onClear()
            }}
          />
        </>
      )}
    </div>
  )
}

function MoveMembersDialog({
  members,
  context: department,
  onClose,
  onDone,
}: BulkDialogProps & { context: { ID: string; NAME: string } | undefined }) {
  const [key] = useState(createIdempotencyKey)
  const [to, setTo] = useState<string>()
  const tree = useQuery(callQuery(getDepartList, {}))
  const move = useCallMutation(moveMembers, {
    key,
    onSuccess: () => {
      toast.success(`已移动 ${members.length} 人`)
      onClose()
      onDone()
    },
  })
  const ids = members.map(({ ID }) => ID)
  return (
    <Dialog
      open
      title={`把选中的 ${members.length} 人移动到`}
      action={`移动 ${members.length} 人`}
      allowed={to === undefined ? '请选择部门' : true}
      busy={move.isPending}
      onConfirm={() =>
        to && move.mutate({ member_ids: ids, department_id: to, ...(department ? { from_id: department.ID } : {}) })
      }
      onClose={onClose}
    >
      <div className="ui-stack">
        <TreePicker tree={tree.data?.list ?? []} value={to} placeholder="选择部门" onChange={setTo} />
        <p className="ui-hint">
          {department
            ? `他们离开「${department.NAME}」和它的下级部门；同时所在的其他部门不变。`
            : '他们离开现在所在的部门，只在选中的部门里。能看到他们工资条的管理员会随部门改变。'}
        </p>
      </div>
    </Dialog>
  )
}

/**
 * Terminates members one by one: a member who cannot be terminated (an administrator, for example) stays, with the
 * reason, and does not block the others.
 */
function TerminateMembersDialog({ members, onClose, onDone }: BulkDialogProps) {
  const [progress, setProgress] = useState<number | null>(null)
  const [failures, setFailures] = useState<string[]>([])
  const [left_on, setDay] = useState(getToday)
  const terminateAll = async () => {
    const reasons: string[] = []
    for (const [index, { ID, NAME }] of members.entries()) {
      setProgress(index)
      try {
        await callApi(clearMember, { id: ID, terminated_on: left_on })
      } catch (error) {
        reasons.push(`${NAME}：${error instanceof ApiError ? error.message : '没有办到，请稍后重试'}`)
      }
    }
    void refreshQueries()
    const terminatedCount = members.length - reasons.length
    if (terminatedCount > 0) toast.success(`已将 ${terminatedCount} 人标记为离职`)
    setProgress(null)
    setFailures(reasons)
    if (reasons.length > 0) return
    onClose()
    onDone()
  }
  const close = () => {
    if (progress !== null) return
    onClose()
    if (failures.length > 0) onDone()
  }
  if (failures.length > 0)
    return (
      <Dialog open title={`${failures.length} 人没有标记为离职`} onClose={close} result={{ text: '知道了', onPress: close }}>
        <ul className={styles.ways}>
          {failures.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      </Dialog>
    )
  return (
    <ConfirmDialog
      open
      danger
      title={`将选中的 ${members.length} 人标记为离职？`}
      action={progress === null ? `标记 ${members.length} 人离职` : `正在标记 ${progress + 1} / ${members.length}`}
      busy={progress !== null}
      onConfirm={() => void terminateAll()}
      onClose={close}
    >
      <LastDayField value={left_on} onChange={setDay} disabled={progress !== null} />
      <p>
        他们将立即退出登录。离职后能否再看自己的工资条，按「工资条设置」里的「离职后查看」（默认两年，每次验证手机号）。以后的工资表里再出现他们时会提醒您。
      </p>
    </ConfirmDialog>
  )
}
