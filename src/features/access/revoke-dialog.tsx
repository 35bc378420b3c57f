import { clearHrManager, clearRole, endUserSessions } from '../../../server/contract/access/administrators.ts'
import { powerLabels } from '../../../server/contract/access.ts'
import { useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { useIsAgency } from '../../session.ts'
import { type Admin, agencyRevokeConsequences, type GrantablePower, revokeConsequences } from './rights.ts'

type AdminDialogProps = { admin: Admin; onClose: () => void }

/** Revokes one power: states what the administrator loses and who keeps their pay runs. */
export function RevokePowerDialog({ admin, power, onClose }: AdminDialogProps & { power: GrantablePower }) {
  const { user_id, name, batches } = admin
  const onSuccess = () => {
    toast.success(`已取消 ${name} 的${powerLabels[power]}权限`)
    onClose()
  }
  const revokePower = useCallMutation(clearRole, { onSuccess })
  const revokeHrManager = useCallMutation(clearHrManager, { onSuccess })
  const isLastPower = admin.power.length === 1
  const isAgency = useIsAgency()
  return (
    <ConfirmDialog
      open
      danger
      title={`取消 ${name} 的${powerLabels[power]}权限？`}
      // The button is not labelled 「取消…」, because it would be next to the 取消 button, which does nothing.
      action="收回权限"
      busy={revokePower.isPending || revokeHrManager.isPending}
      onConfirm={() => (power === '3' ? revokeHrManager.mutate({ user_id }) : revokePower.mutate({ user_id, power }))}
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>
          该管理员将立即退出登录，{(isAgency ? agencyRevokeConsequences : revokeConsequences)[power]}
          {isLastPower
            ? '，也不再是管理员'
            : `；其他权限（${admin.power
                .filter((other) => other !== power)
                .map((other) => powerLabels[other])
                .join('、')}）保留`}
          {isAgency ? '。' : '。他自己的工资条不受影响。'}
        </p>
        {power === '2' && !isAgency && (
          <p>
            {batches > 0 ? (
              <>
                他名下的 <strong>{batches} 个工资批次</strong>
                仍归他名下，系统管理员可以查看；要让别人接手，请改用「移交薪酬管理权限」。
              </>
            ) : (
              '他名下没有工资批次。'
            )}
          </p>
        )}
      </div>
    </ConfirmDialog>
  )
}

export function EndAdminSessionsDialog({ admin, onClose }: AdminDialogProps) {
  const end = useCallMutation(endUserSessions, {
    onSuccess: ({ ended }) => {
      toast.success(ended > 0 ? `已退出 ${admin.name} 的 ${ended} 个登录` : `${admin.name} 目前没有登录`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={`让 ${admin.name} 退出登录？`}
      action="强制退出"
      busy={end.isPending}
      onConfirm={() => end.mutate({ user_id: admin.user_id })}
      onClose={onClose}
    >
      他在所有电脑和手机上都会立即退出本企业，需要重新登录。权限和管理范围不变。
    </ConfirmDialog>
  )
}
