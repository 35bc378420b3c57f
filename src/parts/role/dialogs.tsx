import { AddDialog } from './add-dialog.tsx'
import type { Doing } from './columns.tsx'
import { HandOverDialog } from './hand-over-dialog.tsx'
import type { Given } from './rights.ts'
import { ScopeDialog } from './scope-dialog.tsx'
import { EndDialog, TakeDialog } from './take-dialog.tsx'
import { TransferDialog } from './transfer-dialog.tsx'

/** The dialog of what is being done with the administrators; mounted while it is open. */
export function RoleDialog({ doing, preset, onClose }: { doing: Doing; preset: Given | undefined; onClose: () => void }) {
  switch (doing.what) {
    case 'add':
      return <AddDialog preset={preset} onClose={onClose} />
    case 'hand-over':
      return <HandOverDialog onClose={onClose} />
    case 'scope':
      return <ScopeDialog admin={doing.admin} onClose={onClose} />
    case 'take':
      return <TakeDialog admin={doing.admin} power={doing.power} onClose={onClose} />
    case 'transfer':
      return <TransferDialog user_id={doing.admin.user_id} member_id={doing.admin.member_id} onClose={onClose} />
    case 'end':
      return <EndDialog admin={doing.admin} onClose={onClose} />
  }
}
