import { Button } from 'antd'
import { useRef, useState } from 'react'
import type { Difference } from '../../../server/contract/sheet/sheet.ts'
import { Icon } from '../../ui/icon.tsx'
import { Dialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'
import styles from './send.module.css'
import { DifferenceView, touched } from './upload/difference.tsx'
import { accept, refusalOf, useMaxBytes } from './upload/upload-area.tsx'
import { UploadWay } from './upload/upload-way.tsx'
import { type Uploaded, useUpload } from './upload/use-upload.ts'

/** The file that was chosen, what it would change, and the way there. */
function useCorrection(batch_id: string, onDone: (info: Uploaded) => void) {
  const maxBytes = useMaxBytes()
  const uploading = useUpload()
  const [chosen, setChosen] = useState<{ file: File; compared: Uploaded | null } | null>(null)
  const difference = chosen?.compared?.difference ?? null
  const close = () => {
    uploading.giveUp()
    uploading.setError(null)
    setChosen(null)
  }
  const compare = async (file: File) => {
    setChosen({ file, compared: null })
    const why = refusalOf(file, maxBytes)
    if (why) return uploading.setError(why)
    const compared = await uploading.upload(file, { batch_id, compare: '1' })
    if (compared) setChosen({ file, compared })
  }
  const replace = async () => {
    if (!chosen) return
    const info = await uploading.upload(chosen.file, { batch_id })
    if (!info) return
    setChosen(null)
    toast.done(`已换成「${chosen.file.name}」`)
    onDone(info)
  }
  const { way, error } = uploading
  return { way, error, difference, isOpen: chosen !== null, close, compare, replace }
}

/** What replacing it would do, on the button that does it. */
function replaceWords(difference: Difference): string {
  const count = touched(difference)
  if (count > 0) return `用这份替换（${count} 人有变化）`
  return difference.columns_added.length + difference.columns_gone.length > 0
    ? '用这份替换（只有列有变化）'
    : '仍然替换（没有变化）'
}

/**
 * 「上传改好的表」: the corrected sheet is compared first, and replaces the batch's own only after its difference was seen. What was
 * decided before stays where row and person are the same.
 */
export function CorrectSheet({ batch_id, onDone }: { batch_id: string; onDone: (info: Uploaded) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const { way, error, difference, isOpen, close, compare, replace } = useCorrection(batch_id, onDone)
  return (
    <>
      <Button onClick={() => input.current?.click()}>上传改好的表</Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="改好的工资表"
        accept={accept}
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) void compare(file)
          // The same file may be chosen again after it was put right.
          event.target.value = ''
        }}
      />
      <Dialog
        open={isOpen}
        title={difference && !way ? '用改好的表替换？' : '上传改好的表'}
        width={640}
        onClose={close}
        {...(difference && !way && !error
          ? {
              action: replaceWords(difference),
              onConfirm: () => void replace(),
            }
          : error
            ? { action: '重新选择文件', onConfirm: () => input.current?.click() }
            : {})}
      >
        {way ? (
          <UploadWay way={way} onGiveUp={close} />
        ) : error ? (
          <div className={styles.wrong} role="alert">
            <Icon name="warn" />
            <p>{error}</p>
          </div>
        ) : (
          difference && <DifferenceView difference={difference} />
        )}
      </Dialog>
    </>
  )
}
