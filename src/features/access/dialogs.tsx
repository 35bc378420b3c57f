import { AddAdminDialog } from './add-dialog.tsx'
import type { AdminAction } from './columns.tsx'
import { TransferSystemManagerDialog } from './hand-over-dialog.tsx'
import { EndAdminSessionsDialog, RevokePowerDialog } from './revoke-dialog.tsx'
import type { GrantablePower } from './rights.ts'
import { AdminScopeDialog } from './scope-dialog.tsx'
import { TransferPayrollDialog } from './transfer-dialog.tsx'

/** The dialog of the current action on an administrator; mounted only while open. */
export function AdminActionDialog({
  doing: action,
  preset,
  onClose,
}: {
  doing: AdminAction
  preset: GrantablePower | undefined
  onClose: () => void
}) {
  switch (action.kind) {
    case 'add':
      return <AddAdminDialog preset={preset} onClose={onClose} />
    case 'hand-over':
      return <TransferSystemManagerDialog onClose={onClose} />
    case 'scope':
      return <AdminScopeDialog admin={action.admin} onClose={onClose} />
    case 'take':
      return <RevokePowerDialog admin={action.admin} power={action.power} onClose={onClose} />
    case 'transfer':
      return <TransferPayrollDialog user_id={action.admin.user_id} member_id={action.admin.member_id} onClose={onClose} />
    case 'end':
      return <EndAdminSessionsDialog admin={action.admin} onClose={onClose} />
  }
}
