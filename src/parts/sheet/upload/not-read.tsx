import { Button } from 'antd'
import { Icon } from '../../../ui/icon.tsx'
import styles from '../send.module.css'
import type { useBegun } from './use-begun.ts'

/** Why a sheet that was on its way when the page was left did not become a batch. */
export function NotRead({ begun }: { begun: ReturnType<typeof useBegun> }) {
  const { refused, error, dismiss } = begun
  const why = error ?? refused?.said
  if (!why) return null
  return (
    <div className={styles.wrong} role="alert">
      <Icon name="warn" />
      <div>
        <p>
          {refused && `「${refused.file_name}」没有识别成功：`}
          {why}
        </p>
        <Button size="small" onClick={dismiss}>
          知道了
        </Button>
      </div>
    </div>
  )
}
