import { useQuery } from '@tanstack/react-query'
import { getChatReadStatus, type ChatReadStatus as Read } from '../../../server/contract/payslips/chat-read-status.ts'
import { providerLabels } from '../../../server/contract/shared/providers.ts'
import { callQuery } from '../../api.ts'
import styles from './batch/batch.module.css'

const readStatusTexts: Readonly<Record<Read, (name: string) => string>> = {
  read: (name) => `${name}里的消息：已读`,
  unread: (name) => `${name}里的消息：未读`,
  not_told: (name) => `${name}不告诉应用消息是否已读`,
  unsure: (name) => `${name}里的消息是否已读，现在查不到`,
}

/** Whether the chat message was read; renders nothing if none was sent or the status cannot be queried. */
export function ChatReadNote({ salary_id }: { salary_id: string }) {
  const { data } = useQuery({ ...callQuery(getChatReadStatus, { salary_id }), gcTime: 0, meta: { quiet: true } })
  if (!data?.message) return null
  const { provider, read } = data.message
  return <p className={`ui-hint ${styles.slipCardRead}`}>{readStatusTexts[read](providerLabels[provider])}</p>
}
