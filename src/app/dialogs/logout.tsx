import { logout } from '../../../server/contract/auth/sign-in.ts'
import { ApiError, redirectToSignIn, useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'

/** Signs out. Any server response leads to the sign-in page (spec §8). */
export function LogoutDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const signOut = useCallMutation(logout, {
    handles: () => true,
    onSettled: (_, error) => (!error || error instanceof ApiError) && redirectToSignIn({ back: false }),
  })
  return (
    <ConfirmDialog
      open={open}
      title="退出登录？"
      action="退出登录"
      busy={signOut.isPending}
      onConfirm={() => signOut.mutate({})}
      onClose={onClose}
    >
      退出后需要重新登录才能继续使用。
    </ConfirmDialog>
  )
}
