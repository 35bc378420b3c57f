import { useQuery } from '@tanstack/react-query'
import { providerNames } from '../../../server/contract/people/providers.ts'
import { getCardRead, type CardRead as Read } from '../../../server/contract/wage/card.ts'
import { query } from '../../api.ts'
import styles from './batch/batch.module.css'

const words: Readonly<Record<Read, (name: string) => string>> = {
  read: (name) => `${name}里的消息：已读`,
  unread: (name) => `${name}里的消息：未读`,
  not_told: (name) => `${name}不告诉应用消息是否已读`,
  unsure: (name) => `${name}里的消息是否已读，现在查不到`,
}

/** Whether the message in the chat was read; nothing where none went there, or it cannot be asked. */
export function CardRead({ salary_id }: { salary_id: string }) {
  const { data } = useQuery({ ...query(getCardRead, { salary_id }), gcTime: 0, meta: { quiet: true } })
  if (!data?.card) return null
  const { provider, read } = data.card
  return <p className={`ui-hint ${styles.slipCardRead}`}>{words[read](providerNames[provider])}</p>
}
