import { Button } from 'antd'
import { Icon } from '../../../ui/icon.tsx'
import { Progress } from '../../../ui/state/progress.tsx'
import styles from './upload.module.css'
import type { Stage, Underway } from './use-upload.ts'

const steps: readonly { text: string; stages: readonly Stage[] }[] = [
  { text: '上传', stages: ['sending'] },
  { text: '识别', stages: ['waiting', 'reading'] },
  { text: '保存', stages: ['keeping', 'done'] },
]

const waitingText = ({ file_name, total }: Underway) =>
  total > 0 ? `「${file_name}」已收到，正在排队，前面还有 ${total} 个文件…` : `「${file_name}」已收到，马上开始识别…`

/** How far a sheet is: its bytes, its reading, its rows; and what was recognised as soon as it is known. */
export function UploadWay({ way, onGiveUp }: { way: Underway; onGiveUp?: () => void }) {
  const { file_name, stage, labels } = way
  const size = Math.max(1, Math.ceil(way.bytes / 1024))
  const now = steps.findIndex(({ stages }) => stages.includes(stage))
  return (
    <div className={`${styles.root} ${styles.busy}`} role="status">
      <ol className={styles.steps}>
        {steps.map(({ text }, at) => (
          <li key={text} data-done={at < now || undefined} aria-current={at === now ? 'step' : undefined}>
            {at < now && <Icon name="check" size={16} />}
            {text}
          </li>
        ))}
      </ol>
      {stage === 'sending' ? (
        <Progress label={`正在上传「${file_name}」`} done={Math.round(way.sent * size)} total={size} unit="KB" />
      ) : stage === 'keeping' || stage === 'done' ? (
        <Progress label="正在保存" done={way.done} total={way.total} unit="人" />
      ) : (
        <p>{stage === 'waiting' ? waitingText(way) : '正在找表头和每一列的用途，一般只要几秒'}</p>
      )}
      {labels.length > 0 && (
        <div className={styles.labels}>
          <p className="ui-hint">
            {way.sheet && `「${way.sheet}」`}认出 {labels.length} 列
          </p>
          <ul>
            {labels.slice(0, 16).map((label) => (
              <li key={label}>{label}</li>
            ))}
            {labels.length > 16 && <li>…</li>}
          </ul>
        </div>
      )}
      {way.lasts && <p className="ui-hint">刷新或离开这个页面不会中断，回来会接着显示</p>}
      {onGiveUp && <Button onClick={onGiveUp}>取消上传</Button>}
    </div>
  )
}
