import { Button } from 'antd'
import { Dialog } from './dialogs.tsx'
import styles from './secret-dialog.module.css'
import { toast } from './toast.ts'

type SecretDialogProps = {
  title: string
  /** What the text is: 密钥, 链接. */
  kind: string
  secret: string
  note: string
  /** The text of the button that closes the dialog. */
  done: string
  onClose: () => void
}

/** Shows a text that is not shown again. */
export function SecretDialog({ title, kind, secret, note, done, onClose }: SecretDialogProps) {
  const showCopyError = () => toast.error('浏览器不允许复制，请选中后手动复制')
  const copy = () =>
    navigator.clipboard?.writeText(secret).then(() => toast.brief(`${kind}已复制`), showCopyError) ?? showCopyError()
  return (
    <Dialog open title={title} maskCloses={false} result={{ text: done, onPress: onClose }} onClose={onClose}>
      <p>{note}</p>
      <p className={styles.secret}>
        <code>{secret}</code>
      </p>
      <Button onClick={() => void copy()}>复制{kind}</Button>
    </Dialog>
  )
}
