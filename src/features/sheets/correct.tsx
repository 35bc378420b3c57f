import { Button } from 'antd'
import { useRef, useState } from 'react'
import type { SheetDifference } from '../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../components/icon.tsx'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { formatCount } from '../../components/value/counts.ts'
import styles from './send.module.css'
import { countAffected, SheetDifferenceView } from './upload/difference.tsx'
import { acceptedFileTypes, useMaxUploadBytes, validateFile } from './upload/upload-area.tsx'
import { UploadProgress } from './upload/upload-progress.tsx'
import { type UploadResult, useSheetUpload } from './upload/use-upload.ts'

/** The selected file, its differences, and the actions. */
function useSheetCorrection(batch_id: string, onDone: (info: UploadResult) => void) {
  const maxBytes = useMaxUploadBytes()
  const uploading = useSheetUpload()
  const [selected, setSelected] = useState<{ file: File; compared: UploadResult | null } | null>(null)
  const difference = selected?.compared?.difference ?? null
  const close = () => {
    uploading.giveUp()
    uploading.setError(null)
    setSelected(null)
  }
  const compare = async (file: File) => {
    setSelected({ file, compared: null })
    const invalidReason = validateFile(file, maxBytes)
    if (invalidReason) return uploading.setError(invalidReason)
    const compared = await uploading.upload(file, { batch_id, compare_only: '1' })
    if (compared) setSelected({ file, compared })
  }
  const replace = async () => {
    if (!selected) return
    const info = await uploading.upload(selected.file, { batch_id })
    if (!info) return
    setSelected(null)
    toast.success(`已换成「${selected.file.name}」`)
    onDone(info)
  }
  const { channel: status, error } = uploading
  return { channel: status, error, difference, isOpen: selected !== null, close, compare, replace }
}

/** Formats the button label with the effect of replacing the wage sheet. */
function formatReplaceLabel(difference: SheetDifference): string {
  const count = countAffected(difference)
  if (count > 0) return `用这份替换（${formatCount(count)} 人有变化）`
  return difference.columns_added.length + difference.columns_removed.length > 0
    ? '用这份替换（只有列有变化）'
    : '仍然替换（没有变化）'
}

/**
 * 「上传改好的表」: the corrected wage sheet is first compared, and replaces the batch's own only after its differences were
 * shown. Earlier decisions stay where row and employee are the same.
 */
export function CorrectSheetButton({ batch_id, onDone }: { batch_id: string; onDone: (info: UploadResult) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const { channel: status, error, difference, isOpen, close, compare, replace } = useSheetCorrection(batch_id, onDone)
  return (
    <>
      <Button onClick={() => input.current?.click()}>上传改好的表</Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="改好的工资表"
        accept={acceptedFileTypes}
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) void compare(file)
          // Allows the same file to be selected again after a correction.
          event.target.value = ''
        }}
      />
      <Dialog
        open={isOpen}
        title={difference && !status ? '用改好的表替换？' : '上传改好的表'}
        width={640}
        onClose={close}
        {...(difference && !status && !error
          ? {
              action: formatReplaceLabel(difference),
              onConfirm: () => void replace(),
            }
          : error
            ? { action: '重新选择文件', onConfirm: () => input.current?.click() }
            : {})}
      >
        {status ? (
          <UploadProgress channel={status} onGiveUp={close} />
        ) : error ? (
          <div className={styles.wrong} role="alert">
            <Icon name="warn" />
            <p>{error}</p>
          </div>
        ) : (
          difference && <SheetDifferenceView difference={difference} />
        )}
      </Dialog>
    </>
  )
}
