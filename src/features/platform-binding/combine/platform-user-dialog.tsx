import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { combinePlatform } from '../../../../server/contract/platform-binding/binding.ts'
import type { resolvePlatformUser } from '../../../../server/contract/platform-binding/platform-users.ts'
import { useCallMutation } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { MemberPicker, type SelectedMember } from '../../directory/member-picker.tsx'
import { linkReasonLabels } from '../labels.ts'
import styles from './combine.module.css'
import { formatMemberSummary, PlatformUserName } from './platform-user-name.tsx'
import type { PlatformUserView } from './use-platform-users.ts'

/** A platform user and the member that they are linked to so far. */
export type ResolvedPlatformUser = CallOutput<typeof resolvePlatformUser>
type PlatformUserDialogProps = { resolved: ResolvedPlatformUser; view: PlatformUserView; onDone: () => void; onClose: () => void }

/** Links a platform user to any member of the roster; an administrator decides. */
export function PlatformUserDialog({
  resolved: { platform_user, linked_by, linked_to },
  view,
  onDone,
  onClose,
}: PlatformUserDialogProps) {
  const [selection, setSelection] = useState<SelectedMember[]>([])
  const [member] = selection
  const decide = useCallMutation(combinePlatform, {
    onSuccess: () => {
      toast.success('已对应')
      onDone()
      onClose()
    },
  })
  const isConfirmedByUser = linked_by === 'proved'
  return (
    <Dialog
      open
      title={isConfirmedByUser ? '这个账号已由本人确认' : '这个账号是花名册里的谁？'}
      {...(isConfirmedByUser
        ? { result: { text: '知道了', onPress: onClose } }
        : {
            action: member ? `是${member.NAME}` : '是这个人',
            allowed: member ? true : '请先在花名册里选择',
            busy: decide.isPending,
            onConfirm: () =>
              member &&
              decide.mutate({ decisions: [{ platform_user_id: platform_user.platform_user_id, member_id: member.ID }] }),
          })}
      onClose={onClose}
    >
      <div className={styles.asked}>
        <small>平台</small>
        <PlatformUserName person={platform_user} visible={view} />
        {linked_to && linked_by && (
          <p>
            {isConfirmedByUser ? '对应' : '现在对应'} <strong>{linked_to.name}</strong> {formatMemberSummary(linked_to)}（
            {linkReasonLabels[linked_by]}）
          </p>
        )}
      </div>
      {isConfirmedByUser ? (
        <p className="ui-hint">本人登录过，不能改成别人。如果账号确实换了人，请在平台上停用旧账号，再由新的员工登录一次。</p>
      ) : (
        <MemberPicker includesAll label="花名册" value={selection} onChange={setSelection} />
      )}
    </Dialog>
  )
}
