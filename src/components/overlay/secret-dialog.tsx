import { Button } from 'antd'
import { copyText } from '../value/copy-text.ts'
import { Dialog } from './dialogs.tsx'
import styles from './secret-dialog.module.css'

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
  return (
    <Dialog open title={title} maskCloses={false} result={{ text: done, onPress: onClose }} onClose={onClose}>
      <p>{note}</p>
      <p className={styles.secret}>
        <code>{secret}</code>
      </p>
      <Button onClick={() => copyText(kind, secret)}>复制{kind}</Button>
    </Dialog>
  )
}
