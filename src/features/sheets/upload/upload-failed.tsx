import { Button } from 'antd'
import { Icon } from '../../../components/icon.tsx'
import styles from '../send.module.css'
import type { useRunningUpload } from './use-running-upload.ts'

/** Explains why an upload that was running when the page was left did not become a batch. */
export function UploadFailedNote({ started: upload }: { started: ReturnType<typeof useRunningUpload> }) {
  const { refused: failedUpload, error, dismiss } = upload
  const reason = error ?? failedUpload?.said
  if (!reason) return null
  return (
    <div className={styles.wrong} role="alert">
      <Icon name="warn" />
      <div>
        <p>
          {failedUpload && `「${failedUpload.file_name}」没有识别成功：`}
          {reason}
        </p>
        <Button size="small" onClick={dismiss}>
          知道了
        </Button>
      </div>
    </div>
  )
}
