import { Button } from 'antd'
import { useRef } from 'react'
import { withFile } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import styles from './picture.module.css'

type PictureButtonsProps = {
  /** The name of the picture: 头像. */
  label: string
  hasPicture: boolean
  busy: boolean
  /** Renders the selected file as it will be uploaded; throws an error with a message for the user. */
  renderFile: (file: File) => Promise<File>
  /** Receives the rendered picture as a form with one file. */
  onRendered: (form: Record<string, never>) => void
  onRemove: () => void
}

export function PictureButtons({ label, hasPicture, busy, renderFile, onRendered, onRemove }: PictureButtonsProps) {
  const fileInput = useRef<HTMLInputElement>(null)
  const selectFile = async (file: File | undefined) => {
    if (!file) return
    try {
      onRendered(withFile<Record<string, never>>({}, await renderFile(file)))
    } catch (error) {
      toast.error(error instanceof Error ? error.message : '浏览器没能处理这张图片，请换一张')
    }
  }
  return (
    <div className={styles.buttons}>
      <input
        ref={fileInput}
        type="file"
        accept="image/*"
        hidden
        aria-label={`选择${label}图片`}
        onChange={(event) => {
          void selectFile(event.target.files?.[0])
          // Allows the same file to be selected again.
          event.target.value = ''
        }}
      />
      {hasPicture && (
        <Button type="text" disabled={busy} onClick={onRemove}>
          移除
        </Button>
      )}
      <Button loading={busy} onClick={() => fileInput.current?.click()}>
        {hasPicture ? `更换${label}` : `上传${label}`}
      </Button>
    </div>
  )
}
