import { Button } from 'antd'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import styles from './webhook.module.css'

/** Shows the secret once: it is not shown again. */
export function WebhookSecretDialog({ secret, note, onClose }: { secret: string; note: string; onClose: () => void }) {
  const showCopyError = () => toast.error('浏览器不允许复制，请选中后手动复制')
  const copy = () =>
    navigator.clipboard?.writeText(secret).then(() => toast.brief('密钥已复制'), showCopyError) ?? showCopyError()
  return (
    <Dialog open title="签名密钥" maskCloses={false} result={{ text: '我已保存', onPress: onClose }} onClose={onClose}>
      <p>{note}</p>
      <p className={styles.secret}>
        <code>{secret}</code>
      </p>
      <Button onClick={() => void copy()}>复制密钥</Button>
    </Dialog>
  )
}
