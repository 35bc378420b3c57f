import { Button } from 'antd'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import styles from './webhook.module.css'

type SecretDialogProps = { title: string; secret: string; note: string; onClose: () => void }

/** Shows the secret once: it is not shown again. */
export function SecretDialog({ title, secret, note, onClose }: SecretDialogProps) {
  const showCopyError = () => toast.error('浏览器不允许复制，请选中后手动复制')
  const copy = () =>
    navigator.clipboard?.writeText(secret).then(() => toast.brief('密钥已复制'), showCopyError) ?? showCopyError()
  return (
    <Dialog open title={title} maskCloses={false} result={{ text: '我已保存', onPress: onClose }} onClose={onClose}>
      <p>{note}</p>
      <p className={styles.secret}>
        <code>{secret}</code>
      </p>
      <Button onClick={() => void copy()}>复制密钥</Button>
    </Dialog>
  )
}
