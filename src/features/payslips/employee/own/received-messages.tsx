import { Link } from '@tanstack/react-router'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import { getReceivedMessageList } from '../../../../../server/contract/payslips/employee-data.ts'
import type { Channel } from '../../../../../server/contract/shared/schemas.ts'
import { formatDateTime } from '../../../../components/value/dates.ts'
import styles from '../m.module.css'
import { createPageFetcher, PaginatedSheet } from './paginated-sheet.tsx'

type ReceivedMessage = CallOutput<typeof getReceivedMessageList>['list'][number]
const messageKindLabels: Record<ReceivedMessage['kind'], string> = {
  slip: '工资条已发放',
  corrected: '工资条已更正',
  remind: '提醒查看工资条',
  answered: '反馈已回复',
}
const channelLabels: Record<Channel, string> = { platform: '办公平台', sms: '短信', email: '邮件', link: '薪函' }

const renderMessage = (message: ReceivedMessage) => (
  <li key={message.message_id}>
    <span>
      <strong>{messageKindLabels[message.kind]}</strong> {message.title}
      <small>
        {formatDateTime(message.at)} · {channelLabels[message.channel]}
        {message.delivery_unknown && '，不确定是否送达'} · {message.read ? '已读' : '未读'}
        {message.slip_id === null && ' · 已撤回'}
      </small>
    </span>
    {message.slip_id !== null && (
      <Link
        className={`ui-button ${styles.button}`}
        to="/m/slip/$id"
        params={{ id: message.slip_id }}
        aria-label={`查看：${message.title}`}
      >
        查看
      </Link>
    )}
  </li>
)

export const ReceivedMessagesSheet = ({ onClose }: { onClose: () => void }) => (
  <PaginatedSheet<ReceivedMessage>
    title="收到的通知"
    hint="公司发给您的工资条、更正、提醒和回复。"
    empty="还没有发给您的通知。"
    name="told"
    fetchPage={createPageFetcher(getReceivedMessageList)}
    onClose={onClose}
    line={renderMessage}
  />
)
