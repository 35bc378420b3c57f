import { logout } from '../../../server/contract/account/account.ts'
import { ApiError, toSignIn, useCall } from '../../api.ts'
import { ConfirmDialog } from '../../ui/over/dialogs.tsx'

/** Whatever the server answers, an answer leads to the sign-in page (spec §8). */
export function LogoutDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const out = useCall(logout, {
    handles: () => true,
    onSettled: (_, error) => (!error || error instanceof ApiError) && toSignIn({ back: false }),
  })
  return (
    <ConfirmDialog
      open={open}
      title="退出登录？"
      action="退出登录"
      busy={out.isPending}
      onConfirm={() => out.mutate({})}
      onClose={onClose}
    >
      退出后需要重新登录才能继续使用。
    </ConfirmDialog>
  )
}
