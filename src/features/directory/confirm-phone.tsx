import { applyConfirmPhone } from '../../../server/contract/approvals/approvals.ts'
import { useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import type { Member } from './labels.ts'
import styles from './member.module.css'

/** Explains why an employee sees nothing under the new phone, and both solutions: their own or another's confirmation. */
export function ConfirmPhoneDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const apply = useCallMutation(applyConfirmPhone, {
    onSuccess: ({ message }) => {
      toast.success(message)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title={`${member.NAME} 的新手机号待确认`}
      action="请另一位管理员确认"
      busy={apply.isPending}
      onConfirm={() => apply.mutate({ member_id: member.ID })}
      onClose={onClose}
    >
      <p>手机号由管理员改成了 {member.MOBILE}。确认是本人之前，这个号码看不到、也收不到工资条。</p>
      <ul className={styles.ways}>
        <li>本人确认：请他用新手机号登录，再用原手机号的验证码或原来的密码确认。</li>
        <li>原手机号和原密码都不能用：您在这里申请，由另一位管理员核实后同意。</li>
      </ul>
    </ConfirmDialog>
  )
}
