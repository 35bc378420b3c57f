import { useState } from 'react'
import { clearBatchTitle } from '../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'

type Draft = { batch_id: string; name: string }
type DeleteDraftsProps = { drafts: readonly Draft[]; onDone: () => void; onClose: () => void }

/** Deletes drafts with their files. The first that cannot be deleted stops the rest, and its error is shown. */
export function DeleteDraftsDialog({ drafts, onDone, onClose }: DeleteDraftsProps) {
  const [isBusy, setBusy] = useState(false)
  const clear = useCallMutation(clearBatchTitle)
  const [first] = drafts
  const isOne = drafts.length === 1
  const deleteAll = async () => {
    setBusy(true)
    try {
      for (const { batch_id } of drafts) await clear.mutateAsync({ batch_id })
      toast.success(isOne ? '草稿已删除' : `已删除 ${drafts.length} 份草稿`)
      onDone()
    } catch {
      // The error was shown; the list shows which drafts are left.
    } finally {
      onClose()
    }
  }
  return (
    <ConfirmDialog
      open
      danger
      title={isOne ? '删除这份草稿？' : `删除 ${drafts.length} 份草稿？`}
      action={isOne ? '删除草稿' : `删除 ${drafts.length} 份`}
      busy={isBusy}
      onConfirm={() => void deleteAll()}
      onClose={onClose}
    >
      {isOne ? (
        <>「{first?.name}」和上传的文件会一起删除，不能恢复。它还没有发送，员工不会受影响。</>
      ) : (
        <>
          <p>这些草稿和上传的文件会一起删除，不能恢复。它们还没有发送，员工不会受影响。</p>
          <ul>
            {drafts.map(({ batch_id, name }) => (
              <li key={batch_id}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  )
}
