import { clearHrManager, clearRole, endUserSessions } from '../../../server/contract/corp/role.ts'
import { powerWords } from '../../../server/contract/who.ts'
import { useCall } from '../../api.ts'
import { ConfirmDialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'
import { type Admin, type Given, losesWith } from './rights.ts'

type Props = { admin: Admin; onClose: () => void }

/** Taking one power away: says what he loses, and with whom his pay runs stay. */
export function TakeDialog({ admin, power, onClose }: Props & { power: Given }) {
  const { user_id, name, batches } = admin
  const onSuccess = () => {
    toast.done(`已取消 ${name} 的${powerWords[power]}权限`)
    onClose()
  }
  const any = useCall(clearRole, { onSuccess })
  const hr = useCall(clearHrManager, { onSuccess })
  const last = admin.power.length === 1
  return (
    <ConfirmDialog
      open
      danger
      title={`取消 ${name} 的${powerWords[power]}权限？`}
      // Not 「取消…」 again: it would stand beside the 取消 that does nothing.
      action="收回权限"
      busy={any.isPending || hr.isPending}
      onConfirm={() => (power === '3' ? hr.mutate({ user_id }) : any.mutate({ user_id, power }))}
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>
          他将立即退出登录，{losesWith[power]}
          {last
            ? '，也不再是管理员'
            : `；其他权限（${admin.power
                .filter((each) => each !== power)
                .map((each) => powerWords[each])
                .join('、')}）保留`}
          。他自己的工资条不受影响。
        </p>
        {power === '2' && (
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

/** Signing somebody out on all his devices. */
export function EndDialog({ admin, onClose }: Props) {
  const end = useCall(endUserSessions, {
    onSuccess: ({ ended }) => {
      toast.done(ended > 0 ? `已退出 ${admin.name} 的 ${ended} 个登录` : `${admin.name} 目前没有登录`)
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
