import { Button } from 'antd'
import { Icon } from '../../../components/icon.tsx'
import { ProgressBar } from '../../../components/state/progress.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import styles from './upload.module.css'
import type { UploadInProgress, UploadStage } from './use-upload.ts'

const uploadSteps: readonly { text: string; stages: readonly UploadStage[] }[] = [
  { text: '上传', stages: ['sending'] },
  { text: '识别', stages: ['waiting', 'reading'] },
  { text: '保存', stages: ['keeping', 'done'] },
]

const formatWaiting = ({ file_name, total }: UploadInProgress) =>
  total > 0 ? `「${file_name}」已收到，正在排队，前面还有 ${formatCount(total)} 个文件…` : `「${file_name}」已收到，马上开始识别…`

/** The progress of an upload: bytes, parsing, rows; and the recognized columns as soon as they are known. */
export function UploadProgress({ channel: upload, onGiveUp: onCancel }: { channel: UploadInProgress; onGiveUp?: () => void }) {
  const { file_name, stage, labels } = upload
  const size = Math.max(1, Math.ceil(upload.bytes / 1024))
  const currentStep = uploadSteps.findIndex(({ stages }) => stages.includes(stage))
  return (
    <div className={`${styles.root} ${styles.busy}`} role="status">
      <ol className={styles.steps}>
        {uploadSteps.map(({ text }, index) => (
          <li key={text} data-done={index < currentStep || undefined} aria-current={index === currentStep ? 'step' : undefined}>
            {index < currentStep && <Icon name="check" size={16} />}
            {text}
          </li>
        ))}
      </ol>
      {stage === 'sending' ? (
        <ProgressBar label={`正在上传「${file_name}」`} done={Math.round(upload.sent * size)} total={size} unit="KB" />
      ) : stage === 'keeping' || stage === 'done' ? (
        <ProgressBar label="正在保存" done={upload.done} total={upload.total} unit="人" />
      ) : (
        <p>{stage === 'waiting' ? formatWaiting(upload) : '正在找表头和每一列的用途，一般只要几秒'}</p>
      )}
      {labels.length > 0 && (
        <div className={styles.labels}>
          <p className="ui-hint">
            {upload.sheet && `「${upload.sheet}」`}认出 {labels.length} 列
          </p>
          <ul>
            {labels.slice(0, 16).map((label) => (
              <li key={label}>{label}</li>
            ))}
            {labels.length > 16 && <li>…</li>}
          </ul>
        </div>
      )}
      {upload.survivesLeaving && <p className="ui-hint">刷新或离开这个页面不会中断，回来会接着显示</p>}
      {onCancel && <Button onClick={onCancel}>取消上传</Button>}
    </div>
  )
}
